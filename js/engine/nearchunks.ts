import { wantedBudgets } from "./budgets.js";

/** The maximum bytes of all chunks near the page. */
const mostBytes = 64 << 20;
/** The default of the engine's budget for decoded chunks, in bytes. */
const usualBudget = 128 << 20;
/** The maximum number of chunks that are not near, but were read. */
const mostSeen = 1 << 10;
/** A trip to the engine takes about as long as the transfer of these bytes. */
const trip = 2 << 20;

/**
 * @internal Decoded chunks on the page, of arrays that one engine has opened. They never change. An
 * engine that outdates one of them drops all. The least recently used go first.
 */
export class NearChunks {
  readonly #chunks = new Map<string, Uint8Array>();
  /** The bytes whose transfer the trips for each chunk would have paid. */
  readonly #paid = new Map<string, number>();
  #size = 0;

  /** The maximum bytes: at most a quarter of the engine's budget, which holds the same chunks. */
  get most(): number {
    return Math.min(mostBytes, (wantedBudgets.decoded ?? usualBudget) / 4);
  }

  /** The bytes of the chunks. */
  get size(): number {
    return this.#size;
  }

  /** Returns chunks of the node with that handle by their coordinates, if all are near. */
  find(handle: number, coords: readonly string[]): Uint8Array[] | undefined {
    const names = coords.map((at) => nameOf(handle, at));
    if (!names.every((name) => this.#chunks.has(name))) return undefined;
    return names.map((name) => {
      const chunk = this.#chunks.get(name) as Uint8Array;
      this.#chunks.delete(name);
      this.#chunks.set(name, chunk); // now the most recently used
      return chunk;
    });
  }

  /**
   * Counts a trip for chunks of `size` bytes each. Reports whether the trips so far would have paid
   * for their transfer. A chunk's first trip pays nothing, because most chunks are read once.
   */
  pay(handle: number, coords: readonly string[], size: number): boolean {
    const missing = coords.map((at) => nameOf(handle, at)).filter((name) => !this.#chunks.has(name));
    const share = trip / missing.length;
    let all = true;
    for (const name of missing) {
      const before = this.#paid.get(name);
      const paid = before === undefined ? 0 : before + share;
      this.#paid.delete(name);
      this.#paid.set(name, paid);
      if (before === undefined || paid < size) all = false;
    }
    for (const name of this.#paid.keys()) {
      if (this.#paid.size <= mostSeen) break;
      this.#paid.delete(name);
    }
    if (all) for (const name of missing) this.#paid.delete(name);
    return all;
  }

  /** Keeps a chunk. */
  keep(handle: number, coords: string, chunk: Uint8Array): void {
    const name = nameOf(handle, coords);
    this.#drop(name);
    this.#chunks.set(name, chunk);
    this.#size += chunk.length;
    for (const oldest of this.#chunks.keys()) {
      if (this.#size <= this.most) break;
      this.#drop(oldest);
    }
  }

  /** Drops the chunks of a node. */
  release(handle: number): void {
    for (const name of this.#chunks.keys()) if (name.startsWith(nameOf(handle, ""))) this.#drop(name);
  }

  #drop(name: string): void {
    this.#size -= this.#chunks.get(name)?.length ?? 0;
    this.#chunks.delete(name);
  }
}

const nameOf = (handle: number, coords: string) => `${handle}:${coords}`;
