import assert from "node:assert/strict";
import { test } from "node:test";
import { BoolArray, Complex64Array, DateTimeArray, RawArray } from "../data/arrays.js";
import { decodeMiniFloat } from "../data/minifloat.js";
import { product, strides } from "../data/shape.js";
import type { AnyData } from "../data/types.js";
import type { TypeDescription, WireValues } from "../engine/protocol/wire.js";
import { UnsupportedError } from "../errors.js";
import { InvalidValueError } from "../write/errors.js";
import { bytesOf, valuesOf } from "../write/values.js";
import {
  check,
  type Element,
  handed,
  joined,
  leaves,
  packed,
  pick,
  random,
  randomElement,
  randomType,
  same,
  simple,
  variable,
  variables,
} from "./randomelements.js";

// Tests that written values equal the values read. Random types and elements are encoded from a
// read's form and read again.

function read(type: TypeDescription, values: WireValues): AnyData {
  const { buffer, shape, offsets, missing } = values;
  return handed(type, {
    bytes: new Uint8Array(buffer as ArrayBuffer),
    count: product(shape),
    offsets: offsets && new Uint32Array(offsets),
    missing: missing && new Uint8Array(missing),
  });
}

/** Returns a random shape of `count` elements. */
function shapeFor(count: number): number[] {
  const inner = pick([1, 1, 2, 3].filter((n) => count % n === 0));
  return pick([[count], [count / inner, inner], [inner, 1, count / inner]]);
}

/** Returns nested lists of a shape. */
function nest(list: readonly unknown[], shape: readonly number[]): unknown {
  if (shape.length === 1) return list;
  const step = product(shape.slice(1));
  return Array.from({ length: shape[0] as number }, (_, i) =>
    nest(list.slice(i * step, (i + 1) * step), shape.slice(1)),
  );
}

const told = (type: TypeDescription, run: () => void) => {
  try {
    run();
  } catch (error) {
    throw new Error(`${JSON.stringify(type)}: ${error}`, { cause: error });
  }
};

test("data of every fixed-size type is written as it was read: as a chunk, flat, as lists, and alone", () => {
  for (const type of [...leaves, ...Array.from({ length: 500 }, () => randomType(3))]) {
    for (const count of [0, 1, 2 + random(20)]) {
      const elements = Array.from({ length: count }, () => randomElement(type));
      const want = elements.map(({ value }) => value);
      const data = handed(type, { bytes: packed(type.size, elements), count });
      const shape = shapeFor(count);
      told(type, () => {
        const values = valuesOf(type, { data, shape, stride: strides(shape) }, shape.length);
        assert.deepEqual(values.shape, shape);
        assert.equal(values.buffer.byteLength, count * type.size);
        check(type, read(type, values), want);
        // Single elements, in the form that programs have.
        const list = Array.from({ length: count }, (_, i) => elementAt(type, data, i));
        check(type, read(type, valuesOf(type, { data: list, shape }, shape.length)), want);
        // In nested lists, elements that are lists themselves cannot always be recognized.
        if (count > 0 && (leaves.includes(type) || type.kind === "struct")) {
          const lists = valuesOf(type, nest(list, shape), shape.length);
          assert.deepEqual(lists.shape, shape);
          check(type, read(type, lists), want);
          const alone = valuesOf(type, list[0], 0);
          assert.deepEqual(alone.shape, []);
          check(type, read(type, alone), want.slice(0, 1));
        }
      });
    }
  }
});

/** Returns element `i` of data of any kind. */
function elementAt(type: TypeDescription, data: AnyData, i: number): unknown {
  if (type.kind === "struct") {
    return Object.fromEntries(
      (type.fields ?? []).map(({ name, type: field }) => [
        name,
        elementAt(field, Object.getOwnPropertyDescriptor(data, name)?.value as AnyData, i),
      ]),
    );
  }
  const entries = data as { get?(i: number): unknown; [i: number]: unknown };
  return typeof entries.get === "function" ? entries.get(i) : entries[i];
}

