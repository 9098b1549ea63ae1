/** What the worker makes of the elements in answers for a page that asks for that. */

import type { TypeDescription } from "./types.js";

/** What is asked for of what the operations that read answer. It is no business of Go's. */
export interface WireColumnOptions {
  /** Answer, and tell of partial results, with columns of this type. */
  columns?: TypeDescription | undefined;
  /** Put the elements into this shared memory, if it is as large as they are. */
  into?: Uint8Array | undefined;
}

/** What becomes of a {@link WireBlock} on its way to a page that asked for columns. */
export interface WireColumnBlock {
  shape: number[];
  type: string;
  /** Absent where the elements are in `into` ({@link WireColumnOptions}). */
  column?: WireColumn;
}

/** The elements of a type, so that the page need not touch each: the buffer of its typed array, or several columns. */
export type WireColumn = ArrayBuffer | WireColumns;

/** The columns of a type that has more than one. */
export interface WireColumns {
  /**
   * Strings and types of variable length: what the elements are made of, one after the other. For strings
   * UTF-8, or, with `wide`, UTF-16 in the platform's byte order.
   */
  payloads?: ArrayBuffer;
  wide?: boolean;
  /** Where the elements begin in `payloads` or `of`, and where the last one ends: a Uint32 each. */
  offsets?: ArrayBuffer;
  /** A byte each, 1 for an object that is missing. */
  missing?: ArrayBuffer;
  /** Optional elements: a byte each, 0 for one that is absent. */
  mask?: ArrayBuffer;
  /** Of a struct, in the order of its fields. */
  fields?: WireColumn[];
  /** What optional, sub-array and ragged elements are made of, all in a row. */
  of?: WireColumn;
}
