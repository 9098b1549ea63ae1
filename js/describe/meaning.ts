// The meaning of array elements: packing, missing values, categories, text.
import type { ZarrArray } from "../api/array.js";
import type { Decoder } from "../cf/index.js";
import { isNumberType, numberArrays } from "../data/numberarrays.js";
import { items, member, number, numbers, text } from "../shared/attributes.js";
import { type Fact, guessed, stated } from "./fact.js";
import type { Category, Field, Packing, Values } from "./field.js";
import { attempt, loadXarray, messageOf } from "./load.js";
import { exactText, roundText, unitText, withUnits } from "./text.js";

/** @internal The members of a field that its elements determine. */
export interface Meaning
  extends Pick<Field, "units" | "values" | "packing" | "categories" | "range" | "scale" | "text" | "members"> {
  /** The attributes that cannot be applied. */
  readonly problems: readonly string[];
}

/** @internal The packing of numbers that need no conversion. */
const unpacked: Packing = { scale: 1, offset: 0, missing: [], valid: null, type: null };

/** The CF attributes that change or name values. */
const applied = [
  "_FillValue",
  "missing_value",
  "scale_factor",
  "add_offset",
  "valid_range",
  "valid_min",
  "valid_max",
  "flag_meanings",
  "_Unsigned",
  "_Encoding",
  "dtype",
];

/** @internal Reports whether CF attributes change the values. */
export function followsCf(array: ZarrArray): boolean {
  const { attrs } = array;
  if (applied.some((name) => Object.hasOwn(attrs, name))) return true;
  if (/\ssince\s/i.test(text(member(attrs, "units")) ?? "")) return true;
  return isVariable(array) && array.fillValue !== null;
}

/** Reports whether xarray or netCDF wrote a v2 array. Its fill value is then `_FillValue`. */
const isVariable = ({ attrs, format }: ZarrArray) => format < 3 && Array.isArray(member(attrs, "_ARRAY_DIMENSIONS"));

/** @internal The meaning of an array's elements. An image's fill value is a normal value. */
export async function meaningOf(array: ZarrArray, signal: AbortSignal | undefined, isImage = false): Promise<Meaning> {
  const { attrs, type } = array;
  const problems: string[] = [];
  const units = unitText(text(member(attrs, "units")) ?? "");
  const values = valuesOf(array);
  const members = type.kind === "struct" ? (type.fields ?? []).map(({ name }) => name) : [];
  const times = type.kind === "datetime" ? await attempt(signal, loadXarray) : undefined;
  const plain = (value: unknown): string => {
    if (times && typeof value === "bigint" && type.unit !== undefined) {
      try {
        return times.datetime64Text(value, type.unit, type.scale)?.replace("T", " ") ?? "missing";
      } catch {
        return String(value);
      }
    }
    return plainText(value, array);
  };
  const common = { members, categories: [], range: null, problems };
  const simple: Meaning = {
    ...common,
    units,
    values,
    packing: unpacked,
    range: rangeOf(attrs, undefined),
    scale: scaleOf(attrs, array, null),
    text: (value) =>
      values === "number" && isNumber(value) && !Number.isNaN(value) ? withUnits(plain(value), units) : plain(value),
  };
  if (!followsCf(array) || (isImage && isVariable(array)) || ["struct", "bytes"].includes(values)) return simple;
  const xarray = await attempt(signal, loadXarray, (error) => problems.push(messageOf(error)));
  if (!xarray) return simple;
  let decoder: Decoder;
  try {
    decoder = xarray.decoderOf(array, { validRange: true, useZarrFillValueAsMask: !isImage && isVariable(array) });
  } catch (error) {
    problems.push(messageOf(error));
    return simple;
  }
  problems.push(...decoder.problems);
  const { form, stored, from, plan, flags } = decoder;
  if (stored === undefined) return simple;
  const packing: Packing = {
    scale: plan?.scale ?? 1,
    offset: plan?.offset ?? 0,
    missing: (plan?.missing ?? []).filter((one) => !Array.isArray(one)) as (number | bigint)[],
    valid:
      plan?.least === undefined && plan?.most === undefined
        ? null
        : [Number(plan.least ?? Number.NEGATIVE_INFINITY), Number(plan.most ?? Number.POSITIVE_INFINITY)],
    type: from === stored ? null : (from ?? null),
  };
  const categories = flags ? categoriesOf(attrs, (value) => flags.of(value)) : [];
  const named = new Map(categories.map(({ value, label }) => [value, label]));
  const words = wordsOf(xarray.decodeValues, decoder, packing, units, plain);
  const kind = ({ time: "time", timedelta: "duration" } as Record<string, Values>)[form];
  const isCategory = categories.length > 0;
  return {
    ...common,
    units: kind ? (text(member(attrs, "units")) ?? "") : units,
    values: kind ?? (decoder.dtype === "bool" ? "boolean" : isCategory ? "category" : values),
    packing,
    categories,
    range: isCategory || form === "time" ? null : rangeOf(attrs, packing),
    scale: scaleOf(attrs, array, isCategory ? "categorical" : null),
    text: (value) => named.get(Number(value)) ?? words(value),
  };
}

