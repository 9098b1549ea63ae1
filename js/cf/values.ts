import { BoolArray, ByteStringArray } from "../data/arrays.js";
import { product, strides } from "../data/shape.js";
import type { AnyData } from "../data/types.js";
import type { Calendar } from "./calendar.js";
import type { Decoder } from "./decoder.js";
import { Kernel } from "./kernels.js";
import { type Counts, type NumberName, type Numbers, type Plan, partsOf, sizeOf } from "./plan.js";
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

const classes = {
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
  complex64: Float32Array,
  complex128: Float64Array,
};

/** @internal An array of so many zeros of a type. Where the platform has no Float16Array, a Float32Array holds such numbers. */
export function zeros(name: NumberName, count: number): Numbers {
  const Of = name === "float16" ? (globalThis.Float16Array ?? Float32Array) : classes[name];
  return new Of(count * partsOf(name)) as Numbers;
}

/** @internal The same bytes as numbers of another type, where that has the same size; else the same array. */
export function viewedAs(data: Numbers, name: NumberName | undefined): Numbers {
  const Of = name !== undefined && name !== "float16" && classes[name];
  if (!Of || data instanceof Of || data.BYTES_PER_ELEMENT !== sizeOf(name)) return data;
  return new Of(data.buffer as ArrayBuffer, data.byteOffset, data.length);
}

/** What a decoder gives, without what a region adds. */
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

/** Integers of times: they stay as they are, and what is missing is marked. */
function marked(source: Numbers, { missing, least, most }: Plan): { missing: Uint8Array | undefined; counts: Counts } {
  const marks = new Uint8Array(source.length);
  let masked = 0;
  for (let i = 0; i < source.length; i++) {
    const v = source[i] as number | bigint;
    // A bigint is never the same as a number, but smaller or larger.
    if (
      missing.some((value) => value === v) ||
      (least !== undefined && v < least) ||
      (most !== undefined && v > most)
    ) {
      marks[i] = 1;
      masked++;
    }
  }
  return { missing: masked > 0 ? marks : undefined, counts: { masked, missing: masked } };
}

/** The numbers that stand for times: integers, or binary64. */
function timesOf(source: Numbers, plan: Plan | undefined): [TimeValues, Uint8Array | undefined, Counts] {
  const integers = !(
    source instanceof Float32Array ||
    source instanceof Float64Array ||
    !/Int/.test(source.constructor.name)
  );
  const packed = plan?.scale !== undefined || plan?.offset !== undefined;
  if (integers && !packed) {
    if (!plan) return [source as TimeValues, undefined, { masked: 0, missing: 0 }];
    const { missing, counts } = marked(source, plan);
    return [source as TimeValues, missing, counts];
  }
  const values = new Float64Array(source.length);
  const kernel = new Kernel({ ...(plan ?? { from: "float64", missing: [] }), to: "float64" });
  kernel.run(source, 0, source.length, values, 0);
  return [values, undefined, kernel.counts];
}

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes without their trailing NULs as text: as UTF-8 where they are, else a Latin-1 character a byte. */
function textOf(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  const used = bytes.subarray(0, end);
  try {
    return utf8.decode(used);
  } catch {
    return String.fromCharCode(...used);
  }
}

/** Texts of so many bytes each. */
function texts(bytes: Uint8Array, count: number, plain: boolean): string[] {
  const size = count === 0 ? 0 : bytes.length / count;
  const list: string[] = plain ? [] : new ByteStringArray();
  for (let i = 0; i < count; i++) list.push(textOf(bytes.subarray(i * size, (i + 1) * size)));
  return list;
}

/**
 * Decodes a region that has been read already, where it is: for large ones {@link decodeArray} does it elsewhere. The elements of `raw` are not changed.
 */
export function decodeValues(decoder: Decoder, raw: RawRegion): Decoded {
  const { form, plan, from } = decoder;
  const { shape } = raw;
  const none = { masked: 0, missing: 0 };
  const count = product(shape);
  switch (form) {
    case "same": {
      const data = from ? viewedAs(raw.data as Numbers, from) : raw.data;
      return decodedBy(decoder, data as AnyData, shape, none);
    }
    case "bool": {
      const source = raw.data as Numbers;
      const data = new BoolArray(source.length);
      for (let i = 0; i < source.length; i++) data[i] = Number(source[i]) === 0 ? 0 : 1;
      return decodedBy(decoder, data, shape, none);
    }
    case "chars":
    case "text": {
      const joined = form === "chars" && shape.length > 0 ? shape.slice(0, -1) : shape;
      const data = texts(raw.data as Uint8Array, product(joined), decoder.dtype === "string");
      return decodedBy(decoder, data, joined, none);
    }
    case "numbers": {
      const { to } = plan as Plan;
      const data = zeros(to, count);
      const kernel = new Kernel(plan as Plan);
      kernel.run(viewedAs(raw.data as Numbers, from), 0, count, data, 0);
      return decodedBy(decoder, data as AnyData, shape, kernel.counts);
    }
    default: {
      const [values, missing, counts] = timesOf(viewedAs(raw.data as Numbers, from), plan);
      const { units, timedelta } = decoder;
      const data = units
        ? new TimeArray(values, missing, units)
        : new TimedeltaArray(values, missing, timedelta as NonNullable<typeof timedelta>);
      return decodedBy(decoder, data, shape, counts);
    }
  }
}
