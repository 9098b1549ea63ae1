import type { Selected, ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import type { Selection, Selector } from "../api/selection.js";
import type { ReadOptions } from "../data/readoptions.js";
import { product, strides } from "../data/shape.js";
import { signalOf } from "../data/signal.js";
import type { AnyData, DataType } from "../data/types.js";
import { LimitError, UnsupportedError } from "../errors.js";
import { Pace } from "../platform/macrotask.js";
import { Printed } from "../shared/printed.js";
import { type Axis, at, axesOf } from "./axis.js";
import { checkVector, damaged, encodingOf, invalid, lengths, vector } from "./encoding.js";
import { type ReadSettings, sharing } from "./settings.js";

/** The compression of a sparse matrix: by rows or by columns. */
export type SparseKind = "csr_matrix" | "csc_matrix";

/** The elements of a {@link SparseMatrix}. A complex number takes two elements. */
export type Numbers = Exclude<AnyData, unknown[] | { [field: string]: AnyData }>;

/** A sparse matrix in memory, laid out like scipy's `csr_matrix` and `csc_matrix`. */
export interface SparseBlock {
  /** Whether `indptr` refers to rows (`"csr_matrix"`) or columns (`"csc_matrix"`). */
  readonly kind: SparseKind;
  /** The numbers of rows and columns. */
  readonly shape: [rows: number, columns: number];
  /** The stored elements, row by row or column by column. */
  readonly data: Numbers;
  /**
   * The column of each element, or its row for CSC. The order is the stored one, not necessarily
   * ascending.
   */
  readonly indices: Uint32Array;
  /**
   * Row `i`, or column `i` for CSC, has the elements from `indptr[i]` to before `indptr[i + 1]`.
   */
  readonly indptr: Uint32Array;
}

/** The most bytes of a dense result. Equals the default limit for array reads. */
const mostBytes = 2 ** 30;

/** The bytes needed per row for the extent of its elements. */
const pointerBytes = 16;

/** The most elements searched at a time, if most of them are not selected. */
const pieceLength = 2 ** 22;

/** The pieces read in parallel. */
const piecesAhead = 4;

const numeric = /^(u?int|float|minifloat|bool|complex)$/;

/**
 * A sparse matrix (file format, "Sparse arrays"). Its properties come from metadata; {@link get}
 * and {@link sparse} read elements.
 *
 * Selecting rows of CSR, or columns of CSC, is cheap. It reads a part of `indptr` and then the
 * parts of `data` and `indices`; parts in neighbouring chunks are read together. Selecting columns
 * of CSR, or rows of CSC, searches all elements of the selected rows or columns.
 */
export class SparseMatrix extends Printed {
  /** The compression. */
  readonly kind: SparseKind;
  /** The group. */
  readonly group: Group;
  /** The numbers of rows and columns. */
  readonly shape: [rows: number, columns: number];
  /** The array of stored elements. */
  readonly data: ZarrArray;
  /** The array with the column of each element, or its row for CSC. */
  readonly indices: ZarrArray;
  /** The array with the first element of each row, or of each column for CSC. */
  readonly indptr: ZarrArray;

  /** @internal */
  constructor(
    kind: SparseKind,
    group: Group,
    shape: [number, number],
    [data, indices, indptr]: readonly [ZarrArray, ZarrArray, ZarrArray],
  ) {
    super();
    this.kind = kind;
    this.group = group;
    this.shape = shape;
    this.data = data;
    this.indices = indices;
    this.indptr = indptr;
  }

  /** The path of the group. */
  get path(): string {
    return this.group.path;
  }

  /** The data type of the elements. */
  get dtype(): DataType {
    return this.data.dtype;
  }

  /** The number of stored elements. */
  get nnz(): number {
    return this.data.shape[0] as number;
  }

  override toString(): string {
    const { kind, path, shape, dtype, nnz } = this;
    return `<SparseMatrix ${path} ${kind} shape=(${shape.join(", ")}) dtype=${dtype} nnz=${nnz}>`;
  }

  /**
   * Reads a selection into a dense array, like `get` of an array. Rows and columns are selected by
   * indices, ranges, lists or masks; two indices return one element. Elements that are not stored
   * are 0. Elements stored more than once are summed, as in scipy.
   *
   * Options that choose the memory of the result, or deliver chunks one by one, throw a
   * `TypeError`.
   *
   * @throws The errors of array reads.
   * @throws `LimitError` if the result would take more than 1 GiB.
   * @throws `CodecPipelineError` if `indptr` or `indices` are invalid.
   *
   * @example
   * const { data, shape } = await matrix.get([slice(100, 200), null]);
   */
  async get<const Sel extends Selection = null>(
    selection?: Sel,
    options: ReadOptions = {},
  ): Promise<Selected<DataType, Sel>> {
    const axes = axesOf(selection, this.shape, this.path) as [Axis, Axis];
    const [rows, columns] = axes;
    const shape = axes.filter(({ dropped }) => !dropped).map(({ count }) => count);
    const size = rows.count * columns.count;
    limited(this.path, size * this.data.type.size, `a dense result of ${rows.count} × ${columns.count} elements`);
    const call = new Call(sharing("get", options));
    const block = await this.#read(axes, call);
    const width = widthOf(this.data);
    const out = like(block.data, size * width);
    const [outer, inner] = this.kind === "csr_matrix" ? [columns.count, 1] : [1, columns.count];
    const bool = this.data.dtype === "bool";
    for (let i = 0; i + 1 < block.indptr.length; i++) {
      for (let k = block.indptr[i] as number; k < (block.indptr[i + 1] as number); k++) {
        if (call.due(k)) await call.rest();
        const to = (i * outer + (block.indices[k] as number) * inner) * width;
        for (let w = 0; w < width; w++) {
          const value = block.data[k * width + w] as number;
          // The sum is also right for bigints, despite the cast.
          out[to + w] = bool ? (out[to + w] as number) | value : (out[to + w] as number) + value;
        }
      }
    }
    if (shape.length > 0) return { data: out, shape, stride: strides(shape) } as Selected<DataType, Sel>;
    return ("get" in out ? (out as { get(i: number): unknown }).get(0) : out[0]) as Selected<DataType, Sel>;
  }

  /**
   * Reads a selection as a sparse matrix of the same kind. An index acts like a list of one. An
   * element that a list selects several times is repeated.
   *
   * @throws The errors of {@link get}.
   *
   * @example
   * const { data, indices, indptr } = await matrix.sparse([[7, 3], null]);
   */
  async sparse(selection?: Selection, options: ReadSettings = {}): Promise<SparseBlock> {
    const axes = axesOf(selection, this.shape, this.path) as [Axis, Axis];
    return this.#read(axes, new Call(sharing("sparse", options)));
  }

  async #read(axes: [rows: Axis, columns: Axis], call: Call): Promise<SparseBlock> {
    const { kind } = this;
    const [major, minor] = kind === "csr_matrix" ? axes : [axes[1], axes[0]];
    const taken = ascending(major);
    const extents = await this.#extents(taken, call);
    const find = finder(minor, this.shape[kind === "csr_matrix" ? 1 : 0]);
    const whole = !find && isOneRun(extents);
    const pieces = piecesOf(extents, this.data.chunks[0] as number, whole ? Number.POSITIVE_INFINITY : pieceLength);
    let bytes = 0;
    const parts = await inTurn(pieces, piecesAhead, async (piece) => {
      const part = await this.#part(piece, extents, find, call);
      bytes += part.data.byteLength;
      limited(this.path, bytes, "a sparse result");
      return part;
    });
    if (parts.length === 0) {
      const { data } = await this.data.get([{ start: 0, stop: 0, step: null }], call.options());
      const nothing = { first: 0, counts: new Uint32Array(), indices: new Uint32Array(), data: data as Numbers };
      parts.push(nothing);
    }
    const stored = joined(parts, extents.from.length, widthOf(this.data));
    const block = await gathered(stored, major, taken, minor, this.data, call);
    return { kind, shape: [axes[0].count, axes[1].count], ...block };
  }

  /** Reads the extents of the elements of ascending rows, or of columns for CSC. */
  async #extents(taken: Axis, call: Call): Promise<Extents> {
    const { count } = taken;
    limited(this.path, count * pointerBytes, `the positions of the elements of ${count} rows or columns`);
    const extents = { from: new Float64Array(count), to: new Float64Array(count) };
    if (count === 0) return extents;
    const first = at(taken, 0);
    const length = at(taken, count - 1) - first + 2;
    let wanted: Selector = { start: first, stop: first + length, step: null };
    let place = (index: number) => index - first;
    if (length > 4 * count + 1024) {
      const list: number[] = [];
      for (let i = 0; i < count; i++) {
        const index = at(taken, i);
        if (list.at(-1) !== index) list.push(index);
        list.push(index + 1);
      }
      const places = new Map(list.map((index, i) => [index, i]));
      wanted = list;
      place = (index) => places.get(index) as number;
    }
    const { data } = (await this.indptr.get([wanted], call.options())) as { data: ArrayLike<number | bigint> };
    let before = 0;
    for (let i = 0; i < data.length; i++) {
      if (call.due(i)) await call.rest();
      const pointer = Number(data[i]);
      if (!(pointer >= before && pointer <= this.nnz)) {
        const what = pointer > this.nnz ? `there are ${this.nnz} elements` : `it follows ${before}`;
        throw damaged(this.indptr, this.kind, `${pointer} is not a valid start of elements: ${what}`);
      }
      // The first row must start at element 0.
      if (i === 0 && first === 0 && pointer !== 0) {
        throw damaged(this.indptr, this.kind, `it begins with ${pointer}, not 0`);
      }
      before = pointer;
    }
    for (let i = 0; i < count; i++) {
      if (call.due(i)) await call.rest();
      const index = place(at(taken, i));
      extents.from[i] = Number(data[index]);
      extents.to[i] = Number(data[index + 1]);
    }
    return extents;
  }

  /** Reads a piece and keeps the selected elements. */
  async #part({ from, to, first, last }: Piece, extents: Extents, find: Finder | undefined, call: Call): Promise<Part> {
    const part = { start: from, stop: to, step: null };
    const [{ data }, { data: stored }] = await Promise.all([
      this.data.get([part], call.options()) as Promise<{ data: Numbers }>,
      this.indices.get([part], call.options()) as Promise<{ data: ArrayLike<number | bigint> }>,
    ]);
    const width = widthOf(this.data);
    const length = this.shape[this.kind === "csr_matrix" ? 1 : 0];
    const counts = new Uint32Array(last - first + 1);
    const indices = new Uint32Array(to - from);
    const kept = new Uint32Array(to - from);
    let n = 0;
    for (let i = first; i <= last; i++) {
      const before = n;
      const end = Math.min(extents.to[i] as number, to) - from;
      for (let k = Math.max(extents.from[i] as number, from) - from; k < end; k++) {
        if (call.due(k)) await call.rest();
        const index = Number(stored[k]);
        if (!(index >= 0 && index < length)) {
          throw damaged(this.indices, this.kind, `index ${index} is outside a dimension of ${length}`);
        }
        const rank = find ? find(index) : index;
        if (rank < 0) continue;
        indices[n] = rank;
        kept[n++] = k;
      }
      counts[i - first] = n - before;
    }
    const whole = n === to - from;
    return {
      first,
      counts,
      indices: indices.subarray(0, n),
      data: whole ? data : await pick(data, kept.subarray(0, n), width, call),
    };
  }
}

