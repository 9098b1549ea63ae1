import type { AnyData } from "../data/types.js";
import { UnsupportedError } from "../errors.js";
import { numcodecs, others } from "./names.js";

/** What a codec is told of the arrays that it is to decode. */
export interface CodecMeta {
  /** zarrita's name of the data type. */
  dataType: string;
  /** The shape of a chunk. */
  shape: number[];
  /** Empty: a codec here is asked for its own part only. */
  codecs: { name: string; configuration: Record<string, unknown> }[];
  /** What elements have that were never written. */
  fillValue: unknown;
}

/** A chunk as array codecs have it. */
export interface CodecChunk {
  /** The elements. */
  data: AnyData;
  /** Elements along each dimension. */
  shape: number[];
  /** From one element to the next along each dimension, in elements. */
  stride: number[];
}

/** A codec of the page's: zarrita's, numcodecs', or the like. */
export interface Codec {
  /** What it turns into what; the default is `"bytes_to_bytes"`. */
  kind?: "array_to_array" | "array_to_bytes" | "bytes_to_bytes" | undefined;
  /** Decodes bytes (or, for an array-to-array codec, a chunk) into bytes or a chunk. */
  // biome-ignore lint/suspicious/noExplicitAny: zarrita's codecs take bytes or chunks, by their kind
  decode(data: any): unknown;
}

/** What {@link registry} gives for a name. */
export interface CodecEntry {
  /** Makes the codec for arrays of one configuration. */
  // biome-ignore lint/suspicious/noExplicitAny: a configuration is what its codec says it is
  fromConfig(configuration: any, meta: any): Codec;
  /** For all codecs that it makes, where they do not say it themselves. */
  kind?: Codec["kind"] | undefined;
}

/** @internal The entry of what the engine decodes by itself. */
export const inEngine = (): never => {
  throw new UnsupportedError("the engine decodes this codec by itself", { feature: "codec" });
};

/**
 * The codecs that can be decoded, by their name in v3 metadata (`"numcodecs.x"` or `"x"` for the
 * id `x` of v2). Those that are there at first the engine has, and their entries cannot be called. One that is
 * set here is the page's own: it goes before the engine's, and runs on this thread.
 */
export const registry: Map<string, () => CodecEntry | Promise<CodecEntry>> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ `${numcodecs} ${/* @__PURE__ */ numcodecs.replace(/\S+/g, "numcodecs.$&")} ${others}`
    .split(" ")
    .map((name) => [name, inEngine]),
);
