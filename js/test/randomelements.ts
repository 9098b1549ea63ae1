import assert from "node:assert/strict";
import { random as seeded } from "../../tests/lib/random.mjs";
import { buffersOf, makeColumn } from "../data/columns.js";
import { scalarAt } from "../data/decode.js";
import { decodeColumn } from "../data/decodecolumn.js";
import type { AnyData } from "../data/types.js";
import type { TypeDescription, TypeKind } from "../engine/protocol/wire.js";

// Random types and elements. The expected values are known from the construction of their bytes.

export const random = seeded(1);
export const pick = random.of;
export const bytesOf = (n: number) => Uint8Array.from({ length: n }, () => random(256));

/** Returns the number of sixteen bits in IEEE 754. */
function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits >> 15 ? -1 : 1;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** An element: its bytes, and their value. */
export interface Element {
  bytes: Uint8Array;
  value: unknown;
}

export const simple = (
  kind: TypeKind,
  name: string,
  size: number,
  more: Partial<TypeDescription> = {},
): TypeDescription => ({
  kind,
  name,
  size,
  ...more,
});

export const leaves: TypeDescription[] = [
  simple("bool", "bool", 1),
  ...[1, 2, 4, 8].flatMap((size) => [simple("int", `int${8 * size}`, size), simple("uint", `uint${8 * size}`, size)]),
  simple("int", "int4", 1, { bits: 4 }),
  simple("uint", "uint2", 1, { bits: 2 }),
  ...[2, 4, 8].map((size) => simple("float", `float${8 * size}`, size)),
  simple("minifloat", "bfloat16", 2),
  simple("minifloat", "float8_e5m2", 1),
  ...[2, 4, 8].map((size) =>
    simple("complex", `complex${16 * size}`, 2 * size, { elem: simple("float", `float${8 * size}`, size) }),
  ),
  simple("complex", "complex_bfloat16", 4, { elem: simple("minifloat", "bfloat16", 2) }),
  simple("datetime", "numpy.datetime64", 8, { unit: "s", scale: 2 }),
  simple("timedelta", "numpy.timedelta64", 8, { unit: "ms", scale: 1 }),
  simple("char", "S5", 5),
  simple("char", "S0", 0),
  simple("unicode", "U3", 12),
  simple("raw", "r24", 3),
];

export function randomType(depth: number): TypeDescription {
  const kind = depth === 0 ? "leaf" : pick(["leaf", "leaf", "struct", "sub", "optional"]);
  if (kind === "leaf") return pick(leaves);
  if (kind === "optional") {
    const elem = randomType(depth - 1);
    return simple("optional", "optional", 1 + elem.size, { elem });
  }
  if (kind === "sub") {
    const elem = randomType(depth - 1);
    const shape = pick([[1], [2, 3], [0], [4]]);
    return simple("sub", "sub", shape.reduce((a, b) => a * b, 1) * elem.size, { elem, shape });
  }
  const fields: TypeDescription["fields"] = [];
  let offset = random(2);
  for (const name of ["a", "__proto__", "c", "get"].slice(0, 1 + random(4))) {
    const type = randomType(depth - 1);
    fields.push({ name, offset, type });
    offset += type.size + pick([0, 0, 1, 4]);
  }
  return simple("struct", "struct", offset, { fields });
}

/** Integers of any size, little-endian. */
function integer(bytes: Uint8Array, signed: boolean): bigint {
  const value = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return signed ? BigInt.asIntN(8 * bytes.length, value) : value;
}

function number(type: TypeDescription, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (type.name === "bfloat16") {
    return new Float32Array(Uint32Array.of(view.getUint16(0, true) << 16).buffer)[0] as number;
  }
  if (type.kind === "minifloat") return half((bytes[0] as number) << 8);
  return bytes.length === 2
    ? half(view.getUint16(0, true))
    : bytes.length === 4
      ? view.getFloat32(0, true)
      : view.getFloat64(0, true);
}

