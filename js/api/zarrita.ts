// Names that zarrita has for types, for programs that import them.

import type { DataType, Scalar, TypedArray } from "../data/types.js";
import type { Attributes } from "./node.js";

/** Integers of 8 bits. */
export type Int8 = "int8";
/** Integers of 16 bits. */
export type Int16 = "int16";
/** Integers of 32 bits. */
export type Int32 = "int32";
/** Integers of 64 bits: bigints. */
export type Int64 = "int64";
/** Unsigned integers of 8 bits. */
export type Uint8 = "uint8";
/** Unsigned integers of 16 bits. */
export type Uint16 = "uint16";
/** Unsigned integers of 32 bits. */
export type Uint32 = "uint32";
/** Unsigned integers of 64 bits: bigints. */
export type Uint64 = "uint64";
/** Floats of half precision. */
export type Float16 = "float16";
/** Floats of single precision. */
export type Float32 = "float32";
/** Floats of double precision. */
export type Float64 = "float64";
/** Booleans. */
export type Bool = "bool";
/** numpy's `U`: strings of a fixed number of Unicode characters. */
export type UnicodeStr = `v2:U${number}`;
/** numpy's `S`: strings of a fixed number of bytes. */
export type ByteStr = `v2:S${number}`;
/** Strings of variable length. */
export type Text = "string";
/** numpy's `O`: elements of any kind. */
export type ObjectType = "v2:object";

/** A typed array's class. */
export interface TypedArrayConstructor<D extends DataType> {
  new (length: number): TypedArray<D>;
  new (array: ArrayLike<Scalar<D>> | ArrayBufferLike, byteOffset?: number, length?: number): TypedArray<D>;
}

/** A codec in the metadata of v3. */
export interface CodecMetadata {
  /** Its name. */
  name: string;
  /** Its settings. */
  configuration: Record<string, unknown>;
}

/** `zarr.json` of an array of v3, with the only grid that zarrita supports. */
export interface ArrayMetadata<D extends DataType = DataType> {
  /** The version of Zarr. */
  zarr_format: 3;
  /** The kind of the node. */
  node_type: "array";
  /** Elements along each dimension. */
  shape: number[];
  /** The dimensions' names. */
  dimension_names?: string[];
  /** The data type's name. */
  data_type: D;
  /** The division of the array into chunks. */
  chunk_grid: { name: "regular"; configuration: { chunk_shape: number[] } };
  /** The form of the chunks' keys in the store. */
  chunk_key_encoding: { name: "v2" | "default"; configuration?: { separator?: "." | "/" } };
  /** The chain of codecs in the order of encoding. */
  codecs: CodecMetadata[];
  /** The value of elements that were never written. */
  fill_value: Scalar<D> | null;
  /** The user's attributes. */
  attributes: Attributes;
}

/** `zarr.json` of a group of v3. */
export interface GroupMetadata {
  /** The version of Zarr. */
  zarr_format: 3;
  /** The kind of the node. */
  node_type: "group";
  /** The user's attributes. */
  attributes: Attributes;
}

/** A compressor or filter in the metadata of v2. */
type CodecV2 = { id: string } & Record<string, unknown>;

/** `.zarray`: an array of v2. */
export interface ArrayMetadataV2 {
  /** The version of Zarr. */
  zarr_format: 2;
  /** Elements along each dimension. */
  shape: number[];
  /** Elements of a chunk along each dimension. */
  chunks: number[];
  /** numpy's name of the data type. */
  dtype: string;
  /** The last codec of the chain. */
  compressor: null | CodecV2;
  /** The value of elements that were never written. */
  fill_value: unknown;
  /** The order of a chunk's elements. */
  order: "C" | "F";
  /** The codecs before the compressor. */
  filters: null | CodecV2[];
  /** The separator of the coordinates in a chunk's key. */
  dimension_separator?: "." | "/";
}

/** `.zgroup`: a group of v2. */
export interface GroupMetadataV2 {
  /** The version of Zarr. */
  zarr_format: 2;
}

/** A range of indices: the first index, the excluded stop, and the step. */
export type Indices = [start: number, stop: number, step: number];

/**
 * The mapping of one dimension from indices of a chunk to indices of a result. `null` marks a
 * dropped dimension.
 */
export type Projection = { from: null; to: number } | { from: number; to: null } | { from: Indices; to: Indices };
