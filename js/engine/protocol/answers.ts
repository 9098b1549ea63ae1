/** What the engine sends: the ends of requests, what it tells before them, and the values of its answers. */

import type { WireColumn, WireColumnBlock } from "./columns.js";
import type { WireAborted, WireAsk } from "./questions.js";
import type { CodecDescription, NodeKind, TypeDescription, WireByteRange, WireError } from "./types.js";

/** All that the engine sends. */
export type FromEngine = WireAnswer | WireProgress | WirePartial | WireAsk | WireAborted | WireEvent;

/** The end of a request. */
export type WireAnswer = { id: number; ok: true; value: unknown } | { id: number; ok: false; error: WireError };

/** How far a read has come, in chunks. */
export interface WireProgress {
  id: number;
  progress: { done: number; total: number };
}

/** A box of the result of a read that asked for partial results, and where it begins. */
export interface WirePartial {
  id: number;
  partial: WireBlock | WireColumnBlock;
  start: number[];
}

/** A node in a store. */
export interface WireAddress {
  /** A URL, or a composition of stores as plain data. */
  store: string | { readonly [kind: string]: unknown };
  path: string;
  /** The version of Zarr that it has; 0 for any. */
  format: 0 | 2 | 3;
  /** Only the ending of a name says that there is a container: it may be a folder. */
  guessed: boolean;
}

/** Tells of a request. */
export interface WireEvent {
  event: RequestEvent;
  store: number;
}

/** One request of a store's, or one read that needed none. */
export interface RequestEvent {
  /** What was asked for. */
  key: `/${string}`;
  /** The part of it; absent for all. */
  range?: WireByteRange;
  /** `"cache"`: the bytes were there; `"shared"`: the request of another reader brings them. */
  source: "request" | "cache" | "shared";
  /** `""` where no request was sent by the engine. */
  method: "GET" | "HEAD" | "PUT" | "DELETE" | "MKCOL" | "";
  /** The HTTP status; 0 without an answer. */
  status: number;
  /** Counts the tries of one request, from 0. */
  attempt: number;
  /** Bytes of the body. */
  bytes: number;
  /** From how many reads the request was put together. */
  merged: number;
  /** When it began, as `performance.timeOrigin + performance.now()` counts. */
  start: number;
  /** Milliseconds until the last byte. */
  ms: number;
  /** What it failed of; that there is no such key is told here too. */
  error?: string;
}

/** What a store was asked in all, since the engine knows it. */
export interface RequestStats {
  /** Requests that were sent, those sent again too. */
  requests: number;
  /** Bytes that came. */
  bytes: number;
  /** Requests that were sent again. */
  retries: number;
  /** Requests that failed; an absent key is no failure. */
  failed: number;
  /** Reads whose bytes were there. */
  cached: number;
  /** Reads whose bytes another reader's request brought. */
  shared: number;
}

/** What {@link caches} tells. */
export interface CacheReport {
  /** Opened arrays and groups. */
  metadata: CacheUse;
  /** Indexes of shards. */
  indexes: CacheUse;
  /** Bytes as the stores sent them. */
  encoded: CacheUse;
  /** Decoded chunks. */
  decoded: CacheUse;
}

/** One of the engine's caches. */
export interface CacheUse {
  /** Bytes that are kept now. */
  bytes: number;
  /** Bytes that may be kept. */
  budget: number;
  /** Things that are kept now. */
  entries: number;
  /** Answers that were there. */
  hits: number;
  /** Answers that were on their way for another caller. */
  shared: number;
  /** Answers that had to be got or made: of `decoded`, chunks that were decoded to be kept. */
  misses: number;
  /** Things that made room for others. */
  evicted: number;
}

/** The value of `open`. */
export interface WireNode {
  path: string;
  kind: NodeKind;
  format: 1 | 2 | 3;
  /** What names the node to the engine that opened it; absent where it is to be opened when it is used. */
  handle?: number;
  /** A number of what its documents say. */
  hash: string;
  /** Is set on arrival: what stands for the node whichever engine runs. */
  ref: NodeRef;
  /** The text of its attributes, where that is no document of its own. */
  attributes?: Uint8Array;
  documents: Record<string, Uint8Array>;
  consolidated: boolean;
  /** An array of version 2 that was not asked for its attributes. */
  bare?: boolean;
  array?: WireArray;
}

/** A node that the page has: by this an engine that does not know its handle opens it again. */
export interface NodeRef {
  readonly path: string;
  readonly kind: NodeKind;
  readonly format: 1 | 2 | 3;
  readonly hash: string;
  readonly bare?: boolean | undefined;
  /** The name of the type of an array's elements. */
  readonly type: string | undefined;
}

/** What `open` says of an array. */
export interface WireArray {
  shape: number[];
  dtype: string;
  type: TypeDescription;
  /** Of a sharded array the chunks inside the shards, like `counts`. */
  chunks: number[];
  /** How many there are along each dimension. */
  counts: number[];
  shards: number[] | null;
  grid: string;
  /** A rectilinear grid's runs of [length, count] for each dimension, of a sharded array those of its shards. */
  edges: [number, number][][] | null;
  fill: Uint8Array | null;
  /** `fill` as a column, which the worker makes; or why there is none. */
  fillColumn?: WireColumn | { error: WireError } | undefined;
  dimensionNames: (string | null)[] | null;
  codecs: CodecDescription[];
  order: "C" | "F" | null;
  keyEncoding: { name: string; separator: string };
}

/**
 * How a member of a group is known: from consolidated metadata; from a list of what the store has; because the group's attributes
 * name it; or because a group of its kind has a node of that name as a rule, and it is there.
 */
export type MemberSource = "consolidated" | "listed" | "named" | "probed";

/** An entry of the value of `members`. */
export interface WireMember {
  name: string;
  kind: NodeKind | "implicit";
  how: MemberSource;
  /** In how many of the members before it; absent: it is one of the group's own. */
  depth?: number;
  node?: WireNode;
  /** Why an array or group that is listed cannot be opened. */
  error?: WireError;
}

/** The value of `project`. */
export interface WireProjections {
  /** Chunks in all. It is in the first answer, as is the shape of the result. */
  count?: number;
  shape?: number[];
  /** How many chunks this answer tells of. */
  projections: number;
  /**
   * For each of them and each dimension: its coordinate, where it begins, what is taken of the array and, where the
   * dimension is kept, where that belongs in the result. Such a line is the length of a list and its
   * positions; or 0, the first position, the last and the step, which is 0 where the dimension is dropped.
   */
  numbers: number[];
  /** Where to go on; absent at the end. */
  next?: number[];
}

/**
 * What the Go program answers to `read`, `chunk` and `points`: packed little-endian elements in C order. For
 * types of variable length the elements' bytes one after the other, with
 * `offsets` (Uint32, one more than elements) and, for missing objects, `missing` (a byte 0 or 1 each).
 */
export interface WireBlock {
  /** A SharedArrayBuffer where that was asked for. */
  buffer: ArrayBuffer;
  shape: number[];
  /** The name of the elements' type. */
  type: string;
  offsets?: ArrayBuffer;
  missing?: ArrayBuffer;
}
