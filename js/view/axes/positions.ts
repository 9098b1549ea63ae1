// Tick marks of a field's axis. Positions are elements of the finest level; element i lies between
// i and i + 1.
import type { Coordinate } from "../../describe/index.js";
import { dateTicks } from "./dates.js";
import { degreeTicks, noTicks, numberText, numberTicks, type Tick, type Ticks, wholeTicks } from "./ticks.js";
import { towards } from "./titles.js";

/** The number of positions that are compared to find whether they rise, fall or do neither. */
const looks = 256;

/**
 * If distances of neighbours differ by more than this factor, round numbers are not interpolated
 * between them.
 */
const uneven = 3;

/**
 * Returns marks between two positions: at round numbers of the coordinate if it has such, else at
 * elements. `units` are the coordinate's units.
 */
export function positionTicks(
  coordinate: Coordinate | null,
  length: number,
  from: number,
  to: number,
  wanted: number,
  units = coordinate?.units ?? "",
): Ticks {
  const low = Math.max(0, Math.min(from, to));
  const high = Math.min(length, Math.max(from, to));
  if (!(high > low)) return noTicks;
  if (coordinate === null) return centred(wholeTicks(low - 0.5, high - 0.5, wanted), low, high);
  const first = Math.floor(low);
  const last = Math.max(first, Math.ceil(high) - 1);
  const run = coordinate.kind === "text" ? null : runOf(coordinate, first, last);
  if (run === null) return atElements(coordinate, first, last, low, high, wanted);
  const a = valueAt(coordinate, low);
  const b = valueAt(coordinate, high);
  const [least, most] = a < b ? [a, b] : [b, a];
  const toward = towards(units);
  const ticks =
    coordinate.kind === "time"
      ? dateTicks(least, most, wanted)
      : toward
        ? degreeTicks(least, most, wanted, toward)
        : numberTicks(least, most, wanted);
  // There is less than one mark between two times: the positions' own texts say more.
  if (ticks.list.length < 2 && last - first < wanted) return atElements(coordinate, first, last, low, high, wanted);
  const list = ticks.list.map(({ position, text }) => ({ position: positionOf(coordinate, position, run), text }));
  if (!run.rising) list.reverse();
  return { ...ticks, list: list.filter(({ position }) => position >= low && position <= high) };
}

/** Moves marks to the middle of their elements. */
function centred({ list, common }: Ticks, low: number, high: number): Ticks {
  const moved = list.map(({ position, text }) => ({ position: position + 0.5, text }));
  return { list: moved.filter(({ position }) => position >= low && position <= high), common };
}

/** Returns evenly spaced marks in the middle of elements, with their positions' own texts. */
function atElements(
  coordinate: Coordinate,
  first: number,
  last: number,
  low: number,
  high: number,
  wanted: number,
): Ticks {
  const indices = wholeTicks(first, last, wanted).list.map(({ position }) => position);
  if (indices.length === 0) indices.push(first);
  const numbers = coordinate.kind === "number";
  let texts = indices.map((i) => (numbers ? numberText(coordinate.number(i)) : coordinate.text(i)));
  // Some short texts are equal, so all elements have their full texts.
  if (numbers && new Set(texts).size < texts.length) texts = indices.map((i) => coordinate.text(i));
  const list: Tick[] = indices.map((i, k) => ({ position: i + 0.5, text: texts[k] ?? "" }));
  return { list: list.filter(({ position }) => position >= low && position <= high), common: "" };
}

interface Run {
  readonly first: number;
  readonly last: number;
  readonly rising: boolean;
}

/**
 * Fits a run to the positions from one element before two indices to one after. Returns null if
 * they are uneven, not monotonic or not numbers.
 */
function runOf(coordinate: Coordinate, from: number, to: number): Run | null {
  const first = Math.max(0, from - 1);
  const last = Math.min(coordinate.length - 1, to + 1);
  if (last <= first) return null;
  const rising = coordinate.number(last) > coordinate.number(first);
  const every = Math.max(1, Math.floor((last - first) / looks));
  let [least, most] = [Infinity, 0];
  for (let i = first; i < last; i += every) {
    const next = Math.min(last, i + every);
    const step = (coordinate.number(next) - coordinate.number(i)) / (next - i);
    if (!(rising ? step > 0 : step < 0) || !Number.isFinite(step)) return null;
    least = Math.min(least, Math.abs(step));
    most = Math.max(most, Math.abs(step));
  }
  return most > uneven * least ? null : { first, last, rising };
}

/**
 * Returns the number at a position. Beyond the first and the last element it extrapolates from
 * their neighbours.
 */
export function valueAt(coordinate: Coordinate, position: number): number {
  const last = coordinate.length - 1;
  if (last < 1) return coordinate.number(0);
  const index = Math.max(0, Math.min(last - 1, Math.floor(position - 0.5)));
  const [a, b] = [coordinate.number(index), coordinate.number(index + 1)];
  return a + (position - 0.5 - index) * (b - a);
}

/** Returns the position of a number within a run. Extrapolates a little beyond the run's ends. */
export function positionOf(coordinate: Coordinate, value: number, { first, last, rising }: Run): number {
  let [low, high] = [first, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (coordinate.number(middle) <= value === rising) low = middle;
    else high = middle;
  }
  const [a, b] = [coordinate.number(low), coordinate.number(high)];
  return low + 0.5 + (value - a) / (b - a);
}
