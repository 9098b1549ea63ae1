// How a level lies over the finest.

/** @internal More levels are not opened. */
export const mostLevels = 64;

/**
 * @internal How many elements of the finest level one of a level covers along an axis. What the metadata say counts where the lengths bear
 * it; else the lengths, whose quotient is rounded where a writer has cut off what was left over.
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
 * @internal Where a level begins along an axis, in elements of the finest, by how far the middle of its first element lies from that of
 * the finest's. Where the metadata place the middles of all levels at one point, as most writers do, the edges are what is one.
 */
export function startOf(moved: number, factor: number, full: number): number {
  if (moved === 0 || !Number.isFinite(moved)) return 0;
  const start = moved - (factor - 1) / 2;
  // What rounding leaves is nothing.
  return Math.abs(start) < 1e-6 * factor || Math.abs(start) > full ? 0 : start;
}
