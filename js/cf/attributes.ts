import { InvalidMetadataError } from "../errors.js";
import { show } from "../shared/arguments.js";

/** @internal The short form of a value in messages. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return show(short(value));
  if (Object.is(value, -0)) return "-0";
  return value === Object(value) ? "an object" : show(value);
}

/** Truncates a long string. */
function short(text: string): string {
  const most = 60;
  const characters = Array.from(text.slice(0, 2 * most + 2));
  return characters.length > most ? `${characters.slice(0, most).join("")}...` : text;
}

/**
 * @internal Returns a list unchanged and any other value as a list of one; null gives an empty
 * list. A netCDF attribute with one value is often stored as a list.
 */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

const names: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

/**
 * Decodes eight little-endian bytes in base64, as xarray writes a float64 into attributes of Zarr
 * v3.
 */
function ofBase64(text: string): number | undefined {
  if (!/^[A-Za-z0-9+/]{11}=$/.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new DataView(bytes.buffer).getFloat64(0, true);
}

/**
 * @internal The number in an attribute: a number or a bigint. For floating-point variables also a
 * string for a special value, or base64. Undefined for anything else.
 */
export function numberOf(value: unknown, real: boolean): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (!real || typeof value !== "string") return undefined;
  return Object.hasOwn(names, value) ? names[value] : ofBase64(value);
}

/**
 * @internal An attribute that must be one number, or a list of one. Undefined if it is absent or
 * null.
 */
export function oneNumber(attributes: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const all = asList(attributes[name]);
  if (all.length === 0 && !Array.isArray(attributes[name])) return undefined;
  const [value] = all;
  if (all.length !== 1 || (typeof value !== "number" && typeof value !== "bigint")) {
    throw new InvalidMetadataError(`attribute ${name}: expected a number, not ${shown(attributes[name])}`);
  }
  return Number(value);
}
