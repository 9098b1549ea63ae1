import { InvalidMetadataError, UnsupportedError } from "../errors.js";
import { shown } from "./attributes.js";

/**
 * A calendar of CF 4.4.1, in lower case. `gregorian`, `365_day` and `366_day` are other names of
 * `standard`, `noleap` and `all_leap`. `none` has no dates.
 */
export type Calendar =
  | "standard"
  | "gregorian"
  | "proleptic_gregorian"
  | "julian"
  | "noleap"
  | "365_day"
  | "all_leap"
  | "366_day"
  | "360_day"
  | "none";

/** @internal The rule for the succession of days in a calendar. */
export type Rule = "standard" | "proleptic_gregorian" | "julian" | "noleap" | "all_leap" | "360_day" | "none";

const rules: Record<Calendar, Rule> = {
  standard: "standard",
  gregorian: "standard",
  proleptic_gregorian: "proleptic_gregorian",
  julian: "julian",
  noleap: "noleap",
  "365_day": "noleap",
  all_leap: "all_leap",
  "366_day": "all_leap",
  "360_day": "360_day",
  none: "none",
};

/**
 * Parses the attribute `calendar`. If it is absent (`undefined` or `""`), the calendar is standard.
 */
export function parseCalendar(name: unknown): Calendar {
  if (name === undefined) return "standard";
  if (typeof name === "string") {
    const calendar = name.trim().toLowerCase();
    if (calendar === "") return "standard";
    if (Object.hasOwn(rules, calendar)) return calendar as Calendar;
    if (calendar === "utc" || calendar === "tai") {
      throw new UnsupportedError(`attribute calendar: the calendar ${calendar} needs a table of leap seconds`, {
        feature: `calendar ${calendar}`,
      });
    }
  }
  throw new InvalidMetadataError(`attribute calendar: there is no calendar ${shown(name)}`);
}

/** @internal The rule of a calendar. Synonyms share one rule. */
export function ruleOf(calendar: Calendar): Rule {
  return rules[calendar];
}

/**
 * @internal Reports whether the calendar has a year 0. In the historical calendars, year -1
 * precedes year 1.
 */
export function hasYearZero(rule: Rule): boolean {
  return rule !== "standard" && rule !== "julian";
}

// Days count from 1970-01-01 of their calendar. In the historical calendars they count from that of
// the Gregorian calendar, so that a day has the same number in all of them. Years include a year 0
// here.

/** @internal 1582-10-15, the first Gregorian day of the standard calendar. */
export const gregorianStart = -141427;
/** @internal The largest number of a day. It keeps computations with day numbers exact. */
export const mostDays = 1e15;

/** The number of the first day of a year. */
function yearStart(rule: Rule, year: number): number {
  const y = year - 1;
  switch (rule) {
    case "proleptic_gregorian":
      return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) - 719162;
    case "julian":
      return 365 * y + Math.floor(y / 4) - 719164;
    case "noleap":
      return 365 * (year - 1970);
    case "all_leap":
      return 366 * (year - 1970);
    default:
      return 360 * (year - 1970);
  }
}

/** The mean length of a year, in days. */
const meanYear: Record<Rule, number> = {
  standard: 365.2425,
  proleptic_gregorian: 365.2425,
  julian: 365.25,
  noleap: 365,
  all_leap: 366,
  "360_day": 360,
  none: 365,
};

/** Reports whether a year has a 29th of February. */
function leap(rule: Rule, year: number): boolean {
  switch (rule) {
    case "proleptic_gregorian":
      return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    case "julian":
      return year % 4 === 0;
    default:
      return rule === "all_leap";
  }
}

/** The length of a month from 1 to 12. */
function monthDays(rule: Rule, year: number, month: number): number {
  if (rule === "360_day") return 30;
  if (month === 2) return leap(rule, year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** @internal The number of a day; undefined if the calendar lacks it. */
export function dayOf(rule: Rule, year: number, month: number, day: number): number | undefined {
  if (rule === "standard") {
    const number = dayOf("proleptic_gregorian", year, month, day);
    if (number !== undefined && number >= gregorianStart) return number;
    const julian = dayOf("julian", year, month, day);
    return julian !== undefined && julian < gregorianStart ? julian : undefined;
  }
  if (!(Math.abs(year) <= mostDays / 360) || !(month >= 1 && month <= 12)) return undefined;
  if (!(day >= 1 && day <= monthDays(rule, year, month))) return undefined;
  let number = yearStart(rule, year) + day - 1;
  for (let m = 1; m < month; m++) number += monthDays(rule, year, m);
  return Math.abs(number) <= mostDays ? number : undefined;
}

/** @internal The date of a day number. */
export function dateOf(rule: Rule, number: number): [year: number, month: number, day: number] {
  if (rule === "standard") return dateOf(number >= gregorianStart ? "proleptic_gregorian" : "julian", number);
  let year = 1970 + Math.trunc(number / meanYear[rule]);
  while (yearStart(rule, year) > number) year--;
  while (yearStart(rule, year + 1) <= number) year++;
  let day = number - yearStart(rule, year);
  let month = 1;
  for (let length = monthDays(rule, year, month); day >= length; length = monthDays(rule, year, month)) {
    day -= length;
    month++;
  }
  return [year, month, day + 1];
}

/**
 * @internal Converts a year of the calendar to a count with a year 0. Undefined if the calendar
 * lacks the year.
 */
export function countedYear(rule: Rule, year: number): number | undefined {
  if (hasYearZero(rule) || year > 0) return year;
  return year === 0 ? undefined : year + 1;
}

/** @internal Converts a count with a year 0 to a year of the calendar. */
export function namedYear(rule: Rule, year: number): number {
  return year <= 0 && !hasYearZero(rule) ? year - 1 : year;
}
