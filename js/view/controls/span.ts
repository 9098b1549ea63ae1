import type { Curve } from "../paint/painter.js";
import type { Statistics } from "../tiles/tiles.js";

/** A low and a high value. */
export type Range = readonly [low: number, high: number];

/**
 * The values that a bar spans, and their places along it. A logarithmic span places values by their
 * ratio, others by their difference.
 */
export class Span {
  /** The least and the largest value. */
  readonly ends: Range;
  readonly #log: boolean;
  readonly #low: number;
  readonly #high: number;

  constructor(ends: Range, curve: Curve) {
    this.#log = curve.kind === "log" && ends[0] > 0;
    const [low, high] = ends;
    this.ends = high > low ? ends : [low, low];
    this.#low = this.#log ? Math.log(this.ends[0]) : this.ends[0];
    this.#high = this.#log ? Math.log(this.ends[1]) : this.ends[1];
  }

  /**
   * Returns a value's place: 0 at the least, 1 at the largest, and beyond these outside. In a span
   * of one value it is the middle.
   */
  at(value: number): number {
    if (this.#low === this.#high) return 0.5;
    const v = this.#log ? Math.log(Math.max(value, Number.MIN_VALUE)) : value;
    // Both terms are halved, because the difference of two huge numbers may be infinite.
    return (v / 2 - this.#low / 2) / (this.#high / 2 - this.#low / 2);
  }

  /** Returns the value at a place. */
  value(at: number): number {
    const v = this.#low * (1 - at) + this.#high * at;
    return this.#log ? Math.exp(v) : v;
  }
}

/**
 * Returns the span of a bar: the range and data around it. The range keeps at least a third of the
 * bar.
 */
export function room(range: Range, curve: Curve, statistics: Statistics | null): Span {
  const inner = new Span(range, curve);
  if (!statistics || !(statistics.most >= statistics.least)) return inner;
  const at = (value: number) => (value > 0 || curve.kind !== "log" ? inner.at(value) : 0);
  const low = Math.max(-1, Math.min(0, at(statistics.least)));
  const high = Math.min(2, Math.max(1, at(statistics.most)));
  return new Span([low === 0 ? range[0] : inner.value(low), high === 1 ? range[1] : inner.value(high)], curve);
}

/**
 * Returns the range that shows most of the data: without two percent at each end. If these
 * quantiles are equal, it spans all data.
 */
export function autoRange(statistics: Statistics): Range {
  const low = statistics.quantile(0.02);
  const high = statistics.quantile(0.98);
  return high > low ? [low, high] : fullRange(statistics);
}

/** Returns the range from the least to the largest value. */
export function fullRange({ least, most }: Statistics): Range {
  return most > least ? [least, most] : [least, least + (Math.abs(least) || 1)];
}

/** Returns a range that is symmetric about 0. */
export function symmetric([low, high]: Range): Range {
  const most = Math.max(Math.abs(low), Math.abs(high)) || 1;
  return [-most, most];
}

/** Returns a positive range, which a logarithm needs. */
export function positive(range: Range, statistics: Statistics | null): Range {
  if (range[0] > 0) return range;
  const high = range[1] > 0 ? range[1] : 1;
  const small = statistics?.quantile(0.02) ?? 0;
  return [small > 0 && small < high ? small : high / 1000, high];
}

/**
 * Returns the outline of a histogram over a span, in a box of 100 by 100. Heights are square roots,
 * so that small counts are visible beside large ones.
 */
export function outline(statistics: Statistics, span: Span): string {
  const { least, most, histogram } = statistics;
  const width = (most - least) / histogram.length;
  let largest = 1;
  for (const count of histogram) largest = Math.max(largest, count);
  let path = "M0 100";
  let last = 0;
  for (let i = 0; i < histogram.length; i++) {
    const from = Math.max(0, span.at(least + i * width));
    const to = Math.min(1, span.at(least + (i + 1) * width));
    if (!(to > from)) continue;
    const top = (100 - 100 * Math.sqrt((histogram[i] ?? 0) / largest)).toFixed(1);
    path += `${from > last + 1e-6 ? `V100H${(100 * from).toFixed(2)}` : ""}V${top}H${(100 * to).toFixed(2)}`;
    last = to;
  }
  return `${path}V100Z`;
}
