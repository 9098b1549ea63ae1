// Which values the ends of the colour scale stand for.

export interface Range {
  min: number;
  max: number;
}

/** Elements looked at: enough for a percentile that the eye cannot tell from the exact one. */
const SAMPLE = 1 << 18;

/**
 * The low and high percentile (0…100) of the finite values.
 * Large inputs are sampled at equal distances. Null when no value is finite.
 * A constant input gives a range of that one value.
 */
export function percentileRange(values: ArrayLike<number>, low = 2, high = 98): Range | null {
  const stride = Math.max(1, Math.ceil(values.length / SAMPLE));
  const finite = collect(values, stride);
  // A sample may miss the few finite values of a nearly empty plane.
  const sample = finite.length === 0 && stride > 1 ? collect(values, 1) : finite;
  if (sample.length === 0) return null;
  sample.sort();
  const at = (percent: number): number => {
    const place = (percent / 100) * (sample.length - 1);
    const i = Math.floor(place);
    const a = sample[i] ?? 0;
    const b = sample[Math.min(i + 1, sample.length - 1)] ?? a;
    // Each weighted on its own: the difference of two huge values of opposite sign would overflow.
    return a === b ? a : a * (1 - (place - i)) + b * (place - i);
  };
  let range = { min: at(low), max: at(high) };
  if (range.min === range.max) {
    // Mostly one value, and a few others: show the others too.
    range = { min: sample[0] ?? range.min, max: sample[sample.length - 1] ?? range.max };
  }
  return range;
}

function collect(values: ArrayLike<number>, stride: number): Float64Array {
  const out = new Float64Array(Math.ceil(values.length / stride));
  let n = 0;
  for (let i = 0; i < values.length; i += stride) {
    const v = values[i] ?? NaN;
    if (Number.isFinite(v)) out[n++] = v;
  }
  return out.subarray(0, n);
}

/** Where a value lies on a scale of 256 steps; infinities and outliers go to the ends, a range of no width gives the middle. */
export function step256(value: number, range: Range): number {
  const width = range.max - range.min;
  if (!(width > 0)) return value < range.min ? 0 : value > range.max ? 255 : 128;
  // Halved before the subtraction where the width itself overflows.
  const t =
    width === Infinity ? (value / 2 - range.min / 2) / (range.max / 2 - range.min / 2) : (value - range.min) / width;
  const scaled = t * 256;
  return scaled <= 0 ? 0 : scaled >= 255 ? 255 : Math.floor(scaled);
}
