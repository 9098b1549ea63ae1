import { InvalidMetadataError } from "../errors.js";
import { shown } from "./attributes.js";
import { type Calendar, hasYearZero, parseCalendar, ruleOf } from "./calendar.js";
import { type AllParts, CFDate, dateAt, type Instant, microsPerDay } from "./date.js";

/** The parts of a date string, in order. */
const resolutions = ["year", "month", "day", "hour", "minute", "second", "fraction"] as const;

/** The last part that a date string has. */
export type Resolution = (typeof resolutions)[number];

/** @internal A date as written. Omitted parts have their first value. */
interface Stamp {
  parts: AllParts;
  has: Resolution;
  /**
   * Microseconds to add: for a fraction that rounds up to a full second, and for the clock's offset
   * from UTC.
   */
  shift: number;
}

const date = /^([-+]?)(\d{1,13})(?:-(\d{1,2})(?:-(\d{1,2}))?)?/;
const packedDate = /^()(\d{4})(\d{2})(\d{2})(?![\d-])/;
const clock = /^(?:T|\s+)(\d{1,2})(?!\d)(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?)?/i;
const packedClock = /^(?:T|\s+)(\d{2})(\d{2})(?:(\d{2})(?:\.(\d*))?)?(?!\d)/i;
const zone = /^(?:(?:z|utc|gmt)|([-+])(?:(\d{2})(\d{2})|(\d{1,2})(?::(\d{1,2}))?))?$/i;

/** Rounds a fraction of a second to microseconds, half to even. */
function roundMicros(digits: string): number {
  const padded = digits.padEnd(7, "0");
  const micros = Number(padded.slice(0, 6));
  const above =
    padded.charAt(6) > "5" || (padded.charAt(6) === "5" && (micros % 2 === 1 || /[1-9]/.test(padded.slice(7))));
  return above ? micros + 1 : micros;
}

/**
 * @internal Parses a date: a year, optionally followed by month, day, hour, minute, second,
 * fraction and zone. Accepts the forms of ISO 8601 and UDUNITS (one digit in place of two, a space
 * in place of T). Undefined for other strings. Does not check the date against a calendar.
 */
export function parseStamp(text: string): Stamp | undefined {
  let rest = text.trim();
  const found = packedDate.exec(rest) ?? date.exec(rest);
  if (!found) return undefined;
  const [whole, sign, year, month, day] = found;
  rest = rest.slice(whole.length);
  const time = packedClock.exec(rest) ?? clock.exec(rest);
  if (time && day === undefined) return undefined;
  rest = rest.slice(time?.[0].length ?? 0);
  const [, hour, minute, second, digits] = time ?? [];
  const shifted = zone.exec(rest.trim());
  // After a date alone, a zone needs a space before it: 2020-1-1-1 has none.
  if (!shifted || (shifted[1] && !time && !/^\s/.test(rest))) return undefined;
  const zoneHour = Number(shifted[2] ?? shifted[4] ?? 0);
  const zoneMinute = Number(shifted[3] ?? shifted[5] ?? 0);
  if (zoneHour > 23 || zoneMinute > 59) return undefined;
  const ahead = (shifted[1] === "-" ? -1 : 1) * (zoneHour * 60 + zoneMinute) * 60_000_000;
  const micros = roundMicros(digits ?? "");
  const has = [year, month, day, hour, minute, second, digits || undefined].filter((part) => part !== undefined).length;
  return {
    parts: {
      // Adding 0 turns -0 into +0.
      year: Number(`${sign}${year}`) + 0,
      month: Number(month ?? 1),
      day: Number(day ?? 1),
      hour: Number(hour ?? 0),
      minute: Number(minute ?? 0),
      second: Number(second ?? 0),
      microsecond: micros % 1e6,
    },
    has: resolutions[has - 1] as Resolution,
    shift: (micros === 1e6 ? 1e6 : 0) - ahead,
  };
}

/** @internal The instant of a stamp in a calendar. Its microseconds may fall outside its day. */
export function instantOfStamp({ parts, shift }: Stamp, calendar: Calendar): Instant {
  const { day, micro } = new CFDate(parts, calendar).at;
  return { day, micro: micro + shift };
}

const lengths: Partial<Record<Resolution, number>> = {
  day: microsPerDay,
  hour: 3_600_000_000,
  minute: 60_000_000,
  second: 1_000_000,
  fraction: 1,
};

/** The time that a partial date string can mean. */
export interface PartialDate {
  /** The first microsecond. */
  first: CFDate;
  /** The last microsecond. */
  last: CFDate;
  /** The last part that the string has. */
  resolution: Resolution;
}

/**
 * Parses a date that may omit its last parts: `"2020"`, `"2020-07"`, `"2020-07-01T12"`. Throws
 * {@link InvalidMetadataError} for an invalid string and for a date that the calendar lacks.
 */
export function parsePartial(text: string, calendar: Calendar = "standard"): PartialDate {
  const stamp = typeof text === "string" ? parseStamp(text) : undefined;
  if (!stamp) throw new InvalidMetadataError(`not a date: ${shown(text)}`);
  const of = parseCalendar(calendar);
  const { has } = stamp;
  const from = instantOfStamp(stamp, of);
  let to: Instant;
  const length = lengths[has];
  if (length !== undefined) to = { day: from.day, micro: from.micro + length - 1 };
  else {
    const { year, month } = stamp.parts;
    const inYear = has === "month" && month < 12;
    const following = inYear ? year : year === -1 && !hasYearZero(ruleOf(of)) ? 1 : year + 1;
    const next = new CFDate({ year: following, month: inYear ? month + 1 : 1 }, of);
    to = { day: next.at.day, micro: from.micro - 1 };
  }
  return { first: dateAt(from, of), last: dateAt(to, of), resolution: has };
}
