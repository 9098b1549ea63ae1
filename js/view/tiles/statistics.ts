import type { Surveyed } from "../worker/tasks.js";
import type { Statistics } from "./tiles.js";

/** Converts the result of a survey to {@link Statistics}. */
export function statisticsOf(found: Surveyed, whole: boolean): Statistics {
  const { least, most, count, missing, histogram, quantiles, close } = found;
  const quantile = (share: number) => {
    const at = Math.min(Math.max(share, 0), 1) * (quantiles.length - 1);
    const low = quantiles[Math.floor(at)] as number;
    const high = quantiles[Math.ceil(at)] as number;
    const rest = at - Math.floor(at);
    return low === high ? low : low * (1 - rest) + high * rest;
  };
  return { least, most, count, missing, whole, histogram, quantile, close };
}
