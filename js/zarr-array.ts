import { more } from "#more";
import { BoolArray } from "./arrays.js";
import { decodeBlock, decodeElement, scalarAt } from "./data.js";
import { InvalidSelectionError, UnsupportedError } from "./errors.js";
import { Location } from "./location.js";
import { type Attributes, call, type Operation, parseDocuments, wirePath } from "./node.js";
import type { Projection } from "./projections.js";
import type { CodecDescription, TypeDescription, WireArray, WireBlock, WireNode, WireProjections } from "./protocol.js";
import {
  byName,
  type IndexList,
  integer,
  type Selection,
  type Selector,
  type SliceLike,
  selectionToWire,
} from "./selection.js";
import { product, strides } from "./shape.js";
import type { Readable } from "./stores.js";
import type {
  AnyData,
  ByteChunk,
  Chunk,
  DataType,
  DataTypeQuery,
  NarrowDataType,
  ReadOptions,
  Part as ReadPart,
  Scalar,
} from "./types.js";
import { type ViewDataType, type ViewOf, viewType } from "./view.js";
/** An array. Its elements are read by {@link get}; nothing is kept here but its metadata. */
export class ZarrArray<D extends DataType = DataType, S extends Readable = Readable> extends Location<S> {
  /** What the node is. */
  readonly kind = "array";
  readonly #node: WireNode;
  readonly #array: WireArray;
  #fill: { value: Scalar<D> | null } | undefined;

  /** @internal */
  constructor(store: S, path: string, node: WireNode & { array: WireArray }) {
    super(store, path);
    if (!node.array) throw new TypeError("an array is opened, not constructed");
    this.#node = node;
    this.#array = node.array;
  }

  /** The user's attributes. */
  get attrs(): Attributes {
    return this.#node.attributes;
  }

  /** The version of Zarr that the node's metadata is of. */
  get format(): 1 | 2 | 3 {
    return this.#node.format;
  }

