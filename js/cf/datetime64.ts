import { notATime } from "../data/nat.js";
import { UnsupportedError } from "../errors.js";
import { CFDate, dateAt, microsPerDay } from "./date.js";

/** The number of each fixed unit in a day, except for the week of seven days. */
const perDay: Record<string, bigint> = {
  D: 1n,
  h: 24n,
  m: 1440n,
  s: 86_400n,
  ms: 86_400_000n,
  us: 86_400_000_000n,
  µs: 86_400_000_000n,
  μs: 86_400_000_000n,
  ns: 86_400_000_000_000n,
  ps: 86_400n * 10n ** 12n,
  fs: 86_400n * 10n ** 15n,
  as: 86_400n * 10n ** 18n,
};

function floorDivide(a: bigint, b: bigint): bigint {
  const q = a / b;
  return a % b < 0n ? q - 1n : q;
}

/**
 * Splits a count into its date and the rest of the day in units. A year or month is its first day.
 */
function split(count: bigint, unit: string, scale: number): { date: CFDate; rest: bigint; of: bigint } {
  const units = count * BigInt(scale);
  if (unit === "Y" || unit === "M") {
    const months = unit === "Y" ? units * 12n : units;
    const years = floorDivide(months, 12n);
    const month = Number(months - years * 12n) + 1;
    const year = 1970n + years;
    if (BigInt.asIntN(41, year) !== year)
      throw new UnsupportedError("a time is beyond the supported years", {
        feature: "years of any size",
      });
    return { date: new CFDate({ year: Number(year), month }, "proleptic_gregorian"), rest: 0n, of: 1n };
  }
  const of = unit === "W" ? 1n : Object.hasOwn(perDay, unit) ? (perDay[unit] as bigint) : undefined;
  if (of === undefined) {
    throw new UnsupportedError(`the unit ${JSON.stringify(unit)} has no instants`, { feature: `unit ${unit}` });
  }
  const ticks = unit === "W" ? units * 7n : units;
  const day = floorDivide(ticks, of);
  const rest = ticks - day * of;
  const micro = Number((rest * BigInt(microsPerDay)) / of);
  return { date: dateAt({ day: Number(day), micro }, "proleptic_gregorian"), rest, of };
}

/**
 * Returns the date of a datetime64 count of numpy, truncated to microseconds; `null` for NaT.
 * Throws {@link UnsupportedError} for the generic unit and for years outside the supported dates.
 */
export function datetime64(count: bigint, unit: string, scale = 1): CFDate | null {
  return count === notATime ? null : split(count, unit, scale).date;
}

/**
 * Returns numpy's text of a datetime64, as precise as its unit: `"2029"`, `"1974-05"`,
 * `"1899-12-08T18"`. `null` for NaT.
 */
export function datetime64Text(count: bigint, unit: string, scale = 1): string | null {
  if (count === notATime) return null;
  const { date, rest, of } = split(count, unit, scale);
  const text = date.toISOString().replace(/\.\d+$/, "");
  const upTo = { Y: "-01-01T00:00:00", M: "-01T00:00:00", W: "T00:00:00", D: "T00:00:00", h: ":00:00", m: ":00" }[unit];
  if (upTo !== undefined) return text.slice(0, -upTo.length);
  const perSecond = of / 86_400n;
  const digits = String(perSecond).length - 1;
  return digits === 0 ? text : `${text}.${String(rest % perSecond).padStart(digits, "0")}`;
}
