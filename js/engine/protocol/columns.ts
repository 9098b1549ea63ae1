/** The columns that the worker makes of answers' elements, if the page asks for them. */

/** A WireBlock after conversion to columns for the page. */
export interface WireColumnBlock {
  shape: number[];
  type: string;
  /** Absent if the elements are in the shared memory that the request names. */
  column?: WireColumn;
  /** The chunks of the WireBlock. */
  chunks?: { coords: number[]; buffer: ArrayBuffer }[];
}

/**
 * The elements of a type in a form that the page uses without touching each: the buffer of its
 * typed array, or several columns.
 */
export type WireColumn = ArrayBuffer | WireColumns;

/** The columns of a type with more than one column. */
export interface WireColumns {
  /**
   * The concatenated bytes of strings and types of variable length. For strings UTF-8, or, with
   * `wide`, UTF-16 in the platform's byte order.
   */
  payloads?: ArrayBuffer;
  wide?: boolean;
  /** The elements' starts in `payloads` or `of`, and the end of the last: a Uint32 each. */
  offsets?: ArrayBuffer;
  /** A byte for each object, 1 if it is missing. */
  missing?: ArrayBuffer;
  /** A byte for each optional element, 0 if it is absent. */
  mask?: ArrayBuffer;
  /** A struct's columns, in the order of its fields. */
  fields?: WireColumn[];
  /** The concatenated items of optional, sub-array and ragged elements. */
  of?: WireColumn;
}
