import { BoolArray } from "../data/arrays.js";
import type { WireIndices, WireInteger, WireSelector } from "../engine/protocol/wire.js";
import { InvalidSelectionError } from "../errors.js";
import { show } from "../shared/arguments.js";

/**
 * A range along one dimension, as in Python. The stop is excluded, negative numbers count from the
 * end, and `null` is the default.
 */
export interface Slice {
  /** The first index; by default the first of the dimension, or the last for negative steps. */
  start: number | null;
  /** The excluded end; by default the dimension's end, or its beginning for negative steps. */
  stop: number | null;
  /** The step, not 0; by default 1. */
  step: number | null;
}

/** {@link Slice}, or one whose numbers are bigints. */
export interface SliceLike {
  /** See {@link Slice.start}. */
  readonly start: number | bigint | null;
  /** See {@link Slice.stop}. */
  readonly stop: number | bigint | null;
  /** See {@link Slice.step}. */
  readonly step: number | bigint | null;
}

/**
 * Indices in any order, each from 0 or, when negative, from the end; or a mask, a boolean for each
 * index.
 */
export type IndexList =
  | readonly (number | bigint)[]
  | readonly boolean[]
  | BoolArray
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

/**
 * The selection along one dimension: one index (which drops the dimension), a range, all (`null`),
 * or a list or mask. `"..."` stands for all dimensions without an entry.
 */
export type Selector = number | bigint | SliceLike | null | "..." | IndexList;

/**
 * The selection of an array: all (`null`), an entry for each of the leading dimensions, or entries
 * by dimension name. Lists and masks select independently of each other, as in numpy's `ix_`
 * (orthogonal indexing).
 */
export type Selection = null | readonly Selector[] | Readonly<Record<string, Selector>>;

/**
 * Returns a range, as Python's `slice`: `slice(stop)`, `slice(start, stop)` or
 * `slice(start, stop, step)`. Steps may be negative. Indices outside the array are cut off.
 */
export function slice(stop: number | bigint | null): Slice;
export function slice(
  start: number | bigint | null,
  stop: number | bigint | null,
  step?: number | bigint | null,
): Slice;
export function slice(
  start: number | bigint | null,
  stop?: number | bigint | null,
  step: number | bigint | null = null,
): Slice {
  const [from, to] = stop === undefined ? [null, start] : [start, stop];
  return { start: toNumber(from, "start"), stop: toNumber(to, "stop"), step: toNumber(step, "step") };
}

function toNumber(value: number | bigint | null, what: string): number | null {
  const number = typeof value === "bigint" && BigInt.asIntN(54, value) === value ? Number(value) : value;
  if (number === null || (number === undefined && what !== "stop")) return null;
  const infinite = number === Number.POSITIVE_INFINITY || number === Number.NEGATIVE_INFINITY;
  if (infinite || Number.isSafeInteger(number)) return number as number;
  throw new InvalidSelectionError(`slice: ${what}: expected an integer or null, not ${show(value)}`);
}

/** Encodes a selection for the engine. The engine checks that it fits the array. */
export function selectionToWire(
  selection: Selection | undefined,
  names: readonly (string | null)[] | undefined,
): WireSelector[] | null {
  if (selection === null || selection === undefined) return null;
  const list = Array.isArray(selection) ? selection : byName(selection as Record<string, Selector>, names);
  return list.map(selectorToWire);
}

/**
 * Returns selectors by dimension name in the order of the dimensions. Dimensions without a selector
 * are selected whole.
 */
