// The axis along which lines run: the positions of its indices, and the indices of a range.

import type { Coordinate } from "../../describe/index.js";
import { dateTicks } from "../axes/dates.js";
import { positionTicks } from "../axes/positions.js";
import { degreeTicks, numberTicks, type Ticks } from "../axes/ticks.js";
import { towards } from "../axes/titles.js";

/** The positions of an axis's indices. */
export interface Along {
  /** The lower end of the axis. */
  readonly low: number;
  /** The upper end. */
  readonly high: number;
  /** Whether larger positions are further left. */
  readonly flipped: boolean;
  /** Returns the position of an index. */
  at(index: number): number;
  /** Returns the first index at this position or beyond. */
  from(position: number): number;
  /** Returns marks between two positions. */
  ticks(low: number, high: number, wanted: number): Ticks;
}

/** More positions than this are assumed to be evenly spaced, without a check of each. */
const maxChecked = 2 ** 20;

/**
 * Returns an axis of `length` indices. The positions of an unevenly spaced, monotonic coordinate
 * become the axis's own. Otherwise the axis has indices, with marks of the coordinate.
 */
export function along(length: number, coordinate: Coordinate | null, units: string): Along {
  const own =
    coordinate && coordinate.kind !== "text" && length <= maxChecked ? unevenPositions(coordinate, length) : null;
  return own ? byPosition(own, coordinate?.kind === "time", units) : byIndex(length, coordinate, units);
}

function byIndex(length: number, coordinate: Coordinate | null, units: string): Along {
  const falls = coordinate !== null && length > 1 && coordinate.number(length - 1) < coordinate.number(0);
  return {
    low: 0,
    high: Math.max(1, length),
    flipped: falls,
    at: (index) => index + 0.5,
    from: (position) => Math.max(0, Math.min(length, Math.ceil(position - 0.5))),
    ticks: (low, high, wanted) => positionTicks(coordinate, length, low, high, wanted, units),
  };
}

/**
 * Negates the positions of a falling coordinate, so that they rise with the indices, and draws them
 * from right to left.
 */
function byPosition({ positions, falls }: Uneven, time: boolean, units: string): Along {
  const length = positions.length;
  const at = (index: number): number => positions[index] as number;
  const pad = (at(length - 1) - at(0)) * 0.01;
  const toward = towards(units);
  const ticks = (low: number, high: number, wanted: number): Ticks => {
    if (time) return dateTicks(low, high, wanted);
    return toward ? degreeTicks(low, high, wanted, toward) : numberTicks(low, high, wanted);
  };
  return {
    low: at(0) - pad,
    high: at(length - 1) + pad,
    flipped: falls,
    at,
    from: (position) => {
      let [low, high] = [0, length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (at(middle) < position) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    ticks: (low, high, wanted) => {
      if (!falls) return ticks(low, high, wanted);
      const { list, common } = ticks(-high, -low, wanted);
      return { common, list: list.map(({ position, text }) => ({ position: -position, text })).reverse() };
    },
  };
}

interface Uneven {
  readonly positions: Float64Array;
  readonly falls: boolean;
}

/**
 * Returns the positions, negated if they fall. Returns null if they are evenly spaced or not
 * monotonic.
 */
function unevenPositions(coordinate: Coordinate, length: number): Uneven | null {
  if (length < 3) return null;
  const falls = coordinate.number(length - 1) < coordinate.number(0);
  const positions = Float64Array.from({ length }, (_, i) => (falls ? -1 : 1) * coordinate.number(i));
  const mean = ((positions[length - 1] as number) - (positions[0] as number)) / (length - 1);
  let even = true;
  for (let i = 1; i < length; i++) {
    const step = (positions[i] as number) - (positions[i - 1] as number);
    if (!(step > 0) || !Number.isFinite(step)) return null;
    if (Math.abs(step - mean) > mean * 0.01) even = false;
  }
  return even ? null : { positions, falls };
}
