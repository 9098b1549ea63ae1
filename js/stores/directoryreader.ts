import { withVersion } from "../engine/objectversion.js";
import { StoreError } from "../errors.js";
import { checked, refuse } from "../shared/arguments.js";
import {
  type Directory,
  type DirectoryHandle,
  type FileBytes,
  type FileRange,
  type Folder,
  isAbsent,
  reserved,
} from "./directory.js";
import type { DirectoryWriter } from "./directorywriter.js";
import type { ByteRange, StoreOptions } from "./readable.js";
import type { WriteOptions } from "./writable.js";

/** Advice for errors of browsers. */
const hints: Record<string, string> = {
  NotAllowedError:
    "the page has no permission: call requestPermission() of the directory's handle when the user clicks, and read again",
  SecurityError: "the page has no permission: ask the user to pick the directory again",
  NotReadableError: "the file was changed or removed, or may not be read: ask the user to pick the directory again",
};

/** Reads a directory for a DirectoryStore. Forwards changes to its writer. */
export class DirectoryReader {
  readonly #source: Directory | Folder;
  readonly #folder: Folder;
  readonly #place: string;
  #writer: Promise<DirectoryWriter> | undefined;

  constructor(source: Directory | Folder, place: string) {
    this.#source = source;
    this.#folder = folderOf(source);
    this.#place = place;
  }

  async get(key: string, options?: StoreOptions): Promise<Uint8Array | undefined> {
    return this.#read("get", key, options, (size) => [0, size]);
  }

  async getRange(key: string, range: ByteRange, options?: StoreOptions): Promise<Uint8Array | undefined> {
    const { suffixLength, offset, length } = Object(range) as { [name: string]: unknown };
    for (const n of suffixLength === undefined ? [offset, length] : [suffixLength]) {
      if (!Number.isSafeInteger(n) || (n as number) < 0) {
        refuse("getRange: range", range, "{ offset, length } or { suffixLength }, whole numbers, at least 0");
      }
    }
    return this.#read("getRange", key, options, (size) =>
      suffixLength === undefined
        ? [Math.min(offset as number, size), Math.min((offset as number) + (length as number), size)]
        : [Math.max(0, size - (suffixLength as number)), size],
    );
  }

  async listFolder(path: string, options: StoreOptions = {}): Promise<string[]> {
    const { signal } = checked("listFolder", options);
    if (typeof path !== "string") refuse("listFolder: path", path, "a string");
    const names = path === "" ? [] : this.#names(`/${path}`);
    if (names.some(isReserved)) return [];
    const found = await this.#attempt(path, signal, () => this.#folder.names(names));
    return found?.filter((name) => !isReserved(name)).sort() ?? [];
  }

  async set(key: string, bytes: Uint8Array, options?: WriteOptions): Promise<void> {
    return (await this.#write()).set(key, bytes, options);
  }

  async delete(key: string, options?: WriteOptions): Promise<void> {
    return (await this.#write()).delete(key, options);
  }

  async deleteFolder(path: string, options?: WriteOptions): Promise<void> {
    return (await this.#write()).deleteFolder(path, options);
  }

  async lock(name: string, run: () => Promise<void>, options?: WriteOptions): Promise<void> {
    return (await this.#write()).lock(name, run, options);
  }

  /** Loads the writer from a file of its own at the first use. */
  #write(): Promise<DirectoryWriter> {
    this.#writer ??= import("./directorywriter.js").then(
      ({ DirectoryWriter }) =>
        new DirectoryWriter(this.#source, this.#place, {
          names: (key) => this.#names(key, true),
          failed: (key, cause, hints) => this.#failed(key, cause, hints),
        }),
    );
    this.#writer.catch(() => {
      this.#writer = undefined;
    });
    return this.#writer;
  }

  async #read(what: string, key: string, options: StoreOptions = {}, part: FileRange): Promise<Uint8Array | undefined> {
    const { signal } = checked(what, options);
    if (typeof key !== "string") refuse(`${what}: key`, key, "a string");
    const names = this.#names(key);
    if (names.some(isReserved)) return undefined;
    const found = await this.#attempt(key.slice(1), signal, () => this.#folder.read(names, part, signal));
    return found && withVersion(found.bytes, { size: found.size, modified: found.modified });
  }

  /** Runs an abortable operation. Returns undefined if there is no such file or folder. */
  async #attempt<T>(key: string, signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T | undefined> {
    signal?.throwIfAborted();
    let abort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal?.reason);
      signal?.addEventListener("abort", abort);
    });
    try {
      return await Promise.race([act(), aborted]);
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      if (isAbsent(cause)) return undefined;
      throw this.#failed(key, cause, hints);
    } finally {
      if (abort) signal?.removeEventListener("abort", abort);
    }
  }

  /** Returns the error of a failed operation on a key. */
  #failed(key: string, cause: unknown, hints: Record<string, string>): StoreError {
    const { name, message } = Object(cause) as { name?: string; message?: string };
    const why = [message ?? String(cause), hints[String(name)]].filter(Boolean).join(": ");
    return new StoreError(`${[this.#place.replace(/[\\/]$/, ""), key].join("/")}: ${why}`, { key, cause });
  }

  /**
   * Returns the path of a key's file inside the directory. With `written`, rejects reserved names.
   */
  #names(key: string, written = false): string[] {
    const [first, ...names] = key.split("/");
    const inside = names.length > 0 && names.every((name) => name !== "" && name !== "." && name !== "..");
    const refused = names.some((name) => this.#folder.refuses?.(name) || (written && isReserved(name)));
    if (first !== "" || !inside || refused) {
      throw new StoreError(`${JSON.stringify(key)} is not a key of ${this.#place || "the directory"}`, {
        key: key.replace(/^\//, ""),
      });
    }
    return names;
  }
}

