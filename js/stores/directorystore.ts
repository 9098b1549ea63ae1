import { diskFolder, places } from "#disk";
import { refuse } from "../shared/arguments.js";
import { lazy } from "../shared/lazily.js";
import { Printed } from "../shared/printed.js";
import type { Directory, DirectoryHandle, Folder } from "./directory.js";
import type { DirectoryReader } from "./directoryreader.js";
import type { AsyncReadable, ByteRange, StoreOptions } from "./readable.js";
import type { Writable, WriteOptions } from "./writable.js";

/**
 * A hierarchy in a directory. Files are objects. A read notices that its file is replaced
 * meanwhile. In Node, symbolic links are followed. On a file system that ignores case, the store
 * does, too.
 *
 * @example
 * const store = new DirectoryStore(await showDirectoryPicker());
 */
export class DirectoryStore extends Printed implements AsyncReadable, Writable {
  static {
    Printed.tag(DirectoryStore.prototype, "DirectoryStore");
  }

  /**
   * In Node the directory's absolute path. In a page its name, because a page cannot know the path.
   */
  readonly path: string;
  readonly #source: Directory | Folder;
  #reader: Promise<DirectoryReader> | undefined;

  /**
   * In a page, `directory` is one of three kinds. A `FileSystemDirectoryHandle` is a directory that
   * the user picked, or one of the origin's private file system. A `FileSystemDirectoryEntry` was
   * dropped on the page. The files of an `<input webkitdirectory>` have a common top folder, which
   * is the store's root.
   *
   * In Node it is also a path, which may be relative to the working directory, or a `file:` URL.
   * Throws {@link StoreError} for a URL that does not name a file.
   */
  constructor(directory: Directory | string | URL) {
    super();
    const disk = diskFolder(directory);
    if (!disk && !isDirectory(directory)) {
      const expected = `${places}a directory's handle, entry or files`;
      refuse("DirectoryStore: directory", directory, expected);
    }
    // The list is copied, because the browser changes it when the user picks again.
    this.#source = disk ?? (isFiles(directory) ? [...directory] : (directory as DirectoryHandle));
    const { path, name, 0: file } = this.#source as { path?: string; name?: string; 0?: File };
    this.path = path ?? name ?? file?.webkitRelativePath.replace(/\/.*/, "") ?? "";
  }

  /** @internal The address in a form that may be shown. */
  get address(): string {
    return this.path;
  }

  override toString(): string {
    return `<${this[Symbol.toStringTag]} ${this.path}>`;
  }

  /**
   * Reads all bytes of a key; undefined if it is absent.
   *
   * @throws `StoreError` for an invalid or unreadable key, or the signal's reason.
   */
  async get(key: `/${string}`, options?: StoreOptions): Promise<Uint8Array | undefined> {
    return (await this.#open()).get(key, options);
  }

  /** Reads a range of a key, cut off at the file's end. Rejects as {@link get} does. */
  async getRange(key: `/${string}`, range: ByteRange, options?: StoreOptions): Promise<Uint8Array | undefined> {
    return (await this.#open()).getRange(key, range, options);
  }

  /**
   * Lists the names directly below a folder, `""` or `"a/b"`. Names of folders have a trailing
   * slash.
   */
  async listFolder(path: string, options?: StoreOptions): Promise<string[]> {
    return (await this.#open()).listFolder(path, options);
  }

  /**
   * Writes bytes under a key, completely or not at all. The caller must not change the bytes until
   * the promise settles. Writes of a key are applied in the order of the calls.
   *
   * @throws `StoreError` for an invalid key or a failed write, `UnsupportedError` for a read-only
   * directory, or the signal's reason.
   */
  async set(key: `/${string}`, bytes: Uint8Array, options?: WriteOptions): Promise<void> {
    return (await this.#open()).set(key, bytes, options);
  }

  /**
   * Deletes a key, and the folders above it that become empty. An absent key is not an error.
   * Rejects as {@link set} does.
   */
  async delete(key: `/${string}`, options?: WriteOptions): Promise<void> {
    return (await this.#open()).delete(key, options);
  }

  /** Deletes all files below a folder, `""` or `"a/b"`. */
  async deleteFolder(path: string, options?: WriteOptions): Promise<void> {
    return (await this.#open()).deleteFolder(path, options);
  }

  /**
   * Calls a function while holding the lock of that name in this directory. In a page, the locks
   * are Web Locks, which all tabs and workers of the origin share. In Node, the processes of a
   * machine share them on Linux and Windows. On other systems they hold within a thread.
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

/** Reports whether a target is a list of files. The browser's list may be empty. */
function isFiles(target: unknown): target is Iterable<File> {
  if (typeof target !== "object" || !target || !(Symbol.iterator in target)) return false;
  const files = [...(target as Iterable<unknown>)];
  return (files.length > 0 || "item" in target) && files.every((file) => file instanceof File);
}

/** @internal Reports whether a target is a directory in one of the forms that pages use. */
export function isDirectory(target: unknown): target is Directory {
  const { kind, isDirectory, get } = Object(target);
  return get === undefined && (kind === "directory" || isDirectory === true || isFiles(target));
}