export const utf8 = new TextEncoder();
const latin1 = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** Returns an element of a type of fixed size. */
export function randomElement(type: TypeDescription): Element {
  const { kind, size } = type;
  const bytes = bytesOf(size);
  switch (kind) {
    case "bool":
      bytes[0] = random(2);
      return { bytes, value: bytes[0] === 1 };
    case "int":
    case "uint": {
      const value = integer(bytes, kind === "int");
      if (type.bits) {
        return {
          bytes,
          value: Number(kind === "int" ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value)),
        };
      }
      return { bytes, value: size === 8 ? value : Number(value) };
    }
    case "float":
    case "minifloat":
      return { bytes, value: number(type, bytes) };
    case "complex": {
      const elem = type.elem as TypeDescription;
      const [re, im] = [bytes.subarray(0, size / 2), bytes.subarray(size / 2)].map((part) => number(elem, part));
      return { bytes, value: { re, im } };
    }
    case "datetime":
    case "timedelta":
      return { bytes, value: integer(bytes, true) };
    case "raw":
      return { bytes, value: bytes };
    case "char": {
      const [value, own] = pick<[string, Uint8Array]>([
        ["", new Uint8Array()],
        ["ab", latin1("ab")],
        ["é", utf8.encode("é")],
        ["ÿa", latin1("ÿa")],
        ["a\0b", latin1("a\0b")],
      ]);
      bytes.fill(0);
      bytes.set(own.subarray(0, size));
      return { bytes, value: size === 0 ? "" : value };
    }
    case "unicode": {
      const value = pick(["", "abc", "é", "😀a", "\ud800", "a\0b", "\udc00x"]);
      const points = new Uint32Array(size / 4);
      points.set(Array.from(value, (c) => c.codePointAt(0) as number));
      return { bytes: new Uint8Array(points.buffer), value };
    }
    case "sub": {
      const elem = type.elem as TypeDescription;
      const count = elem.size === 0 ? 0 : size / elem.size;
      const parts = Array.from({ length: count }, () => randomElement(elem));
      parts.forEach((part, i) => void bytes.set(part.bytes, i * elem.size));
      return { bytes, value: parts.map(({ value }) => value) };
    }
    case "optional": {
      const elem = type.elem as TypeDescription;
      const there = random(3) > 0;
      const inner = randomElement(elem);
      bytes[0] = there ? 1 : 0;
      bytes.set(inner.bytes, 1);
      return { bytes, value: there ? (elem.kind === "optional" ? { value: inner.value } : inner.value) : null };
    }
    default: {
      const entries = (type.fields ?? []).map(({ name, offset, type: field }): [string, unknown] => {
        const own = randomElement(field);
        bytes.set(own.bytes, offset);
        return [name, own.value];
      });
      return { bytes, value: Object.fromEntries(entries) };
    }
  }
}

const classes: { [name: string]: string } = {
  bool1: "BoolArray",
  int1: "Int8Array",
  int2: "Int16Array",
  int4: "Int32Array",
  int8: "BigInt64Array",
  uint1: "Uint8Array",
  uint2: "Uint16Array",
  uint4: "Uint32Array",
  uint8: "BigUint64Array",
  float2: typeof Float16Array === "function" ? "Float16Array" : "Float32Array",
  float4: "Float32Array",
  float8: "Float64Array",
  minifloat: "Float32Array",
  complex16: "Complex128Array",
  complex: "Complex64Array",
  datetime: "DateTimeArray",
  timedelta: "TimeDeltaArray",
  raw: "RawArray",
  char: "ByteStringArray",
  unicode: "UnicodeStringArray",
  struct: "Object",
};

