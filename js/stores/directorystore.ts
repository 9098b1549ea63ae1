import { diskFolder, places } from "#disk";
import { lazy } from "#lazy";
import { Printed } from "../printed.js";
import { refuse } from "../refuse.js";
import type { Directory, DirectoryHandle, Folder } from "./directory.js";
import type { DirectoryReader } from "./directoryreader.js";
import type { AsyncReadable, ByteRange, StoreOptions } from "./readable.js";
import type { Writable, WriteOptions } from "./writable.js";

/**
 * A hierarchy in a directory. Files are keys, and one that is replaced while it is read is noticed. In Node
 * symbolic links are followed. Where a file system takes upper and lower case for the same, so does the store.
 *
 * @example
 * const store = new DirectoryStore(await showDirectoryPicker());
 */
export class DirectoryStore extends Printed implements AsyncReadable, Writable {
  static {
    Printed.tag(DirectoryStore.prototype, "DirectoryStore");
  }

  /** In Node the directory's absolute path; in a page its name, because a page is not told where it is. */
  readonly path: string;
  readonly #source: Directory | Folder;
  #reader: Promise<DirectoryReader> | undefined;

  /**
   * The directory is a `FileSystemDirectoryHandle`, of a directory that the user picked or of the origin's private file
   * system; a `FileSystemDirectoryEntry`, which was dropped; or the files of an `<input webkitdirectory>`, whose common
   * top folder is the store's root. In Node it is also a path, which may be relative to the working directory, or
   * a `file:` URL. Throws {@link StoreError} for a URL that names no file.
   */
  constructor(directory: Directory | string | URL) {
    super();
    const disk = diskFolder(directory);
    if (!disk && !isDirectory(directory)) {
      const expected = `${places}a directory's handle, entry or files`;
      refuse("DirectoryStore: directory", directory, expected);
    }
    // The browser's list of files becomes another one when the user picks again.
    this.#source = disk ?? (isFiles(directory) ? [...directory] : (directory as DirectoryHandle));
    const { path, name, 0: file } = this.#source as { path?: string; name?: string; 0?: File };
    this.path = path ?? name ?? file?.webkitRelativePath.replace(/\/.*/, "") ?? "";
  }

  /** @internal Where it is, as it may be shown. */
  get address(): string {
    return this.path;
  }

  override toString(): string {
    return `<${this[Symbol.toStringTag]} ${this.path}>`;
  }

  /** All bytes of a key; undefined when it is absent. Rejects with {@link StoreError} for what is no key or cannot be read, or the signal's reason. */
  async get(key: `/${string}`, options?: StoreOptions): Promise<Uint8Array | undefined> {
    return (await this.#open()).get(key, options);
  }

  /** Some bytes of a key, likewise; no more of them than the file has. */
  async getRange(key: `/${string}`, range: ByteRange, options?: StoreOptions): Promise<Uint8Array | undefined> {
    return (await this.#open()).getRange(key, range, options);
  }

  /** The names directly below a folder, `""` or `"a/b"`: files as they are, folders with a trailing slash. */
  async listFolder(path: string, options?: StoreOptions): Promise<string[]> {
    return (await this.#open()).listFolder(path, options);
  }

  /**
   * Stores bytes under a key: whole, or not at all. They stay as they are until it is done. Writes of a key are done in their order.
   * Rejects with {@link StoreError} for what is no key or cannot be written, {@link UnsupportedError} for a directory that can only be read, or the
   * signal's reason.
   */
  async set(key: `/${string}`, bytes: Uint8Array, options?: WriteOptions): Promise<void> {
    return (await this.#open()).set(key, bytes, options);
  }

  /** Deletes a key, likewise, and the folders above it that become empty. One that is absent is no error. */
  async delete(key: `/${string}`, options?: WriteOptions): Promise<void> {
    return (await this.#open()).delete(key, options);
  }

  /** Deletes all that lies below a folder, `""` or `"a/b"`. */
  async deleteFolder(path: string, options?: WriteOptions): Promise<void> {
    return (await this.#open()).deleteFolder(path, options);
  }

  /**
   * Calls a function while no one else holds the lock of that name in this directory. In a page, the locks are Web Locks: they hold between all tabs
   * and workers of the origin. In Node on Linux and Windows they hold between the processes of a machine, elsewhere in a thread.
   */
  async lock(name: string, run: () => Promise<void>, options?: WriteOptions): Promise<void> {
    return (await this.#open()).lock(name, run, options);
  }

  #open(): Promise<DirectoryReader> {
    this.#reader ??= lazy().then(({ DirectoryReader }) => new DirectoryReader(this.#source, this.path));
    this.#reader.catch(() => {
      this.#reader = undefined;
    });
    return this.#reader;
  }
}

/** Tells whether a target is a list of files; the browser's list may be empty. */
function isFiles(target: unknown): target is Iterable<File> {
  if (typeof target !== "object" || !target || !(Symbol.iterator in target)) return false;
  const files = [...(target as Iterable<unknown>)];
  return (files.length > 0 || "item" in target) && files.every((file) => file instanceof File);
}

/** @internal Tells whether a target is a directory as a page is given it. */
export function isDirectory(target: unknown): target is Directory {
  const { kind, isDirectory, get } = Object(target);
  return get === undefined && (kind === "directory" || isDirectory === true || isFiles(target));
}
