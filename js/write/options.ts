import type { Attributes } from "../api/node.js";
import type { DataType, Scalar } from "../data/types.js";
import type { NodeRef } from "../engine/protocol/answers.js";
import type { CodecDescription, TypeDescription } from "../engine/protocol/types.js";
import type { NodeSpec } from "../engine/protocol/writes.js";

/** A node of the engine's. */
export type { NodeRef, NodeSpec, TypeDescription };

/** A codec: its name, or its name and settings as metadata of version 3 have them, or as those of version 2 have them. */
export type CodecOption = string | CodecDescription | { id: string; [setting: string]: unknown };

/** What may end a call, and tell how far it is. */
export interface CallOptions {
  /** Ends the call early: it rejects with the signal's reason. What has been written stays. */
  signal?: AbortSignal | undefined;
}

/** What {@link createGroup} makes. */
export interface GroupOptions extends CallOptions {
  /** The version of Zarr, 2 or 3; by default that of the group above, or else 3. */
  format?: 2 | 3 | undefined;
  /** `format` by zarr-python's name. */
  zarr_format?: 2 | 3 | undefined;
  /** The user's attributes: what JSON can hold. Bigints are integers. */
  attributes?: Attributes | undefined;
  /** `true`: delete what is there. Otherwise that is an `ExistsError`. */
  overwrite?: boolean | undefined;
}

/**
 * The lengths of a dimension's chunks, one after the other, each alone or as a run of `[length, count]`. They cover the dimension, and may go
 * on beyond it.
 */
export type ChunkEdges = readonly (number | readonly [length: number, count: number])[];

/** How elements are stored: see {@link ArrayOptions}. */
export interface LayoutOptions {
  /**
   * Elements of a chunk along each dimension, of those inside the shards where there are shards; `null` or -1 is all of the dimension, and so
   * are those that are missing. One number is that of all dimensions. `"auto"`, the default, is zarr-python 2's rule; `false` is one chunk.
   * Where any dimension has a list of its chunks' lengths, the grid is rectilinear: `[[3, 3, 4], 10]`; version 3 only.
   */
  chunks?: readonly (number | null | ChunkEdges)[] | number | "auto" | boolean | undefined;
  /** `chunks` by zarrita's name. */
  chunkShape?: readonly number[] | undefined;
  /** `chunks` as metadata call it. */
  chunk_shape?: readonly number[] | undefined;
  /** Elements of a shard along each dimension, which chunks divide, or lists of them, as in `chunks`; version 3 only. */
  shards?: readonly (number | ChunkEdges)[] | null | undefined;
  /**
   * The chain of codecs in the order of encoding. The one that makes bytes of elements can be left out, and an empty list is no
   * compression. The default is Zstandard in version 3, and Blosc with LZ4 in version 2.
   */
  codecs?: readonly CodecOption[] | undefined;
  /** The compressor by zarr-python's name, in place of `codecs`; `null` for none. */
  compressor?: CodecOption | null | undefined;
  /** What stands before the compressor, by zarr-python's name. */
  filters?: readonly CodecOption[] | null | undefined;
  /** The order of a chunk's elements as they are stored; by default `"C"`. */
  order?: "C" | "F" | undefined;
  /** What stands between the indices in the keys of chunks; by default `"/"` in version 3, and `"."` in version 2. */
  chunkSeparator?: "/" | "." | undefined;
  /** `chunkSeparator` by zarr-python's name. */
  dimension_separator?: "/" | "." | undefined;
}

/** What {@link createArray} makes. Names are zarrita's and zarr-python's; of two for one thing, one may be given. */
export interface ArrayOptions<D extends DataType = DataType> extends GroupOptions, LayoutOptions {
  /** Elements along each dimension; a number for one dimension. */
  shape: readonly number[] | number;
  /**
   * The data type by its name in metadata of either version (`"int16"`, `"<i2"`, `"string"`, `"datetime64[s]"`), or what
   * metadata say of a type that has more to it, such as a struct's. The default is `"float64"`.
   */
  dtype?: D | (string & {}) | { readonly [member: string]: unknown } | readonly unknown[] | undefined;
  /** `dtype` as metadata of version 3 call it. */
  data_type?: ArrayOptions<D>["dtype"];
  /** `dtype` in camel case. */
  dataType?: ArrayOptions<D>["dtype"];
  /** The value of elements that were never written, as an element of the array or as metadata write it; by default zero. `null` leaves it undefined. */
  fillValue?: Scalar<D> | FillJson | null | undefined;
  /** `fillValue` by zarr-python's name. */
  fill_value?: ArrayOptions<D>["fillValue"];
  /** The dimensions' names, `null` for one without. In version 2 they are the attribute `_ARRAY_DIMENSIONS`. */
  dimensionNames?: readonly (string | null)[] | null | undefined;
  /** `dimensionNames` as metadata call it. */
  dimension_names?: ArrayOptions<D>["dimensionNames"];
}

/** A fill value as metadata write it. */
export type FillJson =
  | number
  | bigint
  | boolean
  | string
  | Uint8Array
  | readonly unknown[]
  | { readonly [member: string]: unknown };