test("a strided view has the elements that it shows", () => {
  for (const type of [...leaves, ...Array.from({ length: 200 }, () => randomType(2))]) {
    const elements = Array.from({ length: 24 }, () => randomElement(type));
    const data = handed(type, { bytes: packed(type.size, elements), count: 24 });
    // Views of 2 by 3 by 4 elements: transposed, every second one, a repeated one, and the first
    // ones.
    const views = [
      { shape: [4, 3, 2], stride: [1, 4, 12] },
      { shape: [2, 2], stride: [12, 2] },
      { shape: [3, 5], stride: [4, 0] },
      { shape: [2, 4], stride: [4, 1] },
      { shape: [1, 3, 1], stride: [99, 8, 99] },
      { shape: [0, 3], stride: [1, 4] },
      { shape: [], stride: [] },
    ];
    told(type, () => {
      for (const { shape, stride } of views) {
        const want: unknown[] = [];
        const visit = (at: number, d: number) => {
          if (d === shape.length) want.push(elements[at]?.value);
          else for (let i = 0; i < (shape[d] as number); i++) visit(at + i * (stride[d] as number), d + 1);
        };
        visit(0, 0);
        const values = valuesOf(type, { data, shape, stride }, shape.length);
        assert.deepEqual(values.shape, shape);
        check(type, read(type, values), want);
      }
    });
  }
});

test("elements of variable length are written as they were read", () => {
  for (const type of variables) {
    for (const count of [0, 1, 2, 5, 17, 3000]) {
      const nulls = type.kind === "object";
      const elements = Array.from({ length: count }, () => (nulls && random(5) === 0 ? null : variable(type)));
      const data = handed(type, joined(elements)) as unknown[];
      const again = (value: unknown, shape: number[], want: readonly (Element | null)[]) => {
        const values = valuesOf(type, value, shape.length);
        assert.deepEqual(values.shape, shape);
        const got = read(type, values) as unknown[];
        assert.equal(got.length, want.length);
        want.forEach((element, i) => void same(type, got[i], element?.value ?? null));
      };
      told(type, () => {
        again({ data, shape: [count], stride: [1] }, [count], elements);
        again({ data, shape: [1, count] }, [1, count], elements);
        if (count > 0) again(data, [count], elements);
        if (count > 0) again(data[0], [], elements.slice(0, 1));
        if (count === 5) again({ data, shape: [2, 2], stride: [2, 1] }, [2, 2], elements.slice(0, 4));
        if (count === 5)
          again(
            { data, shape: [3], stride: [2] },
            [3],
            [0, 2, 4].map((i) => elements[i] ?? null),
          );
      });
    }
  }
});

test("bytes are written as a read for bytes gives them", () => {
  for (const type of leaves.filter(({ size }) => size > 0)) {
    const bytes = packed(
      type.size,
      Array.from({ length: 6 }, () => randomElement(type)),
    );
    const values = bytesOf(type, { data: bytes, shape: [2, 3], stride: [3, 1] }, 2);
    assert.deepEqual([new Uint8Array(values.buffer), values.shape], [bytes, [2, 3]], type.name);
    assert.deepEqual(bytesOf(type, bytes, 2).shape, [6], type.name);
  }
  assert.throws(() => bytesOf(simple("string", "string", 0), new Uint8Array(3), 1), UnsupportedError);
  assert.throws(() => bytesOf(simple("bool", "bool", 1), Uint8Array.of(0, 2), 1), InvalidValueError);
  assert.throws(() => bytesOf(simple("int", "int16", 2), new Uint8Array(3), 1), InvalidValueError);
});

const type = (name: string): TypeDescription => leaves.find((leaf) => leaf.name === name) as TypeDescription;

