import type { ZarrArray } from "./array.js";
import type { Selection } from "./selection.js";

/** Positions along one dimension: a list, or a range. The stop is null if it would be negative. */
export type Line = { start: number; stop: number | null; step: number } | number[];

/** A chunk that a selection touches, with its part of the selection. */
export interface Projection {
  /** The number of touched chunks. */
  count: number;
  /** The shape of the selection's result. */
  shape: number[];
  /** The chunk's coordinates in the grid. */
  coords: number[];
  /** The chunk's first element in the array. */
  start: number[];
  /** The selected part of the array, for each dimension. */
  selection: (number | Line)[];
  /** The place of that part in the result, for each of the result's dimensions. */
  out: Line[];
}

/** Yields the chunks that a selection touches, in C order. The engine returns a few at a time. */
export async function* projections(
  array: ZarrArray,
  selection: Selection | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Projection, void, undefined> {
  let all = { count: 0, shape: [] as number[] };
  let from: number[] | undefined;
  let most = 16;
  do {
    const { count, shape, projections, numbers, next } = await array.project(selection, from ?? [], most, signal);
    if (count !== undefined && shape) all = { count, shape };
    let at = 0;
    const take = () => numbers[at++] as number;
    const line = (): number | Line => {
      const length = take();
      if (length > 0) {
        at += length;
        return numbers.slice(at - length, at);
      }
      const start = take();
      const last = take();
      const step = take();
      const stop = last + Math.sign(step);
      return step === 0 ? start : { start, stop: stop < 0 ? null : stop, step };
    };
    for (let i = 0; i < projections; i++) {
      const projection: Projection = { ...all, coords: [], start: [], selection: [], out: [] };
      for (let d = 0; d < array.shape.length; d++) {
        projection.coords.push(take());
        projection.start.push(take());
        const taken = line();
        projection.selection.push(taken);
        if (typeof taken !== "number") projection.out.push(line() as Line);
      }
      yield projection;
    }
    from = next;
    most = Math.min(4 * most, 1024);
  } while (from);
}
