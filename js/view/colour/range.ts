type Range = readonly [low: number, high: number];

/** The share of the numbers that a range omits at each end. */
const outermost = 0.01;

/** Statistics of the drawn numbers. */
interface Known {
  readonly least: number;
  readonly most: number;
  quantile(share: number): number;
}

/**
 * Returns the range that shows most of the numbers well, without the outermost at each end. For a
 * diverging scale both ends are equally far from 0. For a cyclic scale nothing is left out. If all
 * numbers are equal, the range is that number twice.
 */
export function rangeOf(known: Known, scale: "sequential" | "diverging" | "cyclic" | "categorical"): Range {
  if (scale === "cyclic" || scale === "categorical") return [known.least, known.most];
  let low = known.quantile(outermost);
  let high = known.quantile(1 - outermost);
  // Most numbers are one value: the range includes the few others.
  if (low === high) [low, high] = [known.least, known.most];
  if (scale === "sequential") return [low, high];
  const far = Math.max(Math.abs(low), Math.abs(high));
  return [-far, far];
}
