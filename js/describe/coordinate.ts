// Positions along an axis: a coordinate's elements, a scale, or names.
import type { ZarrArray } from "../api/array.js";
import type { Decoded } from "../cf/index.js";
import { member, own, text } from "../shared/attributes.js";
import type { Coordinate } from "./field.js";
import { attempt, loadXarray } from "./load.js";
import { roundText, unitText, withUnits } from "./text.js";

/**
 * The longest coordinates that are read whole. A longer one is read only if it is evenly spaced,
 * which a few of its elements show. Names take more memory than numbers.
 */
const mostPositions = 1 << 24;
const mostNames = 1 << 20;
/** Longer coordinates are examined for even spacing before they are read whole. */
const manyPositions = 1 << 20;
/** The number of places at which the spacing of a long coordinate is examined. */
const probes = 9;

const ofIndex = (index: number, length: number) => Number.isInteger(index) && index >= 0 && index < length;

/**
 * The index with the number nearest to `wanted`; undefined if every number is NaN. Many numbers are
 * assumed to be monotonic.
 */
function nearest(wanted: number, length: number, number: (i: number) => number): number | undefined {
  let found: number | undefined;
  if (length > manyPositions) {
    const rises = number(length - 1) > number(0);
    let [low, high] = [0, length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (number(middle) <= wanted === rises) low = middle;
      else high = middle;
    }
    return Math.abs(number(high) - wanted) < Math.abs(number(low) - wanted) ? high : low;
  }
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < length; i++) {
    const distance = Math.abs(number(i) - wanted);
    if (distance < best) [found, best] = [i, distance];
  }
  return found;
}

/** Parses the number at the start of a text with units; undefined if there is none. */
function written(text: string): number | undefined {
  const [all, west] = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*(?:°?\s*([ws])\b)?/i.exec(text) ?? [];
  const value = all === undefined ? Number.NaN : Number.parseFloat(all);
  return Number.isNaN(value) ? undefined : west ? -value : value;
}

/** A position as text. West and south replace the minus sign. */
function positionText(value: number, units: string): string {
  const other = own({ "°E": "°W", "°N": "°S" }, units);
  return value < 0 && other ? withUnits(roundText(-value), other) : withUnits(roundText(value), units);
}

/** @internal Numeric positions. */
function numberCoordinate(name: string, units: string, length: number, number: (index: number) => number): Coordinate {
  const at = (i: number) => (ofIndex(i, length) ? number(i) : Number.NaN);
  return {
    kind: "number",
    name,
    units,
    length,
    number: at,
    text: (i) => (Number.isNaN(at(i)) ? "missing" : positionText(at(i), units)),
    find: (wanted) => {
      const value = written(wanted);
      return value === undefined ? undefined : nearest(value, length, at);
    },
  };
}

/** @internal Equally spaced positions. */
export function linearCoordinate(
  name: string,
  units: string,
  length: number,
  [scale, start]: readonly [scale: number, start: number],
): Coordinate {
  const coordinate = numberCoordinate(name, units, length, (i) => i * scale + start);
  const find = (wanted: string) => {
    const value = written(wanted);
    if (value === undefined || length === 0) return undefined;
    return Math.min(Math.max(Math.round((value - start) / scale), 0), length - 1);
  };
  return { ...coordinate, find };
}

/** @internal Named positions. */
export function textCoordinate(name: string, length: number, of: (index: number) => string): Coordinate {
  const at = (i: number) => (ofIndex(i, length) ? of(i) : "");
  const find = (wanted: string) => {
    const sought = wanted.trim().toLowerCase();
    const all = [
      (one: string) => one === sought,
      (one: string) => one.startsWith(sought),
      (one: string) => one.includes(sought),
    ];
    for (const fits of sought === "" ? [] : all) {
      for (let i = 0; i < length; i++) if (fits(at(i).toLowerCase())) return i;
    }
    return undefined;
  };
  return { kind: "text", name, units: "", length, number: () => Number.NaN, text: at, find };
}

/** The used members of a `CFDate`. */
interface DateLike {
  toISOString(): string;
  valueOf(): number;
}

/** The range of dates that a partial text can mean, in milliseconds. */
type Partial = (text: string) => readonly [first: number, last: number];

