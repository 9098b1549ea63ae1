// What is decoded of a coordinate: some of it, and its labels.
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
import { UnsupportedError } from "../errors.js";
import { booleanKeys, durationKeys, type Keys, notATime, numberKeys, textKeys, timeKeys } from "./keys.js";

/** The elements at some places. */
export function taken(data: Decoded["data"], at: readonly number[], decoder: Decoder): Decoded["data"] {
  if (data instanceof TimeArray || data instanceof TimedeltaArray) {
    const values = picked(data.values, at);
    const missing = data.missing && picked(data.missing, at);
    if (data instanceof TimeArray) return new TimeArray(values, missing, data.units);
    return new TimedeltaArray(values, missing, decoder.timedelta as NonNullable<Decoder["timedelta"]>);
  }
  if (data instanceof DateTimeArray || data instanceof TimeDeltaArray) {
    const { buffer } = BigInt64Array.from(at, (i) => data[i] as bigint);
    const Of = data instanceof DateTimeArray ? DateTimeArray : TimeDeltaArray;
    return new Of(buffer as ArrayBuffer, 0, at.length, data.unit, data.scale);
  }
  if (data instanceof BoolArray) return new BoolArray(at.map((i) => data[i] as number));
  if (ArrayBuffer.isView(data)) return picked(data as unknown as Float64Array, at);
  return at.map((i) => (data as unknown[])[i]);
}

function picked<T extends { readonly length: number; [i: number]: number | bigint }>(
  data: T,
  at: readonly number[],
): T {
  const Of = data.constructor as new (length: number) => T;
  const result = new Of(at.length);
  for (const [to, from] of at.entries()) result[to] = data[from] as number | bigint;
  return result;
}

const calendarOf = (calendar: Calendar) => new CFDate({ year: 2001 }, calendar);

/** From when to when a label of times of a calendar can mean, in microseconds. */
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

/** The microsecond of a Date; in calendars of models, that of the date with its parts. */
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

/** Names of one calendar. */
const canonical: Record<string, string> = { gregorian: "standard", "365_day": "noleap", "366_day": "all_leap" };
const sameCalendar = (a: Calendar, b: Calendar) => (canonical[a] ?? a) === (canonical[b] ?? b);

/** numpy's units of a fixed duration, in microseconds or as so many to a microsecond. */
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

/** The counts of numpy's times in microseconds, of nanoseconds as they are. */
function ticks(data: DateTimeArray | TimeDeltaArray): { counts: BigInt64Array; perMicrosecond: bigint } {
  const { unit, scale } = data;
  if (unit === "ns" && scale === 1) return { counts: BigInt64Array.from(data), perMicrosecond: 1000n };
  const size = Object.hasOwn(micros, unit) ? (micros[unit] as bigint) * BigInt(scale) : undefined;
  const of = (count: bigint): bigint => {
    if (count === notATime) return count;
    if (size !== undefined) return count * size;
    if (data instanceof DateTimeArray) return datetime64(count, unit, scale)?.instant ?? notATime;
    throw new UnsupportedError(`durations of the unit ${unit} have no labels`, { feature: `labels of ${unit}` });
  };
  return { counts: BigInt64Array.from(data, of), perMicrosecond: 1n };
}

/** The labels that decoded elements are. Throws an {@link UnsupportedError} for types that are no labels: complex numbers, structs, bytes. */
export function keysOf({ data, dtype }: Pick<Decoded, "data" | "dtype">): Keys {
  if (data instanceof TimeArray) return timeKeys(data.instants(), 1n, spanIn(data.units.calendar));
  if (data instanceof TimedeltaArray) {
    const counts = BigInt64Array.from({ length: data.length }, (_, i) => data.microseconds(i) ?? notATime);
    return durationKeys(counts, 1n);
  }
  if (data instanceof DateTimeArray) {
    const { counts, perMicrosecond } = ticks(data);
    return timeKeys(counts, perMicrosecond, spanIn("proleptic_gregorian"));
  }
  if (data instanceof TimeDeltaArray) {
    const { counts, perMicrosecond } = ticks(data);
    return durationKeys(counts, perMicrosecond);
  }
  if (data instanceof BoolArray) return booleanKeys(Array.from(data as unknown as ArrayLike<number>));
  if (dtype === "bool") return booleanKeys(data as unknown[]);
  if (ArrayBuffer.isView(data) && /^(u?int|float|bfloat)/.test(dtype)) {
    return numberKeys(data as unknown as ArrayLike<number>, dtype);
  }
  const list = data as unknown[];
  if (Array.isArray(data) && list.every((one) => typeof one === "string" || one === null)) return textKeys(list);
  throw new UnsupportedError(`elements of ${dtype} are no labels`, { feature: `labels of ${dtype}` });
}