/** A decoded element: the used members of the result of `decodeValues`. */
interface DecodedOne {
  get?(i: number): unknown;
  isMissing?(i: number): boolean;
  readonly unit?: string;
  readonly [i: number]: unknown;
}

/**
 * Returns a function that formats stored elements. `plain` formats elements that are not decoded.
 */
function wordsOf(
  decode: Awaited<ReturnType<typeof loadXarray>>["decodeValues"],
  decoder: Decoder,
  packing: Packing,
  units: string,
  plain: (value: unknown) => string,
): (value: unknown) => string {
  const { form, stored, flags, dtype } = decoder;
  const isPacked = packing.scale !== 1 || packing.offset !== 0;
  return (value) => {
    const data = isNumber(value) ? elementOf(stored as string, value) : undefined;
    if (!data) return plain(value);
    const decoded = decode(decoder, { data, shape: [1] }).data as unknown as DecodedOne;
    if (form === "time" || form === "timedelta") {
      if (decoded.isMissing?.(0)) return "missing";
      if (form === "timedelta") return withUnits(String(value), decoded.unit as string);
      try {
        const date = decoded.get?.(0);
        return date
          ? String(date)
              .replace(/T00:00:00$/, "")
              .replace("T", " ")
          : "missing";
      } catch {
        return withUnits(plain(value), units);
      }
    }
    const unpackedValue = decoded[0];
    if (dtype === "bool") return String(unpackedValue === 1);
    if (typeof unpackedValue === "number" && Number.isNaN(unpackedValue)) return "missing";
    const meanings = flags?.of(data[0] as number | bigint).join(", ");
    if (meanings) return meanings;
    // Ten digits hide the rounding errors of the scale factor.
    return withUnits(
      isPacked ? roundText(Number(unpackedValue), 10) : plain(packing.type ? unpackedValue : value),
      units,
    );
  };
}

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";

/** One element of a type; undefined for types whose elements are not one number. */
function elementOf(type: string, value: number | bigint) {
  if (!isNumberType(type)) return undefined;
  if (type !== "int64" && type !== "uint64") return numberArrays[type].of(Number(value));
  if (typeof value === "number" && !Number.isInteger(value)) return undefined;
  return type === "int64" ? BigInt64Array.of(BigInt(value)) : BigUint64Array.of(BigInt.asUintN(64, BigInt(value)));
}

/** The kind of an array's elements, by type. */
function valuesOf({ type }: ZarrArray): Values {
  switch (type.kind) {
    case "bool":
    case "complex":
    case "struct":
      return type.kind === "bool" ? "boolean" : type.kind;
    case "datetime":
      return "time";
    case "timedelta":
      return "duration";
    case "int":
    case "uint":
    case "float":
    case "minifloat":
      return "number";
    case "raw":
    case "bytes":
      return "bytes";
    default:
      return "text";
  }
}

/** A stored element as text, without decoding. */
function plainText(value: unknown, { dtype, type }: Pick<ZarrArray, "dtype" | "type">): string {
  if (value === null || value === undefined) return "missing";
  if (typeof value === "number") {
    if (Number.isNaN(value)) return "missing";
    if (type.kind === "bool") return String(value === 1);
    return exactText(value, /^(float16|float32|bfloat16|float[468]_)/.test(dtype));
  }
  if (typeof value === "bigint" && type.kind === "timedelta") {
    return value === -(2n ** 63n) ? "missing" : withUnits(String(value * BigInt(type.scale ?? 1)), type.unit ?? "");
  }
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, Math.min(value.byteLength, 32));
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    return value.byteLength > 32 ? `${hex} …` : hex;
  }
  if (typeof value === "object") {
    const { re, im } = value as { re?: unknown; im?: unknown };
    if (typeof re === "number" && typeof im === "number") {
      const single = dtype === "complex64";
      return `${exactText(re, single)} ${im < 0 || Object.is(im, -0) ? "−" : "+"} ${exactText(Math.abs(im), single)}i`;
    }
    const entries = Array.isArray(value)
      ? value.map((one) => plainText(one, inner))
      : Object.entries(value).map(([name, one]) => `${name}: ${plainText(one, inner)}`);
    return entries.join(", ");
  }
  return String(value);
}

