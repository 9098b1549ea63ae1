/** The operations that change stores, and what the page is asked for by them. */

import type { NodeKind, WireIndices, WireSelector } from "./types.js";

/**
 * What only zarr-write.wasm carries out: it changes stores. What has a number of its own besides the request's is ended by that, and answered when it
 * has ended.
 */
export type WireWriteOperation = (WireChange & { change?: number }) | { op: "stop"; store: number; change: number };

/** The operations that change a store. */
export type WireChange =
  /** Makes an array or a group of a {@link NodeSpec}, as JSON; what is there is an ExistsError, unless the specification overwrites it or `require` takes it where it fits. */
  | { op: "create"; store: number; path: string; kind: NodeKind; spec: string; require?: boolean }
  | ({ op: "write"; node: number } & WireTarget & WireWriteOptions)
  | { op: "resize"; node: number; shape: number[] }
  | ({ op: "append"; node: number; dimension: number } & WireWriteOptions)
  /** Attributes are the JSON of an object; for `"delete"` there are names. */
  | { op: "attributes"; node: number; how: "set" | "update" | "delete"; attributes?: string; names?: string[] }
  | { op: "delete"; store: number; path: string }
  | { op: "move"; store: number; path: string; to: string }
  /** Copies a node to a path of a store, or with `all` what lies in a group into the group there. Options are {@link NodeCopyOptions}, as JSON. */
  | { op: "copy"; node: number; store: number; path: string; all?: boolean; progress?: boolean; options: string }
  /** Copies objects as they are, from a path of a store to one of another. Options are {@link ObjectCopyOptions}, as JSON. */
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

/** What is written of an array: a selection, single elements, or those at which a mask of its shape is 1; all of it where nothing is said. */
export interface WireTarget {
  selection?: WireSelector[] | null;
  /** A list of coordinates for each dimension. */
  points?: WireIndices[];
  mask?: Uint8Array;
  /** Of a struct, the field that is written. */
  field?: string;
}

/** What all operations that write elements have. */
export interface WireWriteOptions {
  values: WireValues;
  /** Chunks of which all elements are the fill value are deleted, as far as other readers take an absent chunk for them. */
  skipEmpty?: boolean;
  /** Tell how far the write is. */
  progress?: boolean;
}

/**
 * Elements to write, as a {@link WireBlock} has them: packed, little-endian, in C order, of the type of the array or of the field.
 * They are repeated by numpy's rules: a shape without dimensions is one element. The buffers hold nothing else.
 */
export interface WireValues {
  buffer: ArrayBuffer | SharedArrayBuffer;
  shape: number[];
  /** Of types of variable length: a Uint32 each, one more than elements. */
  offsets?: ArrayBuffer;
  /** A byte each, 1 for an object that is missing. */
  missing?: ArrayBuffer;
}

/** What array or group is made. What is absent is zarr-python's default. */
export interface NodeSpec {
  /** That of the group above, or else 3. */
  format?: 2 | 3;
  shape?: number[];
  /** The type's name in metadata of either version, or what the metadata says of a type that has more to it. */
  dtype?: unknown;
  /** Of those inside the shards where there are shards. */
  chunks?: (number | (number | number[])[])[];
  shards?: (number | (number | number[])[])[];
  /** As a document of version 3 has it. */
  fill?: unknown;
  /** The fill value is not defined. */
  noFill?: boolean;
  /** A chain of codecs, as documents of version 3 have it. */
  codecs?: { name: string; configuration?: Record<string, unknown> }[];
  /** As documents of version 2 have them, in place of `codecs`. */
  compressor?: Record<string, unknown> | null;
  filters?: Record<string, unknown>[] | null;
  order?: "C" | "F";
  separator?: "/" | ".";
  dimensionNames?: (string | null)[];
  attributes?: Record<string, unknown>;
  /** Delete what is there. */
  overwrite?: boolean;
}

/** What a copy does where something is there: it is an ExistsError, replaced, or left as it is and counted. */
export type IfExists = "raise" | "replace" | "skip";

/** How nodes are copied. */
export interface NodeCopyOptions {
  ifExists?: IfExists;
  /** Only what lies directly in a group. */
  shallow?: boolean;
  withoutAttributes?: boolean;
  /** Chunks are decoded and encoded that could be copied as bytes. */
  recode?: boolean;
  /** The version of the copies; absent: that of the group they come into, or else their own. */
  format?: 2 | 3;
  /** What of all arrays is stored in another way. */
  array?: Pick<NodeSpec, "chunks" | "shards" | "codecs" | "compressor" | "filters" | "order" | "separator">;
}

/** How objects are copied. */
export interface ObjectCopyOptions {
  ifExists?: IfExists;
  /** Nothing is copied, and counted is what would be. */
  dryRun?: boolean;
}

/** The value of `copy` and of `copyStore`. */
export interface CopyReport {
  /** Nodes, or objects. */
  copied: number;
  /** Those that were there. */
  skipped: number;
  /** Of elements as they are in memory, or of objects as they are stored. */
  bytes: number;
}

/** What a store on the page that is written to is asked. */
export type WireWriteQuestion =
  | { put: string; bytes: ArrayBuffer }
  | { delete: string }
  | { deleteFolder: string }
  /** To take a lock, which is confirmed, until it is given back by the number of that question. */
  | { lock: string }
  | { unlock: number };

/** Asks a store to change. */
export type WireWriteAsk = WireWriteQuestion & { ask: number; store: number };
