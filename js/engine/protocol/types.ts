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
