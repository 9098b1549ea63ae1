import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BoolArray,
  ByteStringArray,
  Complex64Array,
  Complex128Array,
  DateTimeArray,
  RawArray,
  TimeDeltaArray,
  UnicodeStringArray,
} from "../data/arrays.js";
import { makeColumn } from "../data/columns.js";
import { scalarAt } from "../data/decode.js";
import { decodeColumn } from "../data/decodecolumn.js";
import { parseJson } from "../data/json.js";
import { decodeFloat16, decodeMiniFloat } from "../data/minifloat.js";
import { product } from "../data/shape.js";
import type { AnyData } from "../data/types.js";
import type { TypeDescription, WireBlock } from "../engine/protocol/wire.js";
import { CodecPipelineError, UnsupportedError } from "../errors.js";

const int32: TypeDescription = { kind: "int", name: "int32", size: 4 };
const float64: TypeDescription = { kind: "float", name: "float64", size: 8 };
const uint8: TypeDescription = { kind: "uint", name: "uint8", size: 1 };

/** A block in the form of Go's answers, without the name of its type. */
type Block = Omit<WireBlock, "type">;

/** Converts a block to a page's data, as the worker and the page do. */
function decodeBlock(type: TypeDescription, { buffer, shape, offsets, missing }: Block): AnyData {
  const count = product(shape);
  const column = makeColumn(type, {
    bytes: new Uint8Array(buffer),
    count,
    offsets: offsets && new Uint32Array(offsets),
    missing: missing && new Uint8Array(missing),
  });
  return decodeColumn(type, structuredClone(column), 0, count);
}

function decodeElement(type: TypeDescription, element: Uint8Array): unknown {
  const bytes = new Uint8Array(element);
  const column = makeColumn(type, { bytes, count: 1, offsets: Uint32Array.of(0, bytes.length) });
  return scalarAt(type, decodeColumn(type, column, 0, 1), 0);
}

function block(bytes: ArrayBufferView | number[], shape: number[]): Block {
  const view = Array.isArray(bytes) ? Uint8Array.from(bytes) : bytes;
  return { buffer: new Uint8Array(view.buffer as ArrayBuffer).slice().buffer, shape };
}

function payloads(items: (string | Uint8Array | null)[]): Block {
  const encoder = new TextEncoder();
  const parts = items.map((item) => (typeof item === "string" ? encoder.encode(item) : (item ?? new Uint8Array())));
  const offsets = new Uint32Array(items.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = (offsets[i] as number) + part.length;
  });
  const bytes = new Uint8Array(offsets[items.length] as number);
  parts.forEach((part, i) => {
    bytes.set(part, offsets[i]);
  });
  const result: Block = { buffer: bytes.buffer, shape: [items.length], offsets: offsets.buffer };
  if (items.includes(null)) result.missing = Uint8Array.from(items, (item) => (item === null ? 1 : 0)).buffer;
  return result;
}

test("numbers are typed arrays over the engine's buffer", () => {
  const cases: [TypeDescription, ArrayBufferView][] = [
    [{ kind: "int", name: "int8", size: 1 }, Int8Array.of(-1, 2)],
    [{ kind: "int", name: "int16", size: 2 }, Int16Array.of(-1, 2)],
    [int32, Int32Array.of(-1, 2)],
    [{ kind: "int", name: "int64", size: 8 }, BigInt64Array.of(-(2n ** 63n), 2n)],
    [uint8, Uint8Array.of(255, 2)],
    [{ kind: "uint", name: "uint16", size: 2 }, Uint16Array.of(65535, 2)],
    [{ kind: "uint", name: "uint32", size: 4 }, Uint32Array.of(2 ** 32 - 1, 2)],
    [{ kind: "uint", name: "uint64", size: 8 }, BigUint64Array.of(2n ** 64n - 1n, 2n)],
    [{ kind: "float", name: "float32", size: 4 }, Float32Array.of(0.5, Number.NaN)],
    [float64, Float64Array.of(0.1, Number.NEGATIVE_INFINITY)],
  ];
  for (const [type, want] of cases) {
    const wire = block(want, [2]);
    const got = decodeBlock(type, wire);
    assert.deepEqual(got, want, type.name);
    const column = makeColumn(type, { bytes: new Uint8Array(wire.buffer), count: 2 });
    const view = decodeColumn(type, column, 0, 2) as Int8Array;
    assert.equal(view.buffer, wire.buffer, `${type.name}: not copied`);
    assert.equal(scalarAt(type, got, 1), (want as Int8Array)[1]);
  }
});

