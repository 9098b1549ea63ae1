import type { Summarised } from "./tasks.js";

/** Returns the statistics of groups without values, with a number of classes. */
export function noStatistics(groups: number, classes = 0): Summarised {
  const filled = (value: number) => new Float64Array(groups).fill(value);
  return {
    count: filled(0),
    missing: filled(0),
    least: filled(Number.POSITIVE_INFINITY),
    most: filled(Number.NEGATIVE_INFINITY),
    weights: filled(0),
    mean: filled(0),
    squares: filled(0),
    classes: new Float64Array(groups * classes),
  };
}
