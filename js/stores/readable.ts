import { refuse } from "../shared/arguments.js";

export type { ObjectVersion } from "../engine/objectversion.js";

/** A part of a stored object. */
export type ByteRange = { offset: number; length: number } | { suffixLength: number };

/**
 * Options of a request to a store. A store on the page also receives the options of an array's
 * `getChunk`.
 */
export interface StoreOptions {
  /** Aborted when no read waits for the bytes any more. */
  signal?: AbortSignal;
  /**
   * As for fetch. `"reload"` follows a failed answer, or bytes that could not be decoded. A store
   * with a cache must then bypass it.
   */
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache";
}

/**
 * A store: a Readable in zarrita's terms. A `Map` is a store, too. Keys begin with a slash; an
 * absent key is `undefined`. Bytes may have an `ObjectVersion` under the symbol
 * `Symbol.for("zarr-wasm.version")`. A read then starts again if an object was replaced meanwhile.
 */
export interface Readable {
  /** Reads all bytes of a key. */
  get(key: `/${string}`, options?: StoreOptions): Promise<Uint8Array | undefined> | Uint8Array | undefined;
  /** Reads a range of a key. Without this method the engine reads whole objects. */
  getRange?(
    key: `/${string}`,
    range: ByteRange,
    options?: StoreOptions,
  ): Promise<Uint8Array | undefined> | Uint8Array | undefined;
  /**
   * Lists the names directly below a folder, `""` or `"a/b"`. Names of folders have a trailing
   * slash; a missing folder has none. With this method a store on the page lists the members of
   * groups without consolidated metadata. A `Map` does so without it.
   */
  listFolder?(path: string, options?: StoreOptions): Promise<readonly string[]> | readonly string[];
}

/** A store that answers by promises. */
export interface AsyncReadable {
  /** See {@link Readable.get}. */
  get(key: `/${string}`, options?: StoreOptions): Promise<Uint8Array | undefined>;
  /** See {@link Readable.getRange}. */
  getRange?(key: `/${string}`, range: ByteRange, options?: StoreOptions): Promise<Uint8Array | undefined>;
  /** See {@link Readable.listFolder}. */
  listFolder?(path: string, options?: StoreOptions): Promise<readonly string[]>;
}

/** A store that answers synchronously. */
export interface SyncReadable {
  /** See {@link Readable.get}. */
  get(key: `/${string}`, options?: StoreOptions): Uint8Array | undefined;
  /** See {@link Readable.getRange}. */
  getRange?(key: `/${string}`, range: ByteRange, options?: StoreOptions): Uint8Array | undefined;
  /** See {@link Readable.listFolder}. */
  listFolder?(path: string, options?: StoreOptions): readonly string[];
}

/** @internal Returns a store. Throws a TypeError for any other value. */
export function checkStore<S extends Readable>(what: string, store: S, expected = "a store"): S {
  if (typeof store?.get !== "function" || Array.isArray(store)) refuse(what, store, expected);
  return store;
}
