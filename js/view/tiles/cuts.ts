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

/** Cuts the axes of a plane of an array. */
export function cutsOf(array: ZarrArray, axes: readonly number[]): Cuts[] {
  const lengths = axes.map((axis) => Math.max(1, array.chunks[axis] ?? 1));
  const whole = lengths.reduce((a, b) => a * b, 1) <= largest && Math.max(...lengths) <= longest;
  const { chunkShapes } = array.chunkGrid;
  return axes.map((axis, k) => {
    const chunk = lengths[k] as number;
    const most = whole ? Number.POSITIVE_INFINITY : part;
    const runs = chunkShapes[axis];
    const length = array.shape[axis] as number;
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

function irregular(runs: readonly (readonly [length: number, count: number])[], length: number, most: number): Cuts {
  const starts: number[] = [];
  const chunks: number[] = [];
  let parted = false;
  let at = 0;
  let chunk = 0;
  for (const [size, count] of runs) {
    for (let k = 0; k < count && at < length; k++, chunk++) {
      for (let from = 0; from < size && at + from < length; from += Math.min(size, most)) {
        starts.push(at + from);
        chunks.push(chunk);
        if (from > 0) parted = true;
      }
      at += size;
    }
  }
  const count = starts.length;
  return {
    count,
    length,
    at: (element) => {
      let low = 0;
      for (let high = count - 1; low < high; ) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] as number) <= element) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    start: (tile) => starts[tile] ?? length,
    chunks: () => 1,
    chunk: (tile) => chunks[tile] as number,
    parted,
  };
}
