/**
 * Requests of the page, with their descriptions of stores, caches and limits. The messages of this
 * folder pass between the page, the worker with the engine, and the engine's helpers. Go declares
 * its messages in the file of the same name in wasm/internal/wire. All messages are plain,
 * structured-clonable data. Counts of the engine are numbers, rounded beyond 2^53. Only a user's
 * documents contain bigints.
 */

import type { WireReadOptions } from "../../data/readoptions.js";
import type { WireColumnOptions } from "./columns.js";
import type { WireHostAnswer, WireHostAnswers } from "./questions.js";
import type { NodeKind, WireByteRange, WireIndices, WireInteger, WireSelector } from "./types.js";
import type { WireWriteOperation } from "./writes.js";

/** The engine's operations. Every request also has an id. */
export type WireOperation =
  | { op: "hello"; version: string; helpers: number; limits?: Limits }
  | { op: "store"; store: number; description: string; events: boolean; caches?: CacheBudgets }
  /** With a hash, opens a node that another engine opened. Its documents must have that hash. */
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
  /** Reads the bytes of a key without caches; null for a missing key. */
  | { op: "get"; store: number; key: string; range?: WireByteRange }
  | { op: "caches"; store: number; caches?: CacheBudgets }
  /**
   * Reads an address. `known` is the kind of the container, or `"folder"` for none. With `files`, a
   * text without a scheme is a path.
   */
  | {
      op: "address";
      store: number;
      text: string;
      known?: string | undefined;
      endpoints?: Record<string, string> | undefined;
      files: boolean;
    }
  /**
   * Lists the members, each followed by its own. Descends `depth` levels if consolidated metadata
   * list them.
   */
  | { op: "members"; node: number; depth: number }
  | ({ op: "read"; node: number; selection: WireSelector[] | null } & WireReadOptions & WireColumnOptions)
  /** Questions to the page for a marked read carry the id of the read. */
  | ({ op: "chunk"; node: number; coords: WireInteger[]; marked?: boolean } & WireReadOptions & WireColumnOptions)
  /** Reads single elements: a list of coordinates for each dimension. */
  | ({ op: "points"; node: number; coords: WireIndices[] } & WireReadOptions & WireColumnOptions)
  /** Returns the projections of a selection, at most `most`, from the end of an earlier answer. */
  | { op: "project"; node: number; selection: WireSelector[] | null; from: number[]; most: number }
  /** Counts the chunks (or shards) that the store has. */
  | { op: "stored"; node: number }
  | { op: "close"; store: number }
  | WireWriteOperation
  /** Answered by the worker. */
  | { op: "memory" }
  /**
   * Ends the engine, or its helpers, by a panic, by taking all memory, or by a trap. Only the wasm
   * of the tests has it.
   */
  | { op: "crash"; why: string; helpers?: boolean; memory?: boolean; trap?: boolean };

/**
 * Asks a store for a description of itself. Lists in it have at most `most` elements; 0 for all.
 */
export interface WireAbout {
  op: "about";
  about: string;
  most?: number;
}

/** Releases nodes by their handles. There is no answer. */
export interface WireRelease {
  op: "release";
  nodes: number[];
}

/** The number of a request. Its answer has the same number. */
export interface WireNumbered {
  id: number;
}

/** A request. */
export type WireRequest = WireOperation & WireNumbered;

/** Aborts requests. There is no answer. */
export interface WireCancel {
  op: "cancel";
  targets: number[];
}

/** The names of the codecs on the page. There is no answer. */
export interface WireCodecs {
  op: "codecs";
  names: string[];
}

/** Any message to the engine. */
export type ToEngine = WireRequest | WireCancel | WireRelease | WireHostAnswer | WireHostAnswers | WireCodecs;

/**
 * The description of a store: a tree of stores that are built on each other. Stores with the same
 * description are one store to the engine.
 */
export type StoreDescription =
  /** `host` is the store's number in questions to the page. */
  | { http: { url: string; options: WireHttpOptions; host: number } }
  /** A store on the page. */
  | { host: { number: number; ranges: boolean; memory: boolean; lists: boolean; writes: boolean; address: string } }
  /** The first store that has a key is read. */
  | { overlay: StoreDescription[] }
  /** The part of a store below a path. */
  | { prefix: { path: string; of: StoreDescription } }
  /** An archive, which is one object of another store. */
  | { zip: { of: StoreDescription; key: string; path?: string } }
  /**
   * References: a document, which is one object of another store. Without a key, a directory of
   * Parquet files.
   */
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
  /** The maximum number of attempts of a request. */
  attempts?: number;
  /** Milliseconds. */
  retryDelay?: number;
  /** Milliseconds; -1 for no timeout. */
  timeout?: number;
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache";
  /** The page provides further headers for each request. */
  hostHeaders?: boolean;
  /** The page sends the requests. */
  hostFetch?: boolean;
  /** The URL is that of one object, which is read whatever its name. */
  object?: boolean;
}

/** The maximum bytes in the engine's caches, for all stores together; 0 disables a cache. */
export interface CacheBudgets {
  /** Opened arrays and groups; 64 MiB by default. */
  metadata?: number | undefined;
  /** Indexes of shards; 32 MiB by default. */
  indexes?: number | undefined;
  /** Encoded bytes as the stores sent them; 64 MiB by default. */
  encoded?: number | undefined;
  /** Decoded chunks; 128 MiB by default. */
  decoded?: number | undefined;
}

/**
 * Limits on the work that hostile or faulty data and servers can cause. A call that exceeds one
 * rejects with a {@link LimitError}, which names the limit.
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
  /**
   * Bytes of one decoded chunk; 512 MiB. The elements of variable length of a chunk may take a
   * quarter of it.
   */
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
  /** Depth of nested chains; 8. */
  codecDepth?: number;
  /** Concurrent requests for large chunks; 16. For small chunks, four times the number. */
  requests?: number;
}