test("integers of less than a byte are extended by their sign", () => {
  assert.deepEqual(
    decodeBlock({ kind: "int", name: "int4", size: 1, bits: 4 }, block([0x0f, 0xff, 7, 8], [4])),
    Int8Array.of(-1, -1, 7, -8),
  );
  assert.deepEqual(
    decodeBlock({ kind: "int", name: "int2", size: 1, bits: 2 }, block([1, 2, 3], [3])),
    Int8Array.of(1, -2, -1),
  );
  assert.deepEqual(
    decodeBlock({ kind: "uint", name: "uint4", size: 1, bits: 4 }, block([0x1f, 3], [2])),
    Uint8Array.of(15, 3),
  );
});

test("bool", () => {
  const type: TypeDescription = { kind: "bool", name: "bool", size: 1 };
  const data = decodeBlock(type, block([1, 0], [2]));
  assert.ok(data instanceof BoolArray);
  assert.deepEqual([data[0], data[1]], [1, 0]);
  assert.deepEqual([...data], [true, false]);
  assert.deepEqual(new Uint8Array(data as never), Uint8Array.of(1, 0));
  assert.equal(data.get(0), true);
  assert.equal(scalarAt(type, data, 1), false);
});

test("float16, on every platform", () => {
  const halves: [number, number][] = [
    [0x0000, 0],
    [0x8000, -0],
    [0x0001, 2 ** -24],
    [0x03ff, 1023 * 2 ** -24],
    [0x0400, 2 ** -14],
    [0x3c00, 1],
    [0xc000, -2],
    [0x7bff, 65504],
    [0x7c00, Number.POSITIVE_INFINITY],
    [0xfc00, Number.NEGATIVE_INFINITY],
    [0x7e00, Number.NaN],
  ];
  const bytes = new Uint8Array(Uint16Array.from(halves, ([bits]) => bits).buffer);
  const want = halves.map(([, value]) => value);
  assert.deepEqual([...decodeFloat16(bytes)], want);
  const type: TypeDescription = { kind: "float", name: "float16", size: 2 };
  assert.deepEqual([...(decodeBlock(type, block(bytes, [want.length])) as Float32Array)], want);
});

test("small floats: their largest and smallest, and what is not a number", () => {
  const one = (name: string, byte: number) => decodeMiniFloat(name, Uint8Array.of(byte))[0];
  const cases: [string, number, number][] = [
    ["float8_e3m4", 0x6f, 15.5],
    ["float8_e3m4", 0x70, Number.POSITIVE_INFINITY],
    ["float8_e3m4", 0x01, 2 ** -6],
    ["float8_e4m3", 0x77, 240],
    ["float8_e4m3", 0xf8, Number.NEGATIVE_INFINITY],
    ["float8_e4m3", 0x79, Number.NaN],
    ["float8_e4m3fn", 0x7e, 448],
    ["float8_e4m3fn", 0x7f, Number.NaN],
    ["float8_e4m3fn", 0x01, 2 ** -9],
    ["float8_e4m3fnuz", 0x7f, 240],
    ["float8_e4m3fnuz", 0x80, Number.NaN],
    ["float8_e4m3b11fnuz", 0x7f, 30],
    ["float8_e4m3b11fnuz", 0x80, Number.NaN],
    ["float8_e5m2", 0x7b, 57344],
    ["float8_e5m2", 0x7c, Number.POSITIVE_INFINITY],
    ["float8_e5m2", 0x7d, Number.NaN],
    ["float8_e5m2", 0x01, 2 ** -16],
    ["float8_e5m2fnuz", 0x7f, 57344],
    ["float8_e5m2fnuz", 0x80, Number.NaN],
    ["float8_e8m0fnu", 0x7f, 1],
    ["float8_e8m0fnu", 0x00, 2 ** -127],
    ["float8_e8m0fnu", 0xfe, 2 ** 127],
    ["float8_e8m0fnu", 0xff, Number.NaN],
    ["float6_e2m3fn", 0x1f, 7.5],
    ["float6_e2m3fn", 0x21, -0.125],
    ["float6_e3m2fn", 0x1f, 28],
    ["float6_e3m2fn", 0x01, 0.0625],
    ["float4_e2m1fn", 0x07, 6],
    ["float4_e2m1fn", 0x09, -0.5],
    ["float4_e2m1fn", 0xf2, 1],
  ];
  for (const [name, byte, want] of cases) assert.equal(one(name, byte), want, `${name} 0x${byte.toString(16)}`);
  assert.deepEqual([...decodeMiniFloat("bfloat16", Uint8Array.of(0x80, 0x3f, 0x49, 0xc0))], [1, -3.140625]);
  assert.throws(() => decodeMiniFloat("float8_unheard_of", Uint8Array.of(1)), UnsupportedError);
  assert.throws(() => decodeMiniFloat("constructor", Uint8Array.of(1)), UnsupportedError);
});

