/** Descriptions of data types and codecs for the page. */

/** A codec of the metadata. */
export interface CodecDescription {
  /** The name in v3 metadata, or the id in v2 metadata. */
  name: string;
  /** Its settings, if it has any. */
  configuration?: Record<string, unknown>;
}

/** The family of a data type. */
export type TypeKind =
  | "bool"
  | "int"
  | "uint"
  | "float"
  | "minifloat"
  | "complex"
  | "char"
  | "unicode"
  | "raw"
  | "datetime"
  | "timedelta"
  | "struct"
  | "optional"
  | "sub"
  | "string"
  | "bytes"
  | "ragged"
  | "object";

/** A data type in full. */
export interface TypeDescription {
  /** The family of the type. */
  kind: TypeKind;
  /** The canonical name: `"int32"`, `"numpy.datetime64"`, `"U5"`. */
  name: string;
  /** Bytes of one element; 0 for types of variable length. */
  size: number;
  /** Meaningful bits, if they are not `8 * size` (`int4`, `float6_e2m3fn`). */
  bits?: number;
  /** Datetimes: the unit, `"s"`, `"D"`, `"generic"`. */
  unit?: string;
  /** Datetimes: the number of units in one count. */
  scale?: number;
  /** A struct's fields in order, with their offset in bytes. */
  fields?: { name: string; offset: number; type: TypeDescription }[];
  /** The type of the parts of a complex, optional, sub-array or ragged type. */
  elem?: TypeDescription;
  /** A sub-array's shape. */
  shape?: number[];
}

/** An error as data. */
export interface WireError {
  name: string;
  code?: string;
  message: string;
  path?: string;
  key?: string;
  codec?: string;
  rare?: boolean;
  status?: number;
  url?: string;
  hint?: string | null;
  limit?: string;
  max?: number;
  feature?: string;
  container?: string;
  found?: string | null;
  tried?: string[];
  /** The keys of the chunks that a failed write has written. */
  written?: string[];
  cause?: WireError;
  /** The question whose answer threw the cause on the page. */
  thrown?: number;
  /** The thrown value. The page adds it. */
  reason?: unknown;
}

/** Array or group. */
export type NodeKind = "array" | "group";

/** A part of a stored object. */
export type WireByteRange = { offset: number; length: number } | { suffixLength: number };

/**
 * An integer index, a range, all of a dimension (`null`), the rest (`"..."`), a list of indices, or
 * a mask of 0 and 1.
 */
export type WireSelector = WireInteger | null | "..." | WireRange | WireIndices | Uint8Array;

/**
 * An integer. The engine cannot receive a BigInt: integers beyond a number's range are sent as
 * digits.
 */
export type WireInteger = number | { bigint: string };

/** A list of indices: consecutive integers of 64 bits, the lowest byte first. */
export interface WireIndices {
  indices: Uint8Array;
}

/** A Python-like range; `null` stands for the default. */
export interface WireRange {
  start: WireInteger | null;
  stop: WireInteger | null;
  step: WireInteger | null;
}
