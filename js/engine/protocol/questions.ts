/** What the engine asks the page for, and what the page answers. */

import type { TypeDescription, WireByteRange } from "./types.js";
import type { WireWriteAsk } from "./writes.js";

/** A question of the engine's to the page, or several. */
export type WireAsk = WireKeysAsk | WireStoreAsk | WireWriteAsk | WireCodecAsk | WireDecodeAsk;

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

/** A request that the page sends. */
export interface WireFetch {
  method: "GET" | "HEAD" | "PUT" | "DELETE" | "MKCOL";
  url: string;
  headers: Record<string, string>;
  redirect: "follow" | "manual";
  /** How many bytes a body of status 200 and of 206 may have; others are not wanted. */
  limits: [number, number];
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache";
  /** Of a PUT. */
  body?: ArrayBuffer;
}

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
  /** Where an answer came from, after redirects that the page's fetch has followed. */
  url?: string;
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
