import { BoolArray, ByteStringArray } from "../data/arrays.js";
import { product, strides } from "../data/shape.js";
import type { AnyData } from "../data/types.js";
import type { Calendar } from "./calendar.js";
import type { Decoder } from "./decoder.js";
import { Kernel } from "./kernels.js";
import { type Counts, type Numbers, type Output, roomFor, viewedAs } from "./plan.js";
import { TimeArray, TimedeltaArray, type TimeValues } from "./times.js";

/** A decoded region. */
export interface Decoded {
  /** The elements in C order. Missing ones are NaN, or `null` for times and durations. */
  data: AnyData | TimeArray | TimedeltaArray;
  /** The number of elements along each dimension. */
  shape: number[];
  /** The distance between neighbouring elements along each dimension, in elements. */
  stride: number[];
  /** The type of the elements; see {@link Decoder.dtype}. */
  dtype: string;
  /** The attribute `units`. For times these are the encoded units. */
  units?: string | undefined;
  /** The calendar of times. */
  calendar?: Calendar | undefined;
  /** The number of masked elements, without those stored as NaN. */
  masked: number;
  /** The number of missing elements: masked, NaN, or NaT. */
  missing: number;
  /** The names of the applied attributes that change values. */
  applied: readonly string[];
  /** The attributes that could not be applied, and why. */
  problems: readonly string[];
}

/** A region as stored: the result of `array.get`, with `as: "bytes"` for fixed-width bytes. */
export interface RawRegion {
  /** The elements. */
  data: unknown;
  /** The number of elements along each dimension. */
  shape: readonly number[];
}

/** @internal Combines decoded data with the properties of their decoder. */
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

/** Decodes bytes without trailing NULs: as UTF-8 if valid, otherwise as Latin-1. */
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

/** @internal Prepares strings of equal byte length. `add` appends the next one to the list. */
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

/** @internal Wraps numbers after the decoder's plan, if any, was applied. */
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
 * Decodes a region that is already read, on this thread; {@link decodeArray} moves large ones to a
 * worker. Does not change the elements of `raw`.
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
