import { UnsupportedError } from "../errors.js";
import { notATime } from "./nat.js";

// For the classes below except BoolArray, subarray(), slice(), map() and filter() return plain
// typed arrays. They cannot know which entries form an element.

/** A Uint8Array without its iterator. */
type Bytes = Omit<Uint8Array, typeof Symbol.iterator>;

const Bytes: {
  new (length: number): Bytes;
  new (elements: Iterable<number | boolean> | ArrayLike<number>): Bytes;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): Bytes;
} = Uint8Array as never;

/**
 * Booleans: a Uint8Array of 0 and 1, whose `get(i)` returns a boolean. Iterating yields booleans
 * too, as in zarrita, because programs print them.
 */
export class BoolArray extends Bytes {
  /** Element `i` as a boolean. */
  get(i: number): boolean {
    return this[i] === 1;
  }
  /** The elements as booleans. */
  *[Symbol.iterator](): Generator<boolean, void, undefined> {
    for (let i = 0; i < this.length; i++) yield this.get(i);
  }
}

/** Strings of fixed width: an array of strings. `get(i)` returns element `i`, as in zarrita. */
class FixedStringArray extends Array<string> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
  /** Element `i`. */
  get(i: number): string {
    return this[i] as string;
  }
}

/** numpy's `U`: strings of Unicode characters. */
export class UnicodeStringArray extends FixedStringArray {}

/** numpy's `S`: strings of bytes. */
export class ByteStringArray extends FixedStringArray {}

/** A complex number. */
export interface Complex {
  /** The real part. */
  re: number;
  /** The imaginary part. */
  im: number;
}

/** Complex numbers of single precision (or less): alternating real and imaginary parts. */
export class Complex64Array extends Float32Array {
  static get [Symbol.species](): Float32ArrayConstructor {
    return Float32Array;
  }
  /** The number of complex numbers: half of `length`. */
  get count(): number {
    return this.length / 2;
  }
  /** Returns complex number `i`. */
  get(i: number): Complex {
    return { re: this[2 * i] as number, im: this[2 * i + 1] as number };
  }
}

/** Complex numbers of double precision: alternating real and imaginary parts. */
export class Complex128Array extends Float64Array {
  static get [Symbol.species](): Float64ArrayConstructor {
    return Float64Array;
  }
  /** The number of complex numbers: half of `length`. */
  get count(): number {
    return this.length / 2;
  }
  /** Returns complex number `i`. */
  get(i: number): Complex {
    return { re: this[2 * i] as number, im: this[2 * i + 1] as number };
  }
}

/** Consecutive opaque elements of `itemSize` bytes each. */
export class RawArray extends Uint8Array {
  static get [Symbol.species](): Uint8ArrayConstructor {
    return Uint8Array;
  }
  /** Bytes of one element. */
  readonly itemSize: number;

  constructor(buffer: ArrayBuffer, byteOffset: number, byteLength: number, itemSize: number) {
    super(buffer, byteOffset, byteLength);
    this.itemSize = itemSize;
  }
  /** The number of elements; 0 for elements without bytes. */
  get count(): number {
    return this.itemSize === 0 ? 0 : this.length / this.itemSize;
  }
  /** Returns a view of the bytes of element `i`. */
  get(i: number): Uint8Array {
    return this.subarray(i * this.itemSize, (i + 1) * this.itemSize);
  }
}

/** The units of a fixed duration, in attoseconds. */
const attoseconds: Record<string, bigint> = {
  W: 604_800n * 10n ** 18n,
  D: 86_400n * 10n ** 18n,
  h: 3_600n * 10n ** 18n,
  m: 60n * 10n ** 18n,
  s: 10n ** 18n,
  ms: 10n ** 15n,
  us: 10n ** 12n,
  μs: 10n ** 12n,
  µs: 10n ** 12n,
  ns: 10n ** 9n,
  ps: 10n ** 6n,
  fs: 10n ** 3n,
  as: 1n,
};

function floorDivide(a: bigint, b: bigint): bigint {
  const q = a / b;
  return a % b < 0n ? q - 1n : q;
}

/** Counts of `scale` `unit`s. NaT is -2^63. */
class TimeArray extends BigInt64Array {
  static get [Symbol.species](): BigInt64ArrayConstructor {
    return BigInt64Array;
  }
  /**
   * numpy's unit: `"Y"`, `"M"`, `"W"`, `"D"`, `"h"`, `"m"`, `"s"`, `"ms"`, `"us"`, `"ns"`, `"ps"`,
   * `"fs"`, `"as"`, `"generic"`.
   */
  readonly unit: string;
  /** The number of units in one count. */
  readonly scale: number;

  constructor(buffer: ArrayBuffer, byteOffset: number, length: number, unit: string, scale: number) {
    super(buffer, byteOffset, length);
    this.unit = unit;
    this.scale = scale;
  }
}

/** numpy's datetime64: counts of `scale` `unit`s since 1970-01-01T00:00 UTC. NaT is -2^63. */
export class DateTimeArray extends TimeArray {
  /**
   * Returns element `i` as a Date, rounded down to milliseconds; `null` for NaT. Returns an invalid
   * Date for an instant outside of a Date's range. Throws {@link UnsupportedError} for the generic
   * unit, which has no instants.
   */
  toDate(i: number): Date | null {
    const count = this[i];
    if (count === undefined || count === notATime) return null;
    const units = count * BigInt(this.scale);
    if (this.unit === "Y" || this.unit === "M") {
      const months = this.unit === "Y" ? units * 12n : units;
      const year = floorDivide(months, 12n);
      // Date.UTC takes the years 0 to 99 for 1900 to 1999; setUTCFullYear does not.
      const date = new Date(0);
      date.setUTCFullYear(1970 + Number(year), Number(months - year * 12n));
      return date;
    }
    return new Date(Number(floorDivide(units * durationOf(this.unit), attoseconds.ms as bigint)));
  }
}

/** numpy's timedelta64: counts of `scale` `unit`s. NaT is -2^63. */
export class TimeDeltaArray extends TimeArray {
  /**
   * Returns element `i` in seconds, rounded to a number; `null` for NaT. Throws
   * {@link UnsupportedError} for years, months and the generic unit, which have no fixed duration.
   */
  toSeconds(i: number): number | null {
    const count = this[i];
    if (count === undefined || count === notATime) return null;
    const duration = durationOf(this.unit);
    const second = attoseconds.s as bigint;
    const units = count * BigInt(this.scale);
    return duration < second ? Number(units) / Number(second / duration) : Number(units * (duration / second));
  }
}

function durationOf(unit: string): bigint {
  const duration = Object.hasOwn(attoseconds, unit) ? attoseconds[unit] : undefined;
  if (duration === undefined) {
    throw new UnsupportedError(`the unit ${JSON.stringify(unit)} has no fixed duration`, { feature: `unit ${unit}` });
  }
  return duration;
}
