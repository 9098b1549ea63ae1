import { UnsupportedError } from "../errors.js";

const tables = new Map<string, Float32Array<ArrayBuffer>>();

/**
 * Returns the numbers of the 256 byte values in a one-byte float type. Each is exact in a float32.
 */
function table(name: string): Float32Array<ArrayBuffer> {
  let values = tables.get(name);
  if (!values) {
    const value = layout(name);
    values = Float32Array.from({ length: 256 }, (_, byte) => value(byte));
    tables.set(name, values);
  }
  return values;
}

/**
 * Returns the function that decodes a byte. A type's name has the widths of its bits, and its end
 * defines NaN. For "fn", eight bits have NaN at all ones, and fewer bits have none. For "fnuz", NaN
 * is negative zero. Otherwise the largest exponent has NaN and infinities, as in IEEE 754.
 */
function layout(name: string): (byte: number) => number {
  if (name === "float8_e8m0fnu") return (byte) => (byte === 255 ? Number.NaN : 2 ** (byte - 127));
  const shares = /^float(\d)_e(\d)m(\d)(?:b(\d+))?(?:fn|fnuz)?$/.exec(name) ?? [];
  const [, bits, e = 0, m = 0, ownBias] = Array.from(shares, Number);
  if (bits !== 1 + e + m) throw new UnsupportedError(`data type ${name}`, { feature: name });
  const unsigned = name.endsWith("fnuz");
  const bias = ownBias || 2 ** (e - 1) - (unsigned ? 0 : 1);
  return (byte) => {
    const value = byte & (2 ** (1 + e + m) - 1);
    const zero = 2 ** (e + m);
    const nan = unsigned ? value === zero : name.endsWith("fn") && e + m === 7 && value % zero === zero - 1;
    return nan ? Number.NaN : floatOfBits(value, e, m, bias, !/fn/.test(name));
  };
}

/**
 * Returns the number of a sign, exponent and mantissa. With `ieee`, the largest exponent has
 * infinities and NaN.
 */
export function floatOfBits(value: number, e: number, m: number, bias: number, ieee: boolean): number {
  const sign = value >> (e + m) ? -1 : 1;
  const power = (value >> m) & (2 ** e - 1);
  const rest = value & (2 ** m - 1);
  if (ieee && power === 2 ** e - 1) return rest ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (power ? (2 ** m + rest) * 2 ** (power - bias - m) : rest * 2 ** (1 - bias - m));
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
    out[i] = floatOfBits((bytes[2 * i] as number) | ((bytes[2 * i + 1] as number) << 8), 5, 10, 15, true);
  }
  return out;
}
