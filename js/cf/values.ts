import { BoolArray, ByteStringArray } from "../data/arrays.js";
import { product, strides } from "../data/shape.js";
import type { AnyData } from "../data/types.js";
import type { Calendar } from "./calendar.js";
import type { Decoder } from "./decoder.js";
import { Kernel } from "./kernels.js";
import { type Counts, type Numbers, type Output, roomFor, viewedAs } from "./plan.js";
import { TimeArray, TimedeltaArray, type TimeValues } from "./times.js";

/** A region that is decoded. */
export interface Decoded {
  /** The elements, in C order. What is missing is NaN, of times and durations `null`. */
  data: AnyData | TimeArray | TimedeltaArray;
  /** Elements along each dimension. */
  shape: number[];
  /** From one element to the next along each dimension, in elements. */
  stride: number[];
  /** The type of the elements, see {@link Decoder.dtype}. */
  dtype: string;
  /** The attribute `units`: what the numbers are multiples of, of times what they were. */
  units?: string | undefined;
  /** The calendar of times. */
  calendar?: Calendar | undefined;
  /** How many elements were masked: those that are NaN in the store are not counted. */
  masked: number;
  /** How many elements are missing: masked, NaN, or no time. */
  missing: number;
  /** The attributes that change values and were applied, by name. */
  applied: readonly string[];
  /** What of the attributes was not applied, and why. */
  problems: readonly string[];
}

/** A region as it is stored: what `array.get` gives, with `as: "bytes"` of fixed-width bytes. */
export interface RawRegion {
  /** The elements. */
  data: unknown;
  /** Elements along each dimension. */
  shape: readonly number[];
}

/** @internal What a decoder gives, without what a region adds. */
export function decodedBy(decoder: Decoder, data: Decoded["data"], shape: readonly number[], counts: Counts): Decoded {
  const { dtype, applied, problems, encoding, attributes, units } = decoder;
  const text = (decoder.form === "time" || decoder.form === "timedelta" ? encoding : attributes).units;
  return {
    data,
    shape: [...shape],
    stride: strides(shape),
    dtype,
    ...(typeof text === "string" && { units: text }),
    ...(units && { calendar: units.calendar }),
    ...counts,
    applied,
    problems,
  };
}

/** Bytes without their trailing NULs as text: as UTF-8 where they are, else a Latin-1 character a byte. */
function bytesToText(bytes: Uint8Array, utf8: TextDecoder): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  const used = bytes.subarray(0, end);
  try {
    return utf8.decode(used);
  } catch {
    return Array.from(used, (c) => String.fromCharCode(c)).join("");
  }
}

/** @internal Texts of so many bytes each: a list that is filled, element by element, by the function. */
export function textsOf(
  decoder: Decoder,
  raw: RawRegion,
): { list: string[]; shape: readonly number[]; add(): boolean } {
  const { shape } = raw;
  const bytes = raw.data as Uint8Array;
  const joined = decoder.form === "chars" && shape.length > 0 ? shape.slice(0, -1) : shape;
  const count = product(joined);
  const size = count === 0 ? 0 : bytes.length / count;
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const list: string[] = decoder.dtype === "string" ? [] : new ByteStringArray();
  return {
    list,
    shape: joined,
    add: () => {
      const i = list.length;
      return i < count && list.push(bytesToText(bytes.subarray(i * size, (i + 1) * size), utf8)) > 0;
    },
  };
}

/** @internal What a decoder makes of numbers that its plan, if it has one, was applied to. */
export function decodedNumbers(
  decoder: Decoder,
  { data, marks }: Output,
  shape: readonly number[],
  counts: Counts,
): Decoded {
  const { units, timedelta, plan } = decoder;
  const values = data as TimeValues;
  const missing = counts.missing > 0 ? marks : undefined;
  let made: Decoded["data"] = data as AnyData;
  if (units) made = new TimeArray(values, missing, units);
  else if (timedelta) made = new TimedeltaArray(values, missing, timedelta);
  else if (plan?.kind === "truth") made = new BoolArray(data.buffer as ArrayBuffer, data.byteOffset, data.length);
  return decodedBy(decoder, made, shape, counts);
}

/**
 * Decodes a region that has been read already, where it is: for large ones {@link decodeArray} does it elsewhere. The elements of
 * `raw` are not changed.
 */
export function decodeValues(decoder: Decoder, raw: RawRegion): Decoded {
  const { form, plan, from } = decoder;
  if (form === "chars" || form === "text") {
    const { list, shape, add } = textsOf(decoder, raw);
    while (add());
    return decodedBy(decoder, list, shape, { masked: 0, missing: 0 });
  }
  const none = { masked: 0, missing: 0 };
  if (from === undefined) return decodedBy(decoder, raw.data as AnyData, raw.shape, none);
  const source = viewedAs(raw.data as Numbers, from);
  if (!plan) return decodedNumbers(decoder, { data: source }, raw.shape, none);
  const count = product(raw.shape);
  const output = roomFor(plan, count);
  const kernel = new Kernel(plan);
  kernel.run(source, 0, count, output, 0);
  return decodedNumbers(decoder, output, raw.shape, kernel.counts);
}
