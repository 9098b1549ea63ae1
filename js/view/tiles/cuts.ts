import type { ZarrArray } from "../../api/array.js";

/** The division of a level's axis into tiles, which are aligned with its chunks. */
export interface Cuts {
  /** The number of tiles. */
  readonly count: number;
  /** The number of elements. */
  readonly length: number;
  /** Returns the tile of an element. */
  at(element: number): number;
  /**
   * Returns the first element of a tile. For the number of tiles it returns the number of elements.
   */
  start(tile: number): number;
  /** Returns the number of chunks of a tile. */
  chunks(tile: number): number;
  /** Returns the chunk of a tile's first element. */
  chunk(tile: number): number;
  /** Whether tiles are parts of chunks. */
  readonly parted: boolean;
}

/**
 * The longest tile of several chunks along an axis. Longer ones would read chunks outside the view.
 */
const together = 256;
/** The length of parts of chunks along an axis. */
const part = 1024;
/** The largest chunk that becomes one tile: its elements, and its length. */
const largest = 1.5 * 2 ** 20;
const longest = 4096;

/** Beyond this, adding one does not change a number; elements there are not drawn. */
const countable = 2 ** 52;

/** Returns the cuts of the axes of a plane of an array. */
export function cutsOf(array: ZarrArray, axes: readonly number[]): Cuts[] {
  const lengths = axes.map((axis) => Math.max(1, array.chunks[axis] ?? 1));
  const whole = lengths.reduce((a, b) => a * b, 1) <= largest && Math.max(...lengths) <= longest;
  const { chunkShapes } = array.chunkGrid;
  return axes.map((axis, k) => {
    const chunk = lengths[k] as number;
    const most = whole ? Number.POSITIVE_INFINITY : part;
    const runs = chunkShapes[axis];
    const length = Math.min(array.shape[axis] as number, countable);
    // In a single run all chunks have one length, and their number may be huge.
    return Array.isArray(runs) && runs.length > 1 ? irregular(runs, length, most) : regular(chunk, length, most);
  });
}

function regular(chunk: number, length: number, most: number): Cuts {
  const parts = chunk > most ? Math.ceil(chunk / most) : 1;
  const size = parts > 1 ? chunk : chunk * Math.max(1, Math.floor(together / chunk));
  // The last chunk may reach beyond the array, where it has no parts.
  const rest = length % size;
  const count = Math.floor(length / size) * parts + (parts > 1 ? Math.ceil(rest / most) : rest > 0 ? 1 : 0);
  const start = (tile: number) =>
    tile >= count ? length : Math.floor(tile / parts) * size + (parts > 1 ? (tile % parts) * most : 0);
  return {
    count,
    length,
    at: (element) => Math.floor(element / size) * parts + (parts > 1 ? Math.floor((element % size) / most) : 0),
    start,
    chunks: (tile) => (parts > 1 ? 1 : Math.ceil((start(tile + 1) - start(tile)) / chunk)),
    chunk: (tile) => Math.floor(start(tile) / chunk),
    parted: parts > 1,
  };
}

/** Consecutive chunks of one length. */
interface Run {
  /** The length of each chunk. */
  readonly size: number;
  /** The first element, tile and chunk of the run. */
  readonly at: number;
  readonly tile: number;
  readonly chunk: number;
  /** The number of tiles per chunk. */
  readonly parts: number;
}

/**
 * Runs are not expanded into chunks: a document of a few bytes may describe a hundred million of
 * them.
 */
function irregular(given: readonly (readonly [length: number, count: number])[], length: number, most: number): Cuts {
  const runs: Run[] = [];
  let [end, tiles, chunks] = [0, 0, 0];
  for (const [size, count] of given) {
    if (!(size > 0 && count > 0) || end >= length) continue;
    const parts = Math.max(1, Math.ceil(size / most));
    runs.push({ size, at: end, tile: tiles, chunk: chunks, parts });
    end += size * count;
    tiles += parts * count;
    chunks += count;
  }
  /** Returns the last run whose `at` or `tile` is no larger than a value. */
  const runOf = (what: "at" | "tile", value: number): Run => {
    let low = 0;
    for (let high = runs.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if ((runs[middle] as Run)[what] <= value) low = middle;
      else high = middle - 1;
    }
    return runs[low] as Run;
  };
  const at = (element: number): number => {
    const { at, size, tile, parts } = runOf("at", element);
    const from = element - at;
    return tile + Math.floor(from / size) * parts + (parts > 1 ? Math.floor((from % size) / most) : 0);
  };
  const count = runs.length > 0 && length > 0 ? at(length - 1) + 1 : 0;
  return {
    count,
    length,
    at,
    start: (tile) => {
      if (tile >= count) return length;
      const run = runOf("tile", tile);
      const from = tile - run.tile;
      return run.at + Math.floor(from / run.parts) * run.size + (run.parts > 1 ? (from % run.parts) * most : 0);
    },
    chunks: () => 1,
    chunk: (tile) => {
      const run = runOf("tile", tile);
      return run.chunk + Math.floor((tile - run.tile) / run.parts);
    },
    parted: runs.some(({ parts }) => parts > 1),
  };
}
