import { type FileHandle, open, stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { StoreError } from "../errors.js";
import { Printed } from "../printed.js";
import { checked, refuse } from "../refuse.js";
import type { AsyncReadable, ByteRange, StoreOptions } from "./readable.js";

/** What the system says of a name under which there is no file. */
const absent = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

/** How many files may still be opened, by all stores: a process has only so many handles. */
let handles = 64;
/** Reads that wait for a handle, in order. */
const waiting: (() => void)[] = [];

/** A hierarchy in a directory. Only Node's build of the package has it. Files are keys; links are followed. */
export class FileStore extends Printed implements AsyncReadable {
  static {
    Printed.tag(FileStore.prototype, "FileStore");
  }

  /** The directory's absolute path. */
  readonly path: string;

  /** The directory is a path, which may be relative to the working directory, or a `file:` URL. Throws {@link StoreError} for a URL that names no file. */
  constructor(directory: string | URL) {
    super();
    if (typeof directory !== "string" && !(directory instanceof URL)) {
      refuse("FileStore: directory", directory, "a path or a URL");
    }
    this.path = resolve(/^file:/i.test(String(directory)) || directory instanceof URL ? pathOf(directory) : directory);
  }

  /** @internal Where it is, as it may be shown. */
  get address(): string {
    return this.path;
  }

  override toString(): string {
    return `<${this[Symbol.toStringTag]} ${this.address}>`;
  }

  /** All bytes of a key; undefined when it is absent. Rejects with {@link StoreError} for what is no key or cannot be read, or the signal's reason. */
  async get(key: `/${string}`, options: StoreOptions = {}): Promise<Uint8Array | undefined> {
    return this.#read("get", key, options, (size) => [0, size]);
  }

  /** Some bytes of a key, likewise; no more of them than the file has. */
  async getRange(key: `/${string}`, range: ByteRange, options: StoreOptions = {}): Promise<Uint8Array | undefined> {
    const { suffixLength, offset, length } = Object(range) as { [name: string]: unknown };
    for (const n of suffixLength === undefined ? [offset, length] : [suffixLength]) {
      if (!Number.isSafeInteger(n) || (n as number) < 0) {
        refuse("getRange: range", range, "{ offset, length } or { suffixLength }, whole numbers, at least 0,");
      }
    }
    return this.#read("getRange", key, options, (size) =>
      suffixLength === undefined
        ? [offset as number, Math.min((offset as number) + (length as number), size)]
        : [Math.max(0, size - (suffixLength as number)), size],
    );
  }

  async #read(
    what: string,
    key: string,
    { signal }: StoreOptions,
    part: (size: number) => [from: number, to: number],
  ): Promise<Uint8Array | undefined> {
    checked(what, { signal });
    if (typeof key !== "string") refuse(`${what}: key`, key, "a text");
    const path = this.#pathOf(key);
    await handle();
    try {
      signal?.throwIfAborted();
      // Asked before it is opened: to open a named pipe waits for a writer.
      if (!(await stat(path)).isFile()) return undefined;
      const file = await open(path);
      try {
        const [from, to] = part((await file.stat()).size);
        return await readFrom(file, from, new Uint8Array(Math.max(0, to - from)), signal);
      } finally {
        await file.close();
      }
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const { code, message } = cause as NodeJS.ErrnoException;
      if (absent.has(code ?? "")) return undefined;
      throw new StoreError(`${path}: ${message}`, { key: key.slice(1), cause });
    } finally {
      giveBack();
    }
  }

  /** The path of the file of a key, which is in the directory. */
  #pathOf(key: string): string {
    const [first, ...segments] = key.split("/");
    const inside = segments.length > 0 && segments.every((name) => name !== "" && name !== "." && name !== "..");
    // Elsewhere than in POSIX other characters lead out of a directory, too.
    if (first !== "" || !inside || (sep !== "/" && /[\\:]/.test(key))) {
      throw new StoreError(`${JSON.stringify(key)} is not a key of ${this.path}`, { key: key.replace(/^\//, "") });
    }
    return [this.path.replace(/[\\/]$/, ""), ...segments].join(sep);
  }
}

/** The path that a `file:` URL names. */
function pathOf(url: string | URL): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw new StoreError(`${url} is not the URL of a file`, { cause });
  }
}

/** Fills the bytes from a position on, as far as the file has them. */
async function readFrom(
  file: FileHandle,
  from: number,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  let done = 0;
  while (done < bytes.length) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

/** Resolves when a file may be opened. */
async function handle(): Promise<void> {
  if (handles > 0) handles--;
  else await new Promise<void>((next) => waiting.push(next));
}

/** Lets the next read open its file. */
function giveBack(): void {
  const next = waiting.shift();
  if (next) next();
  else handles++;
}