/** The name of a calendar; empty for the everyday calendar. */
const calendarText = (calendar: string) =>
  /^(standard|gregorian|proleptic_gregorian)$/.test(calendar) ? "" : `${calendar} calendar`;

/** Date positions. */
function timeCoordinate(
  name: string,
  units: string,
  length: number,
  dateOf: (index: number) => DateLike | null,
  partial: Partial,
): Coordinate {
  const date = (i: number) => {
    try {
      return ofIndex(i, length) ? dateOf(i) : null;
    } catch {
      return null; // beyond the range of dates
    }
  };
  const number = (i: number) => date(i)?.valueOf() ?? Number.NaN;
  // Shows the smallest part that any sampled date uses.
  let cut: number | undefined;
  const parts = () => {
    if (cut !== undefined) return cut;
    cut = -"T00:00:00".length;
    const step = Math.max(1, Math.floor(length / 64));
    for (let i = 0; i < length; i += step) {
      const clock = date(i)?.toISOString().split("T")[1] ?? "00:00:00";
      if (clock !== "00:00:00") cut = Math.max(cut, clock.endsWith(":00") ? -":00".length : 99);
    }
    return cut;
  };
  return {
    kind: "time",
    name,
    units,
    length,
    number,
    text: (i) => {
      const iso = date(i)?.toISOString();
      if (iso === undefined) return "missing";
      const text = iso.replace(/\.0+$/, "");
      const end = parts() === 99 || !text.endsWith(":00") ? text.length : text.length + parts();
      return (text.endsWith("T00:00:00") || parts() !== -9 ? text.slice(0, end) : text).replace("T", " ");
    },
    find: (wanted) => {
      try {
        const [first, last] = partial(wanted);
        const found = nearest(first, length, number);
        if (found !== undefined && number(found) >= first) return found;
        // Take the first date within the range that the text can mean.
        for (let i = 0; i < length; i++) if (number(i) >= first && number(i) <= last) return i;
        return found;
      } catch {
        return undefined;
      }
    },
  };
}

/** Kinds of types whose elements are numbers. */
const numeric: readonly string[] = ["int", "uint", "float", "datetime", "timedelta"];

/** The numbers of a coordinate as stored, or as unpacked; undefined if it has other elements. */
function numbersOf({ data }: Decoded): ArrayLike<number | bigint> | undefined {
  const values = ArrayBuffer.isView(data) ? data : (data as { values?: unknown }).values;
  return ArrayBuffer.isView(values) && !(values instanceof DataView)
    ? (values as unknown as ArrayLike<number | bigint>)
    : undefined;
}

/**
 * Examines pairs of neighbours of a long coordinate, from its first to its last element. Returns
 * the number of each index if all of them lie on one line, and null otherwise.
 */
async function evenly(
  read: (first: number) => Promise<Decoded>,
  length: number,
): Promise<{ readonly sample: Decoded; readonly at: (index: number) => number | bigint } | null> {
  const places = Array.from({ length: probes }, (_, k) => Math.round((k * (length - 2)) / (probes - 1)));
  const parts = await Promise.all(places.map(read));
  const pairs = parts.map(numbersOf);
  const [sample] = parts;
  const [first, last] = [pairs[0]?.[0], pairs.at(-1)?.[1]];
  if (!sample || first === undefined || last === undefined) return null;
  const whole = typeof first === "bigint";
  const step = (Number(last) - Number(first)) / (length - 1);
  const exact = whole ? (BigInt(last) - first) / BigInt(length - 1) : 0n;
  const at = (i: number) => (whole ? first + BigInt(i) * exact : first + i * step);
  // Stored floats are rounded to their precision.
  const slack = whole ? 0 : Math.abs(step) / 1000;
  const fits = pairs.every((pair, k) =>
    [0, 1].every((j) => Math.abs(Number(pair?.[j]) - Number(at((places[k] ?? 0) + j))) <= slack),
  );
  return step !== 0 && fits ? { sample, at } : null;
}