test("numbers round to the nearest of a small type, ties to even", () => {
  const names = [
    "float16",
    "bfloat16",
    "float8_e5m2",
    "float8_e4m3",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e4m3b11fnuz",
    "float8_e5m2fnuz",
    "float8_e3m4",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float4_e2m1fn",
    "float8_e8m0fnu",
  ];
  for (const name of names) {
    const wide = name === "float16" || name === "bfloat16";
    const kind = name === "float16" ? "float" : "minifloat";
    const type = simple(kind, name, wide ? 2 : 1, wide ? {} : { bits: Number(/\d/.exec(name)?.[0]) });
    const codes = Array.from({ length: wide ? 2 ** 16 : 2 ** Number(type.bits) }, (_, code) => code);
    const of = (list: readonly number[]) =>
      handed(type, {
        bytes: wide ? new Uint8Array(Uint16Array.from(list).buffer) : Uint8Array.from(list),
        count: list.length,
      }) as Float32Array;
    const all = of(codes);
    // Every value of the type is written exactly.
    const values = Array.from(all);
    const got = new Uint8Array(valuesOf(type, values, 1).buffer);
    const again = of(Array.from(wide ? new Uint16Array(got.buffer) : got));
    assert.deepEqual(Array.from(again), values, name);
    const finite = [...new Set(values.filter(Number.isFinite).map((x) => x + 0))].sort((a, b) => a - b);
    const encode = (x: number) => {
      const bytes = new Uint8Array(valuesOf(type, [x], 1).buffer);
      const code = wide ? (new Uint16Array(bytes.buffer)[0] as number) : (bytes[0] as number);
      return { code, value: (of([code]) as ArrayLike<number>)[0] as number };
    };
    for (let i = 1; i < finite.length; i += wide ? 1 + random(60) : 1) {
      const [low, high] = [finite[i - 1] as number, finite[i] as number];
      assert.equal(encode(low + (high - low) * 0.49).value, low + 0, `${name}: ${low}`);
      assert.equal(encode(low + (high - low) * 0.51).value + 0, high, `${name}: ${high}`);
      const { code, value } = encode((low + high) / 2);
      assert.ok(value === low || value === high);
      assert.equal(code % 2, 0, `${name}: ${low} and ${high}`);
    }
    const most = finite.at(-1) as number;
    assert.throws(() => encode(most * 2.5), InvalidValueError, name);
    if (!values.includes(Number.POSITIVE_INFINITY))
      assert.throws(() => encode(Number.POSITIVE_INFINITY), InvalidValueError);
    if (!values.some(Number.isNaN)) assert.throws(() => encode(Number.NaN), InvalidValueError);
  }
  // The reference values are those of the ml_dtypes library.
  assert.equal(
    decodeMiniFloat(
      "float8_e4m3fn",
      new Uint8Array(valuesOf(simple("minifloat", "float8_e4m3fn", 1), 0.3, 0).buffer),
    )[0],
    0.3125,
  );
});

test("a value that the type does not have is refused", () => {
  const refused: [TypeDescription | undefined, ...unknown[]][] = [
    [
      type("int8"),
      128,
      -129,
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      true,
      "1",
      null,
      undefined,
      2n ** 70n,
      {},
      [1, [2]],
      [[1], 2],
    ],
    [type("uint8"), -1, 256, Int8Array.of(1), new BoolArray([1]), Float32Array.of(1)],
    [type("int16"), Int32Array.of(1), Uint16Array.of(1), [1, 40000]],
    [type("int4"), 8, -9, Int8Array.of(8)],
    [type("uint2"), 4, Uint8Array.of(4)],
    [type("int64"), 2n ** 63n, 2 ** 63, 0.5, BigUint64Array.of(1n), [1n, "2"]],
    [type("uint64"), -1n, -1, 2n ** 64n],
    [type("bool"), 1, 0, "true", Uint8Array.of(2), [true, 1], null],
    [type("float32"), 1e300, "1", null, true, Float64Array.of(1), 2n ** 53n + 1n, Int32Array.of(1)],
    [type("float64"), Float32Array.of(1), { re: 1, im: 0 }],
    [type("float16"), 70000, Float32Array.of(70000)],
    [type("complex64"), { re: 1 }, "1", Float64Array.of(1, 2), new Complex64Array(3), { re: 1e300, im: 0 }],
    [
      type("numpy.datetime64"),
      new DateTimeArray(new ArrayBuffer(8), 0, 1, "ms", 2),
      new DateTimeArray(new ArrayBuffer(8), 0, 1, "s", 1),
      1.5,
      new Date(0),
      "NaT",
    ],
    [type("S5"), "abcdef", "日日", "a\0", "\ud800", 5, new Uint8Array(6)],
    [type("U3"), "abcd", "a\0", 5, null],
    [type("r24"), new Uint8Array(4), new RawArray(new ArrayBuffer(4), 0, 4, 4), "abc", [new Uint8Array(2)]],
    [simple("string", "string", 0), 5, null, "\udc00", ["a", undefined]],
    [simple("bytes", "bytes", 0), "abc", [1, 2], new Uint16Array(2)],
    [simple("object", "O", 0), undefined, () => 0, Symbol("s"), new Map(), { a: new Set() }, "\ud800"],
    [simple("ragged", "ragged", 0, { elem: type("int16") }), 5, null, [Int32Array.of(1)]],
    [simple("optional", "optional", 2, { elem: type("int8") }), 300, undefined, { value: 1 }],
    [simple("sub", "sub", 2, { elem: type("int8"), shape: [2] }), [1, 2, 3], [[1, 2, 3]], 5],
    [
      simple("struct", "struct", 1, { fields: [{ name: "a", offset: 0, type: type("int8") }] }),
      5,
      null,
      {},
      { a: 1, b: 2 },
      { a: 300 },
      [{ a: 1 }, 5],
      { b: [1] },
    ],
  ];
  for (const [of, ...values] of refused) {
    assert.ok(of);
    for (const value of values) {
      assert.throws(() => valuesOf(of, value, 1), InvalidValueError, `${JSON.stringify(String(value))} for ${of.name}`);
    }
  }
  const chunks = [
    { data: [1, 2, 3], shape: [4] },
    { data: [1, 2, 3], shape: [2], stride: [3] },
    { data: [1, 2, 3], shape: [2], stride: [-1] },
    { data: [1, 2, 3], shape: [2], stride: [1, 1] },
    { data: [1, 2, 3], shape: [2], stride: [0.5] },
    { data: [1, 2, 3], shape: [-1] },
    { data: Int8Array.of(1, 2, 3), shape: [2], stride: [3] },
    { data: Int8Array.of(1, 2, 3), shape: [4] },
  ];
  for (const chunk of chunks) {
    assert.throws(() => valuesOf(type("int8"), chunk, 1), InvalidValueError, JSON.stringify(chunk));
  }
  assert.throws(() => valuesOf(type("int8"), [[1, 2], [3]], 2), /lists of 2 and of 1 elements/);
  assert.throws(() => valuesOf(type("int8"), [1, 2, 300], 1), /element 2: 300 is not a value of int8/);
});