test("complex", () => {
  const type: TypeDescription = { kind: "complex", name: "complex128", size: 16, elem: float64 };
  const data = decodeBlock(type, block(Float64Array.of(1, 2, 3, -4), [2]));
  assert.ok(data instanceof Complex128Array);
  assert.equal(data.count, 2);
  assert.deepEqual(scalarAt(type, data, 1), { re: 3, im: -4 });
  const half: TypeDescription = { kind: "complex", name: "complex_bfloat16", size: 4 };
  half.elem = { kind: "minifloat", name: "bfloat16", size: 2 };
  const small = decodeBlock(half, block([0x80, 0x3f, 0x00, 0xc0], [1]));
  assert.ok(small instanceof Complex64Array);
  assert.deepEqual(small.get(0), { re: 1, im: -2 });
  assert.equal(small.subarray(1).constructor, Float32Array);
});

test("fixed-width bytes lose their trailing NULs and nothing else", () => {
  const type: TypeDescription = { kind: "char", name: "S3", size: 3 };
  const bytes = (...list: string[]) => ByteStringArray.from(list);
  const ascii = decodeBlock(type, block([0x61, 0x62, 0, 0x63, 0, 0x64, 0, 0, 0], [3]));
  assert.deepEqual(ascii, bytes("ab", "c\0d", ""));
  assert.ok(ascii instanceof ByteStringArray && ascii.get(1) === "c\0d");
  assert.deepEqual(decodeBlock(type, block([0xc3, 0xa9, 0, 0xe9, 0, 0], [2])), bytes("é", "é"), "UTF-8, else Latin-1");
  assert.deepEqual(decodeBlock({ kind: "char", name: "S0", size: 0 }, block([], [2])), bytes("", ""));
});

test("UTF-32", () => {
  const type: TypeDescription = { kind: "unicode", name: "U2", size: 8 };
  assert.deepEqual(
    decodeBlock(type, block(Uint32Array.of(0x1f600, 0, 0x61, 0xe9), [2])),
    UnicodeStringArray.from(["😀", "aé"]),
  );
  assert.throws(() => decodeBlock(type, block(Uint32Array.of(0x110000, 0), [1])), CodecPipelineError);
});

test("strings of variable length", () => {
  const type: TypeDescription = { kind: "string", name: "string", size: 0 };
  assert.deepEqual(decodeBlock(type, payloads(["ab", "", "c"])), ["ab", "", "c"]);
  assert.deepEqual(decodeBlock(type, payloads(["é", null, "\ufeffx"])), ["é", null, "\ufeffx"]);
  assert.throws(() => decodeBlock(type, payloads(["a", Uint8Array.of(0xff)])), /element 1 is not valid UTF-8/);
  assert.equal(decodeElement(type, new TextEncoder().encode("n/a")), "n/a");
  assert.equal(decodeElement(type, new Uint8Array()), "");
});

