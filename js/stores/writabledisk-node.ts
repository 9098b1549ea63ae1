import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, realpath, rename, rm, rmdir, stat, unlink, utimes } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { isAbsent, reserved, type WritableFolder } from "./directory.js";
import { hold } from "./locks-node.js";

/** How often a write begins anew whose folder was deleted meanwhile. */
const tries = 10;

/** How many bytes are written between two looks at the signal. */
const step = 1 << 20;

/** Does something while a file may be opened. */
type Within = <T>(act: () => Promise<T>) => Promise<T>;

/**
 * Writes a directory of the file system. A write makes a temporary file beside the other one and renames it, so that
 * at every moment, also of a process that is killed, the file has the old bytes or the new ones.
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
        // Another writer has deleted the folder since it was made.
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
    if (is?.isSymbolicLink()) throw new Error("it is a symbolic link, below which nothing is deleted");
    if (!is?.isDirectory()) return;
    // All that is in it is gone at once.
    const gone = join(dirname(target), partial());
    if (!(await rename(target, gone).then(() => true, unlessAbsent))) return;
    await rm(gone, { recursive: true, force: true });
    await this.#prune(dirname(target));
  }

  async lock(name: string, run: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const root = await realpath(this.#root).catch(() => this.#root);
    await hold(join(root, name), run, signal);
  }

  /** Refuses a folder that lies, by symbolic links, outside of the directory. */
  async #inside(folder: string): Promise<void> {
    const root = await realpath(this.#root).catch(unlessAbsent);
    if (root === undefined) return;
    let real: string | undefined;
    for (let at = folder; real === undefined; at = dirname(at)) real = await realpath(at).catch(unlessAbsent);
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw new Error("it leads out of the directory, by a symbolic link");
    }
  }

  /** Removes a folder and those above it as far as they are empty. */
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

/** The name of a file or folder that is no object. */
const partial = () => `${reserved}partial-${randomUUID()}`;

/** Undefined for an error that says that there is no such file or folder; throws any other. */
function unlessAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

/** Writes a file, and puts it in the place of another. */
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

/** Renames a file. An empty folder in its place is none. */
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

/** Gives a file that takes the place of another a later time, where the clock of the file system has not moved: the time is what tells versions apart. */
async function later(temporary: string, target: string): Promise<void> {
  const [own, old] = [await stat(temporary), await stat(target).catch(unlessAbsent)];
  if (old && own.mtimeMs <= old.mtimeMs) await utimes(temporary, own.atime, old.mtimeMs / 1000 + 1e-3);
}
