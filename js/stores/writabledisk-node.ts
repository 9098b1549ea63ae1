import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, realpath, rename, rm, rmdir, stat, unlink, utimes } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { isAbsent, reserved, type WritableFolder } from "./directory.js";
import { hold } from "./locks-node.js";

/** The maximum number of attempts of a write whose folder is deleted meanwhile. */
const tries = 10;

/** The number of bytes that are written between two checks of the signal. */
const step = 1 << 20;

/** Runs an operation when a file may be opened. */
type Within = <T>(act: () => Promise<T>) => Promise<T>;

/**
 * Writes a directory of the file system. A write creates a temporary file beside the target and
 * renames it. The file has the old or the new bytes at every moment, even if the process is killed.
 */
export class WritableDisk implements WritableFolder {
  readonly #root: string;
  readonly #within: Within;

  constructor(root: string, within: Within) {
    this.#root = root;
    this.#within = within;
  }

  async write(path: string[], bytes: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    const target = join(this.#root, ...path);
    await this.#inside(dirname(target));
    for (let i = 1; ; i++) {
      try {
        return await this.#within(() => replace(target, bytes, signal));
      } catch (error) {
        // Another writer has deleted the folder since it was created.
        if ((error as NodeJS.ErrnoException)?.code === "ENOENT" && i < tries) continue;
        await this.#prune(dirname(target));
        throw error;
      }
    }
  }

  async remove(path: string[]): Promise<void> {
    const target = join(this.#root, ...path);
    await this.#inside(dirname(target));
    const is = await lstat(target).catch(unlessAbsent);
    if (!is || is.isDirectory()) return;
    await unlink(target).catch(unlessAbsent);
    await this.#prune(dirname(target));
  }

  async removeFolder(path: string[]): Promise<void> {
    const target = join(this.#root, ...path);
    if (path.length === 0) {
      await rm(target, { recursive: true, force: true });
      await mkdir(target, { recursive: true });
      return;
    }
    await this.#inside(dirname(target));
    const is = await lstat(target).catch(unlessAbsent);
    if (is?.isSymbolicLink()) throw new Error("it is a symbolic link, and nothing below it is deleted");
    if (!is?.isDirectory()) return;
    // The folder is renamed first, which removes all its content at once.
    const gone = join(dirname(target), partial());
    if (!(await rename(target, gone).then(() => true, unlessAbsent))) return;
    await rm(gone, { recursive: true, force: true });
    await this.#prune(dirname(target));
  }

  async lock(name: string, run: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const root = await realpath(this.#root).catch(() => this.#root);
    await hold(join(root, name), run, signal);
  }

  /** Rejects a folder that symbolic links lead out of the directory. */
  async #inside(folder: string): Promise<void> {
    const root = await realpath(this.#root).catch(unlessAbsent);
    if (root === undefined) return;
    let real: string | undefined;
    for (let at = folder; real === undefined; at = dirname(at)) real = await realpath(at).catch(unlessAbsent);
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw new Error("it leads out of the directory, by a symbolic link");
    }
  }

  /** Removes a folder if it is empty, then each folder above it that becomes empty. */
  async #prune(folder: string): Promise<void> {
    for (let at = folder; at !== this.#root; at = dirname(at)) {
      if (
        !(await rmdir(at).then(
          () => true,
          () => false,
        ))
      )
        return;
    }
  }
}

/** Returns the name of a temporary file or folder, which is not an object. */
const partial = () => `${reserved}partial-${randomUUID()}`;

/** Returns undefined for the error of a missing file or folder; throws any other. */
function unlessAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

/** Writes a file and replaces the target by it. */
async function replace(target: string, bytes: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const temporary = join(dirname(target), partial());
  const file = await open(temporary, "wx");
  try {
    try {
      for (let at = 0; at < bytes.length; ) {
        signal?.throwIfAborted();
        at += (await file.write(bytes, at, Math.min(step, bytes.length - at))).bytesWritten;
      }
    } finally {
      await file.close();
    }
    signal?.throwIfAborted();
    await later(temporary, target);
    await put(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Renames a file. Replaces an empty folder of the same name. */
async function put(temporary: string, target: string): Promise<void> {
  try {
    await rename(temporary, target);
  } catch (error) {
    if (
      !(await rmdir(target).then(
        () => true,
        () => false,
      ))
    )
      throw error;
    await rename(temporary, target);
  }
}

/**
 * Gives a replacing file a later time if the file system's clock has not advanced. The time
 * distinguishes versions.
 */
async function later(temporary: string, target: string): Promise<void> {
  const [own, old] = [await stat(temporary), await stat(target).catch(unlessAbsent)];
  if (old && own.mtimeMs <= old.mtimeMs) await utimes(temporary, own.atime, old.mtimeMs / 1000 + 1e-3);
}
