/**
 * What the page sends, and what that says of stores, caches and limits.
 * The messages of this folder are those between the page and the engine, between the page and the worker that holds the
 * engine, and between that and its helpers. A message that Go has too is there in the file of the same name in
 * wasm/internal/wire. All of them are plain, structured-clonable data. What the engine counts comes as numbers,
 * beyond 2^53 rounded. Only in a user's documents are there bigints.
 */

import type { WireReadOptions } from "../../data/readoptions.js";
import type { WireColumnOptions } from "./columns.js";
import type { WireHostAnswer, WireHostAnswers } from "./questions.js";
import type { NodeKind, WireByteRange, WireIndices, WireInteger, WireSelector } from "./types.js";
import type { WireWriteOperation } from "./writes.js";

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
  /** Reads an address. `known` is the container that is there, or `"folder"` for none; with `files`, a text without a scheme is a path. */
  | {
      op: "address";
      store: number;
      text: string;
      known?: string | undefined;
      endpoints?: Record<string, string> | undefined;
      files: boolean;
    }
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

/** What a store tells of itself: of a list in it at most so many elements, all when that is 0. */
export interface WireAbout {
  op: "about";
  about: string;
  most?: number;
}

/** Lets go of nodes by their handles; there is no answer. */
export interface WireRelease {
  op: "release";
  nodes: number[];
}

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

/** The names of the codecs that live on the page; there is no answer. */
export interface WireCodecs {
  op: "codecs";
  names: string[];
}

/** All that the engine is sent. */
export type ToEngine = WireRequest | WireCancel | WireRelease | WireHostAnswer | WireHostAnswers | WireCodecs;

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
