import { UnsupportedError } from "../errors.js";
import { Printed } from "../printed.js";
import type { CFDate } from "./date.js";
import { floorQuotient, fractionOf, type Units } from "./units.js";

/** Numbers of a time coordinate, as they are encoded: integers as they are stored, so that no digit is lost. */
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

/** Elements that stand for something else, of which some are missing. */
abstract class Encoded<T> extends Printed implements Iterable<T | null> {
  /** The numbers as they are encoded; those that are missing have any value, or NaN. */
  readonly values: TimeValues;
  /** 1 for each element that is missing; undefined where none is. */
  readonly missing: Uint8Array | undefined;

  constructor(values: TimeValues, missing: Uint8Array | undefined) {
    super();
    this.values = values;
    this.missing = missing;
  }

  /** How many elements there are. */
  get length(): number {
    return this.values.length;
  }

  /** Whether element `i` is missing. */
  isMissing(i: number): boolean {
    return this.missing?.[i] === 1 || Number.isNaN(this.values[i]);
  }

  /** Element `i`; `null` where it is missing, and beyond the end. */
  abstract get(i: number): T | null;

  /** The elements in their order. */
  *[Symbol.iterator](): Generator<T | null, void, undefined> {
    for (let i = 0; i < this.length; i++) yield this.get(i);
  }

  /** @internal Element `i` as a text. */
  protected abstract textOf(i: number): string;

  /** The first and the last elements. */
  override toString(): string {
    const { length } = this;
    const some = length > 6 ? [0, 1, 2, undefined, length - 3, length - 2, length - 1] : [...Array(length).keys()];
    const texts = some.map((i) => (i === undefined ? "…" : this.isMissing(i) ? "NaT" : this.textOf(i)));
    return `${this[Symbol.toStringTag]}(${length}) [${texts.join(", ")}]`;
  }
}

/** Times: dates are made of the numbers when they are asked for. */
export class TimeArray extends Encoded<CFDate> {
  static {
    Printed.tag(TimeArray.prototype, "TimeArray");
  }

  /** What the numbers mean. */
  readonly units: Units;

  /** @internal */
  constructor(values: TimeValues, missing: Uint8Array | undefined, units: Units) {
    super(values, missing);
    this.units = units;
  }

  /** The date of element `i`; `null` where it is missing. Throws an {@link UnsupportedError} for a time that no date here is. */
  get(i: number): CFDate | null {
    const value = this.values[i];
    return value === undefined || this.isMissing(i) ? null : this.units.date(value);
  }

  /** Element `i` as a Date, see {@link CFDate.toDate}; `null` where it is missing. */
  toDate(i: number): Date | null | undefined {
    const date = this.get(i);
    return date === null ? null : date.toDate();
  }

  /** @internal A number that no date stands for prints as it is, for a console must not fail. */
  protected override textOf(i: number): string {
    try {
      return String(this.get(i));
    } catch {
      return String(this.values[i]);
    }
  }

  /** {@link CFDate.instant} of all elements, in microseconds; -2^63 for those that are missing. */
  instants(): BigInt64Array {
    return this.units.instants(this.values, (i) => this.isMissing(i));
  }
}

/** Durations: a count of a unit each. */
export class TimedeltaArray extends Encoded<number> {
  static {
    Printed.tag(TimedeltaArray.prototype, "TimedeltaArray");
  }

  /** The unit's name: `"hours"`. */
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

  /** Element `i` in seconds; `null` where it is missing. */
  get(i: number): number | null {
    const value = this.values[i];
    if (value === undefined || this.isMissing(i)) return null;
    const seconds = 86_400 * this.#count;
    return seconds % this.#perDay === 0
      ? Number(value) * (seconds / this.#perDay)
      : Number(value) / (this.#perDay / seconds);
  }

  /** Element `i` in microseconds, rounded half up; `null` where it is missing. */
  microseconds(i: number): bigint | null {
    const value = this.values[i];
    if (value === undefined || this.isMissing(i)) return null;
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      throw new UnsupportedError("an infinity is no duration", { feature: "a duration of infinity" });
    }
    const [num, den] = typeof value === "bigint" ? [value, 1n] : fractionOf(value);
    // Half up: of twice as much and one more, the half that is cut down.
    const twice = 2n * den * BigInt(this.#perDay);
    return floorQuotient(2n * num * BigInt(this.#count) * 86_400_000_000n + twice / 2n, twice);
  }
}
