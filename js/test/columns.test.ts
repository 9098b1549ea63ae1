import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { buffersOf, makeColumn } from "../data/columns.js";
import { scalarAt } from "../data/decode.js";
import { decodeColumn } from "../data/listed.js";
import type { AnyData } from "../data/types.js";
import type { TypeDescription, TypeKind } from "../engine/protocol.js";
import { CodecPipelineError } from "../errors.js";

// Random types and elements, through the form in which a worker hands them to the page. What is expected is known
// from how the bytes were made.

let seed = 1;
function random(n: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * n);
}
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const bytesOf = (n: number) => Uint8Array.from({ length: n }, () => random(256));

/** The number that sixteen bits are in IEEE 754. */
function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits >> 15 ? -1 : 1;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** An element: its bytes, and the value that they are of. */
interface Element {
  bytes: Uint8Array;
  value: unknown;
}

const simple = (kind: TypeKind, name: string, size: number, more: Partial<TypeDescription> = {}): TypeDescription => ({
  kind,
  name,
  size,
  ...more,
});

const leaves: TypeDescription[] = [
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

function randomType(depth: number): TypeDescription {
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

const utf8 = new TextEncoder();
const latin1 = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** An element of a type that has a size. */
function randomElement(type: TypeDescription): Element {
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
function check(type: TypeDescription, data: AnyData, values: readonly unknown[]): void {
  const { kind, size } = type;
  const name = Object.hasOwn(data, "constructor") ? "Object" : data.constructor.name;
  assert.equal(name, classes[kind + size] ?? classes[kind] ?? "Array");
  if (kind === "datetime" || kind === "timedelta") assert.equal((data as { unit?: string }).unit, type.unit);
  const entries = kind === "complex" ? 2 * values.length : kind === "raw" ? size * values.length : values.length;
  if (kind !== "struct") assert.equal((data as { length?: number }).length, entries);
  values.forEach((value, i) => void same(type, scalarAt(type, data, i), value));
  if (kind === "struct") Array.from(data as Iterable<unknown>, (each, i) => same(type, each, values[i]));
}

function same(type: TypeDescription, got: unknown, want: unknown): void {
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

/** What arrives on the page, of what the worker transfers. */
function handed(type: TypeDescription, elements: Parameters<typeof makeColumn>[1]): AnyData {
  const column = makeColumn(type, elements);
  const transfer = buffersOf(column);
  assert.equal(new Set(transfer).size, transfer.length, "no buffer is in two columns");
  return decodeColumn(type, structuredClone(column, { transfer }), 0, elements.count);
}

function packed(size: number, elements: readonly Element[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size * elements.length);
  elements.forEach((element, i) => void bytes.set(element.bytes, i * size));
  return bytes;
}

test("elements of every type with a size arrive as they were, alone and in structs, sub-arrays and optionals", () => {
  const types = [...leaves, ...Array.from({ length: 600 }, () => randomType(3))];
  for (const type of types) {
    for (const count of [0, 1, 2 + random(20)]) {
      const elements = Array.from({ length: count }, () => randomElement(type));
      const data = handed(type, { bytes: packed(type.size, elements), count });
      try {
        check(
          type,
          data,
          elements.map(({ value }) => value),
        );
      } catch (error) {
        throw new Error(`${count} of ${JSON.stringify(type)}: ${error}`, { cause: error });
      }
    }
  }
});

const texts = ["", "a", "abc", "é", "😀", "\ufeffx", "日本", "n/a"];

function variable(type: TypeDescription): Element {
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

const variables: TypeDescription[] = [
  simple("string", "string", 0),
  simple("bytes", "bytes", 0),
  simple("object", "O", 0),
  ...leaves.filter(({ size }) => size > 0).map((elem) => simple("ragged", "ragged", 0, { elem })),
];

/** Elements of variable length, some of them missing, as Go sends them. */
function joined(elements: readonly (Element | null)[]): Parameters<typeof makeColumn>[1] {
  const offsets = new Uint32Array(elements.length + 1);
  elements.forEach((element, i) => {
    offsets[i + 1] = (offsets[i] as number) + (element?.bytes.length ?? 0);
  });
  const bytes = new Uint8Array(offsets.at(-1) as number);
  elements.forEach((element, i) => void bytes.set(element?.bytes ?? [], offsets[i]));
  const missing = Uint8Array.from(elements, (element) => (element ? 0 : 1));
  return { bytes, count: elements.length, offsets, missing: missing.includes(1) ? missing : undefined };
}

test("elements of variable length arrive as they were, and what is missing is null", () => {
  for (const type of variables) {
    for (const count of [0, 1, 2, 5, 17, 3000]) {
      const elements = Array.from({ length: count }, () => (random(5) === 0 ? null : variable(type)));
      const data = handed(type, joined(elements)) as unknown[];
      assert.equal(data.length, count);
      elements.forEach((element, i) => void same(type, data[i], element?.value ?? null));
    }
  }
});

test("of elements that are not what they should be, the first is named", () => {
  const string = simple("string", "string", 0);
  const raw = (...items: number[][]) => joined(items.map((item) => ({ bytes: Uint8Array.from(item), value: null })));
  // The second begins with what would be the end of the first's last character.
  assert.throws(() => makeColumn(string, raw([0x61], [0xc3], [0xa9])), /element 1 is not valid UTF-8/);
  const long = Array.from({ length: 40_000 }, () => [0x61, 0xc3, 0xa9]);
  makeColumn(string, raw(...long));
  assert.throws(() => makeColumn(string, raw(...long, [0xff])), /element 40000 is not valid UTF-8/);
  const object = simple("object", "O", 0);
  const wrong = raw([0x31], [], [0x7b]);
  assert.throws(() => makeColumn(object, wrong), CodecPipelineError);
  assert.throws(() => makeColumn(object, wrong), /element 2 is not valid JSON/);
});

/** So many that they are made when they are asked for. */
const many = 20_000;

function lazily(kind: "string" | "optional" | "unicode" | "object" | "wide"): { data: unknown[]; want: unknown[] } {
  if (kind === "string" || kind === "wide" || kind === "object") {
    const want = Array.from({ length: many }, (_, i) => {
      if (i % 7 === 3) return null;
      return kind === "object" ? { i } : kind === "wide" && i % 3000 === 1 ? `é${i}` : `s${i}`;
    });
    const bytes = (value: unknown) => utf8.encode(kind === "object" ? JSON.stringify(value) : (value as string));
    const elements = want.map((value) => value && { bytes: bytes(value), value });
    const type = simple(kind === "object" ? "object" : "string", kind, 0);
    return { data: handed(type, joined(elements as Element[])) as unknown[], want };
  }
  const elem = simple("int", "int32", 4);
  const type = kind === "unicode" ? simple(kind, "U3", 12) : simple(kind, "optional", 5, { elem });
  const elements = Array.from({ length: many }, () => randomElement(type));
  const data = handed(type, { bytes: packed(type.size, elements), count: many }) as unknown[];
  return { data, want: elements.map(({ value }) => value) };
}

const lazyKinds = ["string", "wide", "optional", "unicode", "object"] as const;

test("many strings, optional elements and objects behave as an array of them", () => {
  for (const kind of lazyKinds) {
    const { data, want } = lazily(kind);
    assert.ok(Array.isArray(data), kind);
    assert.equal(data.length, many);
    const at = [0, 1, 2, 1023, 1024, 1025, 7000, 7001, many - 1];
    assert.deepEqual(
      at.map((i) => data[i]),
      at.map((i) => want[i]),
    );
    assert.deepEqual([data[many], data[-1], (data as never)["01"], (data as never)["1.5"]], Array(4).fill(undefined));
    assert.ok(0 in data && !(many in data) && !("01" in data));
    assert.deepEqual([...data], want);
    assert.deepEqual(
      data.map((value) => String(value)),
      want.map(String),
    );
    assert.deepEqual(data.slice(-5), want.slice(-5));
    assert.deepEqual(data.filter(Boolean).length, want.filter(Boolean).length);
    const one = data[many - 9];
    assert.equal(data.indexOf(one), kind === "object" ? many - 9 : want.indexOf(one));
    assert.equal(JSON.stringify(data), JSON.stringify(want));
    assert.equal(data.at(-1) === null, want.at(-1) === null);
    assert.deepEqual(Array.prototype.concat.call([], data).length, many);
    assert.equal(data.join().length, want.join().length);
    const plain = kind === "unicode" ? Object.assign(want.slice(), {}) : want;
    if (kind !== "unicode") {
      assert.equal(inspect(data), inspect(plain));
      assert.equal(inspect(data, { maxArrayLength: 3 }), inspect(plain, { maxArrayLength: 3 }));
      assert.deepEqual(data, plain);
      // Node takes a proxy of an array that begins with null for a revoked one.
      if (plain[0] !== null) assert.equal(inspect(data), inspect(plain), "after all of it has been made");
    } else assert.match(inspect(data), /^UnicodeStringArray\(20000\) \[/);
    assert.deepEqual(structuredClone(Array.from(data)), want);
  }
});

test("what has been made keeps its identity and its changes", () => {
  const { data } = lazily("object");
  const first = data[0] as { i: number; more?: number };
  first.more = 1;
  assert.equal(data[0], first);
  assert.deepEqual(data[0], { i: 0, more: 1 });
});

test("random changes of many elements give what they give of an array", () => {
  for (const kind of ["string", "wide", "optional", "unicode"] as const) {
    for (let round = 0; round < 6; round++) {
      const { data, want } = lazily(kind);
      for (let step = 0; step < 12; step++) {
        const i = random(want.length + 2);
        const value = `new ${step}`;
        const change = pick<(list: unknown[]) => unknown>([
          (list) => {
            list[i] = value;
          },
          (list) => Reflect.set(list, i, value),
          (list) => list.push(value, value),
          (list) => list.pop(),
          (list) => list.fill(value, i, i + 3),
          (list) => list.copyWithin(0, i, i + 4),
          (list) => Object.defineProperty(list, i, { enumerable: true }),
          (list) => {
            list.length -= 3;
          },
          (list) => {
            list.length += 2;
          },
          ...(step > 8
            ? [
                (list: unknown[]) => list.splice(i, 2, value),
                (list: unknown[]) => list.reverse(),
                (list: unknown[]) => list.shift(),
                (list: unknown[]) => list.unshift(value),
                (list: unknown[]) => Reflect.deleteProperty(list, i),
                (list: unknown[]) => Object.keys(list).length,
                (list: unknown[]) => list.sort(),
              ]
            : []),
        ]);
        const [a, b] = [change(data), change(want)];
        if (a !== data) assert.deepEqual(a, b);
        const at = random(want.length);
        assert.equal(data.length, want.length);
        assert.equal(data[at], want[at]);
        assert.equal(at in data, at in want);
      }
      for (let i = 0; i < want.length; i++) assert.equal(data[i], want[i]);
    }
  }
});

test("many elements can be frozen", () => {
  const { data, want } = lazily("string");
  Object.freeze(data);
  assert.ok(Object.isFrozen(data));
  assert.throws(() => data.push("x"), TypeError);
  assert.deepEqual([...data], want);
});

test("a text of many bytes is made when it is asked for", () => {
  const value = "é".repeat(3 << 20);
  const data = handed(simple("string", "string", 0), joined([{ bytes: utf8.encode(value), value }])) as string[];
  assert.equal(data[0], value);
  assert.equal(data.length, 1);
});
