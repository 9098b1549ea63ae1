// Elements of any data type as text, and as numbers where they can be drawn. The package hands out typed arrays,
// arrays and columns; what they are is told by their shape, so that this file needs nothing of the package.

import {
  formatComplex,
  formatDatetime,
  formatFloat16,
  formatFloat32,
  formatHex,
  formatNumber,
  formatTimedelta,
  prettyJson,
  quote,
} from "./format.js";

export interface Elements {
  readonly count: number;
  /** What the elements are, for people: "numbers", "magnitudes of complex numbers". */
  readonly what: string;
  /** A number for each element, NaN for what is missing; null where there is nothing to draw. */
  readonly numbers: ArrayLike<number> | null;
  /** Whether the numbers are only 0 and 1. */
  readonly binary: boolean;
  /** Element i exactly, as text. */
  text(i: number): string;
}

/** A column of a struct, nested ones joined by a dot. */
export interface Column {
  name: string;
  data: unknown;
}

const MAX_COLUMNS = 1000;

/** The columns of a struct's data; null when the data is not a struct's. */
export function columnsOf(data: unknown): Column[] | null {
  if (!isColumns(data)) return null;
  const out: Column[] = [];
  const walk = (columns: Record<string, unknown>, prefix: string, depth: number): void => {
    for (const [name, column] of Object.entries(columns)) {
      if (out.length >= MAX_COLUMNS) return;
      if (isColumns(column) && depth < 16) walk(column, `${prefix}${name}.`, depth + 1);
      else out.push({ name: prefix + name, data: column });
    }
  };
  walk(data, "", 0);
  return out;
}

function isColumns(data: unknown): data is Record<string, unknown> {
  return typeof data === "object" && data !== null && !Array.isArray(data) && !ArrayBuffer.isView(data);
}

const NAT = -(1n << 63n);

/** Makes data readable: count is how many elements the shape says there are. */
export function elementsOf(data: unknown, count: number): Elements {
  const columns = columnsOf(data);
  if (columns) return structElements(columns, count);
  if (isRecordView(data)) return special(data, count);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    return made("integers of 64 bits", count, (i) => String(data[i]), Float64Array.from(data, Number));
  }
  if (data instanceof Float32Array) return made("numbers", count, (i) => formatFloat32(data[i] ?? NaN), data);
  if (data instanceof Float64Array || isIntegers(data))
    return made("numbers", count, (i) => formatNumber(data[i] ?? NaN), data);
  if (isFloat16(data)) return made("numbers", count, (i) => formatFloat16(data[i] ?? NaN), data);
  if (Array.isArray(data)) return listElements(data, count);
  return made("values of an unknown kind", count, (i) => valueText(isIndexable(data) ? data[i] : data), null);
}

function made(
  what: string,
  count: number,
  text: (i: number) => string,
  numbers: ArrayLike<number> | null,
  binary = false,
): Elements {
  return { count, what, numbers, binary, text };
}

/** Typed arrays that carry more than numbers: `get` gives an element, `toDate` and `toSeconds` mark times. */
interface RecordView {
  get?: (i: number) => unknown;
  toDate?: unknown;
  toSeconds?: unknown;
  unit?: unknown;
  scale?: unknown;
  itemSize?: unknown;
}

function isRecordView(data: unknown): data is ArrayBufferView & RecordView {
  return ArrayBuffer.isView(data) && ("get" in data || "toDate" in data || "toSeconds" in data);
}

