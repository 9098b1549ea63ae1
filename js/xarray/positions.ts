// Positions along one dimension, and the composition of selections.
import { InvalidSelectionError } from "../errors.js";
import { show } from "../shared/arguments.js";
import { isSlice, type Positions, type Steps } from "./labels.js";

/** All positions of a dimension. */
export const whole = (length: number): Steps => ({ start: 0, step: 1, count: length });

/** The number of positions; undefined for one that drops its dimension. */
export function positionCount(positions: Positions): number | undefined {
  if (typeof positions === "number") return undefined;
  return "count" in positions ? positions.count : positions.length;
}

/** Reports whether positions are a whole dimension of the given length, in order. */
export function isWhole(positions: Positions, length: number): boolean {
  return typeof positions === "object" && "count" in positions && positions.start === 0 && positions.step === 1
    ? positions.count === length
    : false;
}

/** The positions as a list. */
export function positionList(positions: Positions): number[] {
  if (typeof positions === "number") return [positions];
  if (!("count" in positions)) return [...positions];
  return Array.from({ length: positions.count }, (_, i) => positions.start + i * positions.step);
}

/** The selector for an array read. */
export function selector(
  positions: Positions,
): number | number[] | { start: number; stop: number | null; step: number } {
  if (typeof positions === "number") return positions;
  if (!("count" in positions)) return [...positions];
  const { start, step, count } = positions;
  if (count === 0) return { start: 0, stop: 0, step: 1 };
  const stop = start + step * count;
  return { start, stop: stop < 0 ? null : stop, step };
}

/** Returns the positions `taken` from the positions `of`. */
export function among(of: Positions, taken: Positions): Positions {
  const at = (i: number) => (typeof of === "number" ? of : "count" in of ? of.start + i * of.step : (of[i] as number));
  if (typeof taken === "number") return at(taken);
  if ("count" in taken && typeof of !== "number" && "count" in of) {
    return { start: at(taken.start), step: of.step * taken.step, count: taken.count };
  }
  return positionList(taken).map(at);
}

/**
 * Converts an index, a slice, a list or a mask to positions along a dimension of the given length,
 * with the rules of Python. Throws {@link InvalidSelectionError}.
 */
export function located(name: string, selector: unknown, length: number): Positions {
  const fail = (message: string): never => {
    throw new InvalidSelectionError(`${name}: ${message}`);
  };
  const integer = (value: unknown): number => {
    const number = typeof value === "bigint" ? Number(value) : value;
    return Number.isSafeInteger(number) ? (number as number) : fail(`an index must be an integer, not ${show(value)}`);
  };
  const index = (value: unknown): number => {
    const i = integer(value);
    if (i < -length || i >= length) fail(`the index ${i} is outside of the dimension's length ${length}`);
    return i < 0 ? i + length : i;
  };
  if (selector === null || selector === undefined) return whole(length);
  if (isSlice(selector)) {
    const { start, stop } = selector;
    const step = (selector.step ?? null) === null ? 1 : integer(selector.step);
    if (step === 0) fail("a slice's step must not be 0");
    const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
    const end = (value: unknown, otherwise: number) => {
      if ((value ?? null) === null) return otherwise;
      const i = integer(value);
      return Math.min(Math.max(i < 0 ? i + length : i, low), high);
    };
    const [from, to] = [end(start, step > 0 ? low : high), end(stop, step > 0 ? high : low)];
    return { start: from, step, count: Math.max(0, Math.ceil((to - from) / step)) };
  }
  if (Array.isArray(selector) || (ArrayBuffer.isView(selector) && !(selector instanceof DataView))) {
    const list = Array.from(selector as ArrayLike<unknown>);
    if (typeof list[0] !== "boolean") return list.map(index);
    if (list.length !== length) fail(`a mask of ${list.length} for a dimension's length of ${length}`);
    return list.flatMap((one, i) => (typeof one === "boolean" ? (one ? [i] : []) : fail(`${show(one)} in a mask`)));
  }
  return index(selector);
}
