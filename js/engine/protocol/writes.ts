/** The operations that change stores, and their questions to the page. */

import type { NodeKind, WireIndices, WireSelector } from "./types.js";

/**
 * The operations of zarr-write.wasm alone: they change stores. An operation with a `change` number
 * is ended by that number, and is answered after its end.
 */
export type WireWriteOperation = (WireChange & { change?: number }) | { op: "stop"; store: number; change: number };

/** The operations that change a store. */
export type WireChange =
  /**
   * Creates an array or a group from a {@link NodeSpec}, as JSON. An existing node is an
   * ExistsError, unless the specification overwrites it, or `require` accepts it because it fits.
   */
  | { op: "create"; store: number; path: string; kind: NodeKind; spec: string; require?: boolean }
  | ({ op: "write"; node: number } & WireTarget & WireWriteOptions)
  | { op: "resize"; node: number; shape: number[] }
  | ({ op: "append"; node: number; dimension: number } & WireWriteOptions)
  /** `attributes` is the JSON of an object. `"delete"` takes names. */
  | { op: "attributes"; node: number; how: "set" | "update" | "delete"; attributes?: string; names?: string[] }
  | { op: "delete"; store: number; path: string }
  | { op: "move"; store: number; path: string; to: string }
  /**
   * Copies a node to a path of a store. With `all`, copies a group's contents into the group there.
   * Options are {@link NodeCopyOptions}, as JSON.
   */
  | { op: "copy"; node: number; store: number; path: string; all?: boolean; progress?: boolean; options: string }
  /**
   * Copies objects unchanged from a path of a store to a path of another store. Options are
   * {@link ObjectCopyOptions}, as JSON.
   */
  | {
      op: "copyStore";
      from: number;
      fromPath: string;
      store: number;
      path: string;
      progress?: boolean;
      options: string;
    }
  | { op: "consolidate"; store: number; path: string }
  | { op: "migrate"; store: number; path: string; format: 2 | 3 };

/**
 * The elements that are written: a selection, single elements, or those at which a mask of the
 * array's shape is 1. Without a member, all elements.
 */
export interface WireTarget {
  selection?: WireSelector[] | null;
  /** A list of coordinates for each dimension. */
  points?: WireIndices[];
  mask?: Uint8Array;
  /** The field of a struct that is written. */
  field?: string;
}

/** The options of all operations that write elements. */
export interface WireWriteOptions {
  values: WireValues;
  /**
   * Delete chunks whose elements are all the fill value, if other readers read an absent chunk as
   * that value.
   */
  skipEmpty?: boolean;
  /** Report the write's progress. */
  progress?: boolean;
}

/**
 * Elements to write, in the form of {@link WireBlock}: packed, little-endian, in C order, of the
 * type of the array or of the field. They are broadcast by numpy's rules: a shape without
 * dimensions is one element. The buffers contain nothing else.
 */
export interface WireValues {
  buffer: ArrayBuffer | SharedArrayBuffer;
  shape: number[];
  /** For types of variable length: a Uint32 for each element, and one for the end. */
  offsets?: ArrayBuffer;
  /** A byte for each object, 1 if it is missing. */
  missing?: ArrayBuffer;
}

/** The specification of a new array or group. Absent members take zarr-python's defaults. */
export interface NodeSpec {
  /** The version; by default that of the parent group, otherwise 3. */
  format?: 2 | 3;
  shape?: number[];
  /**
   * The type's name in metadata of either version, or the metadata's object for a type with
   * parameters.
   */
  dtype?: unknown;
  /** The chunk shape. In a sharded array that of the inner chunks. */
  chunks?: (number | (number | number[])[])[];
  shards?: (number | (number | number[])[])[];
  /** The fill value, in the form of version 3's documents. */
  fill?: unknown;
  /** The fill value is undefined. */
  noFill?: boolean;
  /** A chain of codecs, in the form of version 3's documents. */
  codecs?: { name: string; configuration?: Record<string, unknown> }[];
  /** The compressor and filters in the form of version 2's documents, in place of `codecs`. */
  compressor?: Record<string, unknown> | null;
  filters?: Record<string, unknown>[] | null;
  order?: "C" | "F";
  separator?: "/" | ".";
  dimensionNames?: (string | null)[];
  attributes?: Record<string, unknown>;
  /** Delete the existing node. */
  overwrite?: boolean;
}

/**
 * The handling of existing nodes or objects in a copy: raise an ExistsError, replace, or skip and
 * count.
 */
export type IfExists = "raise" | "replace" | "skip";

/** Settings of a copy of nodes. */
export interface NodeCopyOptions {
  ifExists?: IfExists;
  /** Copy only the direct members of a group. */
  shallow?: boolean;
  withoutAttributes?: boolean;
  /** Decode and encode chunks even if their bytes could be copied. */
  recode?: boolean;
  /**
   * The version of the copies; by default that of the group they are copied into, otherwise their
   * own.
   */
  format?: 2 | 3;
  /** The storage settings that change in all arrays. */
  array?: Pick<NodeSpec, "chunks" | "shards" | "codecs" | "compressor" | "filters" | "order" | "separator">;
}

/** Settings of a copy of objects. */
export interface ObjectCopyOptions {
  ifExists?: IfExists;
  /** Copy nothing, and count what would be copied. */
  dryRun?: boolean;
}

/** The value of `copy` and of `copyStore`. */
export interface CopyReport {
  /** Nodes, or objects. */
  copied: number;
  /** Nodes or objects that existed already. */
  skipped: number;
  /** Bytes of elements in memory, or of stored objects. */
  bytes: number;
}

/** A question to a store on the page that is written to. */
export type WireWriteQuestion =
  | { put: string; bytes: ArrayBuffer }
  | { delete: string }
  | { deleteFolder: string }
  /** Takes a lock, and confirms it. `unlock` releases it by the number of this question. */
  | { lock: string }
  | { unlock: number };

/** Asks a store to change. */
export type WireWriteAsk = WireWriteQuestion & { ask: number; store: number };