/** A call that divides its work into short tasks. */
class Call {
  /** Returns the options for one more read. */
  readonly options: () => ReadSettings;
  readonly #pace = new Pace();
  readonly #signal: AbortSignal | undefined;

  constructor(options: () => ReadSettings) {
    this.options = options;
    this.#signal = signalOf(options());
  }

  /**
   * Reports whether work should {@link rest} at element `k`. Checks the clock only now and then.
   */
  due(k: number): boolean {
    return (k & 0x3fff) === 0x3fff && this.#pace.due;
  }

  /** Yields to other tasks. Rejects with the signal's reason if it is aborted. */
  rest(): Promise<void> {
    return this.#pace.rest(this.#signal);
  }
}

/** Throws if something would take more memory than a result may. */
function limited(path: string, bytes: number, what: string): void {
  if (bytes <= mostBytes) return;
  throw new LimitError(`${path}: ${what} would take more than 1 GiB`, { path, limit: "OutputBytes", max: mostBytes });
}

/** The range of elements of each row; `to` is exclusive. */
interface Extents {
  from: Float64Array;
  to: Float64Array;
}

/** Elements that are read together. `first` and `last` are the rows they belong to. */
interface Piece {
  from: number;
  to: number;
  first: number;
  last: number;
}

/** The selected elements of a piece, with their count in each of its rows. */
interface Part {
  first: number;
  counts: Uint32Array;
  indices: Uint32Array;
  data: Numbers;
}

