import { notATime } from "../data/nat.js";
// Labels of a coordinate as sortable keys: numbers, bigints or strings.

/** A label as a sortable key; `null` for NaN, NaT and missing labels. */
export type Key = number | bigint | string | null;

/** The keys that a label can mean, from first to last inclusive. */
export interface KeyRange {
  /** The first key. */
  first: Key;
  /** The last key, equal to the first for most labels. */
  last: Key;
}

/** The labels of a coordinate, in its order. */
export interface Keys {
  /** The name of the labels in messages. */
  readonly what: "numbers" | "texts" | "booleans" | "times" | "durations";
  /** The number of labels. */
  readonly length: number;
  /** Returns the key at a position. */
  at(i: number): Key;
  /** Converts a label from the user; undefined if it is of another kind. */
  read(label: unknown): KeyRange | undefined;
  /** Converts a tolerance to the unit of distances. Undefined if labels have no distance. */
  tolerance?(tolerance: unknown): number | bigint | undefined;
  /** For times only: the duration of a label that names one instant. */
  readonly resolution?: bigint;
}

/**
 * Compares keys of one kind. The result is negative, 0 or positive. Strings compare by code points,
 * as in other languages.
 */
export function compare(a: Key, b: Key): number {
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  // Numbers and bigints compare exactly with each other.
  const [x, y] = [a as number, b as number];
  return x < y ? -1 : x > y ? 1 : 0;
}

function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    // Surrogates stand for code points above all others.
    const [high, low] = [isHalf(x), isHalf(y)];
    return high === low ? x - y : high ? 1 : -1;
  }
  return a.length - b.length;
}

const isHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;

/** The distance between two numbers. */
export function distance(a: Key, b: Key): number | bigint {
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? b - a : a - b;
  return Math.abs(Number(a) - Number(b));
}

const exact = (key: Key): KeyRange => ({ first: key, last: key });

/** Rounds a label to the coordinate's type, as xarray does before a lookup. */
type Round = (label: number) => number;

const rounds: Record<string, Round> = {
  float32: Math.fround,
  float16: (label) => {
    const half = (globalThis as { Float16Array?: new (list: number[]) => ArrayLike<number> }).Float16Array;
    return half ? (new half([label])[0] as number) : roundHalf(label);
  },
};

/** Rounds to the nearest binary16 number, ties to even. */
export function roundHalf(x: number): number {
  const size = Math.abs(x);
  if (!(size < 65520)) return Number.isNaN(x) ? x : Math.sign(x) * Number.POSITIVE_INFINITY;
  // The step between neighbouring binary16 numbers.
  const step = 2 ** (Math.max(-14, Math.floor(Math.log2(size || 1))) - 10);
  const quotient = size / step;
  const below = Math.floor(quotient);
  const rest = quotient - below;
  const up = rest > 0.5 || (rest === 0.5 && below % 2 === 1);
  return (x < 0 ? -1 : 1) * (below + (up ? 1 : 0)) * step;
}

/** Keys of numbers, including 64-bit integers. */
export function numberKeys(data: ArrayLike<number | bigint>, dtype: string): Keys {
  const big = typeof data[0] === "bigint";
  const round = Object.hasOwn(rounds, dtype) ? rounds[dtype] : undefined;
  return {
    what: "numbers",
    length: data.length,
    at: (i) => {
      const key = data[i] as number | bigint;
      return Number.isNaN(key) ? null : key;
    },
    read: (label) => {
      if (typeof label === "bigint") {
        const number = Number(label);
        return exact(!big && BigInt(number) === label ? number : label);
      }
      if (typeof label !== "number") return undefined;
      if (Number.isNaN(label)) return exact(null);
      if (big && Number.isInteger(label)) return exact(BigInt(label));
      return exact(round ? round(label) : label);
    },
    tolerance: (value) =>
      (typeof value === "number" && value >= 0) || (typeof value === "bigint" && value >= 0n)
        ? (value as number)
        : undefined,
  };
}

/** Keys of strings; `null` for a missing one. */
export function textKeys(data: ArrayLike<unknown>): Keys {
  return {
    what: "texts",
    length: data.length,
    at: (i) => (typeof data[i] === "string" ? (data[i] as string) : null),
    read: (label) => (typeof label === "string" ? exact(label) : label === null ? exact(null) : undefined),
  };
}

