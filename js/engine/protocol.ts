/**
 * The messages between the page and the engine, and between the page and the
 * worker that holds the engine, and between that and its helpers. All of them are plain, structured-clonable data.
 * What the engine counts comes as numbers, beyond 2^53 rounded. Only in a user's documents are there bigints.
 */

import type { WireReadOptions } from "../data/readoptions.js";
import type { Place } from "../worker/scatter.js";

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

/** A part of a stored object. */
export type WireByteRange = { offset: number; length: number } | { suffixLength: number };

/** Settings of a store that the engine reaches by HTTP. */
export interface WireHttpOptions {
  headers?: Record<string, string>;
  credentials?: "omit" | "same-origin" | "include";
  missingStatus?: number[];
  useSuffixRequest?: boolean;
  concurrency?: number;
  /** How often a request is sent in all. */
  attempts?: number;
  /** Milliseconds. */
  retryDelay?: number;
  /** Milliseconds; -1: without end. */
  timeout?: number;
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache";
  /** The page gives further headers, for each request. */
  hostHeaders?: boolean;
  /** The page sends the requests. */
  hostFetch?: boolean;
  /** The URL is that of one object, which is read whatever its name. */
  object?: boolean;
}

/** A request that the page sends. */
export interface WireFetch {
  method: "GET" | "HEAD" | "PUT" | "DELETE";
  url: string;
  headers: Record<string, string>;
  redirect: "follow" | "manual";
  /** How many bytes a body of status 200 and of 206 may have; others are not wanted. */
  limits: [number, number];
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache";
  /** Of a PUT. */
  body?: ArrayBuffer;
}

/** What can be asked of the engine; every request has an id besides. */
export type WireOperation =
  | { op: "hello"; version: string; helpers: number; limits?: Limits }
  | { op: "store"; store: number; description: string; events: boolean; caches?: CacheBudgets }
  /** With a hash: a node that the page has, and this engine has not. It must be of documents with that hash. */
  | {
      op: "open";
      store: number;
      path: string;
      kind?: NodeKind;
      format?: 1 | 2 | 3;
      consolidated?: boolean;
      hash?: string;
      sparing?: boolean;
      /** Without the attributes of an array of version 2. */
      bare?: boolean;
    }
  | { op: "stats"; store: number }
  | (WireAbout & { store: number })
  /** The bytes of a key, past all caches; null where there is none. */
  | { op: "get"; store: number; key: string; range?: WireByteRange }
  | { op: "caches"; store: number; caches?: CacheBudgets }
  /** The members, each followed by its own, down to so many levels, where consolidated metadata tell of them. */
  | { op: "members"; node: number; depth: number }
  | ({ op: "read"; node: number; selection: WireSelector[] | null } & WireReadOptions & WireColumnOptions)
  /** What is asked of the page for a read that is marked says which read that is. */
  | ({ op: "chunk"; node: number; coords: WireInteger[]; marked?: boolean } & WireReadOptions & WireColumnOptions)
  /** Single elements: a list of coordinates for each dimension. */
  | ({ op: "points"; node: number; coords: WireIndices[] } & WireReadOptions & WireColumnOptions)
  /** What a selection takes of each chunk: of at most so many, from where an earlier answer ended. */
  | { op: "project"; node: number; selection: WireSelector[] | null; from: number[]; most: number }
  /** How many chunks (or shards) the store has. */
  | { op: "stored"; node: number }
  | { op: "close"; store: number }
  | WireWriteOperation
  /** Answered by the worker. */
  | { op: "memory" }
  /** Ends the engine, or its helpers, by a panic, by taking all memory, or by a trap. Only the wasm that tests build knows it. */
  | { op: "crash"; why: string; helpers?: boolean; memory?: boolean; trap?: boolean };

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

/** What is written of an array: a selection, single elements, those at which a mask of its shape is 1, or whole chunks; all of it where nothing is said. */
export interface WireTarget {
  selection?: WireSelector[] | null;
  /** A list of coordinates for each dimension. */
  points?: WireIndices[];
  mask?: Uint8Array;
  blocks?: WireSelector[];
  /** Of a struct, the field that is written. */
  field?: string;
}