test("bytes, ragged arrays and objects", () => {
  const bytes: TypeDescription = { kind: "bytes", name: "bytes", size: 0 };
  assert.deepEqual(decodeBlock(bytes, payloads([Uint8Array.of(1, 2), null])), [Uint8Array.of(1, 2), null]);
  const ragged: TypeDescription = { kind: "ragged", name: "vlen-array", size: 0, elem: int32 };
  const items = [Int32Array.of(1, -2), new Int32Array(), Int32Array.of(7)];
  assert.deepEqual(decodeBlock(ragged, payloads(items.map((item) => new Uint8Array(item.buffer)))), items);
  const object: TypeDescription = { kind: "object", name: "O", size: 0 };
  assert.deepEqual(decodeBlock(object, payloads(['{"a":[1,NaN]}', null, '"x"', "null"])), [
    { a: [1, Number.NaN] },
    null,
    "x",
    null,
  ]);
  assert.equal(decodeElement(object, new Uint8Array()), null);
});

test("raw bytes", () => {
  const type: TypeDescription = { kind: "raw", name: "r16", size: 2 };
  const data = decodeBlock(type, block([1, 2, 3, 4], [2]));
  assert.ok(data instanceof RawArray);
  assert.equal(data.count, 2);
  assert.deepEqual(scalarAt(type, data, 1), Uint8Array.of(3, 4));
});

test("datetimes", () => {
  const at = (unit: string, count: bigint, scale = 1) => {
    const type: TypeDescription = { kind: "datetime", name: "numpy.datetime64", size: 8, unit, scale };
    const data = decodeBlock(type, block(BigInt64Array.of(count), [1]));
    assert.ok(data instanceof DateTimeArray);
    assert.equal(data.unit, unit);
    return data.toDate(0)?.toISOString();
  };
  assert.equal(at("D", -1n), "1969-12-31T00:00:00.000Z");
  assert.equal(at("ns", -1n), "1969-12-31T23:59:59.999Z");
  assert.equal(at("ns", 1_700_000_000_123_456_789n), "2023-11-14T22:13:20.123Z");
  assert.equal(at("M", -13n), "1968-12-01T00:00:00.000Z");
  assert.equal(at("Y", -1920n), "0050-01-01T00:00:00.000Z");
  assert.equal(at("h", 1n, 6), "1970-01-01T06:00:00.000Z");
  assert.equal(at("s", -(2n ** 63n)), undefined, "NaT");
  assert.throws(() => at("generic", 1n), UnsupportedError);
  const type: TypeDescription = { kind: "timedelta", name: "numpy.timedelta64", size: 8, unit: "ms", scale: 10 };
  const delta = decodeBlock(type, block(BigInt64Array.of(-150n, -(2n ** 63n)), [2]));
  assert.ok(delta instanceof TimeDeltaArray);
  assert.equal(delta.toSeconds(0), -1.5);
  assert.equal(delta.toSeconds(1), null);
  assert.equal(delta.subarray(0).constructor, BigInt64Array);
});

test("structs are columns, whatever their alignment", () => {
  const type: TypeDescription = {
    kind: "struct",
    name: "struct",
    size: 13,
    fields: [
      { name: "flag", offset: 0, type: uint8 },
      { name: "__proto__", offset: 1, type: float64 },
      {
        name: "pair",
        offset: 9,
        type: { kind: "sub", name: "sub", size: 4, elem: { ...int32, name: "int16", size: 2 }, shape: [2] },
      },
    ],
  };
  const bytes = new Uint8Array(26);
  const view = new DataView(bytes.buffer);
  for (const i of [0, 1]) {
    view.setUint8(13 * i, i + 1);
    view.setFloat64(13 * i + 1, i + 0.5, true);
    view.setInt16(13 * i + 9, -i, true);
    view.setInt16(13 * i + 11, 300, true);
  }
  const data = decodeBlock(type, block(bytes, [2])) as Record<string, unknown>;
  assert.deepEqual(Object.keys(data), ["flag", "__proto__", "pair"]);
  assert.deepEqual(data.flag, Uint8Array.of(1, 2));
  assert.deepEqual(Object.entries(data)[1]?.[1], Float64Array.of(0.5, 1.5));
  assert.deepEqual(data.pair, [Int16Array.of(0, 300), Int16Array.of(-1, 300)]);
  assert.deepEqual((scalarAt(type, data as never, 1) as { pair: Int16Array }).pair, Int16Array.of(-1, 300));
  const each = Array.from(data as never as Iterable<Record<string, unknown>>);
  assert.deepEqual(
    each,
    [0, 1].map((i) => scalarAt(type, data as never, i)),
  );
  assert.deepEqual(
    each.map(({ flag }) => flag),
    [1, 2],
  );
});

