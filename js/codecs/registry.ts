import type { AnyData } from "../data/types.js";
import { UnsupportedError } from "../errors.js";
import { numcodecs, others } from "./names.js";

/** The description of the arrays for a codec. */
export interface CodecMeta {
  /** zarrita's name of the data type. */
  dataType: string;
  /** The shape of a chunk. */
  shape: number[];
  /** Empty, because a codec on the page handles only its own step. */
  codecs: { name: string; configuration: Record<string, unknown> }[];
  /** The value of elements that were never written. */
  fillValue: unknown;
}

/** A chunk as the input or output of array codecs. */
export interface CodecChunk {
  /** The elements. */
  data: AnyData;
  /** Elements along each dimension. */
  shape: number[];
  /** The distance between adjacent elements along each dimension, in elements. */
  stride: number[];
}

/** A codec on the page: one of zarrita or numcodecs, or a similar one. */
export interface Codec {
  /** The kind of codec by its input and output; the default is `"bytes_to_bytes"`. */
  kind?: "array_to_array" | "array_to_bytes" | "bytes_to_bytes" | undefined;
  /** Decodes bytes (or, for an array-to-array codec, a chunk) into bytes or a chunk. */
  // biome-ignore lint/suspicious/noExplicitAny: zarrita's codecs take bytes or chunks, by their kind
  decode(data: any): unknown;
}

/** The value of {@link registry} for a name. */
export interface CodecEntry {
  /** Creates the codec for arrays of one configuration. */
  // biome-ignore lint/suspicious/noExplicitAny: a configuration is what its codec says it is
  fromConfig(configuration: any, meta: any): Codec;
  /** The kind of the created codecs, if they do not have it themselves. */
  kind?: Codec["kind"] | undefined;
}

/** @internal The entry of codecs that the engine decodes by itself. */
export const inEngine = (): never => {
  throw new UnsupportedError("the engine decodes this codec by itself", { feature: "codec" });
};

/**
 * The codecs that can be decoded, by their name in v3 metadata. The id `x` of v2 has the names
 * `"numcodecs.x"` and `"x"`. The initial entries are the engine's own codecs, and cannot be called.
 * An entry that the page sets takes precedence over the engine's codec, and runs on this thread.
 */
export const registry: Map<string, () => CodecEntry | Promise<CodecEntry>> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ `${numcodecs} ${/* @__PURE__ */ numcodecs.replace(/\S+/g, "numcodecs.$&")} ${others}`
    .split(" ")
    .map((name) => [name, inEngine]),
);
