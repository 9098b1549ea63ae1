import type { ZarrArray } from "../api/array.js";
import type { Selection, Selector, SliceLike } from "../api/selection.js";
import { product } from "../data/shape.js";

/** @internal A part of a region, and where it lies in it: `runs` times `run` elements, from each to the next `stride`, the first at `at`. */
export interface Part {
  selection: Selection;
  at: number;
  run: number;
  runs: number;
  stride: number;
}

/** @internal A region that is read in parts, of which there may be more than can be listed. */
interface Parts {
  shape: number[];
  parts: Iterable<Part>;
}

/** A range along a dimension: `count` indices. */
interface Range {
  start: number;
  step: number;
  count: number;
}

/** The dimension that is cut; the elements before it, of one of its indices. */
interface Cut extends Range {
  d: number;
  outer: number;
}

/** A range along a dimension, resolved as Python resolves a slice; undefined for what is no simple range. */
function resolved(
  selector: Selector | undefined,
  size: number,
): { start: number; step: number; count: number } | undefined {
  if (selector === null || selector === undefined) return { start: 0, step: 1, count: size };
  if (typeof selector !== "object" || !("start" in selector || "stop" in selector || "step" in selector))
    return undefined;
  const { start, stop, step } = selector as SliceLike;
  const numbers = [start ?? 0, stop ?? size, step ?? 1].map(Number);
  if (!numbers.every(Number.isSafeInteger) || (numbers[2] as number) < 1) return undefined;
  const [from, to] = numbers.map((n) => Math.min(size, n < 0 ? Math.max(0, n + size) : n)) as [number, number];
  const by = numbers[2] as number;
  return { start: from, step: by, count: Math.max(0, Math.ceil((to - from) / by)) };
}

/**
 * @internal Cuts a selection at the borders of chunks into parts of about so many elements, along the first dimension that has
 * several chunks. Undefined where it is not made of ranges and integers only, or too small: then it is read whole.
 */
export function partsOf(array: ZarrArray, selection: Selection | undefined, least: number): Parts | undefined {
  const { shape, chunks } = array;
  const list: readonly Selector[] = selection === null || selection === undefined ? [] : (selection as Selector[]);
  if (!Array.isArray(list) || list.length > shape.length || list.includes("...")) return undefined;
  const kept: number[] = [];
  let cut: Cut | undefined;
  for (const [d, size] of shape.entries()) {
    const selector = list[d];
    if (typeof selector === "number" || typeof selector === "bigint") continue;
    const range = resolved(selector, size);
    if (!range) return undefined;
    const { start, step, count } = range;
    const chunk = chunks[d] as number;
    const several = count > 0 && Math.floor(start / chunk) < Math.floor((start + (count - 1) * step) / chunk);
    if (!cut && several) cut = { d, ...range, outer: product(kept) };
    kept.push(count);
  }
  const total = product(kept);
  if (!cut || total <= least) return undefined;
  return {
    shape: kept,
    parts: cutInto(cut, {
      total,
      least,
      chunk: chunks[cut.d] as number,
      selectors: shape.map((_, k) => list[k] ?? null),
    }),
  };
}

function* cutInto(
  { d, start, step, count, outer }: Cut,
  { total, least, chunk, selectors }: { total: number; least: number; chunk: number; selectors: Selector[] },
): Generator<Part, void, undefined> {
  const inner = total / outer / count;
  // So many whole chunks along the dimension that they have enough elements.
  const length = chunk * Math.max(1, Math.ceil((least * step) / (outer * inner * chunk)));
  for (let i = 0; i < count; ) {
    const border = (Math.floor((start + i * step) / length) + 1) * length;
    const next = Math.min(count, Math.ceil((border - start) / step));
    const range = { start: start + i * step, stop: start + (next - 1) * step + 1, step };
    const selection = selectors.map((selector, k) => (k === d ? range : selector));
    yield { selection, at: i * inner, run: (next - i) * inner, runs: outer, stride: count * inner };
    i = next;
  }
}
