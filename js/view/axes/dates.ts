// Tick marks of a time axis, in milliseconds since 1970, UTC.
import { noTicks, roundYears, type Tick, type Ticks } from "./ticks.js";

type Unit = "year" | "month" | "day" | "hour" | "minute" | "second" | "millisecond";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const month = 30.4 * day;
const year = 365.25 * day;

/** Distances between marks, in ascending order. */
const steps: readonly (readonly [unit: Unit, count: number, milliseconds: number])[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((n) => ["millisecond", n, n] as const),
  ...[1, 2, 5, 10, 15, 30].map((n) => ["second", n, n * second] as const),
  ...[1, 2, 5, 10, 15, 30].map((n) => ["minute", n, n * minute] as const),
  ...[1, 2, 3, 6, 12].map((n) => ["hour", n, n * hour] as const),
  ...[1, 2, 5, 10, 15].map((n) => ["day", n, n * day] as const),
  ...[1, 2, 3, 6].map((n) => ["month", n, n * month] as const),
];

/** The latest time that a Date can represent, in milliseconds from 1970. */
const farthest = 8.64e15;

/** Returns about `wanted` starts of years, months, days, hours and so on, within `[low, high]`. */
export function dateTicks(low: number, high: number, wanted: number): Ticks {
  if (!(high >= low) || Math.abs(low) > farthest || Math.abs(high) > farthest) return noTicks;
  const rough = (high - low) / Math.max(1, wanted);
  const [unit, count] = steps.find(([, , milliseconds]) => milliseconds >= rough) ?? ["year", roundYears(rough / year)];
  const times = timesOf(unit, count, low, high);
  return dateLabels(times, unit);
}

function timesOf(unit: Unit, count: number, low: number, high: number): number[] {
  const out: number[] = [];
  const add = (time: number): void => {
    if (time >= low && time <= high) out.push(time || 0);
  };
  const first = new Date(low);
  if (unit === "year") {
    const last = new Date(high).getUTCFullYear();
    for (let y = Math.floor(first.getUTCFullYear() / count) * count; y <= last; y += count) add(timeOf(y, 0, 1));
  } else if (unit === "month") {
    const last = new Date(high);
    const end = last.getUTCFullYear() * 12 + last.getUTCMonth();
    let m = first.getUTCFullYear() * 12 + first.getUTCMonth();
    for (m = Math.floor(m / count) * count; m <= end; m += count)
      add(timeOf(Math.floor(m / 12), m - 12 * Math.floor(m / 12), 1));
  } else if (unit === "day" && count > 1) {
    // Uses the same days in each month. Skips a day that would crowd the first of the next month.
    for (let m = first.getUTCMonth(); ; m++) {
      const start = timeOf(first.getUTCFullYear(), m, 1);
      if (!(start <= high)) break;
      const next = timeOf(first.getUTCFullYear(), m + 1, 1);
      for (let d = 0; start + (d + count / 2) * day < next; d += count) add(start + d * day);
    }
  } else {
    const step = count * { millisecond: 1, second, minute, hour, day }[unit];
    for (let t = Math.ceil(low / step) * step; t <= high; t += step) add(t);
  }
  return out;
}

/** Returns a day's first millisecond. Accepts months above 11. */
function timeOf(y: number, m: number, d: number): number {
  const date = new Date(0);
  date.setUTCFullYear(y, m, d);
  return date.getTime();
}

const digitsOf = { hour: 5, minute: 5, second: 8, millisecond: 12 };

function dateLabels(times: readonly number[], unit: Unit): Ticks {
  const parts = times.map(partsOf);
  const same = (key: "year" | "date"): boolean => parts.every((part) => part[key] === parts[0]?.[key]);
  let common = "";
  let text = (part: Parts): string => part.year;
  if (unit === "month") text = (part) => `${part.year}-${part.month}`;
  else if (unit === "day") text = (part) => part.date;
  else if (unit !== "year") {
    const clock = (part: Parts): string => part.clock.slice(0, digitsOf[unit]);
    if (times.length > 1 && same("date")) {
      common = parts[0]?.date ?? "";
      text = clock;
    } else if (times.length > 1 && same("year")) {
      common = parts[0]?.year ?? "";
      text = (part) => `${part.month}-${part.day} ${clock(part)}`;
    } else text = (part) => `${part.date} ${clock(part)}`;
  }
  const list = times.map((position, i): Tick => ({ position, text: text(parts[i] ?? partsOf(position)) }));
  return { list, common };
}

interface Parts {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly date: string;
  readonly clock: string;
}

function partsOf(time: number): Parts {
  const iso = new Date(time).toISOString();
  const [, sign = "", digits = "", month = "", day = "", clock = ""] =
    /^([+-]?)(\d+)-(\d\d)-(\d\d)T([\d:.]+)Z$/.exec(iso) ?? [];
  const year = `${sign === "-" ? "−" : ""}${digits.length === 4 ? digits : Number(digits)}`;
  return { year, month, day, date: `${year}-${month}-${day}`, clock };
}
