// Formats values: exactly for data, briefly for labels.

import type { Description } from "zarr-wasm/describe";

/** Formats a count with thin spaces between thousands. */
export function formatCount(n: number | bigint): string {
  return n.toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** Formats bytes in the unit that keeps the number below 1024. */
export function formatBytes(n: number): string {
  if (!Number.isFinite(n)) return "more than can be counted";
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let value = n;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? String(value) : value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${units[unit] ?? ""}`;
}

/**
 * Returns the shortest text that parses to the same number. Distinguishes -0, NaN and infinities.
 */
export function formatNumber(value: number): string {
  if (Object.is(value, -0)) return "-0";
  return String(value);
}

/** Formats bytes as hexadecimal pairs, at most the first 32. */
export function formatHex(bytes: Uint8Array): string {
  const limit = 32;
  const shown = [...bytes.subarray(0, limit)].map((b) => b.toString(16).padStart(2, "0")).join(" ");
  return bytes.length > limit ? `${shown} … (${formatCount(bytes.length)} bytes)` : shown;
}

/** Quotes a text and makes control characters visible. */
const quote = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** Formats a shape or index as "31 × 19 × 36"; "()" for a scalar. */
export function formatShape(shape: readonly number[]): string {
  return shape.length === 0 ? "()" : shape.map((n) => formatCount(n)).join(" × ");
}

/** Returns the exact product of the shape, or Infinity if a number cannot represent it exactly. */
export function product(shape: readonly number[]): number {
  let total = 1n;
  for (const n of shape) total *= BigInt(n);
  return total <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(total) : Infinity;
}

/**
 * Formats attributes as JSON. Keeps all digits of integers beyond 2^53, and NaN and infinities as
 * the document wrote them. Truncates deep nesting.
 */
export function prettyJson(value: unknown, indent = ""): string {
  if (indent.length > 2 * 64) return '"… nested too deeply to show"';
  const inner = `${indent}  `;
  if (value === null || value === undefined) return "null";
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    const simple = value.every((v) => v === null || typeof v !== "object");
    if (simple) {
      const line = `[${value.map((v) => prettyJson(v, inner)).join(", ")}]`;
      if (line.length <= 72) return line;
    }
    return `[\n${value.map((v) => inner + prettyJson(v, inner)).join(",\n")}\n${indent}]`;
  }
  if (typeof value === "object") {
    const entries = Object.entries(value);
    if (entries.length === 0) return "{}";
    return `{\n${entries.map(([k, v]) => `${inner}${JSON.stringify(k)}: ${prettyJson(v, inner)}`).join(",\n")}\n${indent}}`;
  }
  return JSON.stringify(String(value));
}

/** Formats a single value exactly, such as a fill value. */
export function valueText(value: unknown): string {
  if (value instanceof Uint8Array) return formatHex(value);
  if (typeof value === "string") return quote(value);
  return prettyJson(value);
}

/** The names of the kinds of nodes. */
export const kindNames: Readonly<Record<Description["kind"], string>> = {
  array: "Array",
  image: "Image",
  dataset: "Dataset",
  plate: "Plate",
  table: "Table",
  group: "Group",
};
