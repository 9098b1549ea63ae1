import type { LabelSlice } from "./labels.js";

/**
 * Returns a range of labels: `slice(stop)`, `slice(start, stop)` or `slice(start, stop, step)`. In
 * `sel` both ends are included and follow the coordinate's order. In `isel` they are positions, and
 * the stop is excluded. Unlike the package's own `slice`, the ends may be any labels.
 */
export function slice<L>(stop: L | null): LabelSlice<L>;
export function slice<L>(start: L | null, stop: L | null, step?: number | null): LabelSlice<L>;
export function slice<L>(...ends: [L | null, (L | null)?, (number | null)?]): LabelSlice<L> {
  const [first, stop = null, step = null] = ends;
  return ends.length === 1 ? { start: null, stop: first, step } : { start: first, stop, step };
}
