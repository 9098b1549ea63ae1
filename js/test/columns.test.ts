import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { makeColumn } from "../data/columns.js";
import { CodecPipelineError } from "../errors.js";
import { Columns } from "../worker/columns.js";
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
  utf8,
  variable,
  variables,
} from "./randomelements.js";

// Random types and elements, in the form in which a worker passes them to the page.

test("elements of every fixed-size type arrive unchanged, alone and in structs, sub-arrays and optionals", () => {
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

test("elements of variable length arrive unchanged, and missing ones are null", () => {
  for (const type of variables) {
    for (const count of [0, 1, 2, 5, 17, 3000]) {
      const elements = Array.from({ length: count }, () => (random(5) === 0 ? null : variable(type)));
      const data = handed(type, joined(elements)) as unknown[];
      assert.equal(data.length, count);
      elements.forEach((element, i) => void same(type, data[i], element?.value ?? null));
    }
  }
});

test("an error names the first invalid element", () => {
  const string = simple("string", "string", 0);
  const raw = (...items: number[][]) => joined(items.map((item) => ({ bytes: Uint8Array.from(item), value: null })));
  // The second element begins with the last byte of a character that the first one begins.
  assert.throws(() => makeColumn(string, raw([0x61], [0xc3], [0xa9])), /element 1 is not valid UTF-8/);
  const long = Array.from({ length: 40_000 }, () => [0x61, 0xc3, 0xa9]);
  makeColumn(string, raw(...long));
  assert.throws(() => makeColumn(string, raw(...long, [0xff])), /element 40000 is not valid UTF-8/);
  const object = simple("object", "O", 0);
  const wrong = raw([0x31], [], [0x7b]);
  assert.throws(() => makeColumn(object, wrong), CodecPipelineError);
  assert.throws(() => makeColumn(object, wrong), /element 2 is not valid JSON/);
});

/** With this number of elements, each is created at its first access. */
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

test("created elements keep their identity and changes", () => {
  const { data } = lazily("object");
  const first = data[0] as { i: number; more?: number };
  first.more = 1;
  assert.equal(data[0], first);
  assert.deepEqual(data[0], { i: 0, more: 1 });
});

test("random changes of many elements equal those of a plain array", () => {
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

test("a long string is created on access", () => {
  const value = "é".repeat(3 << 20);
  const data = handed(simple("string", "string", 0), joined([{ bytes: utf8.encode(value), value }])) as string[];
  assert.equal(data[0], value);
  assert.equal(data.length, 1);
});

test("complex numbers of halves are pairs of single floats, also where the platform has arrays of halves", () => {
  const platform = globalThis as { Float16Array?: unknown };
  const own = platform.Float16Array;
  const type = {
    name: "complex_float16",
    kind: "complex",
    size: 4,
    elem: { name: "float16", kind: "float", size: 2 },
  } as const;
  const bytes = new Uint8Array(Uint16Array.of(0x3c00, 0xc000, 0x3800, 0x7c00).buffer);
  try {
    for (const has of [undefined, own ?? Uint16Array]) {
      platform.Float16Array = has;
      const column = makeColumn(type, { bytes: bytes.slice(), count: 2 }) as ArrayBuffer;
      assert.deepEqual([...new Float32Array(column)], [1, -2, 0.5, Number.POSITIVE_INFINITY]);
    }
  } finally {
    platform.Float16Array = own;
  }
});

test("an answer takes the buffer of its own request's bytes, once, and only if that has its length", () => {
  const columns = new Columns();
  const bytes = (id: number) => {
    const { buffer } = columns.room(id, 8);
    assert.equal(buffer.byteLength, 8);
    return buffer;
  };
  const ask = (id: number, n: number) => {
    const { buffer } = new Uint8Array(n);
    const message = { op: "unpack", id, node: 1, bytes: new Uint8Array(buffer, 0, 4), lengths: [4] } as const;
    assert.equal(columns.take({ ...message, lengths: [4] }).op, "unpack");
    return buffer;
  };
  const [first, second] = [ask(1, 8), ask(2, 8)];
  assert.equal(bytes(2), second);
  assert.equal(bytes(1), first);
  assert.notEqual(bytes(1), first);
  assert.notEqual(bytes(3), ask(3, 9));
  for (const answer of [
    { id: 4, ok: true, value: null },
    { id: 4, ok: false, error: { code: "ENGINE", message: "" } },
  ] as const) {
    const unused = ask(4, 8);
    columns.make(answer as never, []);
    assert.notEqual(bytes(4), unused, "the buffer of a request that has its answer");
  }
});
