/** Data types and codecs, as the page is told of them. */

/** A codec as the metadata has it. */
export interface CodecDescription {
  /** The name in v3 metadata, or the id in v2 metadata. */
  name: string;
  /** Its settings, where it has any. */
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
  /** What family of types it is of. */
  kind: TypeKind;
  /** The canonical name: `"int32"`, `"numpy.datetime64"`, `"U5"`. */
  name: string;
  /** Bytes of one element; 0 for types of variable length. */
  size: number;
  /** Meaningful bits where that is not `8 * size` (`int4`, `float6_e2m3fn`). */
  bits?: number;
  /** Datetimes: the unit, `"s"`, `"D"`, `"generic"`. */
  unit?: string;
  /** Datetimes: how many units one count is. */
  scale?: number;
  /** A struct's fields in order, with their offset in bytes. */
  fields?: { name: string; offset: number; type: TypeDescription }[];
  /** What a complex, optional, sub-array or ragged type is made of. */
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
  /** The keys of the chunks that a write that failed has written. */
  written?: string[];
  cause?: WireError;
  /** The question in whose answer the page threw the cause. */
  thrown?: number;
  /** What that was: put in on the page. */
  reason?: unknown;
}

/** Array or group. */
export type NodeKind = "array" | "group";

/** A part of a stored object. */
export type WireByteRange = { offset: number; length: number } | { suffixLength: number };

/** An integer index, a range, all of a dimension (`null`), the rest (`"..."`), a list of indices, or a mask of 0 and 1. */
export type WireSelector = WireInteger | null | "..." | WireRange | WireIndices | Uint8Array;

/** An integer: the engine cannot be given a BigInt, so what a number cannot hold goes as digits. */
export type WireInteger = number | { bigint: string };

/** A list of indices: integers of 64 bits in a row, the lowest byte first. */
export interface WireIndices {
  indices: Uint8Array;
}

/** A Python-like range; `null` stands for the default. */
export interface WireRange {
  start: WireInteger | null;
  stop: WireInteger | null;
  step: WireInteger | null;
}
