import { notATime } from "../../data/nat.js";

// Elements of a read, and their texts.

/** Data that is more than an array: `get` returns an element. */
interface Elements {
  get?(i: number): unknown;
  toDate?(i: number): Date | null;
  readonly unit?: string;
  readonly scale?: number;
  readonly [i: number]: unknown;
}

/** Returns element `i` of a read; an object for a struct's columns. */
export function elementAt(data: unknown, i: number): unknown {
  if (isColumns(data)) return Object.fromEntries(Object.entries(data).map(([name, one]) => [name, elementAt(one, i)]));
  const elements = data as Elements;
  return typeof elements.get === "function" ? elements.get(i) : elements[i];
}

/** Reports whether data are the columns of structs. */
export function isColumns(data: unknown): data is Record<string, unknown> {
  if (typeof data !== "object" || data === null || Array.isArray(data) || ArrayBuffer.isView(data)) return false;
  return typeof (data as Elements).get !== "function";
}

/** Formats element `i` of data; null if it is missing. */
export function elementText(data: unknown, i: number): string | null {
  if (isColumns(data)) {
    // Each member is formatted by its own type, so that its numbers have no additional digits.
    const parts = Object.entries(data).map(([name, one]) => `${name}: ${elementText(one, i) ?? "missing"}`);
    return parts.join(", ");
  }
  const { toDate, unit, scale = 1 } = (data ?? {}) as Elements;
  if (unit !== undefined && data instanceof BigInt64Array) {
    const count = data[i];
    if (count === undefined || count === notATime) return null;
    if (toDate) return dateText(data, i) ?? `${count * BigInt(scale)} ${unit} since 1970`;
    return `${count * BigInt(scale)} ${unit === "generic" ? "" : unit}`.trim();
  }
  return valueText(elementAt(data, i), data instanceof Float32Array);
}

function dateText(data: BigInt64Array, i: number): string | null {
  try {
    const date = (data as unknown as Elements).toDate?.(i);
    // A Date has millisecond precision; finer times are shown as a count.
    if (!date || Number.isNaN(date.getTime()) || /^[unpfa]s$/.test((data as unknown as Elements).unit ?? ""))
      return null;
    return date
      .toISOString()
      .replace(/T00:00:00\.000Z$/, "")
      .replace(/\.000Z$|Z$/, "")
      .replace("T", " ");
  } catch {
    return null;
  }
}

/** Formats a value; null if it is missing. */
export function valueText(value: unknown, single = false): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return numberText(value, single);
  if (typeof value !== "object") return String(value);
  if (ArrayBuffer.isView(value)) {
    if (value instanceof Uint8Array) return hex(value);
    const list = Array.from(value as unknown as ArrayLike<unknown>, (one) =>
      valueText(one, value instanceof Float32Array),
    );
    return listText(list);
  }
  if (Array.isArray(value)) return listText(value.map((one) => valueText(one)));
  const { re, im } = value as { re?: unknown; im?: unknown };
  if (typeof re === "number" && typeof im === "number") {
    const sign = im < 0 || Object.is(im, -0) ? "−" : "+";
    return `${numberText(re, single)} ${sign} ${numberText(Math.abs(im), single)}i`;
  }
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${valueText(one) ?? "missing"}`)
    .join(", ");
}

function listText(list: readonly (string | null)[]): string {
  const shown = list.slice(0, 100).map((one) => one ?? "missing");
  return `[${shown.join(", ")}${list.length > shown.length ? `, … ${list.length} in all` : ""}]`;
}

/** Returns the shortest text that parses to the same number of its precision. */
function numberText(value: number, single: boolean): string {
  if (Object.is(value, -0)) return "-0";
  if (!single || !Number.isFinite(value) || Number.isSafeInteger(value)) return String(value);
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

/** Formats bytes as hexadecimal pairs, at most the first 64. */
function hex(bytes: Uint8Array): string {
  const most = 64;
  const shown = Array.from(bytes.subarray(0, most), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return bytes.length > most ? `${shown} … (${bytes.length} bytes)` : shown;
}
