import { InvalidMetadataError } from "../errors.js";
import { show } from "../refuse.js";

/** @internal What a message shows of a value. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return show(short(value));
  return value === Object(value) ? "an object" : show(value);
}

/** Not all of a long text. */
function short(text: string): string {
  const most = 60;
  const characters = Array.from(text.slice(0, 2 * most + 2));
  return characters.length > most ? `${characters.slice(0, most).join("")}...` : text;
}

/** @internal A list as it is, anything else as a list of one; nothing for null. netCDF's attributes of one value often become lists. */
export function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

const names: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

/** Eight little-endian bytes in base64, as xarray writes a float64 into the attributes of Zarr v3. */
function ofBase64(text: string): number | undefined {
  if (!/^[A-Za-z0-9+/]{11}=$/.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new DataView(bytes.buffer).getFloat64(0, true);
}

/**
 * @internal A number of an attribute: a number, a bigint, and for variables of floating-point numbers the texts that stand for one, also
 * base64. Undefined for anything else.
 */
export function numberOf(value: unknown, real: boolean): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (!real || typeof value !== "string") return undefined;
  return Object.hasOwn(names, value) ? names[value] : ofBase64(value);
}

/** @internal An attribute that has to be one number, or a list of one; undefined where it is absent or null. */
export function oneNumber(attributes: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const all = listed(attributes[name]);
  if (all.length === 0 && !Array.isArray(attributes[name])) return undefined;
  const [value] = all;
  if (all.length !== 1 || (typeof value !== "number" && typeof value !== "bigint")) {
    throw new InvalidMetadataError(`attribute ${name}: a number expected, not ${shown(attributes[name])}`);
  }
  return Number(value);
}