/** Checks data of a type, and each of its elements. */
export function check(type: TypeDescription, data: AnyData, values: readonly unknown[]): void {
  const { kind, size } = type;
  const name = Object.hasOwn(data, "constructor") ? "Object" : data.constructor.name;
  assert.equal(name, classes[kind + size] ?? classes[kind] ?? "Array");
  if (kind === "datetime" || kind === "timedelta") assert.equal((data as { unit?: string }).unit, type.unit);
  const entries = kind === "complex" ? 2 * values.length : kind === "raw" ? size * values.length : values.length;
  if (kind !== "struct") assert.equal((data as { length?: number }).length, entries);
  values.forEach((value, i) => void same(type, scalarAt(type, data, i), value));
  if (kind === "struct") Array.from(data as Iterable<unknown>, (each, i) => same(type, each, values[i]));
}

export function same(type: TypeDescription, got: unknown, want: unknown): void {
  const elem = type.elem as TypeDescription;
  if (type.kind === "sub" || (type.kind === "ragged" && want)) {
    check(elem, got as AnyData, want as unknown[]);
  } else if (type.kind === "struct") {
    assert.deepEqual(Object.keys(got as object), Object.keys(want as object));
    for (const { name, type: field } of type.fields ?? []) {
      same(field, Object(Object.getOwnPropertyDescriptor(got, name)).value, Object(want)[name] ?? null);
    }
  } else if (type.kind === "optional" && want !== null) {
    if (elem.kind === "optional") {
      assert.deepEqual(Object.keys(got as object), ["value"]);
      same(elem, (got as { value: unknown }).value, (want as { value: unknown }).value);
    } else same(elem, got, want);
  } else if (want instanceof Uint8Array) assert.deepEqual([...(got as Uint8Array)], [...want]);
  else assert.deepEqual(got, want);
}

/** Returns the page's data from the buffers that the worker transfers. */
export function handed(type: TypeDescription, elements: Parameters<typeof makeColumn>[1]): AnyData {
  const column = makeColumn(type, elements);
  const transfer = buffersOf(column);
  assert.equal(new Set(transfer).size, transfer.length, "no buffer is in two columns");
  return decodeColumn(type, structuredClone(column, { transfer }), 0, elements.count);
}

export function packed(size: number, elements: readonly Element[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size * elements.length);
  elements.forEach((element, i) => void bytes.set(element.bytes, i * size));
  return bytes;
}

const texts = ["", "a", "abc", "é", "😀", "\ufeffx", "日本", "n/a"];

export function variable(type: TypeDescription): Element {
  if (type.kind === "bytes") {
    const bytes = bytesOf(random(5));
    return { bytes, value: bytes };
  }
  if (type.kind === "ragged") {
    const elem = type.elem as TypeDescription;
    const parts = Array.from({ length: random(4) }, () => randomElement(elem));
    return { bytes: packed(elem.size, parts), value: parts.map(({ value }) => value) };
  }
  const value = type.kind === "string" ? pick(texts) : pick<unknown>([null, { a: [1, "é"] }, [true], "x", 12]);
  return { bytes: utf8.encode(type.kind === "string" ? (value as string) : JSON.stringify(value)), value };
}

export const variables: TypeDescription[] = [
  simple("string", "string", 0),
  simple("bytes", "bytes", 0),
  simple("object", "O", 0),
  ...leaves.filter(({ size }) => size > 0).map((elem) => simple("ragged", "ragged", 0, { elem })),
];

/** Returns elements of variable length in the form of Go's answers. Null is a missing element. */
export function joined(elements: readonly (Element | null)[]): Parameters<typeof makeColumn>[1] {
  const offsets = new Uint32Array(elements.length + 1);
  elements.forEach((element, i) => {
    offsets[i + 1] = (offsets[i] as number) + (element?.bytes.length ?? 0);
  });
  const bytes = new Uint8Array(offsets.at(-1) as number);
  elements.forEach((element, i) => void bytes.set(element?.bytes ?? [], offsets[i]));
  const missing = Uint8Array.from(elements, (element) => (element ? 0 : 1));
  return { bytes, count: elements.length, offsets, missing: missing.includes(1) ? missing : undefined };
}
