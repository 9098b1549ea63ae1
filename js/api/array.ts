import type { BoolArray } from "../data/arrays.js";
import { type Decode, scalarAt, typedArray } from "../data/decode.js";
import { optionEntries, type ReadOptions, readOptions, readSettings } from "../data/readoptions.js";
import { product, strides } from "../data/shape.js";
import { signalOf } from "../data/signal.js";
import type {
  AnyData,
  ByteChunk,
  Chunk,
  DataType,
  DataTypeQuery,
  NarrowDataType,
  PartialResult,
  Scalar,
} from "../data/types.js";
import type { WireColumnBlock } from "../engine/protocol/columns.js";
import type {
  CodecDescription,
  NodeRef,
  TypeDescription,
  WireArray,
  WireBlock,
  WireNode,
  WireProjections,
  WireRange,
  WireSelector,
} from "../engine/protocol/wire.js";
import { EngineError, errorFromWire, InvalidSelectionError, UnsupportedError } from "../errors.js";
import { checkArray, checked, refuse } from "../shared/arguments.js";
import { lazy, loaded } from "../shared/lazily.js";
import { Printed } from "../shared/printed.js";
import type { Readable } from "../stores/readable.js";
import type { DirectValues } from "./direct.js";
import { Location } from "./location.js";
import { type Attributes, attributesOf, call, type Operation, parseDocuments } from "./node.js";
import {
  byName,
  type IndexList,
  integers,
  type Selection,
  type Selector,
  type SliceLike,
  selectionToWire,
} from "./selection.js";
import { fillOfView, type ViewDataType, type ViewOf, viewType } from "./view.js";

/**
 * Decodes a column into elements. It handles numbers only until an array of another type is opened.
 */
let decode: Decode = typedArray;

/** @internal Loads the decoder of types other than numbers, if one of the nodes needs it. */
export async function loadDecode(nodes: readonly (WireNode | undefined)[]): Promise<void> {
  const none = new ArrayBuffer(0);
  const numbers = nodes.every((node) => !node?.array || typedArray(node.array.type, none, 0, 0));
  if (!numbers) decode = (await lazy()).decodeColumn;
}

/** An array's internal data. They are in a WeakMap, because consoles show private members first. */
interface Inner extends WireNode {
  array: WireArray;
  fillValue?: { value: unknown } | undefined;
  wasRead?: boolean;
}
const inner = /* @__PURE__ */ new WeakMap<object, Inner>();
const nodeOf = (array: object) => inner.get(array) as Inner;

/** An array. {@link get} reads its elements; the object holds only its metadata. */
export class ZarrArray<D extends DataType = DataType, S extends Readable = Readable> extends Location<S> {
  static {
    Printed.tag(ZarrArray.prototype, "ZarrArray");
  }

  // These are own properties, because a page's console shows an object's first five own properties.
  /** The data type's name: zarrita's name if it has one. */
  readonly dtype: D;
  /** Elements along each dimension. */
  readonly shape: number[];
  /**
   * Elements of a chunk along each dimension; for an irregular grid, of the longest chunk. For a
   * sharded array these are the inner chunks, which `getChunk` reads.
   */
  readonly chunks: number[];
  /** The kind of the node. */
  readonly kind = "array";

  /** @internal */
  constructor(store: S, path: string, node: WireNode & { array: WireArray }) {
    super(store, path);
    if (!node.array) throw new TypeError("an array is opened, not constructed");
    inner.set(this, { ...node, fillValue: undefined });
    const { dtype, shape, chunks } = node.array;
    this.dtype = dtype as D;
    this.shape = [...shape];
    this.chunks = [...chunks];
  }

  override toString(): string {
    const { shape, dtype, chunks } = this;
    return super.toString(` shape=(${shape.join(", ")}) dtype=${dtype} chunks=(${chunks.join(", ")})`);
  }

  /** @internal The engine's reference to the node. */
  get ref(): NodeRef {
    return nodeOf(this).ref;
  }

