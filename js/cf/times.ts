import { UnsupportedError } from "../errors.js";
import { Printed } from "../shared/printed.js";
import type { CFDate } from "./date.js";
import { floorQuotient, fractionOf, type Units } from "./units.js";

/**
 * The encoded numbers of a time coordinate. Integers keep their stored type, so that no digit is
 * lost.
 */
export type TimeValues =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float64Array;

/** Encoded elements, possibly with missing ones. */
abstract class Encoded<T> extends Printed implements Iterable<T | null> {
  /** The encoded numbers. A missing element has an arbitrary value or NaN. */
  readonly values: TimeValues;
  /** 1 for each missing element; undefined if there is none. */
  readonly missing: Uint8Array | undefined;

  constructor(values: TimeValues, missing: Uint8Array | undefined) {
    super();
    this.values = values;
    this.missing = missing;
  }

  /** The number of elements. */
  get length(): number {
    return this.values.length;
  }

  /** Reports whether element `i` is missing. */
  isMissing(i: number): boolean {
    return this.missing?.[i] === 1 || Number.isNaN(this.values[i]);
  }

  /** Returns element `i`; `null` if it is missing or beyond the end. */
  abstract get(i: number): T | null;

  /** Iterates over the elements in order. */
  *[Symbol.iterator](): Generator<T | null, void, undefined> {
    for (let i = 0; i < this.length; i++) yield this.get(i);
  }

  /** @internal Element `i` as text. */
  protected abstract textOf(i: number): string;

  /** Formats the first and the last elements. */
  override toString(): string {
    const { length } = this;
    const some = length > 6 ? [0, 1, 2, undefined, length - 3, length - 2, length - 1] : [...Array(length).keys()];
    const texts = some.map((i) => (i === undefined ? "…" : this.isMissing(i) ? "NaT" : this.textOf(i)));
    return `${this[Symbol.toStringTag]}(${length}) [${texts.join(", ")}]`;
  }
}

/** Times as numbers. Dates are created on access. */
export class TimeArray extends Encoded<CFDate> {
  static {
    Printed.tag(TimeArray.prototype, "TimeArray");
  }

  /** The meaning of the numbers. */
  readonly units: Units;

  /** @internal */
  constructor(values: TimeValues, missing: Uint8Array | undefined, units: Units) {
    super(values, missing);
    this.units = units;
  }

  /**
   * Returns the date of element `i`; `null` if it is missing. Throws {@link UnsupportedError} for a
   * time outside the supported dates.
   */
  get(i: number): CFDate | null {
    const value = this.values[i];
    return value === undefined || this.isMissing(i) ? null : this.units.date(value);
  }

  /** Returns element `i` as a Date, see {@link CFDate.toDate}; `null` if it is missing. */
  toDate(i: number): Date | null | undefined {
    const date = this.get(i);
    return date === null ? null : date.toDate();
  }

  /** @internal A number without a date prints as a number, because a console must not fail. */
  protected override textOf(i: number): string {
    try {
      return String(this.get(i));
    } catch {
      return String(this.values[i]);
    }
  }

  /** Returns {@link CFDate.instant} of all elements, in microseconds; -2^63 for missing ones. */
  instants(): BigInt64Array {
    return this.units.instants(this.values, (i) => this.isMissing(i));
  }
}

/** Durations as counts of a unit. */
export class TimedeltaArray extends Encoded<number> {
  static {
    Printed.tag(TimedeltaArray.prototype, "TimedeltaArray");
  }

  /** The name of the unit: `"hours"`. */
  readonly unit: string;
  readonly #count: number;
  readonly #perDay: number;

  /** @internal */
  constructor(
    values: TimeValues,
    missing: Uint8Array | undefined,
    [unit, count, perDay]: readonly [name: string, count: number, perDay: number],
  ) {
    super(values, missing);
    this.unit = unit;
    this.#count = count;
    this.#perDay = perDay;
  }

  /** @internal */
  protected override textOf(i: number): string {
    return `${this.values[i]} ${this.unit}`;
  }

  /** Returns element `i` in seconds; `null` if it is missing. */
  get(i: number): number | null {
    const value = this.values[i];
    if (value === undefined || this.isMissing(i)) return null;
    const seconds = 86_400 * this.#count;
    return seconds % this.#perDay === 0
      ? Number(value) * (seconds / this.#perDay)
      : Number(value) / (this.#perDay / seconds);
  }

  /** Returns element `i` in microseconds, rounded half up; `null` if it is missing. */
  microseconds(i: number): bigint | null {
    const value = this.values[i];
    if (value === undefined || this.isMissing(i)) return null;
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      throw new UnsupportedError("an infinity is not a duration", { feature: "a duration of infinity" });
    }
    const [num, den] = typeof value === "bigint" ? [value, 1n] : fractionOf(value);
    // Rounding half up of a/b is the floor of (2a + b) / 2b.
    const twice = 2n * den * BigInt(this.#perDay);
    return floorQuotient(2n * num * BigInt(this.#count) * 86_400_000_000n + twice / 2n, twice);
  }
}
