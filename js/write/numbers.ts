import { BoolArray } from "../data/arrays.js";
import type { TypeDescription } from "../engine/protocol/wire.js";
import { type Collection, type Encoded, elementsOf, tagOf } from "./elements.js";
import { InvalidValueError } from "./errors.js";
import { refuseElement } from "./refused.js";
import { bitsOf } from "./roundfloat.js";

/** The classes of typed arrays for the elements of a kind and size, or of a kind. */
const classes: { [kind: string]: string[] } = {
  bool: ["Uint8Array"],
  int1: ["Int8Array"],
  int2: ["Int16Array"],
  int4: ["Int32Array"],
  int8: ["BigInt64Array"],
  uint1: ["Uint8Array", "Uint8ClampedArray"],
  uint2: ["Uint16Array"],
  uint4: ["Uint32Array"],
  uint8: ["BigUint64Array"],
  float2: ["Float16Array", "Float32Array"],
  float4: ["Float32Array"],
  float8: ["Float64Array"],
  minifloat: ["Float32Array"],
  complex16: ["Float64Array"],
  complex: ["Float32Array"],
  datetime: ["BigInt64Array"],
  timedelta: ["BigInt64Array"],
  raw: ["Uint8Array"],
};

/** Returns the number of a typed array's entries in one element. */
export function entriesOf({ kind, size }: TypeDescription): number {
  return kind === "complex" ? 2 : kind === "raw" ? size : 1;
}

/** Throws for a typed array of another type's elements. */
export function checkClass(type: TypeDescription, data: ArrayBufferView): void {
  const { kind, size, unit, scale } = type;
  const expected = classes[kind + size] ?? classes[kind];
  const other = data as { unit?: unknown; scale?: unknown };
  const same =
    expected?.includes(tagOf(data)) &&
    (other.unit === undefined || (other.unit === unit && other.scale === scale)) &&
    (kind === "bool" || !(data instanceof BoolArray));
  if (same) return;
  const of = other.unit === undefined ? "" : ` of ${other.scale} ${other.unit}`;
  throw new InvalidValueError(`a ${data.constructor.name || tagOf(data)}${of} does not hold elements of ${type.name}`);
}

/**
 * Returns the bytes of a typed array of the type's class. Undefined if the type has not all of
 * their values, or others: then each element is checked.
 */
export function bytesIn(type: TypeDescription, data: ArrayBufferView): Uint8Array | undefined {
  checkClass(type, data);
  const { kind, size, bits, elem } = type;
  const part = kind === "complex" && elem ? elem : type;
  const wider = part.kind === "minifloat" || (part.size === 2 && tagOf(data) === "Float32Array");
  if (wider || kind === "bool" || (bits && bits < 8 * size)) return undefined;
  return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
}

/** Encodes the elements of a typed array of the type's class. */
export function typed(type: TypeDescription, data: ArrayBufferView): Encoded {
  const own = bytesIn(type, data);
  if (own) return { bytes: own.slice() };
  const { kind, elem } = type;
  if (kind === "int" || kind === "uint") return integers(type, data as unknown as Collection);
  if (kind !== "bool") return floats(kind === "complex" && elem ? elem : type, data as unknown as Collection);
  const bytes = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength).slice();
  const odd = bytes.findIndex((byte) => byte > 1);
  if (odd >= 0) refuseElement(type, bytes[odd], odd);
  return { bytes };
}

export function bools(type: TypeDescription, list: Collection): Encoded {
  const at = elementsOf(list);
  const bytes = new Uint8Array(list.length);
  for (let i = 0; i < bytes.length; i++) {
    const value = at(i);
    if (typeof value !== "boolean") refuseElement(type, value, i);
    if (value) bytes[i] = 1;
  }
  return { bytes };
}

const whole = {
  int: { 1: Int8Array, 2: Int16Array, 4: Int32Array },
  uint: { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array },
};

/** Encodes integers, given as numbers or bigints. Rejects numbers outside of the type's range. */
export function integers(type: TypeDescription, list: Collection): Encoded {
  const { kind, size, bits = 8 * size } = type;
  const at = elementsOf(list);
  const signed = kind !== "uint";
  if (size === 8) {
    const out = new BigInt64Array(list.length);
    const fits = signed ? BigInt.asIntN : BigInt.asUintN;
    for (let i = 0; i < out.length; i++) {
      const value = at(i);
      const integer = Number.isInteger(value) ? BigInt(value as number) : value;
      if (typeof integer !== "bigint" || fits(64, integer) !== integer) refuseElement(type, value, i);
      out[i] = integer;
    }
    return { bytes: new Uint8Array(out.buffer) };
  }
  const [low, high] = signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
  const out = new whole[signed ? "int" : "uint"][size as 1 | 2 | 4](list.length);
  for (let i = 0; i < out.length; i++) {
    const value = at(i);
    const number = typeof value === "bigint" ? Number(value) : value;
    if (!Number.isInteger(number) || (number as number) < low || (number as number) > high) {
      refuseElement(type, value, i);
    }
    out[i] = number as number;
  }
  return { bytes: new Uint8Array(out.buffer) };
}

/** Encodes numbers, rounded to the type's nearest value. Rejects numbers that are too large. */
export function floats(type: TypeDescription, list: Collection): Encoded {
  const { kind, size, name } = type;
  const at = elementsOf(list);
  const small = kind === "minifloat" ? bitsOf(name) : size === 2 ? bitsOf("float16") : undefined;
  const out = new (small ? (size === 2 ? Uint16Array : Uint8Array) : size === 4 ? Float32Array : Float64Array)(
    list.length,
  );
  for (let i = 0; i < out.length; i++) {
    const value = at(i);
    const number = typeof value === "bigint" && BigInt(Number(value)) === value ? Number(value) : value;
    if (typeof number !== "number") refuseElement(type, value, i);
    const bits = small ? small(number) : size === 4 ? Math.fround(number) : number;
    if (bits === undefined || (!small && Number.isFinite(number) && !Number.isFinite(bits))) {
      refuseElement(type, value, i);
    }
    out[i] = bits;
  }
  return { bytes: new Uint8Array(out.buffer) };
}

/** Encodes complex numbers: `{ re, im }`, or a real number. */
export function complexes(type: TypeDescription, list: Collection): Encoded {
  const at = elementsOf(list);
  const parts: unknown[] = new Array(2 * list.length);
  for (let i = 0; i < list.length; i++) {
    const value = at(i);
    const { re, im } =
      typeof value === "number" ? { re: value, im: 0 } : (Object(value) as { re?: unknown; im?: unknown });
    if (typeof re !== "number" || typeof im !== "number") refuseElement(type, value, i);
    parts[2 * i] = re;
    parts[2 * i + 1] = im;
  }
  return floats(type.elem as TypeDescription, parts);
}
