import { constants } from "node:fs";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { StoreError } from "../errors.js";
import type { FileBytes, FileRange, Folder, WritableFolder } from "./directory.js";
import { WritableDisk } from "./writabledisk-node.js";

/**
 * The number of files that may still be opened, by all stores. A process has a limited number of
 * handles.
 */
let handles = 64;
/** Reads that wait for a handle, in order. */
const waiting: (() => void)[] = [];

/** The maximum number of repeated reads of a file that changes during a read. */
const repeats = 3;

/** @internal The additional forms of directories in Node, for error messages. */
export const places = "a path, a URL, or ";

/**
 * @internal Returns the reader of the directory at a path or a `file:` URL; undefined for any other
 * value. Throws {@link StoreError} for a URL that does not name a file.
 */
export function diskFolder(directory: unknown): DiskFolder | undefined {
  if (directory instanceof URL || /^file:/i.test(String(directory))) return new DiskFolder(filePath(directory as URL));
  return typeof directory === "string" ? new DiskFolder(directory) : undefined;
}

/** A directory of the file system. */
class DiskFolder implements Folder {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  // On systems other than POSIX, further characters can lead out of a directory.
  refuses(name: string): boolean {
    return sep !== "/" && /[\\:]/.test(name);
  }

  async read(path: string[], part: FileRange, signal: AbortSignal | undefined): Promise<FileBytes> {
    return withHandle(async () => {
      for (let i = 0; ; i++) {
        signal?.throwIfAborted();
        const found = await readOnce(join(this.path, ...path), part, signal);
        if (found) return found;
        if (i === repeats) throw new Error("it changes while it is read");
      }
    });
  }

  writing(): WritableFolder {
    return new WritableDisk(this.path, withHandle);
  }

  async names(path: string[]): Promise<string[]> {
    const at = join(this.path, ...path);
    const entries = await readdir(at, { withFileTypes: true });
    const names = await Promise.all(
      entries.map(async (entry) => {
        // A link counts as its target. Links without a target are left out.
        const is = entry.isSymbolicLink() ? await stat(join(at, entry.name)).catch(() => undefined) : entry;
        return is?.isDirectory() ? `${entry.name}/` : is?.isFile() ? entry.name : [];
      }),
    );
    return names.flat();
  }
}

/** Returns the path of a `file:` URL. */
function filePath(url: string | URL): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw new StoreError(`${url} is not the URL of a file`, { cause });
  }
}

/** Reads part of a file. Returns undefined if it changed meanwhile. */
async function readOnce(
  path: string,
  part: FileRange,
  signal: AbortSignal | undefined,
): Promise<FileBytes | undefined> {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const before = await file.stat();
    const { size, mtimeMs } = before;
    if (!before.isFile()) throw Object.assign(new Error("it is not a file"), { code: "ENOENT" });
    const [from, to] = part(size);
    const bytes = await readFrom(file, from, new Uint8Array(to - from), signal);
    const after = await file.stat();
    return after.size === size && after.mtimeMs === mtimeMs ? { bytes, size, modified: mtimeMs } : undefined;
  } finally {
    await file.close();
  }
}

/** Fills the bytes from a position on, up to the file's end. */
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

/** Runs an operation when a file handle is available. */
async function withHandle<T>(act: () => Promise<T>): Promise<T> {
  if (handles > 0) handles--;
  else await new Promise<void>((next) => waiting.push(next));
  try {
    return await act();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else handles++;
  }
}