/** Keys of booleans, 0 or 1. */
export function booleanKeys(data: ArrayLike<unknown>): Keys {
  return {
    what: "booleans",
    length: data.length,
    at: (i) => (data[i] ? 1 : 0),
    read: (label) => (typeof label === "boolean" ? exact(label ? 1 : 0) : undefined),
  };
}

/**
 * Keys of times.
 *
 * @param counts ticks since an epoch common to all labels; `missing` for NaT
 * @param perMicrosecond ticks per microsecond
 * @param span the range that a label can mean, in microseconds since that epoch
 */
export function timeKeys(
  counts: BigInt64Array,
  perMicrosecond: bigint,
  span: (label: unknown) => { first: bigint; last: bigint } | undefined,
  resolution: Resolution = new Resolution(perMicrosecond).look(counts),
): Keys {
  return {
    what: "times",
    length: counts.length,
    at: (i) => (counts[i] === notATime ? null : (counts[i] as bigint)),
    read: (label) => {
      // A bigint is a count of the coordinate's own ticks.
      if (typeof label === "bigint") return exact(label);
      const found = span(label);
      if (!found) return undefined;
      const { first, last } = found;
      return { first: first * perMicrosecond, last: last * perMicrosecond + (perMicrosecond - 1n) };
    },
    tolerance: (value) => durationOf(value, perMicrosecond),
    resolution: resolution.ticks,
  };
}

/** Keys of durations, in ticks like times. */
export function durationKeys(counts: BigInt64Array, perMicrosecond: bigint): Keys {
  return {
    what: "durations",
    length: counts.length,
    at: (i) => (counts[i] === notATime ? null : (counts[i] as bigint)),
    read: (label) => {
      const key = typeof label === "bigint" ? label : durationOf(label, perMicrosecond);
      return key === undefined ? undefined : exact(key);
    },
    tolerance: (value) => durationOf(value, perMicrosecond),
  };
}

/** The microseconds of a day and of its parts. */
const parts = [86_400_000_000n, 3_600_000_000n, 60_000_000n, 1_000_000n, 1000n, 1n];

/** The longest part of a day that divides all times: the resolution of an index in pandas. */
export class Resolution {
  readonly #perMicrosecond: bigint;
  #part = 0;

  constructor(perMicrosecond: bigint) {
    this.#perMicrosecond = perMicrosecond;
  }

  /** The resolution in ticks. */
  get ticks(): bigint {
    return this.#part < parts.length ? (parts[this.#part] as bigint) * this.#perMicrosecond : 1n;
  }

  /** Takes more times into account. */
  look(counts: BigInt64Array): this {
    for (const count of counts) {
      if (count === notATime) continue;
      while (this.#part < parts.length && count % this.ticks !== 0n) this.#part++;
    }
    return this;
  }
}

/** The unit names of pandas, in nanoseconds. */
const nanoseconds: Record<string, number> = {
  W: 604_800e9,
  D: 86_400e9,
  day: 86_400e9,
  days: 86_400e9,
  h: 3600e9,
  H: 3600e9,
  hour: 3600e9,
  hours: 3600e9,
  m: 60e9,
  min: 60e9,
  minute: 60e9,
  minutes: 60e9,
  s: 1e9,
  second: 1e9,
  seconds: 1e9,
  ms: 1e6,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ns: 1,
};

/**
 * Parses a duration as written in pandas, `"6h"`, `"1.5 days"`, `"-2D"`, to ticks. Undefined if
 * invalid.
 */
function durationOf(value: unknown, perMicrosecond: bigint): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value !== "string") return undefined;
  const [, sign, digits, fraction = "", unit = ""] =
    /^\s*([-+]?)(\d{1,15})(?:\.(\d{1,9}))?\s*([a-zA-Zµμ]+)\s*$/.exec(value) ?? [];
  if (digits === undefined || !Object.hasOwn(nanoseconds, unit)) return undefined;
  const scaled = BigInt(digits + fraction.padEnd(9, "0")) * BigInt(nanoseconds[unit] as number) * perMicrosecond;
  const count = scaled / 10n ** 12n;
  return sign === "-" ? -count : count;
}
