// Values as text: exact where they are data, short where they are labels.

/** A count with thousands separated by thin spaces. */
export function formatCount(n: number | bigint): string {
  return n.toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** Bytes in the unit that keeps the number below 1024. */
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

/** The shortest text that reads back as the same number, with -0, NaN and infinities told apart. */
export function formatNumber(value: number): string {
  if (Object.is(value, -0)) return "-0";
  return String(value);
}

/** Bytes as hexadecimal pairs, clipped after limit bytes. */
export function formatHex(bytes: Uint8Array, limit = 32): string {
  const shown = [...bytes.subarray(0, limit)].map((b) => b.toString(16).padStart(2, "0")).join(" ");
  return bytes.length > limit ? `${shown} … (${formatCount(bytes.length)} bytes)` : shown;
}

/** Text in quotes, with control characters visible. */
function quote(text: string, limit = 200): string {
  const clipped = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return JSON.stringify(clipped);
}

/** Shape or index as "31 × 19 × 36"; a scalar's is "()". */
export function formatShape(shape: readonly number[]): string {
  return shape.length === 0 ? "()" : shape.map((n) => formatCount(n)).join(" × ");
}

/** The product of the shape; exact, or Infinity when it is beyond what a number holds exactly. */
export function product(shape: readonly number[]): number {
  let total = 1n;
  for (const n of shape) total *= BigInt(n);
  return total <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(total) : Infinity;
}

/**
 * JSON text of attributes as the package hands them out: integers beyond 2^53 as digits, NaN and infinities as
 * they were written. Deep nesting is cut, not followed without end.
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

/** A single value, such as a fill value, exactly. */
export function valueText(value: unknown): string {
  if (value instanceof Uint8Array) return formatHex(value);
  if (typeof value === "string") return quote(value);
  return prettyJson(value);
}
