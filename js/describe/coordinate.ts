// Positions along an axis: of a coordinate's elements, of a scale, of names.
import type { ZarrArray } from "../api/array.js";
import { member, text } from "../attributes/read.js";
import type { Decoded } from "../cf/index.js";
import type { Coordinate } from "./field.js";
import { attempt, loadXarray } from "./load.js";
import { roundText, unitText, withUnits } from "./text.js";

/** Longer coordinates are not read: they would cost more than what they tell. */
const mostPositions = 1 << 20;

const ofIndex = (index: number, length: number) => Number.isInteger(index) && index >= 0 && index < length;

/** The index whose number is the nearest to a number; undefined where none is a number. */
function nearest(wanted: number, length: number, number: (i: number) => number): number | undefined {
  let found: number | undefined;
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < length; i++) {
    const distance = Math.abs(number(i) - wanted);
    if (distance < best) [found, best] = [i, distance];
  }
  return found;
}

/** The number that a person wrote before units; undefined where it is none. */
function written(text: string): number | undefined {
  const [all, west] = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*(?:°?\s*([ws])\b)?/i.exec(text) ?? [];
  const value = all === undefined ? Number.NaN : Number.parseFloat(all);
  return Number.isNaN(value) ? undefined : west ? -value : value;
}

/** A position in words: west and south are no negative numbers. */
function positionText(value: number, units: string): string {
  const other = { "°E": "°W", "°N": "°S" }[units];
  return value < 0 && other ? withUnits(roundText(-value), other) : withUnits(roundText(value), units);
}

/** @internal Positions that are numbers. */
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

/** @internal Positions at equal distances. */
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

/** @internal Positions that are names. */
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

/** A date of the conventions. */
interface DateLike {
  toISOString(): string;
  valueOf(): number;
}

/** The dates that a text can mean: from the first to the last instant, in milliseconds. */
type Partial = (text: string) => readonly [first: number, last: number];

/** A calendar in words; that of daily life needs none. */
const calendarText = (calendar: string) =>
  /^(standard|gregorian|proleptic_gregorian)$/.test(calendar) ? "" : `${calendar} calendar`;

/** Positions that are dates. */
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
      return null; // further away than dates go
    }
  };
  const number = (i: number) => date(i)?.valueOf() ?? Number.NaN;
  // As many parts as some of the dates have.
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
        // Of all that the text can mean, the first that is there.
        for (let i = 0; i < length; i++) if (number(i) >= first && number(i) <= last) return i;
        return found;
      } catch {
        return undefined;
      }
    },
  };
}

/** Reads the positions that an array's elements are; null where they are none. */
async function readCoordinate(
  array: ZarrArray,
  length: number,
  otherwise: string,
  signal?: AbortSignal,
): Promise<Coordinate | null> {
  if (length > mostPositions || array.shape[0] !== length) return null;
  const name = array.path.split("/").at(-1) as string;
  const { decodeArray, datetime64, parsePartial, TimeArray } = await loadXarray();
  // A coordinate has no missing values (CF 2.5.1): a fill value, which often is 0, is a position as others.
  const decoded: Decoded = await decodeArray(array, null, { signal, useZarrFillValueAsMask: false });
  const { data, shape } = decoded;
  if (shape.length !== 1 || shape[0] !== length) return null;
  const written = text(member(array.attrs, "units"));
  const units = written === undefined ? otherwise : unitText(written);
  if (data instanceof TimeArray) {
    const partial: Partial = (wanted) => {
      const { first, last } = data.units.partial(wanted);
      return [first.valueOf(), last.valueOf()];
    };
    return timeCoordinate(name, calendarText(data.units.calendar), length, (i) => data.get(i), partial);
  }
  const { kind, unit, scale } = array.type;
  if (kind === "datetime" && unit !== undefined) {
    const counts = data as unknown as BigInt64Array;
    const partial: Partial = (wanted) => {
      const { first, last } = parsePartial(wanted, "proleptic_gregorian");
      return [first.valueOf(), last.valueOf()];
    };
    return timeCoordinate(name, "", length, (i) => datetime64(counts[i] as bigint, unit, scale), partial);
  }
  if (kind === "timedelta" && unit !== undefined) {
    const counts = data as unknown as BigInt64Array;
    const least = -(2n ** 63n);
    return numberCoordinate(name, unit, length, (i) =>
      counts[i] === least ? Number.NaN : Number(counts[i]) * (scale ?? 1),
    );
  }
  if (decoded.dtype === "timedelta") {
    const values = data as unknown as {
      values: ArrayLike<number | bigint>;
      unit: string;
      isMissing(i: number): boolean;
    };
    return numberCoordinate(name, values.unit, length, (i) =>
      values.isMissing(i) ? Number.NaN : Number(values.values[i]),
    );
  }
  if (Array.isArray(data)) return textCoordinate(name, length, (i) => String((data as readonly unknown[])[i] ?? ""));
  if (kind === "bool")
    return textCoordinate(name, length, (i) => String((data as unknown as ArrayLike<number>)[i] === 1));
  if (!ArrayBuffer.isView(data) || data instanceof DataView || kind === "complex" || data.length !== length)
    return null;
  return numberCoordinate(name, units, length, (i) => Number((data as unknown as ArrayLike<number | bigint>)[i]));
}

/**
 * @internal The positions that an array's elements are, which are read once; null where they are none, or cannot be read. Their units are the other
 * ones where none are written.
 */
export function coordinateOf(
  array: ZarrArray,
  length: number,
  otherwise = "",
): (signal?: AbortSignal) => Promise<Coordinate | null> {
  const read = once((signal) => readCoordinate(array, length, otherwise, signal));
  return async (signal) => (await attempt(signal, () => read(signal))) ?? null;
}

/** Reads something once for all that ask: a reading that was aborted or failed is begun anew by the next. */
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
        // The reader that began it has left.
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