  /** The metadata documents by name (`".zarray"`, `".zattrs"`), parsed; see {@link documents}. */
  get metadata(): Record<string, unknown> {
    return parseDocuments(this.#node);
  }

  /** The metadata documents by name, byte for byte. */
  get documents(): Record<string, Uint8Array> {
    return this.#node.documents;
  }

  /** Elements along each dimension. */
  get shape(): number[] {
    return [...this.#array.shape];
  }

  /** How many elements the array has. */
  get size(): number {
    return product(this.#array.shape);
  }

  /** Bytes of all elements, decoded; 0 for types of variable length. */
  get nbytes(): number {
    return this.size * this.#array.type.size;
  }

  /**
   * Elements of a chunk along each dimension; of an irregular grid the longest. Of a
   * sharded array these are the chunks inside the shards, and so are those that `getChunk` reads.
   */
  get chunks(): number[] {
    return [...this.#array.chunks];
  }

  /** Elements of a shard along each dimension; `null` when the array is not sharded. */
  get shards(): number[] | null {
    return this.#array.shards && [...this.#array.shards];
  }

  /** How the array is cut into chunks (those inside the shards, where it has shards). */
  get chunkGrid(): ChunkGrid {
    const { grid, chunks, counts, edges } = this.#array;
    return {
      name: grid,
      shape: [...counts],
      chunkShapes: edges?.map((runs) => runs.map(([length, count]): ChunkRun => [length, count])) ?? [...chunks],
    };
  }

  /** How many chunks the array's grid has: of a sharded array, those inside the shards. */
  get nchunks(): number {
    return product(this.#array.counts);
  }

  /**
   * How many of the {@link nchunks} chunks the store has; all chunks of a shard that is there count. A store that
   * cannot list, as HTTP cannot, is asked for the first byte of each chunk.
   */
  nchunksInitialized(options: { signal?: AbortSignal | undefined } = {}): Promise<number> {
    return call<number>(this.store, { op: "stored", path: wirePath(this.path) }, options);
  }

  /** @internal What a selection takes of each chunk: of at most so many, from where an earlier answer ended. */
  project(
    selection: Selection | undefined,
    from: number[],
    most: number,
    signal: AbortSignal | undefined,
  ): Promise<WireProjections> {
    const wire = selectionToWire(selection, this.dimensionNames);
    return call(this.store, { op: "project", path: wirePath(this.path), selection: wire, from, most }, { signal });
  }

  /** How chunks are named in the store. */
  get chunkKeyEncoding(): { name: string; separator: string } {
    return { ...this.#array.keyEncoding };
  }

  /** The data type's name. */
  get dtype(): D {
    return this.#array.dtype as D;
  }

  /** The data type in full: fields of structs, units of datetimes, sizes. */
  get type(): TypeDescription {
    return this.#array.type;
  }

  /** The value of elements that were never written, exact; `null` where the metadata leaves it undefined. */
  get fillValue(): Scalar<D> | null {
    const { fill, type } = this.#array;
    this.#fill ??= { value: fill && (decodeElement(type, fill) as Scalar<D>) };
    return this.#fill.value;
  }

  /** The dimensions' names, `null` for one without; undefined when the array names none. */
  get dimensionNames(): (string | null)[] | undefined {
    return this.#array.dimensionNames ? [...this.#array.dimensionNames] : undefined;
  }

  /** The chain of codecs in the order of encoding, v1's and v2's filters and compressor likewise. */
  get codecs(): CodecDescription[] {
    return this.#array.codecs;
  }

  /** How v1 and v2 order the elements of a stored chunk; `null` in v3. What is read is in C order always. */
  get order(): "C" | "F" | null {
    return this.#array.order;
  }

  /** Tells TypeScript what the array holds: a data type, or `"number"`, `"bigint"`, `"boolean"`, `"string"`, `"object"`. */
  is<Q extends DataTypeQuery>(query: Q): this is ZarrArray<NarrowDataType<D, Q>, S> {
    const { dtype, type } = this.#array;
    switch (query) {
      case "number":
        return /^(float|minifloat)$/.test(type.kind) || (/^u?int$/.test(type.kind) && type.size < 8);
      case "bigint":
        return dtype === "int64" || dtype === "uint64";
      case "boolean":
        return dtype === "bool";
      case "object":
        return dtype === "v2:object";
      case "string":
        return dtype !== "v2:object" && /^(string|char|unicode)$/.test(type.kind);
      default:
        return dtype === query;
    }
  }

  /**
   * Reads what a selection selects. When every dimension is selected by an
   * integer the result is that element, else `{ data, shape, stride }`.
   *
   * Rejects with {@link InvalidSelectionError}, {@link CodecPipelineError}, {@link HttpError},
   * {@link StoreError}, {@link LimitError}, {@link UnknownCodecError}, {@link UnsupportedError},
   * {@link EngineError}, or with the signal's reason.
   *
   * @example
   * const { data, shape } = await array.get([0, slice(100, 200), null]);
   */
  get(selection: Selection | undefined, options: ReadOptions & { as: "bytes" }): Promise<ByteChunk>;
  get<const Sel extends Selection = null>(selection?: Sel, options?: ReadOptions): Promise<Selected<D, Sel>>;
  async get(selection?: Selection, options: ReadOptions = {}): Promise<ByteChunk | Chunk<D> | Scalar<D>> {
    return this.#read(selection, options, true);
  }

  async #read(selection: Selection | undefined, options: ReadOptions, scalars: boolean) {
    const { onProgress, onChunk } = options;
    const signal = signalOf(options);
    const operation: Operation<"read"> = {
      op: "read",
      path: wirePath(this.path),
      selection: selectionToWire(selection, this.#array.dimensionNames ?? undefined),
    };
    if (onProgress) operation.progress = true;
    if (onChunk) operation.parts = true;
    if (options.as) operation.as = options.as;
    if (options.useSharedArrayBuffer) operation.shared = true;
    if (options.priority) operation.priority = options.priority;
    if (options.view) operation.view = options.view;
    const onPart = onChunk && ((part: WireBlock, start: number[]) => onChunk(this.#part(part, start, options)));
    const block = await call<WireBlock>(this.store, operation, { signal, onProgress, onPart });
    return this.#result(block, options, scalars);
  }

  /**
   * Reads one chunk by its coordinates in the grid, as it is stored: at the array's
   * edge it may reach beyond. Rejects as {@link get} does; coordinates outside the
   * grid are an {@link InvalidSelectionError}.
   */
  getChunk(coords: readonly number[], options: ReadOptions & { as: "bytes" }): Promise<ByteChunk>;
  getChunk(
    coords: readonly number[],
    options?: ReadOptions,
    more?: { useSharedArrayBuffer?: boolean | undefined },
  ): Promise<Chunk<D>>;
  async getChunk(
    coords: readonly number[],
    options: ReadOptions = {},
    more: { useSharedArrayBuffer?: boolean | undefined } = {},
  ): Promise<ByteChunk | Chunk<D> | Scalar<D>> {
    const operation: Operation<"chunk"> = {
      op: "chunk",
      path: wirePath(this.path),
      coords: Array.from(coords, (c) => integer(c, "a chunk's coordinate")),
    };
    if (options.as) operation.as = options.as;
    if (options.useSharedArrayBuffer || more.useSharedArrayBuffer) operation.shared = true;
    const block = await call<WireBlock>(this.store, operation, { signal: signalOf(options) });
    return this.#result(block, options, false);
  }

  /** {@link get} by zarr-python's name for selections of lists and masks: they select independently of each other. */
  oindex<const Sel extends Selection = null>(selection?: Sel, options?: ReadOptions): Promise<Selected<D, Sel>> {
    return this.get<Sel>(selection, options);
  }

  /**
   * Reads single elements, as zarr-python's `vindex`: a list of coordinates for each
   * dimension, all of one length (an integer stands for a list of itself), or one mask of the whole
   * array, in C order. The result has one dimension, or the shape that is given.
   *
   * @example
   * const { data } = await array.vindex([[0, 2, 2], [5, 5, 7]]); // (0, 5), (2, 5), (2, 7)
   */
  async vindex(coords: readonly (IndexList | number)[] | BoolArray, options: ReadOptions = {}): Promise<Chunk<D>> {
    const lists = coords instanceof BoolArray ? unravel(coords, this.#array.shape) : broadcast(coords);
    const operation: Operation<"points"> = {
      op: "points",
      path: wirePath(this.path),
      coords: lists.map((list) => Array.from(list as ArrayLike<number>, (c) => integer(c, "a coordinate"))),
    };
    if (options.useSharedArrayBuffer) operation.shared = true;
    const block = await call<WireBlock>(this.store, operation, { signal: signalOf(options) });
    return this.#result(block, options, false) as Chunk<D>;
  }

  /**
   * Reads a selection chunk by chunk, in C order of the chunks, each as soon as
   * it is there: for what is too large to have at once. A few chunks are read ahead; leaving the loop ends the rest.
   *
   * @example
   * for await (const { data, shape, out } of array.chunksIn([0, null, slice(0, 1000)])) { ... }
   */
  async *chunksIn(
    selection?: Selection,
    {
      ahead = 4,
      onProgress,
      ...options
    }: Omit<ReadOptions, "out" | "as" | "onChunk"> & { ahead?: number | undefined } = {},
  ): AsyncGenerator<ChunkPart<D>, void, undefined> {
    const { projections } = await more();
    const stop = new AbortController();
    const signal = signalOf({ signal: stop.signal, opts: { signal: signalOf(options) } }) as AbortSignal;
    const read = async ({ coords, selection, out }: Projection): Promise<ChunkPart<D>> => {
      // A signal for each read: Node warns of many listeners to one.
      const own = { ...options, signal: AbortSignal.any([signal]) };
      const chunk = (await this.#read(selection, own, false)) as Chunk<D>;
      return { ...chunk, coords, selection, out };
    };
    const list = projections(this as ZarrArray, selection, signal);
    const running: Promise<ChunkPart<D>>[] = [];
    let total = 0;
    let done = 0;
    try {
      for (let ended = false; ; ) {
        while (!ended && running.length < Math.max(1, ahead)) {
          const { value } = await list.next();
          if (!value) {
            ended = true;
            break;
          }
          total = value.count;
          const reading = read(value);
          reading.catch(() => {}); // it is told when its turn comes
          running.push(reading);
        }
        const part = running.shift();
        if (!part) return;
        yield await part;
        onProgress?.(++done, total);
      }
    } finally {
      stop.abort();
    }
  }

  /**
   * The same array with its elements' bytes taken for another type of the same size, as
   * numpy's `view`: `array.view("datetime64[ns]")` of an int64.
   */
  view<To extends ViewDataType>(dtype: To): ZarrArray<ViewOf<To>, S> {
    const [name, type] = viewType(dtype);
    const { array } = { array: this.#array };
    if (type.size !== array.type.size) {
      throw new UnsupportedError(`an element of ${array.dtype} is not as large as one of ${dtype}`, {
        path: this.path,
        feature: `view of ${array.dtype} as ${dtype}`,
      });
    }
    return new ZarrArray<ViewOf<To>, S>(this.store, this.path, {
      ...this.#node,
      array: { ...array, dtype: name, type },
    });
  }

  #part(block: WireBlock, start: number[], { as }: ReadOptions): ReadPart {
    const data = as === "bytes" ? new Uint8Array(block.buffer) : decodeBlock(this.#array.type, block);
    return { data, shape: block.shape, stride: strides(block.shape), start };
  }

  #result(block: WireBlock, { as, out }: ReadOptions, scalars: boolean): ByteChunk | Chunk<D> | Scalar<D> {
    const { type } = this.#array;
    const { shape } = block;
    if (as === "bytes" && block.offsets) {
      throw new UnsupportedError(`${this.dtype} has no fixed size: it cannot be read as bytes`, {
        path: this.path,
        feature: "bytes of a type of variable length",
      });
    }
    const data = as === "bytes" ? new Uint8Array(block.buffer) : decodeBlock(type, block);
    if (scalars && shape.length === 0 && as === undefined && !out) return scalarAt(type, data, 0) as Scalar<D>;
    return { data: out ? copyInto(out, data) : data, shape, stride: strides(shape) } as ByteChunk | Chunk<D>;
  }
}

/** What `Array.get` gives: an element when the selection is integers only, else a region. */
export type Selected<D extends DataType, Sel> = Sel extends readonly (infer Item)[]
  ? [Item] extends [number | bigint]
    ? number extends Sel["length"]
      ? Chunk<D> | Scalar<D>
      : Scalar<D>
    : Chunk<D>
  : Chunk<D>;

/** What is cut into chunks, and how. */
export interface ChunkGrid {
  /** Its name in the metadata: `"regular"`, `"rectilinear"`. */
  name: string;
  /** Chunks along each dimension. */
  shape: number[];
  /** Elements of every chunk along each dimension; of an irregular grid, for each dimension its runs. */
  chunkShapes: number[] | ChunkRun[][];
}

/** As many chunks of one length, one after the other, along a dimension: there may be more than can be listed. */
export type ChunkRun = [length: number, count: number];

/** What `Array.chunksIn` gives: a chunk's share of a selection. */
export interface ChunkPart<D extends DataType> extends Chunk<D> {
  /** The chunk's coordinates in the grid. */
  coords: number[];
  /** What was taken of the array. */
  selection: (number | SliceLike | number[])[];
  /** Where it belongs in the result of reading the whole selection. */
  out: (SliceLike | number[])[];
}

/** The signal, also where zarrita had it once. */
function signalOf({ signal, opts }: ReadOptions): AbortSignal | undefined {
  return signal && opts?.signal ? AbortSignal.any([signal, opts.signal]) : (signal ?? opts?.signal);
}

/** The coordinates of what a mask selects, a list for each dimension. */
function unravel(mask: BoolArray, shape: readonly number[]): number[][] {
  if (mask.length !== product(shape)) {
    throw new InvalidSelectionError(`a mask of ${mask.length} for an array of ${product(shape)} elements`);
  }
  const steps = strides(shape);
  const lists: number[][] = shape.map(() => []);
  for (const [i, set] of mask.entries()) {
    if (set)
      for (const [d, list] of lists.entries()) list.push(Math.floor(i / (steps[d] as number)) % (shape[d] as number));
  }
  return lists;
}

function broadcast(coords: readonly (IndexList | number)[]): IndexList[] {
  const length = Math.max(1, ...coords.flatMap((c) => (typeof c === "number" ? [] : [c.length])));
  const empty = coords.some((c) => typeof c !== "number" && c.length === 0);
  return coords.map((c) => (typeof c === "number" ? new Array<number>(empty ? 0 : length).fill(c) : c));
}

function copyInto(out: ArrayBufferView, data: AnyData): ArrayBufferView {
  const own = Object.prototype.toString.call(data);
  const theirs = Object.prototype.toString.call(out);
  if (!ArrayBuffer.isView(data) || own !== theirs) {
    throw new TypeError(`out must be like the data, ${own.slice(8, -1)}, and not ${theirs.slice(8, -1)}`);
  }
  const from = data as unknown as Uint8Array;
  const to = out as unknown as Uint8Array;
  if (from.length !== to.length) throw new RangeError(`out must have ${from.length} entries and not ${to.length}`);
  to.set(from);
  return out;
}

/** Reads of an array: `Array.get` as a function, as zarrita has it. */
export function get<D extends DataType, S extends Readable>(
  array: ZarrArray<D, S>,
  selection: Selection | undefined,
  options: ReadOptions & { as: "bytes" },
): Promise<ByteChunk>;
export function get<D extends DataType, S extends Readable, const Sel extends Selection = null>(
  array: ZarrArray<D, S>,
  selection?: Sel,
  options?: ReadOptions,
): Promise<Selected<D, Sel>>;
export function get(array: ZarrArray, selection?: Selection, options?: ReadOptions): Promise<unknown> {
  return array.get(selection, options);
}

/** Makes a selection of selectors by dimension name, for {@link get}; dimensions that are not named are taken whole. */
export function select(array: ZarrArray, selectors: Readonly<Record<string, Selector>>): Selector[] {
  return byName(selectors, array.dimensionNames);
}