  /** The user's attributes. */
  get attrs(): Attributes {
    return attributesOf(nodeOf(this));
  }

  /** The version of Zarr of the node's metadata. */
  get format(): 1 | 2 | 3 {
    return nodeOf(this).format;
  }

  /**
   * The metadata documents by name (`".zarray"`, `".zattrs"`), parsed; see {@link documents}. The
   * attributes in them are {@link attrs}.
   */
  get metadata(): Record<string, unknown> {
    return parseDocuments(nodeOf(this));
  }

  /** The metadata documents by name, byte for byte. */
  get documents(): Record<string, Uint8Array> {
    return nodeOf(this).documents;
  }

  /** The number of elements. */
  get size(): number {
    return product(nodeOf(this).array.shape);
  }

  /** The size of all decoded elements in bytes; 0 for types of variable length. */
  get nbytes(): number {
    return this.size * nodeOf(this).array.type.size;
  }

  /** Elements of a shard along each dimension; `null` when the array is not sharded. */
  get shards(): number[] | null {
    const { shards } = nodeOf(this).array;
    return shards && [...shards];
  }

  /** The division of the array into chunks. For a sharded array these are the inner chunks. */
  get chunkGrid(): ChunkGrid {
    const { grid, chunks, counts, shards, edges } = nodeOf(this).array;
    const irregular = shards ? null : edges; // inner chunks all have the same length
    return {
      name: grid,
      shape: [...counts],
      chunkShapes: irregular?.map((runs) => runs.map(([length, count]): ChunkRun => [length, count])) ?? [...chunks],
    };
  }

  /** The number of chunks of the array's grid. For a sharded array, the number of inner chunks. */
  get nchunks(): number {
    return product(nodeOf(this).array.counts);
  }

  /**
   * Returns how many of the {@link nchunks} chunks the store has. All inner chunks of a stored
   * shard count. If the store cannot list, as over HTTP, requests the first byte of each chunk.
   */
  async nchunksInitialized(options: { signal?: AbortSignal | undefined } = {}): Promise<number> {
    const { signal } = checked("nchunksInitialized", options);
    return call(this.store, { op: "stored", node: nodeOf(this).ref }, { signal });
  }

  /**
   * @internal Returns the projections of a selection. Continues at `from`, where an earlier answer
   * ended, and returns at most `most` of them.
   */
  project(
    selection: Selection | undefined,
    from: number[],
    most: number,
    signal: AbortSignal | undefined,
  ): Promise<WireProjections> {
    const wire = selectionToWire(selection, this.dimensionNames);
    return call(this.store, { op: "project", node: nodeOf(this).ref, selection: wire, from, most }, { signal });
  }

  /** The form of the chunks' keys in the store. */
  get chunkKeyEncoding(): { name: string; separator: string } {
    return { ...nodeOf(this).array.keyEncoding };
  }

  /** The complete data type: fields of structs, units of datetimes, sizes. */
  get type(): TypeDescription {
    return nodeOf(this).array.type;
  }

  /**
   * The exact value of elements that were never written; `null` if the metadata leaves it
   * undefined.
   */
  get fillValue(): Scalar<D> | null {
    const node = nodeOf(this);
    node.fillValue ??= { value: fillOf(node.array) };
    return node.fillValue.value as Scalar<D> | null;
  }

  /**
   * The dimensions' names, `null` for a dimension without a name; undefined if the array names
   * none.
   */
  get dimensionNames(): (string | null)[] | undefined {
    const { dimensionNames } = nodeOf(this).array;
    return dimensionNames ? [...dimensionNames] : undefined;
  }

  /**
   * The chain of codecs in the order of encoding. For v1 and v2 it consists of the filters and the
   * compressor.
   */
  get codecs(): CodecDescription[] {
    return nodeOf(this).array.codecs;
  }

