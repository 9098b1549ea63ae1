import { refuse } from "../refuse.js";

export type { ObjectVersion } from "../engine/objectversion.js";

/** A part of a stored object. */
export type ByteRange = { offset: number; length: number } | { suffixLength: number };

/** What a store may be given with a request; besides, it is given what an array's `getChunk` was, where the store is the page's own. */
export interface StoreOptions {
  /** Aborted when no read waits for the bytes any more. */
  signal?: AbortSignal;
  /**
   * As fetch's. It is `"reload"` where what the store gave before failed, or could not be decoded: a store that keeps bytes, or reads
   * through a cache, asks past it then.
   */
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache";
}

/**
 * A store: what zarrita calls a Readable. A `Map` is one too. Keys begin with a
 * slash; an absent key is `undefined`. Bytes may have an `ObjectVersion` under the symbol
 * `Symbol.for("zarr-wasm.version")`: then a read begins again when an object was replaced meanwhile.
 */
export interface Readable {
  /** All bytes of a key. */
  get(key: `/${string}`, options?: StoreOptions): Promise<Uint8Array | undefined> | Uint8Array | undefined;
  /** Some bytes of a key. A store without it is asked for all. */
  getRange?(
    key: `/${string}`,
    range: ByteRange,
    options?: StoreOptions,
  ): Promise<Uint8Array | undefined> | Uint8Array | undefined;
  /**
   * The names directly below a folder, `""` or `"a/b"`: objects as they are, folders with a trailing slash; none of
   * a folder that does not exist. A store of the page's with it lists the members of groups without consolidated metadata, and so does a `Map`.
   */
  listFolder?(path: string, options?: StoreOptions): Promise<readonly string[]> | readonly string[];
}

/** A store that answers later. */
export interface AsyncReadable {
  /** See {@link Readable.get}. */
  get(key: `/${string}`, options?: StoreOptions): Promise<Uint8Array | undefined>;
  /** See {@link Readable.getRange}. */
  getRange?(key: `/${string}`, range: ByteRange, options?: StoreOptions): Promise<Uint8Array | undefined>;
  /** See {@link Readable.listFolder}. */
  listFolder?(path: string, options?: StoreOptions): Promise<readonly string[]>;
}

/** A store that answers at once. */
export interface SyncReadable {
  /** See {@link Readable.get}. */
  get(key: `/${string}`, options?: StoreOptions): Uint8Array | undefined;
  /** See {@link Readable.getRange}. */
  getRange?(key: `/${string}`, range: ByteRange, options?: StoreOptions): Uint8Array | undefined;
  /** See {@link Readable.listFolder}. */
  listFolder?(path: string, options?: StoreOptions): readonly string[];
}

/** @internal What is a store, or else an error. */
export function checkStore<S extends Readable>(what: string, store: S, expected = "a store"): S {
  if (typeof store?.get !== "function" || Array.isArray(store)) refuse(what, store, expected);
  return store;
}
