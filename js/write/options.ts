import type { Attributes } from "../api/node.js";
import type { DataType, Scalar } from "../data/types.js";
import type { CodecDescription, NodeRef, NodeSpec, TypeDescription } from "../engine/protocol/wire.js";

/** The engine's types of nodes. */
export type { NodeRef, NodeSpec, TypeDescription };

/**
 * A codec: its name, or its name and settings in the form of version 3's or version 2's metadata.
 */
export type CodecOption = string | CodecDescription | { id: string; [setting: string]: unknown };

/** Settings of all calls that write. */
export interface CallOptions {
  /** Aborts the call: it rejects with the signal's reason. Written objects stay. */
  signal?: AbortSignal | undefined;
}

/** Settings of {@link createGroup}. */
export interface GroupOptions extends CallOptions {
  /** The version of Zarr, 2 or 3; by default that of the parent group, otherwise 3. */
  format?: 2 | 3 | undefined;
  /** `format` by zarr-python's name. */
  zarr_format?: 2 | 3 | undefined;
  /** The user's attributes: JSON values, with bigints as integers. */
  attributes?: Attributes | undefined;
  /** `true` deletes an existing node. Otherwise it is an `ExistsError`. */
  overwrite?: boolean | undefined;
}

/**
 * The consecutive lengths of a dimension's chunks, each alone or as a run of `[length, count]`.
 * They cover the dimension, and may extend beyond it.
 */
export type ChunkEdges = readonly (number | readonly [length: number, count: number])[];

/** The storage of elements: see {@link ArrayOptions}. */
export interface LayoutOptions {
  /**
   * Elements of a chunk along each dimension; with shards, of an inner chunk. `null`, -1 and
   * missing entries mean the whole dimension. One number applies to all dimensions. `"auto"`, the
   * default, is zarr-python 2's rule; `false` is one chunk. If an entry is a list of its chunks'
   * lengths, the grid is rectilinear: `[[3, 3, 4], 10]`; version 3 only.
   */
  chunks?: readonly (number | null | ChunkEdges)[] | number | "auto" | boolean | undefined;
  /** `chunks` by zarrita's name. */
  chunkShape?: readonly number[] | undefined;
  /** `chunks` by its name in metadata. */
  chunk_shape?: readonly number[] | undefined;
  /**
   * Elements of a shard along each dimension, multiples of the chunks, or lists of lengths as in
   * `chunks`; version 3 only.
   */
  shards?: readonly (number | ChunkEdges)[] | null | undefined;
  /**
   * The chain of codecs in the order of encoding. The array-to-bytes codec can be omitted. An empty
   * list means no compression. The default is Zstandard in version 3, and Blosc with LZ4 in version
   * 2.
   */
  codecs?: readonly CodecOption[] | undefined;
  /** The compressor by zarr-python's name, in place of `codecs`; `null` for none. */
  compressor?: CodecOption | null | undefined;
  /** The codecs before the compressor, by zarr-python's name. */
  filters?: readonly CodecOption[] | null | undefined;
  /** The order of the elements in a stored chunk; by default `"C"`. */
  order?: "C" | "F" | undefined;
  /**
   * The separator of the indices in chunks' keys; by default `"/"` in version 3, and `"."` in
   * version 2.
   */
  chunkSeparator?: "/" | "." | undefined;
  /** `chunkSeparator` by zarr-python's name. */
  dimension_separator?: "/" | "." | undefined;
}

/**
 * Settings of {@link createArray}. The names are zarrita's and zarr-python's; give only one of two
 * names for the same option.
 */
export interface ArrayOptions<D extends DataType = DataType> extends GroupOptions, LayoutOptions {
  /** Elements along each dimension; a number for one dimension. */
  shape: readonly number[] | number;
  /**
   * The data type by its name in metadata of either version (`"int16"`, `"<i2"`, `"string"`,
   * `"datetime64[s]"`). A type with parameters, such as a struct's, is an object in the metadata's
   * form. The default is `"float64"`.
   */
  dtype?: D | (string & {}) | { readonly [member: string]: unknown } | readonly unknown[] | undefined;
  /** `dtype` by its name in metadata of version 3. */
  data_type?: ArrayOptions<D>["dtype"];
  /** `dtype` in camel case. */
  dataType?: ArrayOptions<D>["dtype"];
  /**
   * The value of elements that were never written, as an element of the array or in the metadata's
   * form; by default zero. `null` leaves it undefined.
   */
  fillValue?: Scalar<D> | FillJson | null | undefined;
  /** `fillValue` by zarr-python's name. */
  fill_value?: ArrayOptions<D>["fillValue"];
  /**
   * The dimensions' names, `null` for a dimension without a name. Version 2 stores them as the
   * attribute `_ARRAY_DIMENSIONS`.
   */
  dimensionNames?: readonly (string | null)[] | null | undefined;
  /** `dimensionNames` by its name in metadata. */
  dimension_names?: ArrayOptions<D>["dimensionNames"];
}

/** A fill value in the metadata's form. */
export type FillJson =
  | number
  | bigint
  | boolean
  | string
  | Uint8Array
  | readonly unknown[]
  | { readonly [member: string]: unknown };