/** Returns the position of an index in the selection, or -1. */
type Finder = (index: number) => number;

/** The number of typed array elements per matrix element. */
const widthOf = ({ type }: ZarrArray) => (type.kind === "complex" ? 2 : 1);

/** Returns an array of the same class, filled with zeros. */
function like(data: Numbers, length: number): Numbers {
  return new (data.constructor as new (length: number) => Numbers)(length);
}

async function pick(data: Numbers, from: Uint32Array, width: number, call: Call): Promise<Numbers> {
  const out = like(data, from.length * width);
  for (let i = 0; i < from.length; i++) {
    if (call.due(i)) await call.rest();
    for (let w = 0; w < width; w++) out[i * width + w] = data[(from[i] as number) * width + w] as number;
  }
  return out;
}

/** The selected indices of a dimension, without duplicates, in ascending order. */
function ascending(axis: Axis): Axis {
  const { list, start, step, count } = axis;
  if (list) {
    const sorted = [...new Set(list)].sort((a, b) => a - b);
    return { ...axis, list: sorted, count: sorted.length };
  }
  return step < 0 ? { ...axis, start: start + (count - 1) * step, step: -step } : axis;
}

/**
 * Returns a function that finds the first position of an index in the selection. Undefined if the
 * selection is the whole dimension.
 */
