// Decoded coordinates: parts of them, and their labels.
import {
  type Calendar,
  CFDate,
  type Decoded,
  type Decoder,
  datetime64,
  parsePartial,
  TimeArray,
  TimedeltaArray,
} from "../cf/index.js";
import { BoolArray, DateTimeArray, TimeDeltaArray } from "../data/arrays.js";
import { notATime } from "../data/nat.js";
import { UnsupportedError } from "../errors.js";
import { Pace } from "../platform/macrotask.js";
import { booleanKeys, durationKeys, type Keys, numberKeys, Resolution, textKeys, timeKeys } from "./keys.js";
import { LabelIndex, Order, type Positions } from "./labels.js";
import { positionList } from "./positions.js";

/** Copies the elements at some positions. */
export function taken(data: Decoded["data"], positions: Positions, decoder: Decoder): Decoded["data"] {
  if (data instanceof TimeArray || data instanceof TimedeltaArray) {
    const values = picked(data.values, positions);
    const missing = data.missing && picked(data.missing, positions);
    if (data instanceof TimeArray) return new TimeArray(values, missing, data.units);
    return new TimedeltaArray(values, missing, decoder.timedelta as NonNullable<Decoder["timedelta"]>);
  }
  if (isPlain(data)) return picked(data, positions);
  const at = positionList(positions);
  if (data instanceof DateTimeArray || data instanceof TimeDeltaArray) {
    const { buffer } = BigInt64Array.from(at, (i) => data[i] as bigint);
    const Of = data instanceof DateTimeArray ? DateTimeArray : TimeDeltaArray;
    return new Of(buffer as ArrayBuffer, 0, at.length, data.unit, data.scale);
  }
  if (data instanceof BoolArray) return new BoolArray(at.map((i) => data[i] as number));
  return at.map((i) => (data as unknown[])[i]);
}

function picked<T extends { readonly length: number; [i: number]: number | bigint }>(data: T, positions: Positions): T {
  const Of = data.constructor as new (length: number) => T;
  // There may be millions: a loop takes a tenth of the time of an iterator.
  if (typeof positions === "object" && "count" in positions) {
    const { start, step, count } = positions;
    const result = new Of(count);
    for (let i = 0; i < count; i++) result[i] = data[start + i * step] as number | bigint;
    return result;
  }
  const at = positionList(positions);
  const result = new Of(at.length);
  for (let i = 0; i < at.length; i++) result[i] = data[at[i] as number] as number | bigint;
  return result;
}

/** Reports whether data are a typed array whose constructor accepts a length. */
function isPlain(data: Decoded["data"]): data is Float64Array {
  const special = data instanceof DateTimeArray || data instanceof TimeDeltaArray || data instanceof BoolArray;
  return ArrayBuffer.isView(data) && !special;
}

const calendarOf = (calendar: Calendar) => new CFDate({ year: 2001 }, calendar);

/** Returns a function that gives the range of microseconds that a label can mean in a calendar. */
function spanIn(calendar: Calendar) {
  return (label: unknown): { first: bigint; last: bigint } | undefined => {
    try {
      if (typeof label === "string") {
        const { first, last } = parsePartial(label, calendar);
        return { first: first.instant, last: last.instant };
      }
      const date = label instanceof Date ? ofDate(label, calendar) : label;
      if (typeof date === "bigint") return { first: date, last: date };
      if (!(date instanceof CFDate) || !sameCalendar(date.calendar, calendar)) return undefined;
      return { first: date.instant, last: date.instant };
    } catch {
      return undefined; // no such date
    }
  };
}

const historical = (calendar: Calendar) => calendarOf(calendar).toDate() !== undefined || calendar === "julian";

/** The microsecond of a Date. In model calendars, the date with the same parts. */
function ofDate(date: Date, calendar: Calendar): bigint | CFDate {
  if (historical(calendar)) return BigInt(date.getTime()) * 1000n;
  return new CFDate(
    {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      microsecond: date.getUTCMilliseconds() * 1000,
    },
    calendar,
  );
}

/** Maps synonyms of calendars to one name. */
const canonical: Record<string, string> = { gregorian: "standard", "365_day": "noleap", "366_day": "all_leap" };
const sameCalendar = (a: Calendar, b: Calendar) => (canonical[a] ?? a) === (canonical[b] ?? b);

/** The microseconds of numpy's units with a fixed duration. */
const micros: Record<string, bigint> = {
  W: 604_800_000_000n,
  D: 86_400_000_000n,
  h: 3_600_000_000n,
  m: 60_000_000n,
  s: 1_000_000n,
  ms: 1000n,
  us: 1n,
  µs: 1n,
  μs: 1n,
};

