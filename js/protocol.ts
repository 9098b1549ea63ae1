/**
 * The messages between the page and the engine, and between the page and the
 * worker that holds the engine. All of them are plain, structured-clonable data.
 */

/** An integer index, a range, all of a dimension (`null`), the rest (`"..."`), a list of indices, or a mask of 0 and 1. */
export type WireSelector = WireInteger | null | "..." | WireRange | WireInteger[] | Uint8Array;

/** An integer: the engine cannot be given a BigInt, so what a number cannot hold goes as digits. */
export type WireInteger = number | { bigint: string };

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
  /** How often a request is sent again; -1: never. */
  retries?: number;
  /** Milliseconds. */
  retryDelay?: number;
  /** Milliseconds; -1: without end. */
  timeout?: number;
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache";
  /** The page gives further headers, for each request. */
  hostHeaders?: boolean;
  /** The page sends the requests. */
  hostFetch?: boolean;
}

/** A request that the page sends. */
export interface WireFetch {
  method: "GET" | "HEAD";
  url: string;
  headers: Record<string, string>;
  redirect: "follow" | "manual";
  /** How many bytes a body of status 200 and of 206 may have; others are not wanted. */
  limits: [number, number];
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache";
}

/** What can be asked of the engine; every request has an id besides. */
export type WireOperation =
  | { op: "hello"; version: string }
  | { op: "store"; store: number; kind: "http"; url: string; options: WireHttpOptions; events: boolean }
  | { op: "store"; store: number; kind: "host"; ranges: boolean }
  | {
      op: "open";
      store: number;
      path: string;
      kind?: NodeKind;
      format?: 2 | 3;
      consolidated?: boolean;
    }
  | { op: "stats"; store: number }
  | { op: "members"; store: number; path: string }
  | {
      op: "read";
      store: number;
      path: string;
      selection: WireSelector[] | null;
      as?: "bytes";
      progress?: boolean;
    }
  | { op: "chunk"; store: number; path: string; coords: WireInteger[]; as?: "bytes" }
  /** Single elements: a list of coordinates for each dimension. */
  | { op: "points"; store: number; path: string; coords: WireInteger[][]; as?: "bytes" }
  /** How many chunks (or shards) the store has. */
  | { op: "stored"; store: number; path: string }
  | { op: "close"; store: number };

/** A request. */
export type WireRequest = WireOperation & { id: number };

/** Ends a request early; the request itself answers with an AbortError. */
export interface WireCancel {
  op: "cancel";
  target: number;
}

/** What the page answers a {@link WireAsk}. For a key neither bytes nor error: there is no such key. */
export interface WireFound {
  bytes?: Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  status?: number;
  /** Of a Response. */
  type?: string;
  /** The size of a body that is larger than its limit, and was not read; -1 when it is not known. */
  large?: number;
}

/** Answers a {@link WireAsk}. */
export type WireHostAnswer = (WireFound | WireCodecAnswer) & {
  op: "answer";
  ask: number;
  error?: string;
};

/** Answers a {@link WireCodecAsk} or a {@link WireDecodeAsk}. */
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
export type ToEngine = WireRequest | WireCancel | WireHostAnswer | WireCodecs;

/** An error as data. */
export interface WireError {
  name: string;
  code?: string;
  message: string;
  path?: string;
  key?: string;
  codec?: string;
  status?: number;
  url?: string;
  hint?: string | null;
  limit?: string;
  max?: number | bigint;
  feature?: string;
  found?: string | null;
  tried?: string[];
  stack?: string;
  cause?: WireError;
}

/** The end of a request. */
export type WireAnswer = { id: number; ok: true; value: unknown } | { id: number; ok: false; error: WireError };

/** How far a read has come, in chunks. */
export interface WireProgress {
  id: number;
  progress: { done: number; total: number };
}

/** What the engine asks of the page: bytes of a store that lives there, headers for a request, or to send one. */
export type WireQuestion = { key: string; range?: WireByteRange } | { headers: true } | { fetch: WireFetch };

/** A question of the engine's to the page, about a store. */
export type WireAsk = WireQuestion & {
  ask: number;
  store: number;
};

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

/** Tells that the bytes of an earlier {@link WireAsk} are no longer wanted. */
export interface WireAborted {
  aborted: number;
}

/** All that the engine sends. */
export type FromEngine = WireAnswer | WireProgress | WireAsk | WireCodecAsk | WireDecodeAsk | WireAborted | WireEvent;

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
  method: "GET" | "HEAD" | "";
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

/** Array or group. */
export type NodeKind = "array" | "group";

/** The value of `hello`. */
export interface WireHello {
  version: string;
  go: string;
}

/** The value of `open`. */
export interface WireNode {
  path: string;
  kind: NodeKind;
  format: 1 | 2 | 3;
  attributes: Record<string, unknown>;
  documents: Record<string, Uint8Array>;
  consolidated: boolean;
  array?: WireArray;
}

/** What `open` says of an array. */
export interface WireArray {
  shape: number[];
  dtype: string;
  type: TypeDescription;
  /** Of a sharded array the chunks inside the shards. */
  chunks: number[];
  shards: number[] | null;
  grid: string;
  /** A rectilinear grid's runs of [length, count] for each dimension. */
  edges: [number, number][][] | null;
  fill: Uint8Array | null;
  dimensionNames: (string | null)[] | null;
  codecs: CodecDescription[];
  order: "C" | "F" | null;
  keyEncoding: { name: string; separator: string };
}

/** An entry of the value of `members`. */
export interface WireMember {
  name: string;
  path: string;
  kind: NodeKind | "implicit";
  node?: WireNode;
  /** Why an array or group that is listed cannot be opened. */
  error?: WireError;
}

/**
 * The value of `read` and `chunk`: packed little-endian elements in C order. For
 * types of variable length the elements' bytes one after the other, with
 * `offsets` (Uint32, one more than elements) and, for missing objects, `missing` (a byte 0 or 1 each).
 */
export interface WireBlock {
  buffer: ArrayBuffer;
  shape: number[];
  offsets?: ArrayBuffer;
  missing?: ArrayBuffer;
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

/** The first message to a worker: how to get the engine. */
export interface WorkerBoot {
  boot: { version: string; url?: string; module?: WebAssembly.Module };
}

/** What a worker sends besides the engine's messages. */
export type FromWorker =
  | FromEngine
  /** The engine runs. The module can be given to the next worker. */
  | { booted: { version: string; module: WebAssembly.Module } }
  /** There is no engine, or no longer. */
  | { fatal: WireError };
