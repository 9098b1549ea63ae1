import type { TypeDescription } from "../engine/protocol/wire.js";
import { InvalidMetadataError, UnsupportedError } from "../errors.js";
import { aBoolean, checked, type Settings } from "../shared/arguments.js";
import { asList, numberOf, oneNumber, shown } from "./attributes.js";
import { ruleOf } from "./calendar.js";
import { type Flags, flagsOf } from "./flags.js";
import { type NumberName, type Plan, partsOf, sizeOf } from "./plan.js";
import { parseUnits, splitUnits, type Units, unitOf } from "./units.js";

/** The attributes to apply, with xarray's option names. */
export interface DecoderOptions {
  /**
   * Masks missing values and unpacks the others: `_FillValue`, `missing_value`, `scale_factor`,
   * `add_offset` and `_Unsigned`. `false` keeps the stored numbers. The default is `true`.
   */
  maskAndScale?: boolean | undefined;
  /** Decodes numbers with units `"… since …"` as times. The default is `true`. */
  decodeTimes?: boolean | undefined;
  /**
   * Decodes numbers with units of time as durations. By default only if the attribute `dtype`
   * demands it, as written by xarray since 2025.
   */
  decodeTimedelta?: boolean | undefined;
  /** Joins arrays of single characters along their last dimension. The default is `true`. */
  concatCharacters?: boolean | undefined;
  /**
   * Masks values outside `valid_min`, `valid_max` or `valid_range`, unlike xarray. The default is
   * `false`.
   */
  validRange?: boolean | undefined;
  /**
   * Uses the array's fill value as `_FillValue` if that attribute is absent. The default is
   * xarray's: `true` for v1 and v2, `false` for v3.
   */
  useZarrFillValueAsMask?: boolean | undefined;
  /** `"float32"` rounds results that would be float64 to float32. */
  dtype?: "float32" | undefined;
}

/** @internal The checks of these options. */
export const decoderSettings: Settings = {
  maskAndScale: [aBoolean],
  decodeTimes: [aBoolean],
  decodeTimedelta: [aBoolean],
  concatCharacters: [aBoolean],
  validRange: [aBoolean],
  useZarrFillValueAsMask: [aBoolean],
  dtype: [[(value: unknown) => value === "float32", '"float32"']],
};

/** The input of {@link decoderOf}: an array, or its properties. */
export interface DecoderSource {
  /** The attributes. */
  readonly attrs: Readonly<Record<string, unknown>>;
  /** The data type's name. */
  readonly dtype: string;
  /** The data type in full. */
  readonly type: TypeDescription;
  /** The array's fill value; `null` if undefined. */
  readonly fillValue: unknown;
  /** The version of Zarr. */
  readonly format: 1 | 2 | 3;
}

/** @internal The transformation of the elements. */
type Form = "same" | "numbers" | "chars" | "text" | "time" | "timedelta";

/** The decoding of a variable's elements, according to its attributes. */
export interface Decoder {
  /**
   * The decoded type: a data type's name or `"string"`. `"time"` stands for a {@link TimeArray} and
   * `"timedelta"` for a {@link TimedeltaArray}.
   */
  readonly dtype: string;
  /** The attributes that were not applied. */
  readonly attributes: Record<string, unknown>;
  /** The attributes that were applied, and `dtype`, the stored type. */
  readonly encoding: Record<string, unknown>;
  /** The units of times. */
  readonly units?: Units | undefined;
  /** The meanings of flags; see {@link Flags.of}. */
  readonly flags?: Flags | undefined;
  /** The names of the applied attributes that change values. */
  readonly applied: readonly string[];
  /** The attributes that could not be applied, and why, one sentence each. */
  readonly problems: readonly string[];
  /** @internal */
  readonly form: Form;
  /** @internal The plan for decoding numbers; undefined if they stay unchanged. */
  readonly plan?: Plan | undefined;
  /** @internal The type as which stored elements are read first. */
  readonly from?: NumberName | undefined;
  /** @internal The stored type. */
  readonly stored?: NumberName | undefined;
  /** @internal The unit of durations. */
  readonly timedelta?: readonly [name: string, count: number, perDay: number] | undefined;
}

/** The name of a type's numbers, as held in typed arrays; undefined if it has none. */
function numbersOf({ kind, size }: TypeDescription): NumberName | undefined {
  switch (kind) {
    case "int":
    case "uint":
    case "float":
      return `${kind}${size * 8}` as NumberName;
    case "minifloat":
      return "float32";
    case "complex":
      return size === 16 ? "complex128" : "complex64";
    default:
      return undefined;
  }
}

