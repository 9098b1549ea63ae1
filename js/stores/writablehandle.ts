import { UnsupportedError } from "../errors.js";
import type { DirectoryHandle } from "./directory.js";
import { isAbsent, reserved, type WritableFolder } from "./directory.js";
import { hold } from "./weblocks.js";

/** What only some browsers have. */
type FileHandle = FileSystemFileHandle & { move?(name: string): Promise<void> };
type Permission = { mode: "readwrite" };
interface Permits {
  queryPermission?(descriptor: Permission): Promise<PermissionState>;
  requestPermission?(descriptor: Permission): Promise<PermissionState>;
}

/** How often something is tried that another writer is in the way of. */
const tries = 10;

/** Writes a directory by its handle: the origin's private file system, or a folder that was picked. */
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
      // Another writer may delete the folder, or make the file, after they were looked for.
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
      await folder.getFileHandle(name); // what is a folder stays
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
      await above.getDirectoryHandle(name); // what is a file stays
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

  /** What names the directory for all pages of the origin. One that was picked has only its name: two of the same name wait for each other. */
  async #identity(): Promise<string> {
    const root = await globalThis.navigator?.storage?.getDirectory?.().catch(() => undefined);
    const path = await root?.resolve(this.#root);
    return path ? ["zarr-wasm:private", ...path].join("/") : `zarr-wasm:picked/${this.#root.name}`;
  }

  /** Asks the user once, where that is needed. Browsers let a page do so when the user has just clicked. */
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

  /** Removes a folder and those above it as far as they are empty. */
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
 * Does something again that fails for one of these reasons, or because another writer is at the same file or folder: Chromium
 * locks both, and those above them, while something is done with them.
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

/** Deletes a file or folder. That it is gone already is no error. */
async function gone(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await again([], undefined, () => folder.removeEntry(name, { recursive: true }));
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** The file of that name, if there is one. An empty folder of that name goes: it holds no objects. */
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

/** Writes a file whose name is new: under another one until it is whole, where the browser can rename. */
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

/** Writes a file. The browser puts the new bytes in the place of the old ones when all are written. */
async function put(file: FileHandle, bytes: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
  if (typeof file.createWritable !== "function") {
    throw new UnsupportedError(
      "this browser has no way to write a file whole or not at all (FileSystemFileHandle.createWritable): write to another store, as to a zip archive",
      { feature: "createWritable" },
    );
  }
  const out = await file.createWritable();
  try {
    // What is shared between threads may not be written from.
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

/** Waits until the clock has moved on since a file was written: its time is what tells versions apart. */
async function later(file: FileHandle): Promise<void> {
  const { lastModified } = await file.getFile();
  for (let ahead = lastModified - Date.now(); ahead >= 0 && ahead < 20; ahead = lastModified - Date.now()) {
    await new Promise((next) => setTimeout(next, 1));
  }
}