export function byName(
  selection: Readonly<Record<string, Selector>>,
  names: readonly (string | null)[] | undefined,
): Selector[] {
  // Only plain objects: a Map, a Date or a number has no names, and would select the whole array.
  const proto: unknown = Object(selection) === selection ? Object.getPrototypeOf(selection) : 0;
  if (proto !== null && (proto === 0 || Object.getPrototypeOf(proto) !== null)) {
    throw new InvalidSelectionError(
      `${show(selection)} is not a selection: expected a list such as [0, null], or entries by dimension name`,
    );
  }
  const known = names ?? [];
  for (const name of Object.keys(selection)) {
    const found = known.filter((other) => other === name).length;
    if (found === 1) continue;
    const has = known.length
      ? `its dimensions are ${known.map((n) => JSON.stringify(n)).join(", ")}`
      : "it has no names";
    const what = found === 0 ? "no dimension" : "more than one dimension";
    throw new InvalidSelectionError(`${what} of the array is called ${JSON.stringify(name)}: ${has}`);
  }
  return known.map((name) => (name !== null && Object.hasOwn(selection, name) ? (selection[name] ?? null) : null));
}

function selectorToWire(selector: Selector): WireSelector {
  if (selector === null || selector === "...") return selector;
  if (typeof selector === "number" || typeof selector === "bigint") return integer(selector, "an index");
  if (selector instanceof BoolArray) return new Uint8Array(selector);
  if (Array.isArray(selector) && typeof selector[0] === "boolean") return maskToWire(selector);
  if (Array.isArray(selector) || ArrayBuffer.isView(selector)) return indices(selector, "an index");
  if (typeof selector === "object" && "start" in selector && "stop" in selector) {
    return {
      start: bound(selector.start, "a slice's start"),
      stop: bound(selector.stop, "a slice's stop"),
      step: selector.step === null || selector.step === undefined ? null : integer(selector.step, "a slice's step"),
    };
  }
  throw new InvalidSelectionError(
    `${show(selector)} selects nothing: use an index, slice(), null, "...", a list or a mask`,
  );
}

function maskToWire(list: readonly unknown[]): Uint8Array {
  const mask = new Uint8Array(list.length);
  for (let i = 0; i < mask.length; i++) {
    const v = list[i];
    if (typeof v !== "boolean") throw new InvalidSelectionError(`${show(v)} in a mask of booleans`);
    mask[i] = v ? 1 : 0;
  }
  return mask;
}

/** Encodes a few integers for the engine. */
export function integers(list: unknown, what: string): WireInteger[] {
  return Array.from(listed(list, what), (value) => integer(value, what));
}

/** Encodes a list of indices for the engine. The list may be very long. */
export function indices(list: unknown, what: string): WireIndices {
  const all = listed(list, what);
  const { length } = all;
  const words = new Int32Array(2 * length);
  for (let i = 0; i < length; i++) {
    const value = all[i];
    if (typeof value === "number" && Number.isSafeInteger(value)) {
      words[2 * i] = value; // modulo 2^32
      words[2 * i + 1] = Math.floor(value / 2 ** 32);
    } else {
      integer(value, what);
      words[2 * i] = Number(BigInt.asIntN(32, value as bigint));
      words[2 * i + 1] = Number((value as bigint) >> 32n);
    }
  }
  return { indices: new Uint8Array(words.buffer) };
}

function listed(list: unknown, what: string): ArrayLike<unknown> {
  if (Array.isArray(list) || (ArrayBuffer.isView(list) && !(list instanceof DataView))) return list as never;
  throw new InvalidSelectionError(`${what}: expected a list of integers, not ${show(list)}`);
}

/** Encodes an integer for the engine. */
function integer(value: unknown, what: string): WireInteger {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value + 0;
  if (typeof value === "bigint" && BigInt.asIntN(64, value) === value) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { bigint: value.toString() };
  }
  throw new InvalidSelectionError(`${what} must be an integer, not ${show(value)}`);
}

function bound(value: number | bigint | null | undefined, what: string): WireInteger | null {
  if (value === null || value === undefined) return null;
  // Ranges are cut off at the array's ends, and no array is longer than this.
  if (value === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER;
  if (value === Number.NEGATIVE_INFINITY) return -Number.MAX_SAFE_INTEGER;
  return integer(value, what);
}