/** What all operations that write elements have. */
export interface WireWriteOptions {
  values: WireValues;
  /** Chunks of which all elements are the fill value are deleted. */
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
  chunks?: number[];
  shards?: number[];
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

/** What a store tells of itself: of a list in it at most so many elements, all when that is 0. */
export interface WireAbout {
  op: "about";
  about: string;
  most?: number;
}

/** What is asked for of what the operations that read answer. It is no business of Go's. */
export interface WireColumnOptions {
  /** Answer, and tell of partial results, with columns of this type. */
  columns?: TypeDescription | undefined;
  /** Put the elements into this shared memory, if it is as large as they are. */
  into?: Uint8Array | undefined;
}

/** Lets go of nodes by their handles; there is no answer. */
export interface WireRelease {
  op: "release";
  nodes: number[];
}

/**
 * How the engine reaches a store: a tree of stores that stand on each other. Stores of one description
 * are one store to the engine.
 */
export type StoreDescription =
  /** `host` is its number, for what it asks of the page. */
  | { http: { url: string; options: WireHttpOptions; host: number } }
  /** One that lives on the page. */
  | { host: { number: number; ranges: boolean; memory: boolean; lists: boolean; writes: boolean; address: string } }
  /** The first that has a key counts. */
  | { overlay: StoreDescription[] }
  /** What lies below a path. */
  | { prefix: { path: string; of: StoreDescription } }
  /** An archive, which is one object of another store. */
  | { zip: { of: StoreDescription; key: string; path?: string } }
  /** References: a document, which is one object of another store, or without a key a directory of Parquet files. */
  | { reference: { of: StoreDescription; key?: string } }
  /** A repository of Icechunk. */
  | { icechunk: { of: StoreDescription; own: number } }
  /** A container of N5. */
  | { n5: { of: StoreDescription } };

/** What every request has besides: a number, which its answer has too. */
export interface WireNumbered {
  id: number;
}

/** A request. */
export type WireRequest = WireOperation & WireNumbered;

/** Ends requests early, without an answer. */
export interface WireCancel {
  op: "cancel";
  targets: number[];
}

/** What a store on the page answers a {@link WireQuestion}. For a key no bytes: there is no such key. */
export interface WireFound {
  /** Of a key, the store's own. */
  bytes?: Uint8Array;
  /** Of a part of an object, how large all of it is, where that is known. */
  size?: number;
  /** A number that changes with the object; not 0. */
  modified?: number;
  /** What a folder holds: objects, and folders with a trailing slash. */
  names?: readonly string[];
  confirmed?: boolean;
  headers?: Record<string, string>;
  status?: number;
  /** Of a Response. */
  type?: string;
  /** Why the page's own rules do not allow the request. */
  refused?: string;
  /** The size of a body that is larger than its limit, and was not read; -1 when it is not known. */
  large?: number;
}

/** Answers one question of a {@link WireAsk}. */
export type WireHostAnswer = Omit<WireFound & WireCodecAnswer, "bytes"> & {
  op: "answer";
  ask: number;
  bytes?: ArrayBuffer;
  /** How many of the bytes are meant. */
  length?: number;
  error?: string;
};

/**
 * Answers several for keys: for each its number, its length (2^32-1: there is no such key) and the size of all of the object
 * (2^32-1: not known), Uint32 all, and in 8 bytes the number that changes with it (0: not known), then the bytes of all.
 */
export interface WireHostAnswers {
  op: "answer";
  answers: ArrayBuffer;
  count: number;
  length: number;
}

/** What a codec on the page answers a {@link WireCodecAsk} or a {@link WireDecodeAsk}. */
export interface WireCodecAnswer {
  handle?: number;
  kind?: "array_to_array" | "array_to_bytes" | "bytes_to_bytes";
  bytes?: Uint8Array;
}

/** The names of the codecs that live on the page; there is no answer. */
export interface WireCodecs {
  op: "codecs";
  names: string[];
}

/** All that the engine is sent. */
export type ToEngine = WireRequest | WireCancel | WireRelease | WireHostAnswer | WireHostAnswers | WireCodecs;

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

/** What a store on the page is asked for: bytes, what is in a folder, headers for a request, or to send one. */
export type WireQuestion =
  | { key: string; range?: WireByteRange; fresh?: boolean }
  | { list: string }
  | { headers: true }
  | { fetch: WireFetch }
  /** Whether what the store refers to may be read from an origin. */
  | { confirm: string };

/** Asks for bytes of a store that lives on the page: questions `ask`, `ask + 1` and so on. */
export interface WireKeysAsk {
  ask: number;
  store: number;
  /** One a line, when there are several. */
  keys: string;
  count: number;
  /** Two numbers each: the offset, -1 for the object's end, and the length, -1 for all of it. */
  ranges?: number[];
  /** The id of a read that is marked. */
  mark?: number;
  /** What was given before is of no use. */
  fresh?: boolean;
}

/** Asks a store for what is no bytes of keys. */
export type WireStoreAsk = Exclude<WireQuestion, { key: string }> & { ask: number; store: number; mark?: number };

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

/** A question of the engine's to the page, or several. */
export type WireAsk = WireKeysAsk | WireStoreAsk | WireWriteAsk | WireCodecAsk | WireDecodeAsk;

/** Asks for a codec that lives on the page, for arrays of one kind. */
export interface WireCodecAsk {
  ask: number;
  codec: string;
  configuration: Record<string, unknown> | null;
  dtype: string;
  type: TypeDescription;
  shape: number[];
  fill: Uint8Array;
}

/** Asks for bytes to be decoded by the codec that an earlier {@link WireCodecAsk} gave. */
export interface WireDecodeAsk {
  ask: number;
  decode: number;
  bytes: ArrayBuffer;
}

/** Tells that the answer to an earlier question of a {@link WireAsk} is no longer wanted. */
export interface WireAborted {
  aborted: number;
}

/** All that the engine sends. */
export type FromEngine = WireAnswer | WireProgress | WirePartial | WireAsk | WireAborted | WireEvent;

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
  method: "GET" | "HEAD" | "PUT" | "DELETE" | "";
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

/** How many bytes the engine keeps, for all stores together; 0 for none. */
export interface CacheBudgets {
  /** Opened arrays and groups; 64 MiB by default. */
  metadata?: number | undefined;
  /** Indexes of shards; 32 MiB by default. */
  indexes?: number | undefined;
  /** Bytes as the stores sent them; 64 MiB by default. */
  encoded?: number | undefined;
  /** Decoded chunks; 128 MiB by default. */
  decoded?: number | undefined;
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

/** Array or group. */
export type NodeKind = "array" | "group";

/** The value of `memory`, in bytes. */
export interface WireMemory {
  engine: number;
  helpers: number[];
  buffers: number;
  /** How many of JavaScript's values Go refers to. */
  handles: number;
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
  /** Of a sharded array the chunks inside the shards, like `counts` and `edges`. */
  chunks: number[];
  /** How many there are along each dimension. */
  counts: number[];
  shards: number[] | null;
  grid: string;
  /** A rectilinear grid's runs of [length, count] for each dimension. */
  edges: [number, number][][] | null;
  fill: Uint8Array | null;
  /** `fill` as a column, which the worker makes; or why there is none. */
  fillColumn?: WireColumn | { error: WireError } | undefined;
  dimensionNames: (string | null)[] | null;
  codecs: CodecDescription[];
  order: "C" | "F" | null;
  keyEncoding: { name: string; separator: string };
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

/** What becomes of a {@link WireBlock} on its way to a page that asked for columns. */
export interface WireColumnBlock extends Pick<WireBlock, "shape" | "type"> {
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

/**
 * What hostile or mistaken data and servers can make the engine do at most; what is asked for beyond it is a
 * {@link LimitError} that names the limit.
 */
export interface Limits {
  /** Bytes of one metadata document; 16 MiB by default. */
  metadataBytes?: number;
  /** Bytes of a document that may hold consolidated metadata; 64 MiB. */
  consolidatedBytes?: number;
  /** Nesting of a document; 128. */
  metadataDepth?: number;
  /** Dimensions; 32. */
  rank?: number;
  /** Bytes of one element of fixed size; 1 MiB. */
  itemBytes?: number;
  /** Bytes of one decoded chunk; 512 MiB. Elements of variable length of one may have a quarter. */
  chunkBytes?: number;
  /** Bytes of one stored object or range; 1 GiB. */
  encodedBytes?: number;
  /** Bytes of the result of one read; 1 GiB. */
  outputBytes?: number;
  /** Chunks that one read touches; 1,000,000. */
  chunks?: number;
  /** Bytes of the index of a shard; 64 MiB. */
  indexBytes?: number;
  /** Bytes of a decoder's own memory; 256 MiB. */
  decoderBytes?: number;
  /** Codecs in a chain; 32. */
  codecs?: number;
  /** Chains inside of chains; 8. */
  codecDepth?: number;
  /** Requests for large chunks under way at once, of small ones four times as many; 16. */
  requests?: number;
}

/** The message that starts a worker's engine. */
export interface WorkerBoot {
  boot: {
    version: string;
    module: WebAssembly.Module;
    /** Be one that decodes and encodes for an engine, and not an engine. */
    helper?: boolean;
    /** The most helpers that the engine may start. */
    workers?: number;
    limits?: Limits | undefined;
  };
}

/** A node that the engine will be asked to open. */
export interface EarlyOpen {
  url: string;
  options: WireHttpOptions;
  path: string;
  kind?: NodeKind | undefined;
  format?: 1 | 2 | 3 | undefined;
  consolidated?: boolean | undefined;
  sparing?: boolean | undefined;
  bare?: boolean | undefined;
  /** Of the array at the path, this will be read; null stands for all of it. */
  selection?: WireSelector[] | null | undefined;
  /** How long the answers are kept unused; without it, the page says when they are no longer wanted. */
  seconds?: number | undefined;
}

/**
 * To a worker, before its engine runs or while it does: what is asked for at once, and, without `open`, the
 * end of what has not been used.
 */
export interface WorkerEarly {
  early: number;
  open?: EarlyOpen;
}

/** What a worker sends besides the engine's messages. */
export type FromWorker =
  | FromEngine
  /** Buffers of answers, to be used again, alone or together with a message of the engine's. */
  | { buffers: ArrayBuffer[]; message?: FromEngine }
  /** The engine runs. */
  | { booted: true }
  /** There is no engine, or no longer. */
  | { fatal: WireError };

/** A region of a chunk, in elements. */
export interface WireRegion {
  offset: number;
  strides: number[];
  shape: number[];
}

/** Where a region's elements belong. */
export interface WirePlace extends Place {
  memory: ArrayBuffer | SharedArrayBuffer;
}

/** A chain of codecs that the jobs after it name. */
export interface WirePipeline {
  pipeline: number;
  /** All that came before are no longer named. */
  forget: boolean;
  format: number;
  depth: number;
  chain: unknown[];
  type: object;
  shape: number[];
  fill: Uint8Array;
}

/** A chunk that a helper is to decode or to encode. */
export interface WireJob {
  job: number;
  pipeline: number;
  shape: number[];
  bytes: Uint8Array<ArrayBuffer>;
  want?: number[];
  region?: WireRegion;
  /** Without one, the engine takes the bytes itself. */
  place?: WirePlace;
  /** Bytes of what is decoded. */
  size: number;
  /** The bytes are the elements of a chunk to encode. */
  encode?: true;
  dropped?: true;
}

/** That a job is no longer wanted, that there is work for one helper more, or that the engine wants a tick. */
export type WirePoolNews = { drop: number } | { grow: true } | { tick: true };

/** What an engine says to the pool of its helpers, in the same worker. */
export type FromPoolUser = WirePipeline | WireJob | WirePoolNews;

/** What an engine is told of its helpers. */
export type ToPoolUser =
  | { op: "job"; helpers: number }
  | { op: "job"; tick: true }
  | ({ op: "job" } & WireJobEnd)
  | ({ op: "encoded" } & WireJobEnd);

/** The end of a job to decode or to encode. Without bytes of what is decoded, they are where they belong. */
export interface WireJobEnd {
  job: number;
  bytes?: ArrayBuffer;
  failed?: boolean;
  error?: string;
}

/** What a helper is told. */
export type ToHelper =
  | ({ op: "pipeline" } & WirePipeline)
  | { op: "crash"; id: number; why: string; trap?: boolean }
  | ({ op: "decode"; want?: number[]; region?: WireRegion; into?: ArrayBuffer; place?: WirePlace } & WireHelperChunk)
  | ({ op: "encode" } & WireHelperChunk);

/** What a helper is told of a chunk: its stored bytes, or the elements to encode, at the beginning of a buffer. */
export interface WireHelperChunk {
  id: number;
  pipeline: number;
  shape: number[];
  bytes: ArrayBuffer;
  length: number;
}

/** The same for the Go instance in it, which is not given the memory of a place. */
export type ToGoHelper = ToHelper | (Omit<Extract<ToHelper, { op: "decode" }>, "place"> & { place: Place });

/** What a helper says. */
export type FromHelper =
  | { booted: true }
  | { fatal: WireError }
  /** The end of a job, and the buffers that came with it; `into` of one to encode is what it has been encoded to. */
  | { done: number; memory: number; failed?: boolean; bytes: ArrayBuffer; into?: ArrayBuffer };