const isInteger = (name: NumberName) => /^u?int/.test(name);

/** The smallest and the largest value of an integer type. */
function boundsOf(name: NumberName): [least: bigint, most: bigint] {
  const bits = BigInt(8 * sizeOf(name));
  return name.startsWith("u") ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
}

/** Converts an integer to a value of its type; undefined if out of range. */
function integerAs(value: number | bigint, name: NumberName): number | bigint | undefined {
  if (typeof value === "number" && !Number.isInteger(value)) return undefined;
  const [least, most] = boundsOf(name);
  const integer = BigInt(value);
  if (integer < least || integer > most) return undefined;
  return name.endsWith("int64") ? integer : Number(integer);
}

/** Rounds to the nearest binary16 number. */
function halfRounded(value: number): number {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0) return value;
  let exponent = Math.max(Math.floor(Math.log2(size)), -14);
  if (exponent > -14 && 2 ** exponent > size) exponent--;
  if (2 ** (exponent + 1) <= size) exponent++;
  const ulp = 2 ** (exponent - 10);
  const whole = Math.floor(size / ulp);
  const rest = size / ulp - whole;
  const rounded = (rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? whole + 1 : whole) * ulp;
  return Math.sign(value) * (rounded >= 65_520 ? Number.POSITIVE_INFINITY : rounded);
}

/** Converts a number to a value of a type; undefined if no element can equal it. */
function valueAs(value: number | bigint, name: NumberName): number | bigint | undefined {
  if (isInteger(name)) return integerAs(value, name);
  const real = Number(value);
  if (Number.isNaN(real)) return undefined;
  if (name === "float16") return halfRounded(real);
  return name === "float32" || name === "complex64" ? Math.fround(real) : real;
}

/** The state of reading an array's attributes. */
class Reading {
  readonly attributes: Record<string, unknown>;
  readonly encoding: Record<string, unknown>;
  readonly applied: string[] = [];
  readonly problems: string[] = [];

  constructor({ attrs, dtype, format }: DecoderSource) {
    this.attributes = { ...attrs };
    this.encoding = { dtype };
    if (format < 3) delete this.attributes._ARRAY_DIMENSIONS;
  }

  /** Moves an attribute from the remaining ones to the encoding. */
  take(name: string): unknown {
    const value = this.attributes[name];
    if (Object.hasOwn(this.attributes, name)) {
      this.encoding[name] = value;
      delete this.attributes[name];
    }
    return value;
  }
}

/** The type that `_Unsigned` changes a type to. */
function unsignedAs(reading: Reading, from: NumberName): NumberName {
  const unsigned = reading.take("_Unsigned");
  if (unsigned === undefined) return from;
  if ((unsigned !== "true" && unsigned !== "false") || !isInteger(from)) {
    reading.problems.push(`_Unsigned ${shown(unsigned)} does not apply to ${from}`);
    return from;
  }
  const to = from.replace(/^u?int/, unsigned === "true" ? "uint" : "int") as NumberName;
  if (to !== from) reading.applied.push("_Unsigned");
  return to;
}

/** Converts a value of the stored type to the type given by `_Unsigned`. */
function reinterpreted(value: number | bigint, stored: NumberName, from: NumberName): number | bigint {
  const integer = stored === from ? undefined : integerAs(value, stored);
  if (integer === undefined) return value;
  const bits = 8 * sizeOf(from);
  return from.startsWith("u") ? BigInt.asUintN(bits, BigInt(integer)) : BigInt.asIntN(bits, BigInt(integer));
}

/** The values of an attribute that mark missing elements. */
function marksOf(
  reading: Reading,
  name: string,
  value: unknown,
  stored: NumberName,
  from: NumberName,
): Plan["missing"] {
  const real = !isInteger(from);
  const unusable = (one: unknown) => {
    reading.problems.push(`${name} ${shown(one)} is not a number and is ignored`);
    return [];
  };
  if (partsOf(from) === 2) {
    const { re, im } = (value ?? {}) as { re?: number; im?: number };
    const all = re === undefined ? asList(value) : [re, im];
    const numbers = all.map((one) => numberOf(one, true));
    if (all.length !== 2 || numbers.includes(undefined)) return unusable(value);
    const [r, i] = numbers.map((one) => valueAs(one as number, from));
    return r === undefined || i === undefined ? [] : [[Number(r), Number(i)]];
  }
  return asList(value).flatMap((one) => {
    const number = numberOf(one, real);
    if (number === undefined) return unusable(one);
    const mark = valueAs(name === "_FillValue" ? reinterpreted(number, stored, from) : number, from);
    return mark === undefined ? [] : [mark];
  });
}