function finder({ list, start, step, count }: Axis, length: number): Finder | undefined {
  if (!list) {
    if (count === length && step === 1) return undefined;
    return (index) => {
      const rank = (index - start) / step;
      return Number.isInteger(rank) && rank >= 0 && rank < count ? rank : -1;
    };
  }
  const ranks = new Map<number, number>();
  for (const [rank, index] of list.entries()) if (!ranks.has(index)) ranks.set(index, rank);
  return (index) => ranks.get(index) ?? -1;
}

/** Reports whether the extents are contiguous. */
function isOneRun({ from, to }: Extents): boolean {
  return to.every((end, i) => i + 1 === from.length || end === from[i + 1]);
}

/**
 * Divides elements into pieces to read. Extents in the same chunk, or in neighbouring ones, form
 * one piece.
 */
function piecesOf({ from, to }: Extents, chunk: number, most: number): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 0; i < from.length; i++) {
    let start = from[i] as number;
    const end = to[i] as number;
    while (start < end) {
      let piece = pieces.at(-1);
      const near = piece && Math.floor(start / chunk) - Math.floor((piece.to - 1) / chunk) <= 1;
      if (!piece || !near || piece.to - piece.from >= most) {
        piece = { from: start, to: start, first: i, last: i };
        pieces.push(piece);
      }
      // A piece ends at a chunk boundary.
      const limit = Math.max(Math.ceil((piece.from + most) / chunk) * chunk, start + 1);
      piece.to = Math.min(end, limit);
      piece.last = i;
      start = piece.to;
    }
  }
  return pieces;
}

