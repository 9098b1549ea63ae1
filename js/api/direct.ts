import { documentNames, mainDocument } from "../data/documents.js";
import { product, strides } from "../data/shape.js";
import { engine } from "../engine/engine.js";
import type { WireColumnBlock } from "../engine/protocol/columns.js";
import type { WireArray, WireBlock, WireNode, WireSelector } from "../engine/protocol/wire.js";
import type { Readable } from "../stores/readable.js";
import { type Axis, axesOf, combinations, type Piece, type Read } from "./axes.js";
import { parseDocuments } from "./node.js";
import { blockOf, copy, isNative, turns } from "./place.js";

// A direct read copies the elements of uncompressed chunks from a Map to the result on this thread.
// It gives the engine's answer or none. The engine reads what may fail, because it has the errors.

/** The bytes of the largest chunk. The engine has its own limit for larger ones. */
const mostBytes = 512 << 20;

type Array = WireNode & { array: WireArray };

/** The data of an array whose stored chunks this thread can read. */
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
  /** False if the stored bytes of a chunk are its elements. */
  packed: boolean;
}

/** The sources by their nodes; undefined for arrays that only the engine reads. */
const sources = /* @__PURE__ */ new WeakMap<object, Source | undefined>();

/** @internal Reads directly from a store. Resolves with undefined if the engine has to read. */
export async function directRead(
  store: Readable,
  node: Array,
  operation: Read,
  signal: AbortSignal | undefined,
): Promise<WireBlock | WireColumnBlock | undefined> {
  if (!isPlainMap(store)) return;
  const source = readableSource(store, node, operation, signal);
  if (!source || source.packed) return;
  const { array } = node;
  const axes = axesOf(array, operation);
  if (!axes) return;
  const chunks = await chunksOf(store, array, source, axes, signal);
  if (!chunks) return;
  // The Map's owner may transfer the bytes during a rest.
  return blockOf(node, operation, axes, [chunks], source.fill, signal);
}

/** @internal Returns the source of a read; undefined if the engine has to read. */
export function readableSource(
  store: Readable & Map<string, unknown>,
  node: Array,
  operation: Read,
  signal: AbortSignal | undefined,
): Source | undefined {
  const { onRequest, limits } = engine.options;
  if (onRequest || limits || signal?.aborted || operation.progress || operation.partial || operation.into) return;
  const source = sourceOf(node);
  return source && isCurrent(store, source) ? source : undefined;
}

/** @internal Leaves all reads of an array to the engine. */
export function leaveToEngine(node: Array): void {
  sources.set(node, undefined);
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
  if (onRequest || limits || !source?.fill || source.packed || !isCurrent(store, source)) return false;
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

/** @internal Reports whether a store is a Map whose keys the engine would read by its get. */
export function isPlainMap(store: Readable): store is Readable & Map<string, unknown> {
  return store instanceof Map && store.get === Map.prototype.get && !("getRange" in store);
}

function sourceOf(node: Array): Source | undefined {
  if (!sources.has(node)) sources.set(node, makeSource(node));
  return sources.get(node);
}

/** Returns the source of an array whose decoded chunks have the elements of the result. */
function makeSource(node: Array): Source | undefined {
  const { array, path, format, ref, documents } = node;
  const { type, codecs, fill, grid, edges, shards, chunks, keyEncoding } = array;
  if (format === 1 || !isNative(type) || ref.type !== type.name) return;
  if (grid !== "regular" || edges || shards || product(chunks) * type.size > mostBytes) return;
  const name = mainDocument(format, "array");
  const text = documents[name];
  if (!text) return;
  const document = parseDocuments(node)[name] as Partial<
    Record<"chunk_key_encoding" | "dtype" | "dimension_separator", unknown>
  >;
  const [{ name: serializer, configuration } = { name: "" }, ...others] = codecs;
  const { endian } = Object(configuration) as { endian?: unknown };
  let packed = serializer !== "bytes" || others.length > 0 || endian === "big";
  if (format === 2) packed ||= array.order !== "C" || !/^[<|]/.test(String(document.dtype));
  else {
    const { name: encoding } = Object(document.chunk_key_encoding) as { name?: unknown };
    if (encoding !== keyEncoding.name || !/^(default|v2)$/.test(keyEncoding.name)) return;
  }
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
    packed,
  };
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

/**
 * @internal Returns the stored chunks of a read in C order, null for absent ones. Resolves with
 * undefined if one is not what the metadata say, or if the Map may have it elsewhere.
 */
export async function chunksOf(
  store: Map<string, unknown>,
  { chunks, type, keyEncoding }: WireArray,
  { prefix, fill, doubtful, packed }: Source,
  axes: readonly Axis[],
  signal: AbortSignal | undefined,
): Promise<(Uint8Array | null)[] | undefined> {
  const length = product(chunks) * type.size;
  const found: (Uint8Array | null)[] = [];
  for (const pieces of combinations(axes.map((axis) => axis.pieces))) {
    if (found.length % 64 === 0) while (turns.due) await turns.next(signal);
    const bytes = store.get(prefix + keyOf(keyEncoding, pieces));
    if (doubtful && store.has(prefix + keyOf({ name: "v2", separator: "/" }, pieces))) return;
    if (bytes === undefined ? !fill : !(bytes instanceof Uint8Array) || (!packed && bytes.length !== length)) return;
    found.push((bytes as Uint8Array | undefined) ?? null);
  }
  return found;
}