/** The range of `valid_range`, or of `valid_min` and `valid_max`, in packed values (CF 2.5.1). */
function validRange(reading: Reading, stored: NumberName, from: NumberName): Pick<Plan, "least" | "most"> | undefined {
  const { valid_range: range, valid_min: min, valid_max: max } = reading.attributes;
  const ends = range === undefined ? [min, max].map((one) => asList(one)[0] ?? undefined) : [...asList(range)];
  if (range === undefined && ends.every((end) => end === undefined)) return undefined;
  const numbers = ends.map((one) => (one === undefined ? one : numberOf(one, !isInteger(from))));
  const wrong =
    ends.length !== 2 || numbers.some((one, i) => ends[i] !== undefined && (one === undefined || Number.isNaN(one)));
  if (wrong || partsOf(from) === 2) {
    reading.problems.push(`the valid range of ${from} is not a range of numbers and is ignored`);
    return undefined;
  }
  const names = range !== undefined ? ["valid_range"] : ["valid_min", "valid_max"];
  reading.applied.push(...names.filter((_, i) => ends[i] !== undefined));
  const [least, most] = numbers.map((one) => (one === undefined ? one : reinterpreted(one, stored, from)));
  return { least, most };
}

function planOf(
  reading: Reading,
  source: DecoderSource,
  options: DecoderOptions,
  stored: NumberName,
  from: NumberName,
): Plan | undefined {
  const { useZarrFillValueAsMask = source.format < 3, dtype } = options;
  const missing: Plan["missing"] = [];
  let masks = false;
  for (const name of ["_FillValue", "missing_value"] as const) {
    let value = reading.take(name);
    if (name === "_FillValue" && (value ?? null) === null && useZarrFillValueAsMask && source.fillValue !== null) {
      value = source.fillValue;
      reading.encoding._FillValue = value;
    }
    if (asList(value).length === 0) continue;
    masks = true;
    const marks = marksOf(reading, name, value, stored, from);
    if (marks.length > 0) reading.applied.push(name);
    for (const mark of marks) missing.push(mark);
  }
  const range = options.validRange ? validRange(reading, stored, from) : undefined;
  const scale = oneNumber(reading.attributes, "scale_factor");
  const offset = oneNumber(reading.attributes, "add_offset");
  for (const [name, value] of [
    ["scale_factor", scale],
    ["add_offset", offset],
  ] as const) {
    reading.take(name);
    if (value !== undefined) reading.applied.push(name);
  }
  const scaled = scale !== undefined || offset !== undefined;
  if (scaled && partsOf(from) === 2) {
    throw new UnsupportedError("complex numbers that are packed", { feature: "scale_factor of complex numbers" });
  }
  if (!masks && !range && !scaled && isInteger(from)) return undefined;
  let to: NumberName = from;
  if (scaled) to = "float64";
  else if (isInteger(from)) to = sizeOf(from) <= 2 ? "float32" : "float64";
  if (to === "float64" && dtype === "float32") to = "float32";
  // _FillValue and missing_value are often equal.
  return { kind: "numbers", from, to, missing: [...new Set(missing)], ...range, scale, offset };
}

/** Integer times stay integers, so that no digit is lost; all others become binary64. */
function planOfTimes(plan: Plan | undefined, from: NumberName): Plan | undefined {
  if (!isInteger(from)) return { kind: "numbers", missing: [], ...plan, from, to: "float64" };
  const packed = plan?.scale !== undefined || plan?.offset !== undefined;
  return plan && (packed ? { ...plan, to: "float64" } : { ...plan, kind: "marks", to: from });
}

/**
 * The units of times; undefined for other units. Invalid units of times are reported as a problem.
 */