/** The assumed type of the parts of an element. */
const inner = { dtype: "", type: { kind: "", name: "", size: 0 } } as unknown as Pick<ZarrArray, "dtype" | "type">;

/** The most mask bits whose combinations are listed. */
const mostBits = 6;

/** The values that flags name (CF 3.5). For masks, these are all combinations of bits. */
function categoriesOf(attrs: Readonly<Record<string, unknown>>, of: (value: number) => string[]): Category[] {
  const written = member(attrs, "flag_values") ?? member(attrs, "flag_masks");
  const listed = (Array.isArray(written) ? written : [written]).map(number);
  let values = listed.filter((one) => one !== undefined);
  if (member(attrs, "flag_values") === undefined) {
    if (values.length > mostBits) return [];
    // Each bit doubles the set.
    const bits = values;
    values = [0];
    for (const bit of bits) values = values.concat(values.map((one) => one | bit));
  }
  const colours = (text(member(attrs, "flag_colors")) ?? "").split(/[\s,]+/).map(colourOf);
  return [...new Set(values)].slice(0, 4096).flatMap((value, i): Category[] => {
    const label = of(value).join(", ").replaceAll("_", " ");
    return label === ""
      ? []
      : [{ value, label, colour: colours.length === values.length ? (colours[i] ?? null) : null }];
  });
}

/** @internal Parses a colour of six hexadecimal digits. */
export function colourOf(hex: string): readonly [number, number, number] | null {
  const [, digits] = /^#?([0-9a-f]{6})(?:[0-9a-f]{2})?$/i.exec(hex) ?? [];
  if (digits === undefined) return null;
  const all = Number.parseInt(digits, 16);
  return [all >> 16, (all >> 8) & 255, all & 255];
}

/** The stated range, in the values' units. */
function rangeOf(attrs: Readonly<Record<string, unknown>>, packing: Packing | undefined): Field["range"] {
  const actual = numbers(member(attrs, "actual_range"), 2);
  if (actual && (actual[0] as number) < (actual[1] as number)) {
    return stated([actual[0] as number, actual[1] as number], "the attribute actual_range");
  }
  const statistics = ["MINIMUM", "MAXIMUM"].map((name) => {
    const value = member(attrs, `STATISTICS_${name}`);
    return number(typeof value === "string" ? Number(value) : value);
  });
  const [low, high] = statistics;
  if (low !== undefined && high !== undefined && low < high)
    return stated([low, high], "the attribute STATISTICS_MINIMUM");
  const { valid, scale, offset } = packing ?? unpacked;
  const ends = valid?.map((one) => one * scale + offset).sort((a, b) => a - b);
  // A valid range this wide only excludes impossible values.
  if (!ends?.every((one) => Math.abs(one) < 1e15)) return null;
  return stated([ends[0] as number, ends[1] as number], "the valid range");
}

/** Chooses the kind of colour scale from the quantity's standard name and units. */
function scaleOf(
  attrs: Readonly<Record<string, unknown>>,
  { path }: ZarrArray,
  known: "categorical" | null,
): Fact<"sequential" | "diverging" | "cyclic" | "categorical"> {
  if (known) return stated(known, "the attribute flag_meanings");
  const standard = text(member(attrs, "standard_name")) ?? "";
  const units = text(member(attrs, "units")) ?? "";
  if (/(_direction|_from_direction|_to_direction|^direction_of|azimuth)/.test(standard) && /^deg|^rad/i.test(units)) {
    return stated("cyclic", "the attribute standard_name");
  }
  const signed =
    /_anomaly|^difference_|^tendency_of|eastward|northward|upward_air|downward_|_divergence|vorticity|(^|_)[xy]_(wind|velocity|stress)/;
  if (standard !== "" && signed.test(standard) && !/flux|radiance|magnitude|square|speed/.test(standard)) {
    return stated("diverging", "the attribute standard_name");
  }
  const named = `${text(member(attrs, "long_name")) ?? ""} ${path.split("/").at(-1)}`;
  if (/\b(direction|aspect|azimuth|phase angle)\b/i.test(named) && /^deg|^rad/i.test(units)) {
    return guessed("cyclic", "the name and the units of an angle");
  }
  if (/anomal|\bdifference|\bbias\b|\btrend\b|zonal wind|meridional wind|[uv]-(?:wind )?component/i.test(named)) {
    return guessed("diverging", "its name");
  }
  const [low, high] = items(member(attrs, "valid_range")).map(number);
  if (low !== undefined && high !== undefined && high > 0 && low === -high)
    return guessed("diverging", "a valid range around 0");
  return guessed("sequential", "the default");
}