test("a list without a shape is marked, for the engine to give it the selection's", () => {
  const int8 = type("int8");
  const shapes = (value: unknown, rank: number) => {
    const { shape, list = false } = valuesOf(int8, value, rank);
    return [shape, list];
  };
  assert.deepEqual(shapes(Int8Array.of(1, 2, 3, 4, 5, 6), 2), [[6], true]);
  assert.deepEqual(shapes([1, 2, 3, 4, 5, 6], 2), [[6], true]);
  assert.deepEqual(shapes([7], 0), [[1], true]);
  assert.deepEqual(shapes(7, 2), [[], false]);
  assert.deepEqual(shapes([[1, 2, 3]], 1), [[1, 3], false]);
  assert.deepEqual(shapes([Int8Array.of(1, 2), Int8Array.of(3, 4)], 2), [[2, 2], false]);
  assert.deepEqual(shapes([[], []], 2), [[2, 0], false]);
  assert.deepEqual(shapes({ data: [1, 2], shape: [2] }, 2), [[2], false]);
  const struct = simple("struct", "struct", 3, {
    fields: [
      { name: "a", offset: 0, type: int8 },
      { name: "b", offset: 1, type: type("uint16") },
    ],
  });
  const columns = valuesOf(struct, { a: Int8Array.of(1, 2), b: [3, 4] }, 1);
  assert.deepEqual([columns.shape, Array.from(new Uint8Array(columns.buffer))], [[2], [1, 3, 0, 2, 4, 0]]);
  assert.deepEqual(valuesOf(struct, { a: 1, b: 2 }, 1).shape, []);
  assert.deepEqual(
    valuesOf(
      struct,
      [
        { a: 1, b: 2 },
        { b: 3, a: 4 },
      ],
      1,
    ).shape,
    [2],
  );
  const object = simple("object", "O", 0);
  const text = (value: unknown, rank: number) => {
    const values = valuesOf(object, value, rank);
    return [new TextDecoder().decode(values.buffer), values.shape];
  };
  assert.deepEqual(text([1, 2], 0), ["[1,2]", []]);
  assert.deepEqual(text([[1, 2], [3]], 1), ["[1,2][3]", [2]]);
  assert.deepEqual(text({ a: [1n, -0, { b: undefined, c: Float32Array.of(1.5) }] }, 1), [
    '{"a":[1,-0.0,{"c":[1.5]}]}',
    [],
  ]);
});

test("data of zarrita is accepted: objects with get and a length", () => {
  const bools = { length: 3, get: (i: number) => i === 1 };
  assert.deepEqual(
    new Uint8Array(valuesOf(type("bool"), { data: bools, shape: [3], stride: [1] }, 1).buffer),
    Uint8Array.of(0, 1, 0),
  );
  const texts = { length: 2, get: (i: number) => ["ab", "c"][i] };
  assert.deepEqual(
    new TextDecoder().decode(valuesOf(type("S5"), { data: texts, shape: [2], stride: [1] }, 1).buffer),
    "ab\0\0\0c\0\0\0\0",
  );
});