test("optional elements", () => {
  const type: TypeDescription = { kind: "optional", name: "optional", size: 5, elem: int32 };
  assert.deepEqual(decodeBlock(type, block([1, 7, 0, 0, 0, 0, 9, 9, 9, 9], [2])), [7, null]);
});

test("optional elements of optional elements", () => {
  const once: TypeDescription = { kind: "optional", name: "optional", size: 5, elem: int32 };
  const twice: TypeDescription = { kind: "optional", name: "optional", size: 6, elem: once };
  const some = [1, 1, 7, 0, 0, 0];
  const someNone = [1, 0, 9, 9, 9, 9];
  const none = [0, 1, 9, 9, 9, 9];
  const values = [{ value: 7 }, { value: null }, null];
  assert.deepEqual(decodeBlock(twice, block([...some, ...someNone, ...none], [3])), values);
  assert.deepEqual(decodeElement(twice, Uint8Array.from(someNone)), { value: null });
  const thrice: TypeDescription = { kind: "optional", name: "optional", size: 7, elem: twice };
  assert.deepEqual(decodeBlock(thrice, block([1, ...some, 1, ...someNone, 1, ...none, 0, ...some], [4])), [
    ...values.map((value) => ({ value })),
    null,
  ]);
});

test("JSON as it is written", () => {
  assert.deepEqual(parseJson('{"a": NaN, "b": [-Infinity, Infinity], "NaN": "NaN, \\"Infinity"}'), {
    a: Number.NaN,
    b: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
    NaN: 'NaN, "Infinity',
  });
  assert.deepEqual(parseJson("[9223372036854775807, -9007199254740993, 9007199254740991, 0.12345678901234566]"), [
    9223372036854775807n,
    -9007199254740993n,
    9007199254740991,
    0.12345678901234566,
  ]);
  assert.deepEqual(parseJson('[0., -0., 1.e2, 1.5, +Infinity, "0., +Infinity"]'), [
    0,
    -0,
    100,
    1.5,
    Infinity,
    "0., +Infinity",
  ]);
  // Strings of megabytes, and strings of escapes only.
  for (const piece of ["x", "\\n", '\\"', "\\\\", "NaN 12345678901234567890 "]) {
    const long = piece.repeat((8 << 20) / piece.length);
    const [nan, read] = parseJson(`[NaN, "${long}"]`) as [number, string];
    assert.ok(Number.isNaN(nan) && read === JSON.parse(`"${long}"`), JSON.stringify(piece));
  }
  // Texts that are read in parts, with commas, quotes and number-like parts in strings.
  const pieces = [
    "NaN",
    '"NaN, \\" , Infinity"',
    "12345678901234567890",
    '{"__proto__": [-Infinity, null]}',
    "1.",
    '"\\\\"',
  ];
  const values = [NaN, 'NaN, " , Infinity', 12345678901234567890n, undefined, 1, "\\"];
  const many = parseJson(`[${Array.from({ length: 30_000 }, (_, i) => pieces[i % 6]).join(",")}]`) as unknown[];
  assert.equal(many.length, 30_000);
  for (const [i, value] of many.entries()) {
    if (i % 6 === 3) assert.deepEqual(Object.entries(value as object), [["__proto__", [-Infinity, null]]]);
    else assert.ok(Object.is(value, values[i % 6]), `${i}: ${value}`);
  }
  assert.equal(parseJson("7."), 7);
  assert.throws(() => parseJson("[NaN, nan]"), SyntaxError);
});
