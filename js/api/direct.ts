import { documentNames, mainDocument } from "../data/documents.js";
import { product, strides } from "../data/shape.js";
import { engine } from "../engine/engine.js";
import type { WireColumnBlock } from "../engine/protocol/columns.js";
import type { TypeDescription, WireArray, WireBlock, WireNode, WireSelector } from "../engine/protocol/wire.js";
import { Turns } from "../platform/macrotask.js";
import type { Readable } from "../stores/readable.js";
import { expanded, rangeOf } from "./expand.js";
import { type Operation, parseDocuments } from "./node.js";

// A direct read copies the elements of uncompressed chunks from a Map to the result on this thread.
// It gives the engine's answer or none. The engine reads what may fail, because it has the errors.

/** The limits of direct reads. The engine has its own for larger ones. */
const most = { chunks: 1 << 15, chunkBytes: 512 << 20, outputBytes: 1 << 30 };
/** The bytes that are copied before the time is checked. */
const stretch = 256 << 10;
/** The cost of one run of elements, as bytes of a long run. */
const runCost = 32;
/** Shorter runs, in bytes, are copied by a loop. */
const shortRun = 48;

/** The bytes that were copied since the time was checked. */
let copied = 0;
/** All direct reads share the turns, so that many of them do not occupy the thread either. */
const turns = /* @__PURE__ */ new Turns(3);

type Array = WireNode & { array: WireArray };

/** The data of an array that its direct reads need. */
interface Source {
  /** The key of its document, and the document. */
  document: string;
  text: Uint8Array;
  /** The Map's document that was last compared with the text. */
  seen: unknown;
  prefix: string;
  /** Absent chunks have this element. Undefined if only the engine can say what they have. */
  fill: Uint8Array | undefined;
  /** True if chunks may also have keys with slashes. */
  doubtful: boolean;
}

/** The sources by their nodes; undefined for arrays without direct reads. */
const sources = /* @__PURE__ */ new WeakMap<object, Source | undefined>();

/** The part of a chunk's dimension that a read takes, and its place in the result. */
interface Piece {
  chunk: number;
  from: number;
  count: number;
  to: number;
}

/** A dimension of the result: its pieces, the step in a chunk, and the number of elements. */
interface Axis {
  pieces: Piece[];
  step: number;
  count: number;
  /** True if the result lacks the dimension. */
  drop: boolean;
}

/** Elements at equal distances, in bytes. */
interface Loop {
  count: number;
  from: number;
  to: number;
}

type Read = Operation<"read" | "chunk" | "points">;

