import type { Curve } from "../paint/painter.js";

type Range = readonly [low: number, high: number];

/**
 * Returns the ends of a logarithmic range. An end that is not positive becomes a ten-thousandth of
 * the other.
 */
export function logRange([low, high]: Range): Range {
  if (low > 0 && high > 0) return [low, high];
  if (high > 0) return [high / 1e4, high];
  return low > 0 ? [low, low / 1e4] : [1e-4, 1];
}

/** Returns the logarithm by which colours run. Numbers without a logarithm are below all others. */
const log = (value: number): number => (value > 0 ? Math.log2(value) : -1e30);

/**
 * A line through the ends of a range. `(number - from) * by + plus` maps a number between them to
 * 0…1. If both ends are one number, the result is 0.5.
 */
export interface Line {
  readonly from: number;
  readonly by: number;
  readonly plus: number;
}

/** Returns the line through two ends. */
export function lineOf([low, high]: Range): Line {
  if (low === high) return { from: low, by: 1e30, plus: 0.5 };
  // Both ends are halved before the subtraction: the difference of two huge numbers is infinite.
  return { from: low, by: 0.5 / (high / 2 - low / 2), plus: 0 };
}

/**
 * Returns a value's share of a range, clamped to 0…1. The colour bar and the painters use the same
 * function.
 */
export function shareOf(value: number, range: Range, curve: Curve): number {
  const logarithmic = curve.kind === "log";
  const { from, by, plus } = lineOf(logarithmic ? logsOf(range) : range);
  const number = logarithmic ? log(value) : value;
  const share = Math.min(1, Math.max(0, (number / 2 - from / 2) * (by * 2) + plus));
  return curve.kind === "power" ? share ** curve.exponent : share;
}

/** Returns the logarithms of the ends of a logarithmic range. */
export function logsOf(range: Range): Range {
  const [low, high] = logRange(range);
  return [log(low), log(high)];
}