/** The number of labels examined between two looks at the clock. */
const stepSize = 4096;

/** Fills a list in short tasks. */
async function made<T extends { length: number }>(list: T, step: (from: number, to: number) => void): Promise<T> {
  const pace = new Pace();
  for (let from = 0; from < list.length; from += stepSize) {
    step(from, Math.min(list.length, from + stepSize));
    if (pace.due) await pace.rest(undefined);
  }
  return list;
}

/** Converts times to counts. A missing time is {@link notATime}. */
async function timesOf(
  length: number,
  perMicrosecond: bigint,
  of: (i: number) => bigint | null,
): Promise<[counts: BigInt64Array, resolution: Resolution]> {
  const resolution = new Resolution(perMicrosecond);
  const counts = new BigInt64Array(length);
  await made(counts, (from, to) => {
    for (let i = from; i < to; i++) counts[i] = of(i) ?? notATime;
    resolution.look(counts.subarray(from, to));
  });
  return [counts, resolution];
}

/** Converts numpy's times to microseconds. Nanoseconds are kept. */
function countOf(data: DateTimeArray | TimeDeltaArray): { of: (i: number) => bigint; perMicrosecond: bigint } {
  const { unit, scale } = data;
  if (unit === "ns" && scale === 1) return { of: (i) => data[i] as bigint, perMicrosecond: 1000n };
  const size = Object.hasOwn(micros, unit) ? (micros[unit] as bigint) * BigInt(scale) : undefined;
  const of = (i: number): bigint => {
    const count = data[i] as bigint;
    if (count === notATime) return count;
    const instant = size !== undefined ? count * size : dated(count);
    if (BigInt.asIntN(64, instant) === instant) return instant;
    throw new UnsupportedError("a time is outside the range of lookups", { feature: "labels of such times" });
  };
  const dated = (count: bigint): bigint => {
    if (data instanceof DateTimeArray) return datetime64(count, unit, scale)?.instant ?? notATime;
    throw new UnsupportedError(`durations of the unit ${unit} have no labels`, { feature: `labels of ${unit}` });
  };
  return { of, perMicrosecond: 1n };
}

/**
 * Returns the labels of decoded elements.
 *
 * @throws `UnsupportedError` for types that cannot be labels: complex numbers, structs, bytes.
 */
async function keysOf({ data, dtype }: Pick<Decoded, "data" | "dtype">): Promise<Keys> {
  if (data instanceof TimeArray) {
    const { units, values, length } = data;
    const of = (i: number) => (data.isMissing(i) ? null : units.instant(values[i] as number | bigint));
    const [counts, resolution] = await timesOf(length, 1n, of);
    return timeKeys(counts, 1n, spanIn(units.calendar), resolution);
  }
  if (data instanceof TimedeltaArray) {
    const [counts] = await timesOf(data.length, 1n, (i) => data.microseconds(i));
    return durationKeys(counts, 1n);
  }
  if (data instanceof DateTimeArray || data instanceof TimeDeltaArray) {
    const { of, perMicrosecond } = countOf(data);
    const [counts, resolution] = await timesOf(data.length, perMicrosecond, of);
    if (data instanceof TimeDeltaArray) return durationKeys(counts, perMicrosecond);
    return timeKeys(counts, perMicrosecond, spanIn("proleptic_gregorian"), resolution);
  }
  if (data instanceof BoolArray || dtype === "bool") return booleanKeys(data as unknown as ArrayLike<unknown>);
  if (ArrayBuffer.isView(data) && /^(u?int|float|bfloat)/.test(dtype)) {
    return numberKeys(data as unknown as ArrayLike<number>, dtype);
  }
  const list = data as unknown[];
  const isText = (one: unknown) => typeof one === "string" || one === null;
  if (Array.isArray(data)) {
    // A long list may create each string on access, so copy it once.
    let texts = true;
    const copy: unknown[] = new Array(list.length);
    await made(copy, (from, to) => {
      for (let i = from; i < to; i++) {
        copy[i] = list[i];
        texts &&= isText(copy[i]);
      }
    });
    if (texts) return textKeys(copy);
  }
  throw new UnsupportedError(`elements of ${dtype} are not labels`, { feature: `labels of ${dtype}` });
}

/**
 * Builds the label index of decoded elements in short tasks.
 *
 * @throws `UnsupportedError` for types that cannot be labels.
 */
export async function indexOf(name: string, decoded: Pick<Decoded, "data" | "dtype">): Promise<LabelIndex> {
  const keys = await keysOf(decoded);
  const order = new Order(keys);
  const pace = new Pace();
  while (!order.look(stepSize)) if (pace.due) await pace.rest(undefined);
  return new LabelIndex(name, keys, order);
}
