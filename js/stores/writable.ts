import type { Readable } from "./readable.js";

/** Options of a request that writes to a store. */
export interface WriteOptions {
  /**
   * Aborted when the write is no longer needed. A store that stops then leaves the object
   * unchanged.
   */
  signal?: AbortSignal;
}

/**
 * A writable store: mutable in zarrita's terms. A `Map` is one, too. Without `delete`, a store can
 * be written to, but nothing in it can be deleted or shrunk.
 */
export interface Writable extends Readable {
  /**
   * Writes or replaces the bytes of a key, completely or not at all. The store may keep the bytes.
   * The engine awaits the result and ignores its value.
   */
  set(key: `/${string}`, bytes: Uint8Array, options?: WriteOptions): unknown;
  /** Deletes a key. An absent key is not an error. */
  delete?(key: `/${string}`, options?: WriteOptions): unknown;
  /**
   * Deletes all keys below a folder, `""` or `"a/b"`. Without this method, the keys that
   * `listFolder` lists are deleted one by one.
   */
  deleteFolder?(path: string, options?: WriteOptions): unknown;
  /**
   * Calls `run` while holding the lock of that name, and settles as it does. Rejects with the
   * signal's reason if it is aborted before. Without this method, only the writes of this page's
   * engine to one chunk are ordered.
   */
  lock?(name: string, run: () => Promise<void>, options?: WriteOptions): Promise<void>;
}
