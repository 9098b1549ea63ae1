import type { Selection, Selector, SliceLike } from "../api/selection.js";
import { InvalidSelectionError } from "../errors.js";
import { show } from "../shared/arguments.js";

/**
 * The part of a dimension that a selector takes: `count` indices, either `list`, or from `start` in
 * steps of `step`.
 */
export interface Axis {
  readonly count: number;
  readonly start: number;
  readonly step: number;
  readonly list: readonly number[] | undefined;
  /** Whether the selector was an index, which drops the dimension. */
  readonly dropped: boolean;
}

/** Returns the i-th selected index. */
export function at({ list, start, step }: Axis, i: number): number {
  return list ? (list[i] as number) : start + i * step;
}

const range = (start: number, count: number, step = 1, dropped = false): Axis => ({
  count,
  start,
  step,
  list: undefined,
  dropped,
});

/**
 * Resolves a selection for a shape, with one axis per dimension. The rules are those of
 * `Array.get`.
 */
export function axesOf(selection: Selection | undefined, shape: readonly number[], path: string): Axis[] {
  const entries: unknown = selection ?? [];
  if (!Array.isArray(entries)) throw wrong(path, `${show(entries)} is not a list of a selector for each dimension`);
  const dots = entries.indexOf("...");
  const [before, after] = dots < 0 ? [entries, []] : [entries.slice(0, dots), entries.slice(dots + 1)];
  if (after.includes("...")) throw wrong(path, 'more than one "..."');
  const left = shape.length - before.length - after.length;
  if (left < 0) throw wrong(path, `${shape.length - left} selectors for ${shape.length} dimensions`);
  const all = [...before, ...new Array<null>(left).fill(null), ...after] as Selector[];
  return all.map((selector, d) => axisOf(selector, shape[d] as number, path));
}

/** Resolves a selector for a dimension with the given length. */
export function axisOf(selector: Selector | undefined, length: number, path: string): Axis {
  if (selector === null || selector === undefined) return range(0, length);
  if (typeof selector === "number" || typeof selector === "bigint")
    return range(index(selector, length, path), 1, 1, true);
  if (Array.isArray(selector) || (ArrayBuffer.isView(selector) && !(selector instanceof DataView))) {
    const list = Array.from(selector as Iterable<unknown>);
    // The iterator of BoolArray yields booleans. Among selectors only BoolArray has get().
    const mask =
      "get" in selector || typeof list[0] === "boolean"
        ? maskOf(list, length, path)
        : list.map((one) => index(one, length, path));
    return { count: mask.length, start: 0, step: 0, list: mask, dropped: false };
  }
  if (typeof selector === "object" && "start" in selector && "stop" in selector) return sliced(selector, length, path);
  throw wrong(path, `${show(selector)} selects nothing: use an index, slice(), null, "...", a list or a mask`);
}

function wrong(path: string, what: string): InvalidSelectionError {
  return new InvalidSelectionError(`invalid selection of ${path}: ${what}`, { path });
}

function integer(value: unknown, path: string): number {
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw wrong(path, `expected an integer, not ${show(value)}`);
}

function index(value: unknown, length: number, path: string): number {
  const i = integer(value, path);
  const counted = i < 0 ? i + length : i;
  if (counted < 0 || counted >= length) throw wrong(path, `index ${i} is outside a dimension of ${length}`);
  return counted;
}

function maskOf(mask: readonly unknown[], length: number, path: string): number[] {
  if (mask.length !== length) throw wrong(path, `a mask of ${mask.length} for a dimension of ${length}`);
  return mask.flatMap((taken, i) => {
    if (typeof taken !== "boolean") throw wrong(path, `${show(taken)} in a mask of booleans`);
    return taken ? [i] : [];
  });
}

function sliced(slice: SliceLike, length: number, path: string): Axis {
  const step = integer(slice.step ?? 1, path);
  if (step === 0) throw wrong(path, "a slice's step is 0");
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const bound = (value: number | bigint | null | undefined, otherwise: number) => {
    if (value === null || value === undefined) return otherwise;
    const infinite = value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
    const number = infinite ? (value as number) : integer(value, path);
    return Math.min(Math.max(number < 0 ? number + length : number, low), high);
  };
  const start = bound(slice.start, step > 0 ? low : high);
  const stop = bound(slice.stop, step > 0 ? high : low);
  return range(start, Math.max(0, Math.ceil((stop - start) / step)), step);
}