const isReserved = (name: string) => name.startsWith(reserved);

function folderOf(source: Directory | Folder): Folder {
  if ("names" in source) return source;
  if (Array.isArray(source)) return new FileList(source);
  return "createReader" in source
    ? new DroppedFolder(source as FileSystemDirectoryEntry)
    : new HandleFolder(source as DirectoryHandle);
}

/** Returns the error of a missing file. */
const missing = (path: string[]) => new DOMException(`there is no ${path.join("/")}`, "NotFoundError");

/** Reads a range of a browser's File. */
async function slice(file: File, part: FileRange): Promise<FileBytes> {
  const [from, to] = part(file.size);
  const bytes = new Uint8Array(await file.slice(from, to).arrayBuffer());
  return { bytes, size: file.size, modified: file.lastModified };
}

/** The maximum number of repeated reads of a file that is replaced during a read. */
const repeats = 10;

/**
 * The names (`name`) of errors for a handle's file that was replaced. Firefox aborts the read of a
 * deleted file.
 */
const replaced = new Set(["NotReadableError", "NotFoundError", "AbortError"]);

/** The maximum number of cached folder handles. */
const keptFolders = 1000;

/** A directory by its handle. */
class HandleFolder implements Folder {
  readonly #root: DirectoryHandle;
  /** The handles by path. They are cached, because each step from the root is slow. */
  readonly #folders = new Map<string, Promise<DirectoryHandle>>();

  constructor(root: DirectoryHandle) {
    this.#root = root;
  }

  async read(path: string[], part: FileRange): Promise<FileBytes> {
    const folder = await this.#folder(path.slice(0, -1));
    for (let i = 0; ; i++) {
      const handle = await folder.getFileHandle(path.at(-1) as string);
      try {
        return await slice(await handle.getFile(), part);
      } catch (error) {
        // The file was replaced or deleted after the lookup of the folder or the file.
        if (!replaced.has((error as Error)?.name) || i === repeats) throw error;
      }
    }
  }

  async names(path: string[]): Promise<string[]> {
    const names: string[] = [];
    const folder = (await this.#folder(path)) as FileSystemDirectoryHandle;
    for await (const [name, { kind }] of folder.entries()) names.push(kind === "directory" ? `${name}/` : name);
    return names;
  }

  #folder(path: string[]): Promise<DirectoryHandle> {
    if (path.length === 0) return Promise.resolve(this.#root);
    const key = path.join("/");
    let folder = this.#folders.get(key);
    if (!folder) {
      folder = this.#folder(path.slice(0, -1)).then((above) => above.getDirectoryHandle(path.at(-1) as string));
      if (this.#folders.size >= keptFolders) this.#folders.clear();
      this.#folders.set(key, folder);
      folder.catch(() => this.#folders.delete(key));
    }
    return folder;
  }
}

/** A dropped directory. */
class DroppedFolder implements Folder {
  readonly #root: FileSystemDirectoryEntry;

  constructor(root: FileSystemDirectoryEntry) {
    this.#root = root;
  }

  async read(path: string[], part: FileRange): Promise<FileBytes> {
    const entry = await new Promise<FileSystemEntry>((done, fail) =>
      this.#root.getFile(path.join("/"), {}, done, fail),
    );
    return slice(await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail)), part);
  }

  async names(path: string[]): Promise<string[]> {
    const folder =
      path.length === 0
        ? this.#root
        : await new Promise<FileSystemEntry>((done, fail) => this.#root.getDirectory(path.join("/"), {}, done, fail));
    const reader = (folder as FileSystemDirectoryEntry).createReader();
    const names: string[] = [];
    for (;;) {
      // The reader returns the entries in parts, and an empty part at the end.
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (some.length === 0) return names;
      for (const { name, isDirectory } of some) names.push(isDirectory ? `${name}/` : name);
    }
  }
}

/** The files of an `<input webkitdirectory>`. */
class FileList implements Folder {
  readonly #files = new Map<string, File>();
  /** The names in each folder, by its path. */
  readonly #folders = new Map<string, Set<string>>();

  constructor(files: readonly File[]) {
    const paths = files.map(({ webkitRelativePath, name }) => webkitRelativePath || name);
    const [top] = paths[0]?.split("/", 1) ?? [];
    const common = paths.every((path) => path.startsWith(`${top}/`));
    files.forEach((file, i) => {
      const path = (paths[i] as string).slice(common ? `${top}/`.length : 0);
      this.#files.set(path, file);
      for (let name = path; name !== ""; ) {
        const cut = name.lastIndexOf("/", name.length - 2) + 1;
        const folder = name.slice(0, Math.max(0, cut - 1));
        const known = this.#folders.get(folder);
        if (known) known.add(name.slice(cut));
        else this.#folders.set(folder, new Set([name.slice(cut)]));
        name = known ? "" : name.slice(0, cut);
      }
    });
  }

  async read(path: string[], part: FileRange): Promise<FileBytes> {
    const file = this.#files.get(path.join("/"));
    if (!file) throw missing(path);
    return slice(file, part);
  }

  async names(path: string[]): Promise<string[]> {
    const names = this.#folders.get(path.join("/"));
    if (!names) throw missing(path);
    return [...names];
  }
}