  /**
   * The order of the elements in a stored chunk of v1 and v2; `null` in v3. Results are always in C
   * order.
   */
  get order(): "C" | "F" | null {
    return nodeOf(this).array.order;
  }

  /**
   * Narrows the array's type to a data type, or to `"number"`, `"bigint"`, `"boolean"`, `"string"`
   * or `"object"`.
   */
  is<Q extends DataTypeQuery>(query: Q): this is ZarrArray<NarrowDataType<D, Q>, S> {
    const { dtype, type } = nodeOf(this).array;
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
   * Reads a selection. When every dimension is selected by an integer, the result is that element,
   * otherwise `{ data, shape, stride }`.
   *
   * @throws {@link InvalidSelectionError}, {@link CodecPipelineError}, {@link HttpError},
   * {@link StoreError}, {@link LimitError}, {@link UnknownCodecError}, {@link UnsupportedError},
   * {@link EngineError}, or the signal's reason.
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
    const { array, ref } = nodeOf(this);
    const wire = selectionToWire(selection, array.dimensionNames ?? undefined);
    const operation: Operation<"read"> = { op: "read", node: ref, selection: wire };
    return this.#result(await this.#ask(operation, readSettings("get", options)), options, scalars);
  }

  /** Sends a read to the engine. All reading operations take the same options. */
  async #ask(
    operation: Operation<"read" | "chunk" | "points">,
    options: ReadOptions,
    marks?: Record<string, unknown>,
  ): Promise<Block> {
    const { onProgress, onChunk } = options;
    for (const [name, [, wire]] of optionEntries) {
      const value = options[name];
      if (wire && value) (operation as Record<string, unknown>)[wire] = wire === name ? value : true;
    }
    if (options.as !== "bytes") operation.columns = nodeOf(this).array.type;
    if (options.out) {
      const into = (await lazy()).sharedOut(options.out, operation.columns);
      if (into) operation.into = into;
    }
    const onPartial = onChunk && ((block: Block, start: number[]) => onChunk(this.#partial(block, start)));
    const signal = signalOf(options);
    const node = nodeOf(this);
    const ask = () => call(this.store, operation, { signal, onProgress, onPartial, marks });
    const parts = this.store instanceof Map ? await lazy() : loaded();
    if (parts) return parts.pageRead(this.store, node, operation, signal, ask);
    // A second read of an array may be the first of many.
    if (node.wasRead) lazy().catch(() => {});
    node.wasRead = true;
    return ask();
  }

  /**
   * Reads one chunk by its coordinates in the grid. Returns the stored chunk, which may extend
   * beyond the array's edge. Rejects as {@link get} does; coordinates outside the grid are an
   * {@link InvalidSelectionError}.
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
    // Options for the store may have any name.
    const marks: Record<string, unknown> = { ...options };
    const known: Record<string, unknown> & ReadOptions = {};
    for (const [name] of optionEntries) {
      known[name as string] = options?.[name];
      delete marks[name];
    }
    known.useSharedArrayBuffer ||= more?.useSharedArrayBuffer;
    checked("getChunk", typeof options === "object" ? known : options, readOptions);
    const operation: Operation<"chunk"> = {
      op: "chunk",
      node: nodeOf(this).ref,
      coords: integers(coords, "getChunk: a chunk's coordinate"),
    };
    const marked = Object.keys(marks).length > 0;
    if (marked) operation.marked = true;
    return this.#result(await this.#ask(operation, known, marked ? marks : undefined), known, false);
  }

  /** @internal Writes whole chunks to a Map. Resolves with false if the engine has to write. */
  async writeDirect(
    selection: WireSelector[] | null,
    values: DirectValues,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    return (await lazy()).directWrite(this.store, nodeOf(this), selection, values, signal);
  }

  /** {@link get} by zarr-python's name. Lists and masks select independently of each other. */
  oindex<const Sel extends Selection = null>(selection?: Sel, options?: ReadOptions): Promise<Selected<D, Sel>> {
    return this.get<Sel>(selection, options);
  }

  /** @internal Returns the selection of elements that a selection of blocks covers. */
  async ofBlocks(selection: Selection | undefined): Promise<WireRange[]> {
    const wire = selectionToWire(selection, this.dimensionNames);
    const { ofBlocks } = await lazy();
    return ofBlocks(wire, nodeOf(this).array, this.path);
  }

  /**
   * Reads blocks, as zarr-python's `blocks`. A block is a chunk of the array's grid; in a sharded
   * array it is a shard. Integers and ranges of step 1 select them; an integer keeps its dimension.
   * Blocks end at the array's end.
   *
   * @example
   * const { data, shape } = await array.blocks([1, slice(0, 2)]); // two chunks of the second row
   */
  async blocks(selection?: Selection, options: ReadOptions = {}): Promise<Chunk<D>> {
    readSettings("blocks", options);
    const operation: Operation<"read"> = {
      op: "read",
      node: nodeOf(this).ref,
      selection: await this.ofBlocks(selection),
    };
    return this.#result(await this.#ask(operation, options), options, false) as Promise<Chunk<D>>;
  }

  /**
   * Reads single elements, as zarr-python's `vindex`. Takes a list of coordinates for each
   * dimension, all of the same length, or one mask of the whole array in C order. An integer stands
   * for a list that repeats it. The result has one dimension, or the shape of the lists.
   *
   * @example
   * const { data } = await array.vindex([[0, 2, 2], [5, 5, 7]]); // (0, 5), (2, 5), (2, 7)
   */
  async vindex(coords: readonly (IndexList | number)[] | BoolArray, options: ReadOptions = {}): Promise<Chunk<D>> {
    readSettings("vindex", options);
    const { points } = await lazy();
    const operation: Operation<"points"> = {
      op: "points",
      node: nodeOf(this).ref,
      coords: points(coords, nodeOf(this).array.shape),
    };
    return this.#result(await this.#ask(operation, options), options, false) as Promise<Chunk<D>>;
  }

  /**
   * Reads a selection chunk by chunk, in C order of the chunks. For selections that are too large
   * for memory. Yields each chunk once it is decoded, and reads `ahead` chunks in advance.
   * Leaving the loop aborts the other reads.
   *
   * @example
   * for await (const { data, shape, out } of array.chunksIn([0, null, slice(0, 1000)])) { ... }
   */
  async *chunksIn(
    selection?: Selection,
    options: Omit<ReadOptions, "out" | "as" | "onChunk"> & { ahead?: number | undefined } = {},
  ): AsyncGenerator<ChunkPart<D>, void, undefined> {
    const { ahead = 4, onProgress, ...others } = readSettings("chunksIn", options, "ahead");
    const { chunksIn } = await lazy();
    const signal = signalOf(others);
    const read = (part: Selection, options: ReadOptions) => this.#read(part, { ...others, ...options }, false);
    yield* chunksIn(this as ZarrArray, read, { ahead, onProgress, selection, signal }) as AsyncGenerator<ChunkPart<D>>;
  }

  /**
   * Returns the same array with its elements' bytes interpreted as another type of the same size,
   * as numpy's `view`. Example: `array.view("datetime64[ns]")` of an int64.
   */
  view<To extends ViewDataType>(dtype: To): ZarrArray<ViewOf<To>, S> {
    if (typeof dtype !== "string") refuse("view", dtype, "a data type");
    const [name, type] = viewType(dtype);
    const node = nodeOf(this);
    const { array } = node;
    if (type.size !== array.type.size) {
      throw new UnsupportedError(`an element of ${array.dtype} is not as large as one of ${dtype}`, {
        path: this.path,
        feature: `view of ${array.dtype} as ${dtype}`,
      });
    }
    return new ZarrArray<ViewOf<To>, S>(this.store, this.path, {
      ...node,
      array: { ...array, dtype: name, type, fillColumn: fillOfView(type, array.fill) },
    });
  }

  /**
   * Returns a block's data. Rejects elements of another type than the array's, because they would
   * decode to wrong values.
   */
  #dataOf(block: Block, out?: unknown): AnyData {
    const { array, ref } = nodeOf(this);
    const { type, shape } = block;
    if (type !== ref.type) throw new EngineError(`the engine answered with ${type} for an array of ${ref.type}`);
    if ("buffer" in block) return new Uint8Array(block.buffer);
    // The engine does not send data that it has written into the caller's shared memory.
    return block.column ? (decode(array.type, block.column, 0, product(shape)) as AnyData) : (out as AnyData);
  }

  #partial(block: Block, start: number[]): PartialResult {
    const { shape } = block;
    return { data: this.#dataOf(block), shape, stride: strides(shape), start };
  }

  async #result(block: Block, options: ReadOptions, scalars: boolean): Promise<ByteChunk | Chunk<D> | Scalar<D>> {
    const { as, out } = options;
    const { shape } = block;
    if ("offsets" in block) {
      throw new UnsupportedError(`${this.dtype} has no fixed size: it cannot be read as bytes`, {
        path: this.path,
        feature: "bytes of a type of variable length",
      });
    }
    let data = this.#dataOf(block, out);
    if (scalars && shape.length === 0 && !as && !out) return scalarAt(nodeOf(this).array.type, data, 0) as Scalar<D>;
    if (out && data !== (out as unknown)) data = await (await lazy()).copyInto(out, data, signalOf(options));
    return { data, shape, stride: strides(shape) } as ByteChunk | Chunk<D>;
  }
}

