import { decodeMiniFloat } from "../data/minifloat.js";

// Rounds numbers to the nearest value of a small float type. A tie goes to the value whose last bit
// is 0. The result is undefined if no value is near, and for NaN if the type has none.

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/** Returns the binary exponent of a positive number; for subnormal numbers, the lowest. */
function powerOf(x: number): number {
  number[0] = x;
  return (((words[1] as number) >>> 20) & 0x7ff) - 1023;
}

function toEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

/**
 * Returns the bits of a number in an IEEE 754 format with the given widths of exponent and
 * mantissa.
 */
function ieee(x: number, exponent: number, mantissa: number): number | undefined {
  const sign = x < 0 || Object.is(x, -0) ? 2 ** (exponent + mantissa) : 0;
  const infinity = (2 ** exponent - 1) * 2 ** mantissa;
  if (Number.isNaN(x)) return infinity + 2 ** (mantissa - 1);
  const size = Math.abs(x);
  if (size === Number.POSITIVE_INFINITY) return sign + infinity;
  // The distance between adjacent values is a power of two. Below the normal range it is that of
  // the range's bottom.
  const lowest = 2 - 2 ** (exponent - 1) - mantissa;
  const step = Math.max(powerOf(size) - mantissa, lowest);
  const bits = (step - lowest) * 2 ** mantissa + toEven(size / 2 ** step);
  return bits < infinity ? sign + bits : undefined;
}

const tables = new Map<string, (x: number) => number | undefined>();

/** Returns the conversion of numbers to a type of one byte. */
function byTable(name: string): (x: number) => number | undefined {
  let known = tables.get(name);
  if (!known) {
    known = search(name);
    tables.set(name, known);
  }
  return known;
}

function search(name: string): (x: number) => number | undefined {
  const values = decodeMiniFloat(
    name,
    Uint8Array.from({ length: 256 }, (_, code) => code),
  );
  const value = (code: number) => values[code] as number;
  const width = Number(/^float(\d)/.exec(name)?.[1]);
  const signed = name !== "float8_e8m0fnu";
  const half = 2 ** (signed ? width - 1 : width);
  let top = half - 1;
  while (!Number.isFinite(value(top))) top--;
  const nans: number[] = [];
  for (let code = 0; code < (signed ? 2 * half : half); code++) if (Number.isNaN(value(code))) nans.push(code);
  const positive = nans.filter((code) => code < half);
  // The quiet NaN has only the first bit of the mantissa.
  const nan = positive.length > 0 ? positive[(positive.length - 1) >> 1] : nans[0];
  const infinity = value(top + 1) === Number.POSITIVE_INFINITY && top + 1 < half ? top + 1 : undefined;
  const zeros = signed && Object.is(value(half), -0);
  return (x) => {
    if (Number.isNaN(x)) return nan;
    const minus = x < 0 || Object.is(x, -0);
    if (minus && !signed) return undefined;
    const size = Math.abs(x);
    const coded = (code: number) => (minus && (code > 0 || zeros) ? half + code : code);
    if (size === Number.POSITIVE_INFINITY) return infinity === undefined ? undefined : coded(infinity);
    let [low, high] = [0, top];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (value(middle) <= size) low = middle;
      else high = middle;
    }
    if (size < value(low)) return undefined; // A type without zero.
    const last = value(top);
    if (size > last) {
      // Numbers up to half a step beyond the largest value are rounded to it. At exactly half a
      // step, only if it is even.
      const beyond = size - last;
      const step = (last - value(top - 1)) * (signed ? 0.5 : 1);
      return beyond < step || (beyond === step && top % 2 === 0) ? coded(top) : undefined;
    }
    const [down, up] = [size - value(low), value(high) - size];
    return coded(down < up || (down === up && low % 2 === 0) ? low : high);
  };
}

/**
 * Returns the function that gives a number's bits in a type: `"float16"`, or a type of smaller
 * range or precision.
 */
export function bitsOf(name: string): (x: number) => number | undefined {
  if (name === "float16") return (x) => ieee(x, 5, 10);
  if (name === "bfloat16") return (x) => ieee(x, 8, 7);
  return byTable(name);
}
