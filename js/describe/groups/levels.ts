// The position of a level over the finest.

/** @internal The most levels opened. */
export const mostLevels = 64;

/**
 * @internal How many elements of the finest level one element of a level covers along an axis. The
 * metadata's ratio counts if it fits the lengths. Otherwise the quotient of the lengths counts,
 * rounded if a writer cut off a remainder.
 */
export function factorOf(full: number, length: number, ratio: number | undefined): number {
  if (full === 0 || length === 0) return 1;
  if (ratio !== undefined && ratio > 0 && Number.isFinite(ratio) && Math.abs(full / ratio - length) <= 1.5)
    return ratio;
  const quotient = full / length;
  const whole = Math.round(quotient);
  return whole >= 1 && Math.abs(full / whole - length) < 1 ? whole : quotient;
}

/**
 * @internal The start of a level along an axis, in elements of the finest. `moved` is the distance
 * between the centres of the first elements. Most writers state the same centre for all levels;
 * their edges are then taken as equal.
 */
export function startOf(moved: number, factor: number, full: number): number {
  if (moved === 0 || !Number.isFinite(moved)) return 0;
  const start = moved - (factor - 1) / 2;
  // Ignore rounding errors.
  return Math.abs(start) < 1e-6 * factor || Math.abs(start) > full ? 0 : start;
}
