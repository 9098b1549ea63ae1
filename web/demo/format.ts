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

/** A 32-bit float without the digits that only its 64-bit copy has. */
export function formatFloat32(value: number): string {
  return shortest(value, 6, 9, Math.fround);
}

/** A 16-bit float, likewise. */
export function formatFloat16(value: number): string {
  return shortest(value, 3, 5, roundFloat16);
}

function shortest(value: number, from: number, to: number, round: (v: number) => number): string {
  // Integers are shown in full: 65504 rather than 65500, which reads back as the same half float.
  if (!Number.isFinite(value) || Number.isSafeInteger(value)) return formatNumber(value);
  for (let digits = from; digits <= to; digits++) {
    const short = Number(value.toPrecision(digits));
    if (round(short) === value) return formatNumber(short);
  }
  return formatNumber(value);
}

function roundFloat16(value: number): number {
  if (!Number.isFinite(value) || value === 0) return value;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(value))), -14);
  const unit = 2 ** (exponent - 10);
  return Math.round(value / unit) * unit;
}

/** A label of at most six significant digits. */
export function formatShort(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const abs = Math.abs(value);
  if (abs !== 0 && (abs >= 1e7 || abs < 1e-4)) return value.toExponential(3).replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(6)));
}

/** A complex number. */
export function formatComplex(re: string, im: string): string {
  return im.startsWith("-") ? `${re} − ${im.slice(1)}i` : `${re} + ${im}i`;
}

/** Bytes as hexadecimal pairs, clipped after limit bytes. */
export function formatHex(bytes: Uint8Array, limit = 32): string {
  const shown = [...bytes.subarray(0, limit)].map((b) => b.toString(16).padStart(2, "0")).join(" ");
  return bytes.length > limit ? `${shown} … (${formatCount(bytes.length)} bytes)` : shown;
}

/** Text in quotes, with control characters visible. */
export function quote(text: string, limit = 200): string {
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

const NAT = -(1n << 63n);

/** Nanoseconds and finer as exact fractions of a second: how many of a unit make one second. */
const PER_SECOND: Record<string, bigint> = {
  ms: 1_000n,
  us: 1_000_000n,
  μs: 1_000_000n,
  ns: 1_000_000_000n,
  ps: 1_000_000_000_000n,
  fs: 1_000_000_000_000_000n,
  as: 1_000_000_000_000_000_000n,
};
const SECONDS: Record<string, bigint> = { s: 1n, m: 60n, h: 3_600n, D: 86_400n, W: 604_800n };

/** A datetime64 as ISO text in UTC, to the precision of its unit; NaT for the one value that means it. */
export function formatDatetime(value: bigint, unit: string, scale = 1): string {
  if (value === NAT) return "NaT";
  const n = value * BigInt(scale);
  if (unit === "Y") return formatYear(1970n + n);
  if (unit === "M") {
    const year = 1970n + floorDiv(n, 12n);
    return `${formatYear(year)}-${pad(n - floorDiv(n, 12n) * 12n + 1n, 2)}`;
  }
  let seconds: bigint;
  let fraction = "";
  const per = PER_SECOND[unit];
  const whole = SECONDS[unit];
  if (per !== undefined) {
    seconds = floorDiv(n, per);
    fraction = `.${pad(n - seconds * per, per.toString().length - 1)}`;
  } else if (whole !== undefined) {
    seconds = n * whole;
  } else {
    return value.toString();
  }
  const days = floorDiv(seconds, 86_400n);
  const date = civil(days);
  if (unit === "D" || unit === "W") return date;
  const rest = seconds - days * 86_400n;
  return `${date}T${pad(rest / 3600n, 2)}:${pad((rest / 60n) % 60n, 2)}:${pad(rest % 60n, 2)}${fraction}`;
}

/** A timedelta64 as a count of its unit. */
export function formatTimedelta(value: bigint, unit: string, scale = 1): string {
  if (value === NAT) return "NaT";
  const names: Record<string, string> = {
    Y: "years",
    M: "months",
    W: "weeks",
    D: "days",
    h: "h",
    m: "min",
    μs: "µs",
    us: "µs",
  };
  return `${(value * BigInt(scale)).toString()} ${names[unit] ?? unit}`;
}

function floorDiv(a: bigint, b: bigint): bigint {
  const q = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? q - 1n : q;
}

function pad(n: bigint, width: number): string {
  return n.toString().padStart(width, "0");
}

function formatYear(year: bigint): string {
  return year < 0n ? `-${pad(-year, 4)}` : pad(year, 4);
}

/** Days since 1970-01-01 as a date of the proleptic Gregorian calendar, in eras of 400 years. */
function civil(days: bigint): string {
  const z = days + 719_468n;
  const era = floorDiv(z, 146_097n);
  const doe = z - era * 146_097n;
  const yoe = (doe - doe / 1460n + doe / 36_524n - doe / 146_096n) / 365n;
  const doy = doe - (365n * yoe + yoe / 4n - yoe / 100n);
  const mp = (5n * doy + 2n) / 153n;
  const day = doy - (153n * mp + 2n) / 5n + 1n;
  const month = mp < 10n ? mp + 3n : mp - 9n;
  const year = yoe + era * 400n + (month <= 2n ? 1n : 0n);
  return `${formatYear(year)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** A date's ISO text for people: without seconds where there are none, and without a time where that is midnight and units are days. */
export function formatDate(iso: string, days: boolean): string {
  if (days && iso.endsWith("T00:00:00")) return iso.slice(0, -9);
  const short = iso.replace(/(\.\d*?)0+$/, "$1");
  return short.replace(/(:\d\d):00$/, "$1").replace("T", " ");
}