/** @internal Reads directly from a store. Resolves with undefined if the engine has to read. */
export async function directRead(
  store: Readable,
  node: Array,
  operation: Read,
  signal: AbortSignal | undefined,
): Promise<WireBlock | WireColumnBlock | undefined> {
  const { onRequest, limits } = engine.options;
  if (!isPlainMap(store) || onRequest || limits || signal?.aborted) return;
  if (operation.progress || operation.partial || operation.into) return;
  const source = sourceOf(node);
  if (!source || !isCurrent(store, source)) return;
  const { array, ref } = node;
  const axes = axesOf(array, operation);
  if (!axes) return;
  const { size } = array.type;
  const counts = axes.map(({ count }) => count);
  const bytes = product(counts) * size;
  if (bytes > most.outputBytes) return;
  const chunks = await chunksOf(store, array, source, axes, signal);
  if (!chunks) return;
  let out: Uint8Array;
  try {
    out = new Uint8Array(operation.shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  } catch {
    return; // no memory, or no shared memory
  }
  // New memory is zero.
  const zero = source.fill?.every((byte) => byte === 0);
  const rows = strides(counts);
  const inner = strides(array.chunks);
  let i = 0;
  for (const pieces of combinations(axes.map((axis) => axis.pieces))) {
    const chunk = chunks[i++];
    if (!chunk && zero) continue;
    const loops: Loop[] = [];
    let from = 0;
    let to = 0;
    pieces.forEach((piece, d) => {
      const [a, b] = [(inner[d] as number) * size, (rows[d] as number) * size];
      from += piece.from * a;
      to += piece.to * b;
      loops.push({ count: piece.count, from: chunk ? a * (axes[d] as Axis).step : 0, to: b });
    });
    // The Map's owner may have transferred the bytes during a rest.
    if (chunk && chunk.length !== product(array.chunks) * size) return;
    await copy(out, chunk ?? (source.fill as Uint8Array), chunk ? from : 0, to, size, loops, signal);
  }
  const answer = { shape: counts.filter((_, d) => !axes[d]?.drop), type: ref.type as string };
  const buffer = out.buffer as ArrayBuffer;
  return operation.columns ? { ...answer, column: buffer } : { ...answer, buffer };
}

/** @internal Elements that are written directly: packed, in C order, and their shape. */
export interface DirectValues {
  bytes: Uint8Array;
  shape: readonly number[];
}

/**
 * @internal Writes whole chunks to a Map. Resolves with false, without a change, if the engine has
 * to write. Elements beyond the array's end become the fill value.
 */
export async function directWrite(
  store: Readable,
  node: Array,
  selection: WireSelector[] | null,
  values: DirectValues,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { onRequest, limits } = engine.options;
  if (!isPlainMap(store) || store.set !== Map.prototype.set || "lock" in store || signal?.aborted) return false;
  const source = sourceOf(node);
  if (onRequest || limits || !source?.fill || !isCurrent(store, source)) return false;
  const { array } = node;
  const { type, chunks, shape, keyEncoding } = array;
  const axes = axesOf(array, { op: "read", node: node.ref, selection });
  if (!axes || String(axes.flatMap(({ count, drop }) => (drop ? [] : [count]))) !== String(values.shape)) return false;
  const isWhole = ({ pieces, step }: Axis, d: number) => {
    const [size, end] = [chunks[d] as number, shape[d] as number];
    return step === 1 && pieces.every(({ chunk, count }) => count === Math.min(size, end - chunk * size));
  };
  const all = values.bytes;
  const rows = strides(axes.map(({ count }) => count));
  if (!axes.every(isWhole) || all.length !== product(values.shape) * type.size) return false;
  const inner = strides(chunks);
  for (const pieces of combinations(axes.map((axis) => axis.pieces))) {
    const chunk = new Uint8Array(product(chunks) * type.size);
    if (pieces.some(({ count }, d) => count < (chunks[d] as number))) {
      const whole = [{ count: product(chunks), from: 0, to: type.size }];
      await copy(chunk, source.fill, 0, 0, type.size, whole, signal);
    }
    const key = source.prefix + keyOf(keyEncoding, pieces);
    let from = 0;
    const loops = pieces.map(({ count, to }, d) => {
      const step = (rows[d] as number) * type.size;
      from += to * step;
      return { count, from: step, to: (inner[d] as number) * type.size };
    });
    await copy(chunk, all, from, 0, type.size, loops, signal);
    store.set(key, chunk);
  }
  return true;
}

/** Returns the key of a chunk below the array's path. */
function keyOf({ name, separator }: WireArray["keyEncoding"], pieces: readonly Piece[]): string {
  const coords = pieces.map(({ chunk }) => chunk);
  return (name === "default" ? ["c", ...coords] : coords).join(separator) || "0";
}

/** Reports whether a store is a Map whose keys the engine would read by its get. */
function isPlainMap(store: Readable): store is Readable & Map<string, unknown> {
  return store instanceof Map && store.get === Map.prototype.get && !("getRange" in store);
}

function sourceOf(node: Array): Source | undefined {
  if (!sources.has(node)) sources.set(node, makeSource(node));
  return sources.get(node);
}

/** Returns the source of an array whose stored chunks are the elements of the result. */
function makeSource(node: Array): Source | undefined {
  const { array, path, format, ref, documents } = node;
  const { type, codecs, fill, grid, edges, shards, chunks, keyEncoding } = array;
  if (format === 1 || !isNative(type) || ref.type !== type.name) return;
  if (grid !== "regular" || edges || shards || product(chunks) * type.size > most.chunkBytes) return;
  const name = mainDocument(format, "array");
  const text = documents[name];
  if (!text) return;
  const document = parseDocuments(node)[name] as Partial<
    Record<"chunk_key_encoding" | "dtype" | "dimension_separator", unknown>
  >;
  if (format === 3) {
    const [{ name, configuration } = { name: "" }, ...others] = codecs;
    const { endian } = Object(configuration) as { endian?: unknown };
    if (name !== "bytes" || others.length > 0 || endian === "big") return;
    const { name: encoding } = Object(document.chunk_key_encoding) as { name?: unknown };
    if (encoding !== keyEncoding.name || !/^(default|v2)$/.test(keyEncoding.name)) return;
  } else if (codecs.length > 0 || array.order !== "C" || !/^[<|]/.test(String(document.dtype))) return;
  const doubtful = format === 2 && chunks.length > 1 && !document.dimension_separator;
  const prefix = path ? `/${path}/` : "/";
  const filled = !doubtful && fill?.length === type.size;
  return {
    document: prefix + name,
    text,
    seen: undefined,
    prefix,
    fill: filled ? new Uint8Array(fill) : undefined,
    doubtful,
  };
}

/** Reports whether the elements of a type have the bytes of their typed array. */
function isNative({ kind, size, bits, elem }: TypeDescription): boolean {
  switch (kind) {
    case "int":
    case "uint":
      return bits === undefined;
    case "float":
      return size > 2 || typeof Float16Array === "function";
    case "complex":
      return elem?.kind === "float" && elem.size > 2;
    case "datetime":
    case "timedelta":
      return true;
    case "raw":
      return size > 0;
  }
  return false;
}

/**
 * Reports whether the Map still has the array's document. If it does not, the engine decides: the
 * array may be in a container, changed or deleted.
 */
function isCurrent(store: Map<string, unknown>, source: Source): boolean {
  const now = store.get(source.document);
  if (now === source.seen && now !== undefined) return true;
  const { text } = source;
  if (!(now instanceof Uint8Array) || now.length !== text.length || !text.every((byte, i) => byte === now[i]))
    return false;
  // Version 3 takes precedence over version 2.
  if (source.document.endsWith(documentNames.array) && store.has(source.prefix + documentNames.v3)) return false;
  source.seen = now;
  return true;
}

/** Returns the dimensions of a read; undefined for a selection that the engine has to resolve. */
function axesOf({ shape, chunks, counts }: WireArray, operation: Read): Axis[] | undefined {
  if (operation.op === "points") return;
  const axes: Axis[] = [];
  let total = 1;
  if (operation.op === "chunk") {
    if (operation.coords.length !== shape.length) return;
    for (const [d, chunk] of operation.coords.entries()) {
      if (typeof chunk !== "number" || chunk < 0 || chunk >= (counts[d] as number)) return;
      const count = chunks[d] as number;
      axes.push({ pieces: [{ chunk, from: 0, count, to: 0 }], step: 1, count, drop: false });
    }
    return axes;
  }
  const { selection } = operation;
  if (selection && selection.filter((one) => one === "...").length > 1) return;
  const selectors = expanded(selection, shape.length);
  if (selectors.length !== shape.length) return;
  for (const [d, selector] of selectors.entries()) {
    const n = shape[d] as number;
    let [start, count, step] = [0, n, 1];
    if (typeof selector === "number") {
      start = selector < 0 ? selector + n : selector;
      if (start < 0 || start >= n) return;
      count = 1;
    } else if (selector !== null) {
      if (!("start" in selector)) return;
      if (selector.step !== null) {
        if (typeof selector.step !== "number" || selector.step === 0) return;
        step = selector.step;
      }
      [start, count] = rangeOf(selector, n);
    }
    const pieces = piecesOf(start, count, step, chunks[d] as number);
    total *= pieces?.length ?? Number.POSITIVE_INFINITY;
    if (!pieces || total > most.chunks) return;
    axes.push({ pieces, step, count, drop: typeof selector === "number" });
  }
  return axes;
}

/** Divides indices among the chunks of a dimension; undefined if these are too many. */
function piecesOf(start: number, count: number, step: number, chunk: number): Piece[] | undefined {
  const pieces: Piece[] = [];
  for (let to = 0; to < count; ) {
    if (pieces.length === most.chunks) return;
    const at = start + to * step;
    const number = Math.floor(at / chunk);
    const from = at - number * chunk;
    const room = step > 0 ? chunk - 1 - from : from;
    const here = Math.min(count - to, Math.floor(room / Math.abs(step)) + 1);
    pieces.push({ chunk: number, from, count: here, to });
    to += here;
  }
  return pieces;
}

/** Yields all combinations of pieces in C order, always in the same list. */
function* combinations(all: readonly Piece[][], chosen: Piece[] = [], d = 0): Generator<Piece[], void> {
  if (d === all.length) yield chosen;
  else
    for (const piece of all[d] as Piece[]) {
      chosen[d] = piece;
      yield* combinations(all, chosen, d + 1);
    }
}

/**
 * Returns the stored chunks of a read in C order, null for absent ones. Resolves with undefined if
 * one is not what the metadata say, or if the Map may have it elsewhere.
 */
async function chunksOf(
  store: Map<string, unknown>,
  { chunks, type, keyEncoding }: WireArray,
  { prefix, fill, doubtful }: Source,
  axes: readonly Axis[],
  signal: AbortSignal | undefined,
): Promise<(Uint8Array | null)[] | undefined> {
  const length = product(chunks) * type.size;
  const found: (Uint8Array | null)[] = [];
  for (const pieces of combinations(axes.map((axis) => axis.pieces))) {
    if (found.length % 64 === 0) while (turns.due) await turns.next(signal);
    const bytes = store.get(prefix + keyOf(keyEncoding, pieces));
    if (doubtful && store.has(prefix + keyOf({ name: "v2", separator: "/" }, pieces))) return;
    if (bytes === undefined ? !fill : !(bytes instanceof Uint8Array) || bytes.length !== length) return;
    found.push((bytes as Uint8Array | undefined) ?? null);
  }
  return found;
}

/** Copies elements in several loops, the innermost last. Rests when the thread's turn is over. */
async function copy(
  out: Uint8Array,
  chunk: Uint8Array,
  from: number,
  to: number,
  size: number,
  all: readonly Loop[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const loops = all.filter(({ count }) => count !== 1);
  let run = size;
  for (let last = loops.at(-1); last?.from === run && last.to === run; last = loops.at(-1)) {
    run *= last.count;
    loops.pop();
  }
  const inner = loops.pop() ?? { count: 1, from: 0, to: 0 };
  const copyRuns = run > shortRun ? longRuns(out, chunk) : shortRuns(out, chunk, run, from, to, [...loops, inner]);
  const most = Math.max(1, Math.floor(stretch / (run + runCost)));
  const index = loops.map(() => 0);
  for (let d = 0; d >= 0; ) {
    for (let i = 0; i < inner.count; i += most) {
      const count = Math.min(most, inner.count - i);
      for (let k = 0; k < run; k += stretch) {
        const part = Math.min(stretch, run - k);
        copied += count * (part + runCost);
        if (copied >= stretch) {
          copied = 0;
          while (turns.due) await turns.next(signal);
        }
        copyRuns(from + i * inner.from + k, to + i * inner.to + k, part, count, inner);
      }
    }
    for (d = loops.length - 1; d >= 0; d--) {
      const loop = loops[d] as Loop;
      from += loop.from;
      to += loop.to;
      if (++(index[d] as number) < loop.count) break;
      from -= loop.count * loop.from;
      to -= loop.count * loop.to;
      index[d] = 0;
    }
  }
}

/** Copies `count` runs of bytes, the first at `from`. */
type CopyRuns = (from: number, to: number, run: number, count: number, loop: Loop) => void;

const longRuns =
  (out: Uint8Array, chunk: Uint8Array): CopyRuns =>
  (from, to, run, count, loop) => {
    for (let i = 0; i < count; i++, from += loop.from, to += loop.to) out.set(chunk.subarray(from, from + run), to);
  };

/** Copies in the largest units that the alignment of all parts allows. */
function shortRuns(
  out: Uint8Array,
  chunk: Uint8Array,
  run: number,
  from: number,
  to: number,
  loops: readonly Loop[],
): CopyRuns {
  const odd = loops.reduce((all, loop) => all | loop.from | loop.to, chunk.byteOffset | from | to | run);
  const Unit = odd % 4 === 0 ? Uint32Array : odd % 2 === 0 ? Uint16Array : Uint8Array;
  const unit = Unit.BYTES_PER_ELEMENT;
  const source = new Unit(chunk.buffer as ArrayBuffer, chunk.byteOffset, Math.floor(chunk.length / unit));
  const target = new Unit(out.buffer as ArrayBuffer, 0, Math.floor(out.length / unit));
  const units = run / unit;
  return (from, to, _, count, loop) => {
    const [stepFrom, stepTo] = [loop.from / unit, loop.to / unit];
    let [a, b] = [from / unit, to / unit];
    for (let i = 0; i < count; i++, a += stepFrom, b += stepTo)
      for (let k = 0; k < units; k++) target[b + k] = source[a + k] as number;
  };
}
