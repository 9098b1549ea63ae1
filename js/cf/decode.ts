import type { ZarrArray } from "../api/array.js";
import type { Selection } from "../api/selection.js";
import type { ReadOptions } from "../data/readoptions.js";
import { checkArray } from "../refuse.js";
import { type Decoder, type DecoderOptions, decoderOf } from "./decoder.js";
import { type Decoded, decodeValues, type RawRegion } from "./values.js";

/** Settings of {@link decodeArray}: those of a read, and what of the attributes is applied. */
export interface DecodeOptions extends DecoderOptions, Pick<ReadOptions, "signal" | "priority" | "view"> {
  /** Called as elements are decoded, with how many of all are. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Reads a region as it is stored: numbers, or the bytes of fixed-width bytes. */
async function readRaw(
  array: ZarrArray,
  selection: Selection | undefined,
  options: ReadOptions,
  decoder: Decoder,
): Promise<RawRegion> {
  if (decoder.form === "chars" || decoder.form === "text") {
    return array.get(selection, { ...options, as: "bytes" });
  }
  const read: unknown = await array.get(selection, options);
  const region = read as RawRegion | null;
  if (typeof region === "object" && region && "data" in region && "shape" in region) return region;
  // Where every dimension is selected by an integer, what is read is an element.
  if (!decoder.from) return { data: [read], shape: [] };
  const { re, im } = read as { re: number; im: number };
  if (decoder.from.startsWith("complex")) return { data: Float64Array.of(re, im), shape: [] };
  if (typeof read === "bigint") return { data: BigInt64Array.of(read), shape: [] };
  return { data: Float64Array.of(read as number), shape: [] };
}

/**
 * Reads a selection of an array and decodes it as its attributes say: see {@link decoderOf} for what is applied, and
 * {@link Decoded} for what the result tells. Rejects as the array's `get` does, and as `decoderOf` throws.
 *
 * @example
 * const { data, masked } = await decodeArray(await group.open("t2m"), [0, null, null]);
 */
export async function decodeArray(
  array: ZarrArray,
  selection?: Selection,
  options: DecodeOptions = {},
): Promise<Decoded> {
  checkArray("decodeArray", array);
  const decoder = decoderOf(array, options);
  const { signal, priority, view } = options;
  return decodeValues(decoder, await readRaw(array, selection, { signal, priority, view }, decoder));
}
