/** Questions of the engine to the page, and the page's answers. */

import type { TypeDescription, WireByteRange } from "./types.js";
import type { WireWriteAsk } from "./writes.js";

/** One or several questions of the engine to the page. */
export type WireAsk = WireKeysAsk | WireStoreAsk | WireWriteAsk | WireCodecAsk | WireDecodeAsk;

/**
 * A question to a store on the page: bytes, a folder's contents, headers for a request, or a
 * request to send.
 */
export type WireQuestion =
  | { key: string; range?: WireByteRange; fresh?: boolean }
  | { list: string }
  | { headers: true }
  | { fetch: WireFetch }
  /** Asks whether an origin that the store's contents refer to may be read. */
  | { confirm: string };

/** Asks for bytes of a store on the page: questions `ask`, `ask + 1` and so on. */
export interface WireKeysAsk {
  ask: number;
  store: number;
  /** Several keys are separated by line feeds. */
  keys: string;
  count: number;
  /**
   * Two numbers for each key: the offset (-1 for the object's end) and the length (-1 for the whole
   * object).
   */
  ranges?: number[];
  /** The id of a marked read. */
  mark?: number;
  /** Earlier answers must not be reused. */
  fresh?: boolean;
}

/** Asks a store for other things than the bytes of keys. */
export type WireStoreAsk = Exclude<WireQuestion, { key: string }> & { ask: number; store: number; mark?: number };

/** A request that the page sends. */
export interface WireFetch {
  method: "GET" | "HEAD" | "PUT" | "DELETE" | "MKCOL";
  url: string;
  headers: Record<string, string>;
  redirect: "follow" | "manual";
  /** The largest bodies of status 200 and of 206, in bytes. Other bodies are not read. */
  limits: [number, number];
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache";
  /** The body of a PUT. */
  body?: ArrayBuffer;
}

/** Asks for a codec on the page, for arrays of one kind. */
export interface WireCodecAsk {
  ask: number;
  codec: string;
  configuration: Record<string, unknown> | null;
  dtype: string;
  type: TypeDescription;
  shape: number[];
  fill: Uint8Array;
}

/** Asks to decode bytes by the codec of an earlier {@link WireCodecAsk}. */
export interface WireDecodeAsk {
  ask: number;
  decode: number;
  bytes: ArrayBuffer;
}

/** Reports that the answer to an earlier question of a {@link WireAsk} is no longer needed. */
export interface WireAborted {
  aborted: number;
}

/**
 * The answer of a store on the page to a {@link WireQuestion}. For a key, absent bytes mean that
 * the key is missing.
 */
export interface WireFound {
  /** The bytes of a key. They belong to the store. */
  bytes?: Uint8Array;
  /** For a part of an object, the size of the whole object, if it is known. */
  size?: number;
  /** A number that changes with the object; not 0. */
  modified?: number;
  /** A folder's contents: objects, and folders with a trailing slash. */
  names?: readonly string[];
  confirmed?: boolean;
  headers?: Record<string, string>;
  status?: number;
  /** The type of a Response. */
  type?: string;
  /** The final URL of the response, after redirects that the page's fetch has followed. */
  url?: string;
  /** The page's rule that does not allow the request. */
  refused?: string;
  /** The size of a body that exceeds its limit and was not read; -1 if it is unknown. */
  large?: number;
}

/** Answers one question of a {@link WireAsk}. */
export type WireHostAnswer = Omit<WireFound & WireCodecAnswer, "bytes"> & {
  op: "answer";
  ask: number;
  bytes?: ArrayBuffer;
  /** The number of valid bytes. */
  length?: number;
  error?: string;
};

/**
 * Answers several questions about keys. Each head has the question's number, its length (2^32-1 for
 * a missing key) and the size of the whole object (2^32-1 for unknown), all Uint32. Then follows
 * the object's version number in 8 bytes (0 for unknown). The bytes of all answers follow the
 * heads.
 */
export interface WireHostAnswers {
  op: "answer";
  answers: ArrayBuffer;
  count: number;
  length: number;
}

/** The answer of a codec on the page to a {@link WireCodecAsk} or a {@link WireDecodeAsk}. */
export interface WireCodecAnswer {
  handle?: number;
  kind?: "array_to_array" | "array_to_bytes" | "bytes_to_bytes";
  bytes?: Uint8Array;
}
