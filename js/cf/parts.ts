import type { ZarrArray } from "../api/array.js";
import type { Selection, Selector, SliceLike } from "../api/selection.js";
import { product } from "../data/shape.js";

/**
 * @internal A part of a region, with its position: `runs` runs of `run` elements. The first run
 * starts at `at`; the next ones follow at distances of `stride`.
 */
export interface ReadBox {
  selection: Selection;
  at: number;
  run: number;
  runs: number;
  stride: number;
}

/** @internal A region read in parts. They are iterated, because a list of all may be too long. */
interface Parts {
  shape: number[];
  parts: Iterable<ReadBox>;
}

/** A range of `count` indices along a dimension. */
interface Range {
  start: number;
  step: number;
  count: number;
}

/** The dimension that is cut. `outer` is the number of elements in the dimensions before it. */
interface Cut extends Range {
  d: number;
  outer: number;
}

/** Resolves a range along a dimension like a Python slice; undefined for other selectors. */
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
 * @internal Cuts a selection at chunk borders into parts of about `least` elements. Cuts along the
 * first dimension with several chunks. Undefined for a selection that is small or not made of
 * ranges and integers; it is then read whole.
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
): Generator<ReadBox, void, undefined> {
  const inner = total / outer / count;
  // Take enough whole chunks along the dimension to reach `least` elements.
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
