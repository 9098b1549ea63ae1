// Statistics of a volume from those of its parts.
import { statisticsOf } from "../tiles/statistics.js";
import type { Statistics } from "../tiles/tiles.js";
import type { Surveyed } from "../worker/tasks.js";

/** The number of quantiles of all parts that are sorted. */
const most = 8192;

/** Returns the quantiles of the values of all parts, in equal distances. */
function quantilesOf(parts: readonly Surveyed[]): Float64Array {
  const [first] = parts as readonly [Surveyed, ...Surveyed[]];
  if (parts.length === 1) return first.quantiles;
  const steps = first.quantiles.length - 1;
  const every = Math.max(1, Math.ceil((parts.length * steps) / most));
  const points: { readonly value: number; readonly weight: number }[] = [];
  for (const { quantiles, count, missing } of parts)
    for (let i = 0; i < steps; i += every) {
      const end = Math.min(steps, i + every);
      const weight = ((count - missing) * (end - i)) / steps;
      points.push({ value: ((quantiles[i] as number) + (quantiles[end] as number)) / 2, weight });
    }
  points.sort((a, b) => a.value - b.value);
  const all = points.reduce((sum, { weight }) => sum + weight, 0);
  const found = new Float64Array(steps + 1);
  let [at, below] = [0, 0];
  for (let i = 0; i <= steps; i++) {
    while (at < points.length - 1 && below + (points[at]?.weight ?? 0) < (i / steps) * all)
      below += points[at++]?.weight ?? 0;
    found[i] = points[at]?.value ?? Number.NaN;
  }
  return found;
}

/**
 * Returns the statistics of a volume. Counts and extremes are exact. Quantiles and the histogram
 * are as fine as those of the parts.
 */
export function volumeStatistics(all: readonly Surveyed[]): Statistics {
  const parts = all.filter(({ count, missing }) => count > missing);
  const sum = (of: "count" | "missing") => all.reduce((total, part) => total + part[of], 0);
  const [count, missing] = [sum("count"), sum("missing")];
  const [first] = all as readonly [Surveyed, ...Surveyed[]];
  if (parts.length === 0) return { ...statisticsOf({ ...first, count, missing }, false), volume: true };
  const least = Math.min(...parts.map((part) => part.least));
  const top = Math.max(...parts.map((part) => part.most));
  const histogram = new Uint32Array(first.histogram.length);
  const bins = histogram.length;
  for (const part of parts)
    part.histogram.forEach((amount, i) => {
      const value = part.least + ((i + 0.5) / bins) * (part.most - part.least);
      const bin = top > least ? Math.min(bins - 1, Math.floor(((value - least) / (top - least)) * bins)) : 0;
      histogram[bin] = (histogram[bin] as number) + amount;
    });
  const quantiles = Float64Array.from(quantilesOf(parts));
  quantiles[0] = least;
  quantiles[quantiles.length - 1] = top;
  return { ...statisticsOf({ least, most: top, count, missing, histogram, quantiles }, false), volume: true };
}