function special(data: ArrayBufferView & RecordView, count: number): Elements {
  const { toDate, unit: u, scale: s, itemSize } = data;
  if (data instanceof BigInt64Array) {
    const unit = String(u ?? "generic");
    const scale = typeof s === "number" ? s : 1;
    const numbers = Float64Array.from(data, (v) => (v === NAT ? NaN : Number(v)));
    if (toDate) return made("points in time", count, (i) => formatDatetime(data[i] ?? NAT, unit, scale), numbers);
    return made("spans of time", count, (i) => formatTimedelta(data[i] ?? NAT, unit, scale), numbers);
  }
  if (data instanceof Float32Array || data instanceof Float64Array) {
    const format = data instanceof Float32Array ? formatFloat32 : formatNumber;
    const numbers = new Float64Array(count);
    for (let i = 0; i < count; i++) numbers[i] = Math.hypot(data[2 * i] ?? NaN, data[2 * i + 1] ?? NaN);
    const text = (i: number): string => formatComplex(format(data[2 * i] ?? NaN), format(data[2 * i + 1] ?? NaN));
    return made("magnitudes of complex numbers", count, text, numbers);
  }
  if (data instanceof Uint8Array && typeof itemSize === "number") {
    const size = itemSize;
    return made("raw bytes", count, (i) => formatHex(data.subarray(i * size, (i + 1) * size)), null);
  }
  if (data instanceof Uint8Array) return made("booleans", count, (i) => (data[i] === 1 ? "true" : "false"), data, true);
  return made("values", count, (i) => valueText(data.get?.(i)), null);
}

function structElements(columns: Column[], count: number): Elements {
  const parts = columns.map((c) => ({ name: c.name, elements: elementsOf(c.data, count) }));
  return made("structs", count, (i) => parts.map((p) => `${p.name}: ${p.elements.text(i)}`).join(", "), null);
}

function listElements(data: readonly unknown[], count: number): Elements {
  const text = (i: number): string => valueText(data[i]);
  const present = data.find((v) => v !== null && v !== undefined);
  const numeric = data.every(
    (v) => v === null || v === undefined || typeof v === "number" || typeof v === "bigint" || typeof v === "boolean",
  );
  if (present !== undefined && numeric) {
    const numbers = Float64Array.from(data, (v) => (v === null || v === undefined ? NaN : Number(v)));
    return made("numbers", count, text, numbers, typeof present === "boolean");
  }
  return made(typeof present === "string" ? "text" : "values", count, text, null);
}

function isIntegers(
  data: unknown,
): data is Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array {
  return (
    data instanceof Int8Array ||
    data instanceof Uint8Array ||
    data instanceof Uint8ClampedArray ||
    data instanceof Int16Array ||
    data instanceof Uint16Array ||
    data instanceof Int32Array ||
    data instanceof Uint32Array
  );
}

function isFloat16(data: unknown): data is ArrayLike<number> {
  return ArrayBuffer.isView(data) && data.constructor.name === "Float16Array";
}

function isIndexable(data: unknown): data is ArrayLike<unknown> {
  return typeof data === "object" && data !== null && "length" in data;
}

/** One value of any kind as text. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "missing";
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof Uint8Array && !("get" in value)) return formatHex(value);
  if (ArrayBuffer.isView(value)) {
    const length = "length" in value && typeof value.length === "number" ? value.length : 0;
    const elements = elementsOf(value, length);
    const shown = Math.min(length, 8);
    const list = Array.from({ length: shown }, (_, i) => elements.text(i)).join(", ");
    return length > shown ? `[${list}, … ${length} in all]` : `[${list}]`;
  }
  if (isComplex(value)) return formatComplex(formatNumber(value.re), formatNumber(value.im));
  if (typeof value === "object") return quoteJson(prettyJson(value));
  return String(value);
}

function isComplex(value: unknown): value is { re: number; im: number } {
  return (
    typeof value === "object" &&
    value !== null &&
    "re" in value &&
    "im" in value &&
    typeof value.re === "number" &&
    typeof value.im === "number"
  );
}

function quoteJson(text: string): string {
  const line = text.replace(/\s*\n\s*/g, " ");
  return line.length > 200 ? `${line.slice(0, 197)}…` : line;
}

/** Whether the elements of a family of data types are read for a table of text rather than a picture. */
export function isTextual(kind: string): boolean {
  return ["char", "unicode", "string", "bytes", "raw", "ragged", "object", "sub"].includes(kind);
}
