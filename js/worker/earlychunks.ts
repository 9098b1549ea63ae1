import { chunkKey } from "../data/chunkkeys.js";
import type { WireSelector } from "../engine/protocol/wire.js";

/** The maximum number of chunks that are requested early. */
const mostChunks = 8;
/** The engine may read only a part of a larger chunk. */
const surelyWhole = 512 << 10;
/** Chunks with these codecs are always read whole. */
const packing = /^(numcodecs\.)?(gzip|zlib|zstd)$/;

/** The parts of an array's document that determine its chunks' keys. */
interface Plain {
  shape: number[];
  chunk: number[];
  size: number;
  codecs: unknown[];
  key(coords: readonly number[]): string | undefined;
}

/**
 * Returns the keys of the first chunks of a selection, relative to the document's array. Returns
 * none if the document alone does not determine them, or if the engine may read only parts of them.
 */
export function earlyKeys(document: unknown, selection: readonly WireSelector[] | null): string[] {
  const array = plain(document as Document);
  const ranges = array && rangesOf(selection ?? ["..."], array);
  if (!ranges) return [];
  const bytes = array.chunk.reduce((product, n) => product * n, array.size);
  const whole = ranges.every(({ whole }) => whole) || array.codecs.some((name) => packing.test(String(name)));
  if (!whole && bytes > surelyWhole) return [];
  let all: number[][] = [[]];
  for (const { from, to } of ranges) {
    const next: number[][] = [];
    for (const coords of all) {
      for (let i = from; i <= to && next.length < mostChunks; i++) next.push([...coords, i]);
    }
    all = next;
  }
  return all.map(array.key).filter((key) => key !== undefined);
}

/** The members of valid array documents. */
type Document = Partial<{
  zarr_format: unknown;
  node_type: unknown;
  shape: unknown;
  chunks: unknown;
  dtype: unknown;
  data_type: unknown;
  dimension_separator: unknown;
  compressor: { id?: unknown } | null;
  chunk_grid: { name?: unknown; configuration?: { chunk_shape?: unknown } };
  chunk_key_encoding: { name?: unknown; configuration?: { separator?: unknown } };
  codecs: { name?: unknown; configuration?: { index_codecs?: unknown } }[];
  storage_transformers: unknown[];
}> | null;

function plain(document: Document): Plain | undefined {
  const v3 = document?.zarr_format === 3;
  if (!document || (v3 ? document.node_type !== "array" : document.zarr_format !== 2)) return undefined;
  const { shape, chunk_grid: grid, chunk_key_encoding: encoding, codecs, compressor } = document;
  const chunk = v3 ? grid?.name === "regular" && grid.configuration?.chunk_shape : document.chunks;
  const names = v3 ? codecs?.map(({ name }) => name) : [compressor?.id];
  if (!lengths(shape) || !lengths(chunk) || shape.length !== chunk.length || !names) return undefined;
  // Reads of a shard begin with its index.
  if (codecs?.some(({ configuration }) => configuration?.index_codecs) || document.storage_transformers?.length)
    return undefined;
  const [name, separator] = v3
    ? [encoding?.name, encoding?.configuration?.separator]
    : ["v2", document.dimension_separator];
  // The number is in bits in version 3, otherwise in bytes.
  const number = /^[<>|]?[a-z]+(\d+)$/.exec(String(v3 ? document.data_type : document.dtype))?.[1];
  const size = number ? Number(number) / (v3 ? 8 : 1) : Number.POSITIVE_INFINITY;
  return { shape, chunk, size, codecs: names, key: (coords) => chunkKey(name, separator, coords) };
}

const lengths = (list: unknown): list is number[] =>
  Array.isArray(list) && list.every((n) => Number.isSafeInteger(n) && n > 0);

/** Returns the range of needed chunks along each dimension, and whether they are needed whole. */
function rangesOf(selection: readonly WireSelector[], { shape, chunk }: Plain) {
  const rest = selection.indexOf("...");
  const before = rest < 0 ? selection : selection.slice(0, rest);
  const after = rest < 0 ? [] : selection.slice(rest + 1);
  const between = Array<null>(Math.max(0, shape.length - before.length - after.length)).fill(null);
  const selectors = [...before, ...between, ...after];
  if (selectors.length !== shape.length) return undefined;
  const ranges: { from: number; to: number; whole: boolean }[] = [];
  for (const [d, selector] of selectors.entries()) {
    const [length, each] = [shape[d] as number, chunk[d] as number];
    const bounds = boundsOf(selector, length);
    if (!bounds) return undefined;
    const [first, end] = bounds;
    const whole = first % each === 0 && (end % each === 0 || end === length);
    ranges.push({ from: Math.floor(first / each), to: Math.floor((end - 1) / each), whole });
  }
  return ranges;
}

/**
 * Returns the bounds of a selector in a dimension. Returns undefined for an empty, invalid or
 * non-contiguous selector.
 */
function boundsOf(selector: WireSelector, length: number): [number, number] | undefined {
  const at = (i: number) => (i < 0 ? i + length : i);
  let bounds: [number, number];
  if (selector === null) bounds = [0, length];
  else if (typeof selector === "number") bounds = [at(selector), at(selector) + 1];
  else if (typeof selector === "object" && "step" in selector) {
    const { start, stop, step } = selector;
    const known = [start ?? 0, stop ?? length, step ?? 1];
    if (!known.every((n) => typeof n === "number") || known[2] !== 1) return undefined;
    bounds = [Math.max(0, at(known[0] as number)), Math.min(length, at(known[1] as number))];
  } else return undefined;
  return bounds[0] >= 0 && bounds[0] < bounds[1] && bounds[1] <= length ? bounds : undefined;
}
