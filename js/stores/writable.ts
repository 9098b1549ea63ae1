import type { Readable } from "./readable.js";

/** What a store may be given with a request that writes. */
export interface WriteOptions {
  /** Aborted when the write is no longer wanted. A store that heeds it leaves the object as it was. */
  signal?: AbortSignal;
}

/**
 * A store that can be written to: what zarrita calls mutable. A `Map` is one too. A store without `delete` can be
 * written to, but nothing in it can be deleted, or become smaller.
 */
export interface Writable extends Readable {
  /**
   * Stores bytes under a key, over those that are there: whole, or not at all. The bytes are the store's to keep. What it returns is waited for, and
   * not looked at.
   */
  set(key: `/${string}`, bytes: Uint8Array, options?: WriteOptions): unknown;
  /** Deletes a key. One that is absent is no error. */
  delete?(key: `/${string}`, options?: WriteOptions): unknown;
  /** Deletes all keys below a folder, `""` or `"a/b"`. Without it what `listFolder` lists is deleted. */
  deleteFolder?(path: string, options?: WriteOptions): unknown;
  /**
   * Calls `run` while no one else holds the lock of that name, and settles as it does; rejects with the signal's reason where it is aborted
   * before. Without it, writes of this page's engine to one chunk are ordered, and those of others are not.
   */
  lock?(name: string, run: () => Promise<void>, options?: WriteOptions): Promise<void>;
}
