import type {
  BoolArray,
  ByteStringArray,
  Complex,
  Complex64Array,
  Complex128Array,
  DateTimeArray,
  RawArray,
  TimeDeltaArray,
  UnicodeStringArray,
} from "./arrays.js";

/** Data types whose elements are numbers. */
export type NumberDataType =
  | "int2"
  | "int4"
  | "int8"
  | "int16"
  | "int32"
  | "uint2"
  | "uint4"
  | "uint8"
  | "uint16"
  | "uint32"
  | "float16"
  | "float32"
  | "float64"
  | "bfloat16"
  | `float4_${string}`
  | `float6_${string}`
  | `float8_${string}`;

/** Data types whose elements are bigints. */
export type BigintDataType = "int64" | "uint64";

/** Data types whose elements are strings; those of variable length may be missing (`null`). */
export type StringDataType =
  | "string"
  | `v2:U${number}`
  | `v2:S${number}`
  | "fixed_length_utf32"
  | "null_terminated_bytes";

/**
 * The names of data types: zarrita's names if it has them. Other types are named as in v3 metadata
 * (`"complex64"`, `"numpy.datetime64"`, `"r24"`, `"struct"`), or as in v2 without the byte order.
 */
export type DataType =
  | NumberDataType
  | BigintDataType
  | StringDataType
  | "bool"
  | "v2:object"
  | "complex64"
  | "complex128"
  | "numpy.datetime64"
  | "numpy.timedelta64"
  | "bytes"
  | "variable_length_bytes"
  | "struct"
  | `r${number}`
  | `v2:V${number}`
  | "raw_bytes"
  | "optional";

/** The queries of `Array.is`: a data type, or a family of them. */
export type DataTypeQuery = DataType | "number" | "bigint" | "boolean" | "string" | "object";

/** The data types of a query. */
export type NarrowDataType<D extends DataType, Q extends DataTypeQuery> = Q extends "number"
  ? Extract<D, NumberDataType>
  : Q extends "bigint"
    ? Extract<D, BigintDataType>
    : Q extends "boolean"
      ? Extract<D, "bool">
      : Q extends "string"
        ? Extract<D, StringDataType>
        : Q extends "object"
          ? Extract<D, "v2:object">
          : Extract<D, Q>;

/** A Float16Array if the platform has it, otherwise the same numbers in a Float32Array. */
export type HalfFloatArray = Float32Array | Float16ArrayLike;

/**
 * The common members of TypeScript's Float16Array and a Float32Array, for compilers without the
 * former.
 */
export interface Float16ArrayLike extends Iterable<number> {
  readonly BYTES_PER_ELEMENT: number;
  readonly buffer: ArrayBufferLike;
  readonly byteLength: number;
  readonly byteOffset: number;
  readonly length: number;
  [i: number]: number;
}

/** Any data: see {@link TypedArray}. */
export type AnyData =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | HalfFloatArray
  | Float64Array
  | BoolArray
  | Complex64Array
  | Complex128Array
  | DateTimeArray
  | TimeDeltaArray
  | RawArray
  | unknown[]
  | Columns;

/** Structs: a column for each field. Iterating yields the structs. */
export interface Columns extends Iterable<{ [field: string]: unknown }> {
  /** The elements of a field. */
  [field: string]: AnyData;
}

/** Any element: see {@link Scalar}. */
export type AnyScalar = unknown;

interface DataOf {
  int2: Int8Array;
  int4: Int8Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint2: Uint8Array;
  uint4: Uint8Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  float16: HalfFloatArray;
  float32: Float32Array;
  float64: Float64Array;
  bfloat16: Float32Array;
  bool: BoolArray;
  complex64: Complex64Array;
  complex128: Complex128Array;
  "numpy.datetime64": DateTimeArray;
  "numpy.timedelta64": TimeDeltaArray;
  string: (string | null)[];
  fixed_length_utf32: UnicodeStringArray;
  null_terminated_bytes: ByteStringArray;
  bytes: (Uint8Array | null)[];
  variable_length_bytes: (Uint8Array | null)[];
  raw_bytes: RawArray;
  struct: Columns;
  optional: unknown[];
  "v2:object": unknown[];
}

/**
 * The data of a data type. `data[i]` is element `i`, with two exceptions. Elements of complex and
 * raw types are `data.get(i)`, and structs are an object of columns. An absent `optional` element
 * is null. With nested optional types, a present value of an outer level is an object `{ value }`:
 * `null` and `{ value: null }` differ.
 *
 * More than 16,384 strings, objects or optional elements, or more than 4 MiB of them, are created
 * at their first access. Their array is then a proxy: pass `Array.from(data)` to `structuredClone`.
 */
export type TypedArray<D extends DataType> = D extends keyof DataOf
  ? DataOf[D]
  : D extends NumberDataType
    ? Float32Array
    : D extends `v2:V${number}` | `r${number}`
      ? RawArray
      : D extends `v2:U${number}`
        ? UnicodeStringArray
        : D extends `v2:S${number}`
          ? ByteStringArray
          : AnyData;

/** One element: the result of `get` if every dimension is selected by an integer. */
export type Scalar<D extends DataType> = D extends NumberDataType
  ? number
  : D extends BigintDataType | "numpy.datetime64" | "numpy.timedelta64"
    ? bigint
    : D extends "bool"
      ? boolean
      : D extends "string"
        ? string | null
        : D extends StringDataType
          ? string
          : D extends "complex64" | "complex128"
            ? Complex
            : unknown;

/** A region of an array. */
export interface Chunk<D extends DataType> {
  /** The elements, in C order (the last dimension varies fastest). */
  data: TypedArray<D>;
  /** Elements along each dimension. Dimensions selected by an integer are dropped. */
  shape: number[];
  /**
   * The distance between adjacent elements along each dimension, in elements; always in C order.
   */
  stride: number[];
}

/** A region as bytes: see `as` in {@link ReadOptions}. */
export interface ByteChunk {
  /** The packed little-endian elements, in C order. */
  data: Uint8Array;
  /** Elements along each dimension. */
  shape: number[];
  /** The distance between adjacent elements along each dimension, in elements. */
  stride: number[];
}

/** A box of a result: see `onChunk` in {@link ReadOptions}. */
export interface PartialResult {
  /** The elements in the class of the result's `data`, or as bytes with `as: "bytes"`. */
  data: AnyData;
  /** Elements along each dimension. */
  shape: number[];
  /** The distance between adjacent elements along each dimension, in elements. */
  stride: number[];
  /** The box's first element in the result. */
  start: number[];
}