/** Runs a function on each item of a list, at most `most` at a time. The first failure ends it. */
async function inTurn<T, R>(list: readonly T[], most: number, run: (one: T) => Promise<R>): Promise<R[]> {
  const out = new Array<R>(list.length);
  const next = list.entries();
  let failed = false;
  const worker = async () => {
    for (const [i, one] of next) {
      if (failed) return;
      try {
        out[i] = await run(one);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  return out;
}

type Compressed = Pick<SparseBlock, "data" | "indices" | "indptr">;

/** Concatenates parts. */
function joined(parts: readonly Part[], rows: number, width: number): Compressed {
  const indptr = new Uint32Array(rows + 1);
  for (const { first, counts } of parts) {
    for (let i = 0; i < counts.length; i++) {
      indptr[first + i + 1] = (indptr[first + i + 1] as number) + (counts[i] as number);
    }
  }
  for (let i = 0; i < rows; i++) indptr[i + 1] = (indptr[i + 1] as number) + (indptr[i] as number);
  const one = parts[0] as Part;
  if (parts.length === 1) return { data: one.data, indices: one.indices, indptr };
  const total = indptr[rows] as number;
  const indices = new Uint32Array(total);
  const data = like(one.data, total * width);
  let n = 0;
  for (const part of parts) {
    indices.set(part.indices, n);
    (data as Uint8Array).set(part.data as Uint8Array, n * width);
    n += part.indices.length;
  }
  return { data, indices, indptr };
}

/** Arranges distinct, ascending rows in the order of the selection, with repetitions. */
async function gathered(
  stored: Compressed,
  major: Axis,
  taken: Axis,
  minor: Axis,
  array: ZarrArray,
  call: Call,
): Promise<Compressed> {
  const again = new Map<number, number[]>();
  if (minor.list) {
    const first = new Map<number, number>();
    for (const [rank, index] of minor.list.entries()) {
      const known = first.get(index);
      if (known === undefined) first.set(index, rank);
      else if (!again.get(known)?.push(rank)) again.set(known, [known, rank]);
    }
  }
  const same =
    again.size === 0 &&
    major.count === taken.count &&
    (!major.list || major.list.every((one, i) => one === at(taken, i)));
  if (same && major.step >= 0) return stored;
  const { indptr } = stored;
  const places = major.list && new Map(taken.list?.map((index, i) => [index, i]));
  const rowAt = (i: number) => {
    if (places) return places.get(at(major, i)) as number;
    return major.step < 0 ? major.count - 1 - i : i;
  };
  const starts = new Uint32Array(major.count + 1);
  let total = 0;
  for (let i = 0; i < major.count; i++) {
    const row = rowAt(i);
    const [first, end] = [indptr[row] as number, indptr[row + 1] as number];
    total += end - first;
    // Count elements that are selected repeatedly.
    for (let k = first; again.size > 0 && k < end; k++) {
      if (call.due(k)) await call.rest();
      total += (again.get(stored.indices[k] as number)?.length ?? 1) - 1;
    }
    limited(array.path, total * array.type.size, "the elements that are selected several times");
    starts[i + 1] = total;
  }
  const from = new Uint32Array(total);
  const indices = new Uint32Array(total);
  let n = 0;
  for (let i = 0; i < major.count; i++) {
    const row = rowAt(i);
    for (let k = indptr[row] as number; k < (indptr[row + 1] as number); k++) {
      if (call.due(k)) await call.rest();
      const rank = stored.indices[k] as number;
      for (const one of again.get(rank) ?? [rank]) {
        from[n] = k;
        indices[n++] = one;
      }
    }
  }
  return { data: await pick(stored.data, from, widthOf(array), call), indices, indptr: starts };
}

/** @internal Opens a sparse matrix, also in the older form with `h5sparse_format`. */
export async function openSparse(group: Group, signal?: AbortSignal): Promise<SparseMatrix> {
  const { attrs, path } = group;
  const { type } = encodingOf(group);
  const kind = type || `${attrs.h5sparse_format}_matrix`;
  if (kind !== "csr_matrix" && kind !== "csc_matrix") throw invalid(path, `${kind} is not a sparse matrix`);
  const shape = lengths(path, attrs.shape ?? attrs.h5sparse_shape, "shape", 2) as [number, number];
  const [data, indices, indptr] = await Promise.all(
    (["data", "indices", "indptr"] as const).map((name) => vector(group, name, "array", signal)),
  );
  const arrays = [
    checkVector(data as ZarrArray),
    checkVector(indices as ZarrArray),
    checkVector(indptr as ZarrArray),
  ] as const;
  const [n, m, p] = arrays.map((array) => array.shape[0] as number) as [number, number, number];
  if (n !== m) throw invalid(path, `data has ${n} elements, indices ${m}`);
  const major = shape[kind === "csr_matrix" ? 0 : 1];
  if (p !== major + 1) throw invalid(path, `indptr has ${p} elements, but must have one more than ${major}`);
  for (const array of arrays.slice(1)) {
    if (!/^u?int$/.test(array.type.kind)) throw invalid(array.path, `its type is ${array.dtype}, not an integer type`);
  }
  if (!numeric.test(arrays[0].type.kind)) {
    const feature = `a sparse matrix of ${arrays[0].dtype}`;
    throw new UnsupportedError(`${path}: ${feature} is not supported`, { path, feature });
  }
  if (product(shape) > 0 && Math.max(...shape) > 2 ** 32) {
    const feature = "a sparse matrix of more than 2^32 rows or columns";
    throw new UnsupportedError(`${path}: ${feature} is not supported`, { path, feature });
  }
  return new SparseMatrix(kind, group, shape, arrays);
}
