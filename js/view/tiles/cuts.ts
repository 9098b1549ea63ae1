import type { ZarrArray } from "../../api/array.js";

/** How an axis of a level is cut into tiles, which are aligned with its chunks. */
export interface Cuts {
  /** How many tiles there are. */
  readonly count: number;
  /** How many elements there are. */
  readonly length: number;
  /** The tile that an element is in. */
  at(element: number): number;
  /** The first element of a tile; of the number of tiles, the number of elements. */
  start(tile: number): number;
  /** How many chunks a tile has. */
  chunks(tile: number): number;
  /** The chunk that the first element of a tile is in. */
  chunk(tile: number): number;
  /** Whether tiles are parts of chunks. */
  readonly parted: boolean;
}

/** The largest tile that is made of several chunks, along an axis: with more, chunks would be read that are not seen. */
const together = 256;
/** Parts of chunks, along an axis. */
const part = 1024;
/** The largest chunk that is one tile: its elements, and its length. */
const largest = 1.5 * 2 ** 20;
const longest = 4096;

/** Beyond this, one more is the same number: elements there are not drawn. */
const countable = 2 ** 52;

/** Cuts the axes of a plane of an array. */
export function cutsOf(array: ZarrArray, axes: readonly number[]): Cuts[] {
  const lengths = axes.map((axis) => Math.max(1, array.chunks[axis] ?? 1));
  const whole = lengths.reduce((a, b) => a * b, 1) <= largest && Math.max(...lengths) <= longest;
  const { chunkShapes } = array.chunkGrid;
  return axes.map((axis, k) => {
    const chunk = lengths[k] as number;
    const most = whole ? Number.POSITIVE_INFINITY : part;
    const runs = chunkShapes[axis];
    const length = Math.min(array.shape[axis] as number, countable);
    // Of one run, all chunks are of one length, and there may be very many.
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

/** Chunks of one length beside each other. */
interface Run {
  /** The length of each. */
  readonly size: number;
  /** The first element, tile and chunk. */
  readonly at: number;
  readonly tile: number;
  readonly chunk: number;
  /** How many tiles a chunk is. */
  readonly parts: number;
}

/** Runs are not written down chunk by chunk: a document of a few bytes may have a hundred million of them. */
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
  /** The last run of which a number is not above another. */
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
