import type { Curve } from "../paint/painter.js";

type Range = readonly [low: number, high: number];

/** The ends between which a logarithm runs: an end that is not above 0 is a ten-thousandth of the other. */
export function logRange([low, high]: Range): Range {
  if (low > 0 && high > 0) return [low, high];
  if (high > 0) return [high / 1e4, high];
  return low > 0 ? [low, low / 1e4] : [1e-4, 1];
}

/** The logarithm that colours run by; what has none is below all others. */
const log = (value: number): number => (value > 0 ? Math.log2(value) : -1e30);

/**
 * A line through the ends of a range: where a number lies between them is `(number - from) * by + plus`, from 0 to 1. Where the ends are one
 * number, it lies in the middle.
 */
export interface Line {
  readonly from: number;
  readonly by: number;
  readonly plus: number;
}

/** The line through two ends. */
export function lineOf([low, high]: Range): Line {
  if (low === high) return { from: low, by: 1e30, plus: 0.5 };
  // Halved before they are subtracted: the difference of two huge numbers is infinite.
  return { from: low, by: 0.5 / (high / 2 - low / 2), plus: 0 };
}

/** Where a value lies between the ends of a range: from 0, also below the first, to 1. The colour bar and the painter agree by it. */
export function shareOf(value: number, range: Range, curve: Curve): number {
  const logarithmic = curve.kind === "log";
  const { from, by, plus } = lineOf(logarithmic ? logsOf(range) : range);
  const number = logarithmic ? log(value) : value;
  const share = Math.min(1, Math.max(0, (number / 2 - from / 2) * (by * 2) + plus));
  return curve.kind === "power" ? share ** curve.exponent : share;
}

/** The logarithms of the ends between which a logarithm runs. */
export function logsOf(range: Range): Range {
  const [low, high] = logRange(range);
  return [log(low), log(high)];
}

/** The value that lies at a share of a range, from 0 to 1: the other way round than {@link shareOf}. */
export function valueAt(share: number, range: Range, curve: Curve): number {
  if (curve.kind === "log") {
    const [low, high] = logsOf(range);
    return 2 ** (low + (high - low) * share);
  }
  const at = curve.kind === "power" ? share ** (1 / curve.exponent) : share;
  return range[0] * (1 - at) + range[1] * at;
}
