import { UnsupportedError } from "../errors.js";
import type { DirectoryHandle } from "./directory.js";
import { isAbsent, reserved, type WritableFolder } from "./directory.js";
import { hold } from "./weblocks.js";

/** Members that only some browsers have. */
type FileHandle = FileSystemFileHandle & { move?(name: string): Promise<void> };
type Permission = { mode: "readwrite" };
interface Permits {
  queryPermission?(descriptor: Permission): Promise<PermissionState>;
  requestPermission?(descriptor: Permission): Promise<PermissionState>;
}

/** The maximum number of attempts of an operation that another writer blocks. */
const tries = 10;

/**
 * Writes a directory by its handle: the origin's private file system, or a folder that the user
 * picked.
 */
export class WritableHandle implements WritableFolder {
  readonly #root: FileSystemDirectoryHandle & Permits;
  #permitted: Promise<void> | undefined;
  #lockName: Promise<string> | undefined;

  constructor(root: DirectoryHandle) {
    this.#root = root as FileSystemDirectoryHandle;
  }

  async write(path: string[], bytes: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    await this.#permit();
    const [above, name] = [path.slice(0, -1), path.at(-1) as string];
    try {
      // Another writer may delete the folder, or create the file, after the lookup.
      await again(["NotFoundError", "InvalidModificationError"], signal, async () => {
        const folder = await this.#folder(above, true);
        const there = await fileIn(folder, name);
        await (there ? put(there, bytes, signal) : create(folder, name, bytes, signal));
      });
    } catch (error) {
      await this.#prune(above);
      throw error;
    }
  }

  async remove(path: string[]): Promise<void> {
    await this.#permit();
    const [above, name] = [path.slice(0, -1), path.at(-1) as string];
    try {
      const folder = await this.#folder(above, false);
      await folder.getFileHandle(name); // a folder of that name stays
      await again([], undefined, () => folder.removeEntry(name));
    } catch (error) {
      if (isAbsent(error)) return;
      throw error;
    }
    await this.#prune(above);
  }

  async removeFolder(path: string[]): Promise<void> {
    await this.#permit();
    if (path.length === 0) {
      const names: string[] = [];
      for await (const name of this.#root.keys()) names.push(name);
      for (const name of names) await gone(this.#root, name);
      return;
    }
    try {
      const above = await this.#folder(path.slice(0, -1), false);
      const name = path.at(-1) as string;
      await above.getDirectoryHandle(name); // a file of that name stays
      await gone(above, name);
    } catch (error) {
      if (isAbsent(error)) return;
      throw error;
    }
    await this.#prune(path.slice(0, -1));
  }

  async lock(name: string, run: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    this.#lockName ??= this.#identity();
    await hold(`${await this.#lockName}/${name}`, run, signal);
  }

  /**
   * Returns an identifier of the directory for all pages of the origin. A picked directory has only
   * its name: two of the same name share their locks.
   */
  async #identity(): Promise<string> {
    const root = await globalThis.navigator?.storage?.getDirectory?.().catch(() => undefined);
    const path = await root?.resolve(this.#root);
    return path ? ["zarr-wasm:private", ...path].join("/") : `zarr-wasm:picked/${this.#root.name}`;
  }

  /**
   * Asks the user for permission once, if it is needed. Browsers allow this only just after a
   * click.
   */
  #permit(): Promise<void> {
    this.#permitted ??= (async () => {
      const mode: Permission = { mode: "readwrite" };
      const state = (await this.#root.queryPermission?.(mode)) ?? "granted";
      if (state === "granted" || (await this.#root.requestPermission?.(mode)) === "granted") return;
      throw new DOMException("the directory may not be written", "NotAllowedError");
    })();
    this.#permitted.catch(() => {
      this.#permitted = undefined;
    });
    return this.#permitted;
  }

  async #folder(path: string[], create: boolean): Promise<FileSystemDirectoryHandle> {
    let folder: FileSystemDirectoryHandle = this.#root;
    for (const name of path) folder = await folder.getDirectoryHandle(name, { create });
    return folder;
  }

  /** Removes a folder if it is empty, then each folder above it that becomes empty. */
  async #prune(path: string[]): Promise<void> {
    for (let n = path.length; n > 0; n--) {
      try {
        const above = await this.#folder(path.slice(0, n - 1), false);
        await again([], undefined, () => above.removeEntry(path[n - 1] as string));
      } catch {
        return; // it is not empty, or another writer has removed it
      }
    }
  }
}

/**
 * Retries an operation that fails with one of these errors, or because another writer uses the same
 * file or folder. Chromium locks both, and the folders above them, during an operation.
 */
async function again(names: string[], signal: AbortSignal | undefined, act: () => Promise<void>): Promise<void> {
  for (let i = 0; ; i++) {
    signal?.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      const name = String((error as Error)?.name);
      const locked = name === "NoModificationAllowedError";
      if ((!locked && !names.includes(name)) || i === tries) throw error;
      if (locked) await new Promise((next) => setTimeout(next, 2 ** i * Math.random()));
    }
  }
}

/** Deletes a file or folder. A missing one is not an error. */
async function gone(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await again([], undefined, () => folder.removeEntry(name, { recursive: true }));
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/**
 * Returns the file of that name, if there is one. Removes an empty folder of that name, which
 * contains no objects.
 */
async function fileIn(folder: FileSystemDirectoryHandle, name: string): Promise<FileHandle | undefined> {
  try {
    return await folder.getFileHandle(name);
  } catch (error) {
    if ((error as Error)?.name === "TypeMismatchError")
      await folder.removeEntry(name).catch(() => {
        throw new DOMException("there is a folder of that name", "InvalidStateError");
      });
    else if ((error as Error)?.name !== "NotFoundError") throw error;
    return undefined;
  }
}

/** Writes a new file, under a temporary name until it is complete if the browser can rename. */
async function create(
  folder: FileSystemDirectoryHandle,
  name: string,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<void> {
  const movable = "move" in globalThis.FileSystemFileHandle.prototype;
  const first = movable ? `${reserved}partial-${crypto.randomUUID()}` : name;
  const file: FileHandle = await folder.getFileHandle(first, { create: true });
  try {
    await put(file, bytes, signal);
    if (movable) await file.move?.(name);
  } catch (error) {
    await folder.removeEntry(first).catch(() => undefined);
    throw error;
  }
}

/** Writes a file. The browser replaces the old bytes after all new ones are written. */
async function put(file: FileHandle, bytes: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
  if (typeof file.createWritable !== "function") {
    throw new UnsupportedError(
      "this browser cannot write a file atomically (FileSystemFileHandle.createWritable): write to another store, such as a zip archive",
      { feature: "createWritable" },
    );
  }
  const out = await file.createWritable();
  try {
    // The browser rejects writes from shared memory.
    const own = bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
    if (own.length > 0) await out.write(own);
    signal?.throwIfAborted();
    await later(file);
    await out.close();
  } catch (error) {
    await out.abort().catch(() => undefined);
    throw error;
  }
}

/** Waits until the clock has advanced since a file was written. The time distinguishes versions. */
async function later(file: FileHandle): Promise<void> {
  const { lastModified } = await file.getFile();
  for (let ahead = lastModified - Date.now(); ahead >= 0 && ahead < 20; ahead = lastModified - Date.now()) {
    await new Promise((next) => setTimeout(next, 1));
  }
}
