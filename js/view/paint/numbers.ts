import type { Packing } from "../../describe/field.js";
import { type Line, lineOf, logsOf } from "../colour/curve.js";
import type { Pixels, Style } from "./painter.js";

/** How a painter holds numbers: whole ones without and with a sign, and single precision. */
export type Kind = "uint" | "int" | "float";

/** The numbers that typed arrays hold. */
export interface Numbers {
  readonly kind: Kind;
  readonly least: number;
  readonly most: number;
}

/** What numbers pixels can be. Throws a RangeError where there are fewer than the rectangle has. */
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

/** Where the stored number of a pixel lies in a range, before the curve; of a logarithm, where its logarithm does. */
export function lineThrough(style: Style, { most }: Numbers): Line {
  if (style.kind === "category" || style.kind === "label") return { from: 0, by: 0, plus: 0 };
  const [low, high] = style.range.map((end) => (Number.isNaN(end) ? 0 : end)) as [number, number];
  if (style.kind === "colour") return lineOf([low, Number.isNaN(high) ? most : high]);
  if (style.curve.kind === "log") return lineOf(logsOf([low, high]));
  const { scale, offset } = style.packing;
  const line = lineOf([low, high]);
  // With a factor of 0 all values are one.
  if (scale === 0) return { from: 0, by: 0, plus: (offset - line.from) * line.by + line.plus };
  return { from: (line.from - offset) / scale, by: line.by * scale, plus: line.plus };
}

/** The stored numbers that are valid: all, where nothing is said. */
export function validOf({ valid }: Packing, { kind, least, most }: Numbers): readonly [least: number, most: number] {
  if (!valid) return [least, most];
  if (kind === "float") return [Math.fround(valid[0]), Math.fround(valid[1])];
  const from = Math.max(least, Math.ceil(valid[0]));
  const to = Math.min(most, Math.floor(valid[1]));
  return from > to ? [1, 0] : [from, to];
}

/** Values that pixels of a kind can have, in order and once each, with the place where each was found. */
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
