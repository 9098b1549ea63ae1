import { notATime } from "../data/nat.js";
import { InvalidMetadataError, UnsupportedError } from "../errors.js";
import { shown } from "./attributes.js";
import { type Calendar, mostDays, parseCalendar, type Rule, ruleOf } from "./calendar.js";
import { type CFDate, dateAt, type Instant, microsPerDay, normal, outOfRange } from "./date.js";
import { instantOfStamp, type PartialDate, parsePartial, parseStamp } from "./stamp.js";

/** A UDUNITS unit of time of `count / perDay` days. */
type Unit = readonly [name: string, count: number, perDay: number];

/** UDUNITS's year, 31,556,925.9747 seconds; its month is a twelfth of it. */
const yearMicros = 31_556_925_974_700;

/** The units with their spellings. */
const spellings: readonly (readonly [unit: Unit, names: string])[] = [
  [["nanoseconds", 1, microsPerDay * 1000], "nanoseconds nanosecond nanosecs nanosec nsecs nsec ns"],
  [["microseconds", 1, microsPerDay], "microseconds microsecond microsecs microsec usecs usec us µs μs"],
  [["milliseconds", 1, microsPerDay / 1000], "milliseconds millisecond millisecs millisec msecs msec ms"],
  [["seconds", 1, 86_400], "seconds second secs sec s"],
  [["minutes", 1, 1440], "minutes minute mins min"],
  [["hours", 1, 24], "hours hour hrs hr h"],
  [["days", 1, 1], "days day d"],
  [["weeks", 7, 1], "weeks week"],
  [["common_years", 365, 1], "common_years common_year"],
  [["months", yearMicros / 12, microsPerDay], "months month"],
  [["years", yearMicros, microsPerDay], "years year yrs yr"],
];

/** @internal Finds a unit by any spelling. The month of the 360_day calendar has 30 days. */
export function unitOf(name: string, rule: Rule): Unit | undefined {
  const [unit] = spellings.find(([, names]) => names.split(" ").includes(name)) ?? [];
  return unit?.[0] === "months" && rule === "360_day" ? ["months", 30, 1] : unit;
}

/** @internal Splits `"UNIT since DATE"` into its two parts; undefined for other texts. */
export function splitUnits(text: unknown): [unit: string, reference: string] | undefined {
  if (typeof text !== "string") return undefined;
  const [unit, since, ...reference] = text.trim().split(/\s+/);
  if (unit === undefined || since?.toLowerCase() !== "since" || reference.length === 0) return undefined;
  return [unit.toLowerCase(), reference.join(" ")];
}

/** The units of a time coordinate: multiples of a unit after a reference date (CF 4.4). */
export class Units {
  /** The text of the attribute. */
  readonly text: string;
  /** The name of the unit: `"microseconds"`, `"days"`, `"months"`. */
  readonly unit: string;
  /** The date of the number 0, in UTC. */
  readonly reference: CFDate;
  /** The calendar as named by the attribute; `"standard"` if absent. */
  readonly calendar: Calendar;
  readonly #count: number;
  readonly #perDay: number;
  readonly #origin: Instant;

  /** @internal See {@link parseUnits}. */
  constructor(text: string, [unit, count, perDay]: Unit, reference: CFDate) {
    this.text = text;
    this.unit = unit;
    this.reference = reference;
    this.calendar = reference.calendar;
    this.#count = count;
    this.#perDay = perDay;
    this.#origin = reference.at;
  }

  /** Returns the text from which the units were parsed. */
  toString(): string {
    return this.text;
  }

  /**
   * Returns the date of a number. Integers are exact to the microsecond; other numbers and
   * nanoseconds are rounded half to even. Throws {@link UnsupportedError} for NaN, infinities and
   * times outside the supported dates.
   */
  date(value: number | bigint): CFDate {
    return dateAt(this.#at(value), this.calendar);
  }

  /**
   * Returns the {@link CFDate.instant} of a number without creating its date. Throws like
   * {@link date}.
   */
  instant(value: number | bigint): bigint {
    const { day, micro } = this.#at(value);
    return BigInt(day) * BigInt(microsPerDay) + BigInt(micro);
  }

  /**
   * Returns the {@link instant} of each number; -2^63 for NaN and for elements that `isMissing`
   * reports. Throws for instants of more than 64 bits.
   */
  instants(values: ArrayLike<number | bigint>, isMissing?: (i: number) => boolean): BigInt64Array {
    const instants = new BigInt64Array(values.length);
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number | bigint;
      if (Number.isNaN(value) || isMissing?.(i)) instants[i] = notATime;
      else {
        const instant = this.instant(value);
        if (BigInt.asIntN(64, instant) !== instant) throw outOfRange();
        instants[i] = instant;
      }
    }
    return instants;
  }

  /** Returns the number nearest to a date. Throws for a date of another calendar. */
  value(date: CFDate): number {
    const [num, den] = this.#after(date);
    return nearest(num, den);
  }

  /**
   * Returns the number of a date if it is an integer, otherwise undefined. Throws for a date of
   * another calendar.
   */
  valueInt(date: CFDate): bigint | undefined {
    const [num, den] = this.#after(date);
    return num % den === 0n ? num / den : undefined;
  }

  /** Calls {@link parsePartial} with this calendar. */
  partial(text: string): PartialDate {
    return parsePartial(text, this.calendar);
  }

  /**
   * Returns {@link parsePartial} in numbers of these units: the first and the last microsecond that
   * the text can mean. The numbers are rounded; compare {@link instant}s where exactness matters.
   */
  range(text: string): [first: number, last: number] {
    const { first, last } = this.partial(text);
    return [this.value(first), this.value(last)];
  }

