import { UnsupportedError } from "./errors.js";

/** How the bits of a small float type are shared out. */
interface Layout {
  bits: number;
  exponent: number;
  mantissa: number;
  bias: number;
  /**
   * What is not a number: as in IEEE 754 (with infinities), the all-ones pattern
   * only, what would be negative zero, or nothing.
   */
  nan: "ieee" | "ones" | "negative-zero" | "none";
}

const layouts: Record<string, Layout> = {
  float8_e3m4: { bits: 8, exponent: 3, mantissa: 4, bias: 3, nan: "ieee" },
  float8_e4m3: { bits: 8, exponent: 4, mantissa: 3, bias: 7, nan: "ieee" },
  float8_e4m3fn: { bits: 8, exponent: 4, mantissa: 3, bias: 7, nan: "ones" },
  float8_e4m3fnuz: { bits: 8, exponent: 4, mantissa: 3, bias: 8, nan: "negative-zero" },
  float8_e4m3b11fnuz: { bits: 8, exponent: 4, mantissa: 3, bias: 11, nan: "negative-zero" },
  float8_e5m2: { bits: 8, exponent: 5, mantissa: 2, bias: 15, nan: "ieee" },
  float8_e5m2fnuz: { bits: 8, exponent: 5, mantissa: 2, bias: 16, nan: "negative-zero" },
  float6_e2m3fn: { bits: 6, exponent: 2, mantissa: 3, bias: 1, nan: "none" },
  float6_e3m2fn: { bits: 6, exponent: 3, mantissa: 2, bias: 3, nan: "none" },
  float4_e2m1fn: { bits: 4, exponent: 2, mantissa: 1, bias: 1, nan: "none" },
};

const tables = new Map<string, Float32Array<ArrayBuffer>>();

/** The numbers that the 256 values of a byte stand for in a one-byte float type. Every one is exact in a float32. */
function table(name: string): Float32Array<ArrayBuffer> {
  let values = tables.get(name);
  if (values) return values;
  values = new Float32Array(256);
  if (name === "float8_e8m0fnu") {
    for (let byte = 0; byte < 255; byte++) values[byte] = 2 ** (byte - 127);
    values[255] = Number.NaN;
  } else {
    const layout = Object.hasOwn(layouts, name) ? layouts[name] : undefined;
    if (!layout) throw new UnsupportedError(`data type ${name}`, { feature: name });
    for (let byte = 0; byte < 256; byte++) values[byte] = decode(layout, byte);
  }
  tables.set(name, values);
  return values;
}

function decode({ bits, exponent, mantissa, bias, nan }: Layout, byte: number): number {
  const value = byte & ((1 << bits) - 1);
  const negative = value >> (bits - 1) === 1;
  const e = (value >> mantissa) & ((1 << exponent) - 1);
  const m = value & ((1 << mantissa) - 1);
  const top = e === (1 << exponent) - 1;
  const sign = negative ? -1 : 1;
  if (nan === "ieee" && top) return m === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (nan === "ones" && top && m === (1 << mantissa) - 1) return Number.NaN;
  if (nan === "negative-zero" && negative && e === 0 && m === 0) return Number.NaN;
  const fraction = m / (1 << mantissa);
  return sign * (e === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (e - bias));
}

/** Decodes bfloat16, float8, float6 and float4 elements, by the canonical name of their type. */
export function decodeMiniFloat(name: string, bytes: Uint8Array): Float32Array<ArrayBuffer> {
  if (name === "bfloat16") {
    const words = new Uint32Array(bytes.length >> 1);
    for (let i = 0; i < words.length; i++) {
      words[i] = ((bytes[2 * i] as number) << 16) | ((bytes[2 * i + 1] as number) << 24);
    }
    return new Float32Array(words.buffer);
  }
  const values = table(name);
  const out = new Float32Array(bytes.length);
  for (let i = 0; i < out.length; i++) out[i] = values[bytes[i] as number] as number;
  return out;
}

/** Decodes little-endian binary16 elements, for platforms without Float16Array. */
export function decodeFloat16(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const out = new Float32Array(bytes.length >> 1);
  for (let i = 0; i < out.length; i++) {
    const half = (bytes[2 * i] as number) | ((bytes[2 * i + 1] as number) << 8);
    const e = (half >> 10) & 31;
    const m = half & 1023;
    const magnitude =
      e === 31
        ? m === 0
          ? Number.POSITIVE_INFINITY
          : Number.NaN
        : e === 0
          ? m * 2 ** -24
          : (1024 + m) * 2 ** (e - 25);
    out[i] = half & 0x8000 ? -magnitude : magnitude;
  }
  return out;
}
