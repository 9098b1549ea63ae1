import type { Packing } from "../../describe/field.js";
import { type Line, lineOf, logsOf } from "../colour/curve.js";
import type { Pixels, Style } from "./painter.js";

/** The form of numbers in a painter: unsigned integers, signed integers, or single precision. */
export type Kind = "uint" | "int" | "float";

/** The range of numbers in a typed array. */
export interface Numbers {
  readonly kind: Kind;
  readonly least: number;
  readonly most: number;
}

/**
 * Returns the possible numbers of pixels. Throws a RangeError if there are fewer than the rectangle
 * has.
 */
export function numbersOf({ width, height, parts, data }: Pixels): Numbers {
  if (data.length < width * height * parts) {
    throw new RangeError(`${data.length} numbers are too few for ${width} x ${height} pixels of ${parts}.`);
  }
  if (data instanceof Float32Array) return { kind: "float", least: -Infinity, most: Infinity };
  const bits = data.BYTES_PER_ELEMENT * 8;
  const signed = data instanceof Int8Array || data instanceof Int16Array || data instanceof Int32Array;
  return signed
    ? { kind: "int", least: -(2 ** (bits - 1)), most: 2 ** (bits - 1) - 1 }
    : { kind: "uint", least: 0, most: 2 ** bits - 1 };
}

/**
 * Returns the line from a pixel's stored number to its share of the range, before the curve. For a
 * logarithm, it applies to the logarithm.
 */
export function lineThrough(style: Style, { most }: Numbers): Line {
  if (style.kind === "category" || style.kind === "label") return { from: 0, by: 0, plus: 0 };
  const [low, high] = style.range.map((end) => (Number.isNaN(end) ? 0 : end)) as [number, number];
  if (style.kind === "colour") return lineOf([low, Number.isNaN(high) ? most : high]);
  if (style.curve.kind === "log") return lineOf(logsOf([low, high]));
  const { scale, offset } = style.packing;
  const line = lineOf([low, high]);
  // With a factor of 0, all numbers have one value.
  if (scale === 0) return { from: 0, by: 0, plus: (offset - line.from) * line.by + line.plus };
  return { from: (line.from - offset) / scale, by: line.by * scale, plus: line.plus };
}

/** Returns the range of valid stored numbers; all numbers if none is stated. */
export function validOf({ valid }: Packing, { kind, least, most }: Numbers): readonly [least: number, most: number] {
  if (!valid) return [least, most];
  if (kind === "float") return [Math.fround(valid[0]), Math.fround(valid[1])];
  const from = Math.max(least, Math.ceil(valid[0]));
  const to = Math.min(most, Math.floor(valid[1]));
  return from > to ? [1, 0] : [from, to];
}

/**
 * Returns the values that pixels of a kind can have, sorted and unique, each with its original
 * place.
 */
export function sorted(
  values: Iterable<number | bigint>,
  { kind, least, most }: Numbers,
): readonly (readonly [value: number, index: number])[] {
  const found = new Map<number, number>();
  let index = 0;
  for (const value of values) {
    const number = kind === "float" ? Math.fround(Number(value)) : Number(value);
    const held = number >= least && number <= most && (kind === "float" || Number.isInteger(number));
    if (held && !found.has(number)) found.set(number, index);
    index++;
  }
  return [...found].sort(([a], [b]) => a - b);
}