  /** The instant of a number. */
  #at(value: number | bigint): Instant {
    const count = this.#count;
    const perDay = this.#perDay;
    const origin = this.#origin;
    if (typeof value === "number") {
      if (!Number.isFinite(value)) {
        throw new UnsupportedError("NaN and infinities have no date", { feature: "a date of NaN or infinity" });
      }
      const ticks = value * count;
      if (!(Math.abs(ticks / perDay) <= mostDays)) throw outOfRange();
      // Fast path for exact integers: every step except the last division is exact.
      if (Number.isInteger(value) && Number.isSafeInteger(ticks)) {
        const days = Math.floor(ticks / perDay);
        const rest = ticks - days * perDay;
        // The quotient may have been rounded up to the next day.
        const [day, left] = rest < 0 ? [days - 1, rest + perDay] : [days, rest];
        const micros = perDay > microsPerDay ? halfEven(left, perDay / microsPerDay) : left * (microsPerDay / perDay);
        return normal({ day: origin.day + day, micro: origin.micro + micros });
      }
    }
    const [num, den] = typeof value === "bigint" ? [value, 1n] : fractionOf(value);
    const micros = roundedQuotient(num * BigInt(count) * BigInt(microsPerDay), den * BigInt(perDay));
    const days = floorQuotient(micros, BigInt(microsPerDay));
    if (days > mostDays || days < -mostDays) throw outOfRange();
    const micro = Number(micros - days * BigInt(microsPerDay));
    return normal({ day: origin.day + Number(days), micro: origin.micro + micro });
  }

  /** The distance from the reference to a date, in units, as a fraction. */
  #after(date: CFDate): [num: bigint, den: bigint] {
    if (ruleOf(date.calendar) !== ruleOf(this.calendar)) {
      throw new InvalidMetadataError(
        `a date of the calendar ${date.calendar} is not a date of the calendar ${this.calendar}`,
      );
    }
    const micros = date.instant - this.reference.instant;
    return [micros * BigInt(this.#perDay), BigInt(this.#count) * BigInt(microsPerDay)];
  }
}

/** Divides non-negative integers, rounding half to even. */
function halfEven(a: number, b: number): number {
  const q = Math.floor(a / b);
  const twice = 2 * (a - q * b);
  return twice > b || (twice === b && q % 2 === 1) ? q + 1 : q;
}

/** @internal Divides and rounds down; b is positive. */
export function floorQuotient(a: bigint, b: bigint): bigint {
  const q = a / b;
  return a % b < 0n ? q - 1n : q;
}

/** Divides and rounds half to even; b is positive. */
function roundedQuotient(a: bigint, b: bigint): bigint {
  const q = floorQuotient(a, b);
  const twice = 2n * (a - q * b);
  return twice > b || (twice === b && q % 2n !== 0n) ? q + 1n : q;
}

/** @internal The exact fraction equal to a finite number. */
export function fractionOf(value: number): [num: bigint, den: bigint] {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const whole = bits.getBigUint64(0);
  const exponent = (whole >> 52n) & 0x7ffn;
  const mantissa = (whole & 0xf_ffff_ffff_ffffn) | (exponent ? 1n << 52n : 0n);
  const shift = (exponent || 1n) - 1075n;
  const num = value < 0 ? -mantissa : mantissa;
  return shift > 0n ? [num << shift, 1n] : [num, 1n << -shift];
}

/** The number nearest to a fraction; the denominator is positive. */
function nearest(num: bigint, den: bigint): number {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  const size = num < 0n ? -num : num;
  if (size <= most && den <= most) return Number(num) / Number(den);
  // The quotient gets more bits than a number has. Its last bit records whether a remainder
  // follows.
  const shift = Math.max(0, 66 + den.toString(2).length - size.toString(2).length);
  const scaled = size << BigInt(shift);
  const quotient = ((scaled / den) << 1n) | (scaled % den === 0n ? 0n : 1n);
  const value = Number(quotient) / 2 ** (shift + 1);
  return num < 0n ? -value : value;
}

/**
 * Parses the attributes `units` and `calendar` of a time coordinate (CF 4.4):
 * `"hours since 1970-01-01"`. Throws {@link InvalidMetadataError} if they are invalid, and for the
 * calendar `"none"`, which has no dates.
 *
 * @example
 * const units = parseUnits("hours since 1970-01-01", "standard");
 * String(units.date(438300.5)); // "2020-01-01T12:30:00"
 */
export function parseUnits(units: string, calendar?: string): Units {
  const of = parseCalendar(calendar);
  const rule = ruleOf(of);
  if (rule === "none") throw new InvalidMetadataError("attribute calendar: the calendar none has no dates");
  const bad = (why: string, cause?: unknown) => new InvalidMetadataError(`attribute units: ${why}`, { cause });
  const [name, reference] = splitUnits(units) ?? [];
  if (name === undefined || reference === undefined) throw bad(`${shown(units)} is not a unit of time since a date`);
  const unit = unitOf(name, rule);
  if (!unit) throw bad(`${shown(name)} is not a unit of time`);
  const stamp = parseStamp(reference);
  if (!stamp) throw bad(`the reference ${shown(reference)} is not a date`);
  try {
    return new Units(units, unit, dateAt(instantOfStamp(stamp, of), of));
  } catch (cause) {
    throw bad(cause instanceof Error ? cause.message : String(cause), cause);
  }
}
