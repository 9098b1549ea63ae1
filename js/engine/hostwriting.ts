import type { Readable, StoreOptions } from "../stores/readable.js";
import type { Writable } from "../stores/writable.js";
import type { WireWriteQuestion } from "./protocol/wire.js";

type Change = Exclude<WireWriteQuestion, { lock: string } | { unlock: number }>;

const keyOf = (key: string) => `/${key}` as const;

/** @internal Applies a change that the engine requests to a store. */
export async function changeStore(store: Readable, question: Change, options: StoreOptions): Promise<void> {
  const to = store as Writable;
  if ("put" in question) {
    if (typeof to.set !== "function") throw new TypeError("the store has no set");
    await to.set(keyOf(question.put), new Uint8Array(question.bytes), options);
  } else if ("delete" in question) {
    await deleteKey(to, question.delete, options);
  } else if (typeof to.deleteFolder === "function") {
    await to.deleteFolder(question.deleteFolder, options);
  } else {
    await deleteBelow(to, question.deleteFolder, options);
  }
}

async function deleteKey(store: Writable, key: string, options: StoreOptions): Promise<void> {
  if (typeof store.delete !== "function") throw new TypeError("the store has no delete");
  await store.delete(keyOf(key), options);
}

/** Deletes all keys of a store below a folder. */
async function deleteBelow(store: Writable, folder: string, options: StoreOptions): Promise<void> {
  const below = folder && `${folder}/`;
  if (store instanceof Map) {
    for (const key of [...store.keys()]) if (String(key).replace(/^\/+/, "").startsWith(below)) store.delete(key);
    return;
  }
  if (typeof store.listFolder !== "function") throw new TypeError("the store has neither deleteFolder nor listFolder");
  for (const name of await store.listFolder(folder, options)) {
    options.signal?.throwIfAborted();
    if (name.endsWith("/")) await deleteBelow(store, below + name.slice(0, -1), options);
    else await deleteKey(store, below + name, options);
  }
}

/** @internal The locks that an engine holds, by the numbers of the questions that took them. */
export class Locks {
  readonly #held = new Map<number, () => void>();

  /** Takes the lock of a name. Returns false if the store has no locks. */
  async take(store: Readable, ask: number, name: string, options: StoreOptions): Promise<boolean> {
    const { lock } = store as Writable;
    if (typeof lock !== "function") return false;
    return new Promise((resolve, reject) => {
      const run = () =>
        new Promise<void>((release) => {
          if (options.signal?.aborted) return release();
          this.#held.set(ask, release);
          resolve(true);
        });
      lock.call(store, name, run, options).then(() => reject(new Error("the store returned no lock")), reject);
    });
  }

  /** Releases a lock, if it is held. */
  release(ask: number): void {
    this.#held.get(ask)?.();
    this.#held.delete(ask);
  }

  /** Releases all locks. */
  end(): void {
    for (const ask of [...this.#held.keys()]) this.release(ask);
  }
}