/** Reads an array's elements as positions; null if they are none. */
async function readCoordinate(
  array: ZarrArray,
  length: number,
  otherwise: string,
  signal?: AbortSignal,
): Promise<Coordinate | null> {
  const { kind, unit, scale } = array.type;
  if (array.shape[0] !== length) return null;
  if (length > mostNames && !numeric.includes(kind)) return null;
  const name = array.path.split("/").at(-1) as string;
  const { decodeArray, datetime64, parsePartial, TimeArray } = await loadXarray();
  // A coordinate has no missing values (CF 2.5.1). A fill value, often 0, is a position like any
  // other.
  const options = { signal, useZarrFillValueAsMask: false };
  const pair = (start: number) => decodeArray(array, [{ start, stop: start + 2, step: null }], options);
  const even = length > manyPositions && array.shape.length === 1 ? await evenly(pair, length) : null;
  if (!even && length > mostPositions) return null;
  const decoded: Decoded = even?.sample ?? (await decodeArray(array, null, options));
  const { data, shape } = decoded;
  if (shape.length !== 1 || (!even && shape[0] !== length)) return null;
  const written = text(member(array.attrs, "units"));
  const units = written === undefined ? otherwise : unitText(written);
  if (data instanceof TimeArray) {
    const partial: Partial = (wanted) => {
      const { first, last } = data.units.partial(wanted);
      return [first.valueOf(), last.valueOf()];
    };
    const dateOf = (i: number) => (even ? data.units.date(even.at(i)) : data.get(i));
    return timeCoordinate(name, calendarText(data.units.calendar), length, dateOf, partial);
  }
  if (kind === "datetime" && unit !== undefined) {
    const counts = data as unknown as BigInt64Array;
    const partial: Partial = (wanted) => {
      const { first, last } = parsePartial(wanted, "proleptic_gregorian");
      return [first.valueOf(), last.valueOf()];
    };
    const at = even?.at ?? ((i: number) => counts[i]);
    return timeCoordinate(name, "", length, (i) => datetime64(at(i) as bigint, unit, scale), partial);
  }
  if (kind === "timedelta" && unit !== undefined) {
    const counts = data as unknown as BigInt64Array;
    const least = -(2n ** 63n);
    const at = even?.at ?? ((i: number) => counts[i]);
    return numberCoordinate(name, unit, length, (i) => (at(i) === least ? Number.NaN : Number(at(i)) * (scale ?? 1)));
  }
  if (decoded.dtype === "timedelta") {
    const values = data as unknown as {
      values: ArrayLike<number | bigint>;
      unit: string;
      isMissing(i: number): boolean;
    };
    return numberCoordinate(name, values.unit, length, (i) =>
      even ? Number(even.at(i)) : values.isMissing(i) ? Number.NaN : Number(values.values[i]),
    );
  }
  if (Array.isArray(data)) return textCoordinate(name, length, (i) => String((data as readonly unknown[])[i] ?? ""));
  if (kind === "bool")
    return textCoordinate(name, length, (i) => String((data as unknown as ArrayLike<number>)[i] === 1));
  const numbers = numbersOf(decoded);
  if (!numbers || kind === "complex" || (!even && numbers.length !== length)) return null;
  return numberCoordinate(name, units, length, (i) => Number(even ? even.at(i) : numbers[i]));
}

/**
 * @internal Reads an array's elements as positions, once. Null if they are not positions or cannot
 * be read. `otherwise` gives the units if none are written.
 */
export function coordinateOf(
  array: ZarrArray,
  length: number,
  otherwise = "",
): (signal?: AbortSignal) => Promise<Coordinate | null> {
  const read = once((signal) => readCoordinate(array, length, otherwise, signal));
  return async (signal) => (await attempt(signal, () => read(signal))) ?? null;
}

/**
 * Shares one read among all callers. After a failed or aborted read, the next caller starts again.
 */
function once<T>(read: (signal?: AbortSignal) => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let kept: Promise<T> | undefined;
  return async (signal) => {
    signal?.throwIfAborted();
    while (kept) {
      const waited = kept;
      try {
        return await unlessAborted(waited, signal);
      } catch (error) {
        signal?.throwIfAborted();
        // The caller that started the read aborted it.
        if (kept === waited) kept = undefined;
        if (!isAbort(error)) throw error;
      }
    }
    const reading = read(signal);
    kept = reading;
    reading.catch(() => {
      if (kept === reading) kept = undefined;
    });
    return reading;
  };
}

const isAbort = (error: unknown) => error instanceof Error && error.name === "AbortError";

async function unlessAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
