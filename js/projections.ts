import type { WireProjection } from "./protocol.js";
import type { Selection } from "./selection.js";
import type { ZarrArray } from "./zarr-array.js";

/** One of the chunks that a selection touches, and what they are all of. */
export interface Projection extends WireProjection {
  /** How many chunks the selection touches. */
  count: number;
  /** The shape of its result. */
  shape: number[];
}

/** Goes over the chunks that a selection touches, in C order. The engine lists a few at a time. */
export async function* projections(
  array: ZarrArray,
  selection: Selection | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Projection, void, undefined> {
  let whole = { count: 0, shape: [] as number[] };
  let from: number[] | null = null;
  let most = 16;
  do {
    const { count, shape, projections, next } = await array.project(selection, from, most, signal);
    if (count !== undefined && shape) whole = { count, shape };
    for (const projection of projections) yield { ...projection, ...whole };
    from = next;
    most = Math.min(4 * most, 1024);
  } while (from);
}
