/**
 * Messages from the engine: the results of requests, earlier reports, and the values of answers.
 */

import type { WireColumn, WireColumnBlock } from "./columns.js";
import type { WireAborted, WireAsk } from "./questions.js";
import type { CodecDescription, NodeKind, TypeDescription, WireByteRange, WireError } from "./types.js";

/** Any message from the engine. */
export type FromEngine = WireAnswer | WireProgress | WirePartial | WireAsk | WireAborted | WireEvent;

/** The result of a request. */
export type WireAnswer = { id: number; ok: true; value: unknown } | { id: number; ok: false; error: WireError };

/** The progress of a read, in chunks. */
export interface WireProgress {
  id: number;
  progress: { done: number; total: number };
}

/** A partial result: a box of a read's result, and its first element. */
export interface WirePartial {
  id: number;
  partial: WireBlock | WireColumnBlock;
  start: number[];
}

/** A node's store and path. */
export interface WireAddress {
  /** A URL, or a composition of stores as plain data. */
  store: string | { readonly [kind: string]: unknown };
  path: string;
  /** The version of Zarr of the node; 0 for any. */
  format: 0 | 2 | 3;
  /** True if only the name's ending suggests a container. It may be a folder. */
  guessed: boolean;
}

/** Reports a request. */
export interface WireEvent {
  event: RequestEvent;
  store: number;
}

/** One request of a store, or one read that needed none. */
export interface RequestEvent {
  /** The key. */
  key: `/${string}`;
  /** The requested part; absent for the whole object. */
  range?: WireByteRange;
  /** `"cache"`: the bytes were cached. `"shared"`: another reader's request fetches them. */
  source: "request" | "cache" | "shared";
  /** `""` if the engine sent no request. */
  method: "GET" | "HEAD" | "PUT" | "DELETE" | "MKCOL" | "";
  /** The HTTP status; 0 without an answer. */
  status: number;
  /** The number of the attempt, from 0. */
  attempt: number;
  /** Bytes of the body. */
  bytes: number;
  /** The number of reads that the request combines. */
  merged: number;
  /** The start, in the milliseconds of `performance.timeOrigin + performance.now()`. */
  start: number;
  /** Milliseconds until the last byte. */
  ms: number;
  /** The failure. A missing key is also reported here. */
  error?: string;
}

/** The totals of a store since the engine knows it. */
export interface RequestStats {
  /** Requests that were sent, including retries. */
  requests: number;
  /** Bytes received. */
  bytes: number;
  /** Retries. */
  retries: number;
  /** Requests that failed. An absent key is no failure. */
  failed: number;
  /** Reads from the cache. */
  cached: number;
  /** Reads that another reader's request served. */
  shared: number;
}

/** The result of {@link caches}. */
export interface CacheReport {
  /** Opened arrays and groups. */
  metadata: CacheUse;
  /** Indexes of shards. */
  indexes: CacheUse;
  /** Encoded bytes as the stores sent them. */
  encoded: CacheUse;
  /** Decoded chunks. */
  decoded: CacheUse;
}

/** One of the engine's caches. */
export interface CacheUse {
  /** Bytes in the cache. */
  bytes: number;
  /** The maximum of bytes in the cache. */
  budget: number;
  /** Entries in the cache. */
  entries: number;
  /** Answers from the cache. */
  hits: number;
  /** Answers that another caller had already requested. */
  shared: number;
  /**
   * Answers that were fetched or computed. For `decoded`, chunks that were decoded to be cached.
   */
  misses: number;
  /** Entries that were evicted. */
  evicted: number;
}

/** The value of `open`. */
export interface WireNode {
  path: string;
  kind: NodeKind;
  format: 1 | 2 | 3;
  /**
   * The node's handle in the engine that opened it. Absent if the node is opened at its first use.
   */
  handle?: number;
  /** A hash of its documents. */
  hash: string;
  /** Set on arrival: the node's reference, which is valid for any engine. */
  ref: NodeRef;
  /** The text of its attributes, if they are not a document of their own. */
  attributes?: Uint8Array;
  documents: Record<string, Uint8Array>;
  consolidated: boolean;
  /** An array of version 2 without its attributes. */
  bare?: boolean;
  array?: WireArray;
}

/** A node of the page. An engine without a handle for it opens it again by this reference. */
export interface NodeRef {
  readonly path: string;
  readonly kind: NodeKind;
  readonly format: 1 | 2 | 3;
  readonly hash: string;
  readonly bare?: boolean | undefined;
  /** The name of the type of an array's elements. */
  readonly type: string | undefined;
}

/** The description of an array in the answer to `open`. */
export interface WireArray {
  shape: number[];
  dtype: string;
  type: TypeDescription;
  /** The chunk shape. In a sharded array that of the inner chunks, as for `counts`. */
  chunks: number[];
  /** The number of chunks along each dimension. */
  counts: number[];
  shards: number[] | null;
  grid: string;
  /**
   * A rectilinear grid's runs of [length, count] for each dimension. In a sharded array, the runs
   * of shards.
   */
  edges: [number, number][][] | null;
  fill: Uint8Array | null;
  /** `fill` as a column, which the worker adds, or the error of its conversion. */
  fillColumn?: WireColumn | { error: WireError } | undefined;
  dimensionNames: (string | null)[] | null;
  codecs: CodecDescription[];
  order: "C" | "F" | null;
  keyEncoding: { name: string; separator: string };
}

/**
 * The source of a group's member: `"consolidated"` metadata; the store's list (`"listed"`); the
 * group's attributes (`"named"`); or a usual name in such a group at which a node exists
 * (`"probed"`).
 */
export type MemberSource = "consolidated" | "listed" | "named" | "probed";

/** An entry of the value of `members`. */
export interface WireMember {
  name: string;
  kind: NodeKind | "implicit";
  how: MemberSource;
  /** The number of members that contain it; absent for the group's own members. */
  depth?: number;
  node?: WireNode;
  /** The error of a listed array or group that cannot be opened. */
  error?: WireError;
}

/** The value of `project`. */
export interface WireProjections {
  /** The number of touched chunks. Only the first answer has it, and the shape of the result. */
  count?: number;
  shape?: number[];
  /** The number of chunks in this answer. */
  projections: number;
  /**
   * For each chunk and dimension: the coordinate, the chunk's start, and the line of the array. If
   * the dimension is kept, the line of the result follows. A line is the length of a list and its
   * positions. Otherwise it is 0, the first position, the last position and the step, which is 0
   * for a dropped dimension.
   */
  numbers: number[];
  /** The position of the next answer; absent at the end. */
  next?: number[];
}

/**
 * The Go program's answer to `read`, `chunk` and `points`: packed little-endian elements in C
 * order. For types of variable length, `buffer` has the concatenated bytes of the elements, and
 * `offsets` a Uint32 for each element and one for the end. For missing objects, `missing` has a
 * byte 0 or 1 for each.
 */
export interface WireBlock {
  /** A SharedArrayBuffer if the request asked for one. */
  buffer: ArrayBuffer;
  shape: number[];
  /** The name of the elements' type. */
  type: string;
  offsets?: ArrayBuffer;
  missing?: ArrayBuffer;
}
