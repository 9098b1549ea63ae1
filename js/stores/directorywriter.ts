import { type StoreError, UnsupportedError } from "../errors.js";
import { checked, refuse } from "../shared/arguments.js";
import type { Directory, DirectoryHandle, Folder, WritableFolder } from "./directory.js";
import { queue } from "./weblocks.js";
import type { WriteOptions } from "./writable.js";
import { WritableHandle } from "./writablehandle.js";

/** The parts of a directory's reader that the writer uses. */
export interface Keys {
  /** Returns the path of a key's file. */
  names(key: string): string[];
  /** Returns the error of a failed operation on a key. */
  failed(key: string, cause: unknown, hints: Record<string, string>): StoreError;
}

/** Advice for errors of browsers. */
const hints: Record<string, string> = {
  NotAllowedError:
    'the page has no permission: call requestPermission({ mode: "readwrite" }) of the directory\'s handle when the user clicks, and write again',
  SecurityError:
    'the page has no permission: call requestPermission({ mode: "readwrite" }) of the directory\'s handle when the user clicks, and write again',
  NoModificationAllowedError: "the file is locked, by createSyncAccessHandle() or for another program",
  // Chromium reports one or the other.
  AbortError: "the browser aborted the write, probably because this origin has no space left",
  QuotaExceededError: "this origin has no space left: delete something, or ask for more by navigator.storage.persist()",
};

/** Writes a directory for a DirectoryStore. */
export class DirectoryWriter {
  readonly #folder: WritableFolder;
  readonly #keys: Keys;
  /** The last pending write of each key. Writes of a key run in the order of the calls. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(source: Directory | Folder, place: string, keys: Keys) {
    this.#keys = keys;
    if ("writing" in source && source.writing) this.#folder = source.writing();
    else if ("getFileHandle" in source) this.#folder = new WritableHandle(source as DirectoryHandle);
    else {
      throw new UnsupportedError(
        `${place}: directories that were dropped, and files of an input, can only be read: use a handle, as showDirectoryPicker() returns it`,
        { feature: "writing" },
      );
    }
  }

  async set(key: string, bytes: Uint8Array, options?: WriteOptions): Promise<void> {
    const { signal } = checked("set", options ?? {});
    if (!(bytes instanceof Uint8Array)) refuse("set: bytes", bytes, "a Uint8Array");
    await this.#write("set", key, signal, (names) => this.#folder.write(names, bytes, signal));
  }

  async delete(key: string, options?: WriteOptions): Promise<void> {
    await this.#write("delete", key, options?.signal, (names) => this.#folder.remove(names));
  }

  async deleteFolder(path: string, options?: WriteOptions): Promise<void> {
    if (typeof path !== "string") refuse("deleteFolder: path", path, "a string");
    const all = path === "";
    await this.#write("deleteFolder", all ? "/" : `/${path}`, options?.signal, (names) =>
      this.#folder.removeFolder(names),
    );
  }

  async lock(name: string, run: () => Promise<void>, options?: WriteOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    await this.#folder.lock(name, run, options?.signal);
  }

  /**
   * Runs an operation on a key after the earlier ones. It is not abandoned halfway, because it
   * could then overwrite a later write.
   */
  async #write(
    what: string,
    key: string,
    signal: AbortSignal | undefined,
    act: (names: string[]) => Promise<void>,
  ): Promise<void> {
    if (typeof key !== "string") refuse(`${what}: key`, key, "a string");
    const names = what === "deleteFolder" && key === "/" ? [] : this.#keys.names(key);
    try {
      await queue(this.#last, key, () => act(names), signal);
    } catch (cause) {
      if ((signal?.aborted && cause === signal.reason) || cause instanceof UnsupportedError) throw cause;
      throw this.#keys.failed(key.slice(1), cause, hints);
    }
  }
}