/** The value of elements that were never written. */
function fillOf({ type, fill, fillColumn }: WireArray): unknown {
  if (!fill) return null;
  if (fillColumn && "error" in fillColumn) throw errorFromWire(fillColumn.error);
  return scalarAt(type, decode(type, fillColumn ?? new Uint8Array(fill).buffer, 0, 1) as AnyData, 0);
}

/** The engine's answer to a read: bytes, or a column. */
type Block = WireBlock | WireColumnBlock;

/** The result of `Array.get`: an element if the selection is integers only, otherwise a region. */
export type Selected<D extends DataType, Sel> = Sel extends readonly (infer Item)[]
  ? [Item] extends [number | bigint]
    ? number extends Sel["length"]
      ? Chunk<D> | Scalar<D>
      : Scalar<D>
    : Chunk<D>
  : Chunk<D>;

/** The division of an array into chunks. */
export interface ChunkGrid {
  /** Its name in the metadata: `"regular"`, `"rectilinear"`. */
  name: string;
  /** Chunks along each dimension. */
  shape: number[];
  /**
   * Elements of every chunk along each dimension. For an irregular grid, the runs of each
   * dimension.
   */
  chunkShapes: number[] | ChunkRun[][];
}

/**
 * A run of `count` adjacent chunks of one length along a dimension. Single lengths may be too many
 * to list.
 */
export type ChunkRun = [length: number, count: number];

/** An item of `Array.chunksIn`: one chunk's part of a selection. */
export interface ChunkPart<D extends DataType> extends Chunk<D> {
  /** The chunk's coordinates in the grid. */
  coords: number[];
  /** The part of the array that the data cover. */
  selection: (number | SliceLike | number[])[];
  /** The place of the data in the result of reading the whole selection. */
  out: (SliceLike | number[])[];
}

/** Reads a selection of an array: `Array.get` as a function, as in zarrita. */
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
export async function get(array: ZarrArray, selection?: Selection, options?: ReadOptions): Promise<unknown> {
  return checkArray("get", array).get(selection, options);
}

/**
 * Converts selectors by dimension name to a selection for {@link get}. Dimensions without a
 * selector are selected whole.
 */
export function select(array: ZarrArray, selectors: Readonly<Record<string, Selector>>): Selector[] {
  return byName(selectors, checkArray("select", array).dimensionNames);
}
