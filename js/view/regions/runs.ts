// Selections of derived arrays.
import type { Item } from "../tiles/elements.js";

/** The elements that an item selects of an axis. */
interface Run {
  readonly from: number;
  readonly count: number;
  readonly step: number;
  /** Whether the result has no such axis. */
  readonly single: boolean;
}

/** Returns the elements that an item selects of an axis of some length. */
export function runOf(item: Item | undefined, length: number): Run {
  if (typeof item === "number") return { from: item, count: 1, step: 1, single: true };
  const [from, step] = [item?.start ?? 0, item?.step ?? 1];
  const count = Math.max(0, Math.ceil((Math.min(length, item?.stop ?? length) - from) / step));
  return { from, step, count, single: false };
}

/** Yields all indices of runs, the last run fastest. */
export function* indicesOf(runs: readonly Run[]): Generator<readonly number[], void, undefined> {
  const count = runs.reduce((product, run) => product * run.count, 1);
  const at = runs.map(() => 0);
  for (let i = 0; i < count; i++) {
    yield runs.map(({ from, step }, d) => from + (at[d] ?? 0) * step);
    for (let d = runs.length - 1; d >= 0; d--) {
      at[d] = (at[d] ?? 0) + 1;
      if ((at[d] ?? 0) < (runs[d]?.count ?? 0)) break;
      at[d] = 0;
    }
  }
}

/** Returns the shape and the strides, in C order, of what runs select. */
export function selected(runs: readonly Run[]): { readonly shape: number[]; readonly stride: number[] } {
  const shape = runs.flatMap(({ single, count }) => (single ? [] : [count]));
  return { shape, stride: shape.map((_, d) => shape.slice(d + 1).reduce((product, length) => product * length, 1)) };
}
