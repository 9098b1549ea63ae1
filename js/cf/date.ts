import { InvalidMetadataError, UnsupportedError } from "../errors.js";
import { Printed } from "../shared/printed.js";
import {
  type Calendar,
  countedYear,
  dateOf,
  dayOf,
  gregorianStart,
  mostDays,
  namedYear,
  parseCalendar,
  ruleOf,
} from "./calendar.js";

/** @internal Microseconds of a day. */
export const microsPerDay = 86_400_000_000;

/** @internal A point in time: a day, and microseconds within it. */
export interface Instant {
  day: number;
  micro: number;
}

/** The parts of a date. Omitted parts have their first value. */
export interface DateParts {
  /**
   * The year. The standard, gregorian and julian calendars have no year 0: year -1 precedes year 1.
   */
  year: number;
  /** 1 to 12. */
  month?: number | undefined;
  /** From 1 on. */
  day?: number | undefined;
  /** 0 to 23. */
  hour?: number | undefined;
  /** 0 to 59. */
  minute?: number | undefined;
  /** 0 to 59: there are no leap seconds. */
  second?: number | undefined;
  /** 0 to 999,999. */
  microsecond?: number | undefined;
}

/** @internal All parts of a date. */
export type AllParts = { [K in keyof DateParts]-?: number };

const padded = (n: number, width: number) => String(n).padStart(width, "0");

function isoOf(parts: AllParts): string {
  const { year, month, day, hour, minute, second, microsecond } = parts;
  const date = `${year < 0 ? "-" : ""}${padded(Math.abs(year), 4)}-${padded(month, 2)}-${padded(day, 2)}`;
  const time = `${padded(hour, 2)}:${padded(minute, 2)}:${padded(second, 2)}`;
  return `${date}T${time}${microsecond ? `.${padded(microsecond, 6)}` : ""}`;
}

/** A date of a calendar (CF 4.4.1), to the microsecond. */
export class CFDate extends Printed {
  static {
    Printed.tag(CFDate.prototype, "CFDate");
  }

  /**
   * The year. The standard, gregorian and julian calendars have no year 0: year -1 precedes year 1.
   */
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** From 1 on. */
  readonly day: number;
  /** 0 to 23. */
  readonly hour: number;
  /** 0 to 59. */
  readonly minute: number;
  /** 0 to 59. */
  readonly second: number;
  /** 0 to 999,999. */
  readonly microsecond: number;
  /** The calendar, as named by the attribute. */
  readonly calendar: Calendar;
  readonly #at: Instant;

  /** Throws {@link InvalidMetadataError} for a date that the calendar lacks. */
  constructor(parts: DateParts, calendar: Calendar = "standard") {
    super();
    this.calendar = parseCalendar(calendar);
    this.year = parts.year;
    this.month = parts.month ?? 1;
    this.day = parts.day ?? 1;
    this.hour = parts.hour ?? 0;
    this.minute = parts.minute ?? 0;
    this.second = parts.second ?? 0;
    this.microsecond = parts.microsecond ?? 0;
    this.#at = instantOf(this, this.calendar);
  }

  /**
   * Returns the date in ISO 8601, with six decimals if the microsecond is not 0:
   * `2020-02-29T12:00:00`.
   */
  toISOString(): string {
    return isoOf(this);
  }

  override toString(): string {
    return isoOf(this);
  }

  /** Returns {@link toISOString}, for `JSON.stringify`. */
  toJSON(): string {
    return isoOf(this);
  }

  /**
   * Whole microseconds since 1970-01-01 of the calendar; in the historical calendars, of the
   * Gregorian one.
   */
  get instant(): bigint {
    return BigInt(this.#at.day) * BigInt(microsPerDay) + BigInt(this.#at.micro);
  }

  /**
   * Returns {@link instant} in milliseconds, for comparisons. Within a calendar the order is exact
   * to about a microsecond.
   */
  override valueOf(): number {
    return this.#at.day * 86_400_000 + this.#at.micro / 1000;
  }

  /** Compares with a date of the same calendar. The result is negative, 0 or positive. */
  compare(other: CFDate): number {
    return this.#at.day - other.#at.day || this.#at.micro - other.#at.micro;
  }

  /** The day of the year, from 1. Days that the standard calendar skips in 1582 do not count. */
  get dayOfYear(): number {
    return this.#at.day - new CFDate({ year: this.year }, this.calendar).#at.day + 1;
  }

  /**
   * Returns the same instant as a Date, truncated to milliseconds. A Date supports the proleptic
   * Gregorian calendar, and the standard one from 1582-10-15 on. Undefined for other calendars and
   * for years outside its range.
   */
  toDate(): Date | undefined {
    const rule = ruleOf(this.calendar);
    const { day, micro } = this.#at;
    if (rule !== "proleptic_gregorian" && (rule !== "standard" || day < gregorianStart)) return undefined;
    const date = new Date(day * 86_400_000 + Math.floor(micro / 1000));
    return Number.isNaN(date.getTime()) ? undefined : date;
  }

  /** @internal The day, and microseconds within it. */
  get at(): Instant {
    return this.#at;
  }
}

function instantOf(parts: AllParts, calendar: Calendar): Instant {
  const rule = ruleOf(calendar);
  if (rule === "none") throw new InvalidMetadataError("attribute calendar: the calendar none has no dates");
  const { month, day, hour, minute, second, microsecond } = parts;
  const year = countedYear(rule, parts.year);
  if (year === undefined) throw new InvalidMetadataError(`the calendar ${calendar} has no year 0`);
  const all = [parts.year, month, day, hour, minute, second, microsecond].every(Number.isSafeInteger);
  const clock = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  const number = all && clock && microsecond >= 0 && microsecond < 1e6 ? dayOf(rule, year, month, day) : undefined;
  if (number === undefined) throw new InvalidMetadataError(`the calendar ${calendar} has no date ${isoOf(parts)}`);
  return { day: number, micro: ((hour * 60 + minute) * 60 + second) * 1e6 + microsecond };
}

/** @internal The error for a time outside the supported dates. */
export function outOfRange(): UnsupportedError {
  return new UnsupportedError("a time is beyond the supported years", {
    feature: "years of any size",
  });
}

/** @internal Normalizes an instant, so that its microseconds fall within its day. */
export function normal({ day, micro }: Instant): Instant {
  const days = Math.floor(micro / microsPerDay);
  return { day: day + days, micro: micro - days * microsPerDay };
}

/** @internal The date of an instant. Its microseconds may fall outside its day. */
export function dateAt(at: Instant, calendar: Calendar): CFDate {
  const { day: number, micro } = normal(at);
  if (!(Math.abs(number) <= mostDays)) throw outOfRange();
  const rule = ruleOf(calendar);
  const [year, month, day] = dateOf(rule, number);
  const seconds = Math.floor(micro / 1e6);
  return new CFDate(
    {
      year: namedYear(rule, year),
      month,
      day,
      hour: Math.floor(seconds / 3600),
      minute: Math.floor(seconds / 60) % 60,
      second: seconds % 60,
      microsecond: micro % 1e6,
    },
    calendar,
  );
}