function timesOf(reading: Reading): Units | undefined {
  const { units, calendar } = reading.attributes;
  if (!splitUnits(units)) return undefined;
  try {
    return parseUnits(units as string, (calendar ?? undefined) as string | undefined);
  } catch (error) {
    reading.problems.push(`times are not decoded: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

const durations = /^(?:nanosec|microsec|millisec|second|minute|hour|day|week)/;

/** The unit of durations; undefined if the numbers are not durations. */
function timedeltaOf(reading: Reading, wanted: boolean | undefined): Decoder["timedelta"] {
  const { units, dtype } = reading.attributes;
  const marked = typeof dtype === "string" && /^timedelta64(\[.+\])?$/s.test(dtype);
  if (typeof units !== "string" || !(wanted ?? marked)) return undefined;
  const unit = unitOf(units.trim().toLowerCase(), ruleOf("standard"));
  if (!unit || !durations.test(unit[0])) return undefined;
  reading.take("units");
  if (marked) reading.take("dtype");
  return unit;
}

function flags(reading: Reading, from: NumberName | undefined): Flags | undefined {
  try {
    return from && flagsOf(reading.attributes, isInteger(from) ? 8 * sizeOf(from) : 64);
  } catch (error) {
    reading.problems.push(`flags are not applied: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/**
 * Reads the attributes of an array that concern its elements (CF 2.5, 3.5, 4.4 and 8.1, and
 * xarray's additions). Throws {@link InvalidMetadataError} if `scale_factor` or `add_offset` is no
 * number. Other attributes that cannot be applied are listed in {@link Decoder.problems}.
 */
export function decoderOf(source: DecoderSource, options: DecoderOptions = {}): Decoder {
  checked("decoderOf", options, decoderSettings);
  const reading = new Reading(source);
  const { applied, problems, attributes, encoding } = reading;
  const common = { attributes, encoding, applied, problems };
  const { kind, size } = source.type;
  if (kind === "char") return { ...charsToText(reading, source, options, size), ...common };
  const stored = numbersOf(source.type);
  if (stored === undefined) {
    const text = kind === "string" || kind === "unicode";
    return { form: "same", dtype: text ? "string" : source.dtype, ...common };
  }
  const { maskAndScale = true, decodeTimes = true } = options;
  const from = maskAndScale ? unsignedAs(reading, stored) : stored;
  const plan = maskAndScale ? planOf(reading, source, options, stored, from) : undefined;
  const meanings = flags(reading, from);
  const more = { from, stored, ...(meanings && { flags: meanings }), ...common };
  const units = decodeTimes && partsOf(from) === 1 ? timesOf(reading) : undefined;
  if (units) {
    reading.take("units");
    reading.take("calendar");
    return { form: "time", dtype: "time", units, plan: planOfTimes(plan, from), ...more };
  }
  const timedelta = decodeTimes && partsOf(from) === 1 ? timedeltaOf(reading, options.decodeTimedelta) : undefined;
  if (timedelta) return { form: "timedelta", dtype: "timedelta", timedelta, plan: planOfTimes(plan, from), ...more };
  if (attributes.dtype === "bool" && maskAndScale) {
    if (isInteger(from) && !plan) {
      reading.take("dtype");
      applied.push("dtype");
      return { form: "numbers", dtype: "bool", plan: { kind: "truth", from, to: "uint8", missing: [] }, ...more };
    }
    problems.push('dtype "bool" does not apply to elements that are masked, packed or not integers');
  }
  // Unchanged elements keep the name of their type: int4, bfloat16.
  const dtype = plan ? (plan.to === stored ? source.dtype : plan.to) : from === stored ? source.dtype : from;
  return { form: plan ? "numbers" : "same", dtype, plan, ...more };
}

/** Decodes bytes to strings: joins single characters, and applies the attribute `_Encoding`. */
function charsToText(
  reading: Reading,
  source: DecoderSource,
  { concatCharacters = true }: DecoderOptions,
  size: number,
): Pick<Decoder, "form" | "dtype"> {
  const { _Encoding: encoding } = reading.attributes;
  const known = typeof encoding === "string" && /^(utf-?8|ascii|us-ascii)$/i.test(encoding);
  if (encoding !== undefined && !known) {
    reading.problems.push(`_Encoding ${shown(encoding)} is unknown: the bytes are read as UTF-8`);
  }
  if (known) {
    reading.take("_Encoding");
    reading.applied.push("_Encoding");
  }
  reading.take("_FillValue");
  const form = size === 1 && concatCharacters ? "chars" : known ? "text" : "same";
  return { form, dtype: known ? "string" : source.dtype };
}
