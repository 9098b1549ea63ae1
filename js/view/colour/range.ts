type Range = readonly [low: number, high: number];

/** What is known of the numbers that are drawn. */
interface Known {
  readonly least: number;
  readonly most: number;
  quantile(share: number): number;
}

/**
 * The range that shows most of the numbers well: without the outermost of each end. Where the values run both ways from 0, both ends are
 * equally far from it; around a circle nothing is left out. Where all numbers are one, it is that number twice.
 */
export function rangeOf(
  known: Known,
  scale: "sequential" | "diverging" | "cyclic" | "categorical",
  outer = 0.01,
): Range {
  if (scale === "cyclic" || scale === "categorical") return [known.least, known.most];
  let low = known.quantile(outer);
  let high = known.quantile(1 - outer);
  // Mostly one value, and a few others: these are to be seen.
  if (low === high) [low, high] = [known.least, known.most];
  if (scale === "sequential") return [low, high];
  const far = Math.max(Math.abs(low), Math.abs(high));
  return [-far, far];
}
