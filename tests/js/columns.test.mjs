// Reads data of all types in all ways, and compares with a model: arrays of version 2 with random
// elements, read by random selections.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { arrayV2, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";

after(() => zarr.terminate());

const below = random(3);
const pick = below.of;
const product = (shape) => shape.reduce((n, size) => n * size, 1);
const utf8 = new TextEncoder();

/**
 * Number types: the writer of an element's bytes, the class of the data, and the entries per
 * element.
 */
const numbers = {
  "|b1": [() => Uint8Array.of(below(2)), zarr.BoolArray],
  "|i1": [() => Int8Array.of(below(256)), Int8Array],
  "<i2": [() => Int16Array.of(below(1 << 16)), Int16Array],
  "<u4": [() => Uint32Array.of(below(2 ** 32)), Uint32Array],
  "<i8": [() => BigInt64Array.of(BigInt(below(2 ** 32)) - 2n ** 40n), BigInt64Array],
  "<f4": [() => Float32Array.of(below(1000) / 8), Float32Array],
  "<f8": [() => Float64Array.of(below(1000) / 3), Float64Array],
  "<c8": [() => Float32Array.of(below(9), -below(9)), zarr.Complex64Array],
  "<M8[s]": [() => BigInt64Array.of(BigInt(below(2 ** 31))), zarr.DateTimeArray],
  "<m8[10ms]": [() => BigInt64Array.of(-BigInt(below(2 ** 31))), zarr.TimeDeltaArray],
  "|V3": [() => Uint8Array.of(below(256), below(256), 7), zarr.RawArray],
};
const half = { 0: 0, 15360: 1, 49152: -2, 31743: 65504, 1: 2 ** -24 };

/** An element of a type of fixed size: its bytes and its value. */
function element(dtype) {
  if (Array.isArray(dtype)) {
    const parts = dtype.map(([name, type, shape]) => {
      const each = Array.from({ length: product(shape ?? []) }, () => element(type));
      const bytes = Buffer.concat(each.map((one) => one.bytes));
      return [name, bytes, shape ? each.map((one) => one.value) : each[0].value];
    });
    const value = Object.fromEntries(parts.map(([name, , value]) => [name, value]));
    return { bytes: Buffer.concat(parts.map(([, bytes]) => bytes)), value };
  }
  if (dtype === "<f2") {
    const bits = Number(pick(Object.keys(half)));
    return { bytes: Buffer.from(Uint16Array.of(bits).buffer), value: half[bits] };
  }
  if (dtype === "|S5" || dtype === "<U3") {
    const value = pick(["", "a", "abc", "é", "x\0y"]);
    const bytes = Buffer.alloc(dtype === "|S5" ? 5 : 12);
    if (dtype === "|S5") bytes.set(utf8.encode(value));
    else Array.from(value, (c, i) => bytes.writeUInt32LE(c.codePointAt(0), 4 * i));
    return { bytes, value };
  }
  const [make, Of] = numbers[dtype];
  const made = make();
  const bytes = Buffer.from(made.buffer);
  if (Of === zarr.RawArray) return { bytes, value: made };
  if (Of === zarr.BoolArray) return { bytes, value: made[0] === 1 };
  return { bytes, value: made.length === 2 ? { re: made[0], im: made[1] } : made[0] };
}

/** An element of variable length, by the filter that encodes it. */
function payload(filter) {
  if (filter === "vlen-utf8") {
    const value = pick(["", "a", "abc", "é", "日本😀"]);
    return { bytes: utf8.encode(value), value };
  }
  if (filter === "vlen-bytes") {
    const bytes = Uint8Array.from({ length: below(4) }, () => below(256));
    return { bytes, value: bytes };
  }
  const list = Int16Array.from({ length: below(4) }, () => below(1 << 16));
  return { bytes: new Uint8Array(list.buffer), value: list };
}

const types = [
  ...Object.keys(numbers),
  "<f2",
  "|S5",
  "<U3",
  [
    ["flag", "|b1"],
    ["__proto__", "<i2"],
    ["name", "|S5"],
    ["pair", "<f8", [2]],
    [
      "in",
      [
        ["t", "<M8[s]"],
        ["u", "<U3"],
      ],
    ],
  ],
  "vlen-utf8",
  "vlen-bytes",
  "vlen-array",
];

/** A random array in a Map, and the values of its elements. */
function randomArray(dtype) {
  const rank = 1 + below(3);
  const shape = Array.from({ length: rank }, () => 1 + below(7));
  const chunks = shape.map((n) => 1 + below(n));
  const filter = typeof dtype === "string" && dtype.startsWith("vlen-") ? dtype : undefined;
  const all = Array.from({ length: product(shape) }, () => (filter ? payload(filter) : element(dtype)));
  const fill = filter ? payload(filter) : element(dtype);
  const at = (position) => position.reduce((i, p, d) => i * shape[d] + p, 0);
  const store = new Map();
  const filters = filter ? [filter === "vlen-array" ? { id: filter, dtype: "<i2" } : { id: filter }] : null;
  const meta = arrayV2(shape, filter ? "|O" : dtype, { chunks, filters, fill_value: null });
  store.set("/.zarray", json(meta));
  for (const grid of positions(shape.map((n, d) => Math.ceil(n / chunks[d])))) {
    const elements = [...positions(chunks)].map((inner) => {
      const position = inner.map((p, d) => grid[d] * chunks[d] + p);
      return position.every((p, d) => p < shape[d]) ? all[at(position)] : fill;
    });
    const bytes = elements.flatMap((one) => [...(filter ? [u32(one.bytes.length)] : []), one.bytes]);
    store.set(`/${grid.join(".")}`, new Uint8Array(Buffer.concat(filter ? [u32(elements.length), ...bytes] : bytes)));
  }
  return { store, shape, chunks, value: (position) => all[at(position)].value, fill: fill.value };
}

const u32 = (n) => Uint8Array.of(n, n >> 8, n >> 16, n >> 24);

function* positions(shape) {
  if (shape.length === 0) yield [];
  else {
    for (let i = 0; i < shape[0]; i++) for (const rest of positions(shape.slice(1))) yield [i, ...rest];
  }
}

/** A random selection, and its positions along each dimension, or a number for a dropped one. */
function randomSelection(shape) {
  return shape
    .map((n) => {
      const all = Array.from({ length: n }, (_, i) => i);
      const index = below(n);
      const step = 1 + below(3);
      return pick([
        [null, all],
        [index, index],
        [zarr.slice(index, null, step), all.slice(index).filter((_, i) => i % step === 0)],
        [zarr.slice(null, null, -1), all.slice().reverse()],
        [all.filter((i) => i % 2 === 0), all.filter((i) => i % 2 === 0)],
      ]);
    })
    .reduce(
      ([sel, taken], [s, t]) => [
        [...sel, s],
        [...taken, t],
      ],
      [[], []],
    );
}

/** The values at all combinations of positions. */
function valuesAt({ value }, taken) {
  const lists = taken.map((t) => [t].flat());
  return [...positions(lists.map((list) => list.length))].map((p) => value(p.map((i, d) => lists[d][i])));
}

/** An element of a read's data. */
function at(data, i) {
  if (typeof data.get === "function") return data.get(i);
  if (Array.isArray(data) || ArrayBuffer.isView(data)) return data[i];
  return Object.fromEntries(Object.entries(data).map(([name, column]) => [name, at(column, i)]));
}

/** Elements in comparable form: typed arrays as lists. */
function plain(value) {
  if (ArrayBuffer.isView(value)) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (value !== Object(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
}

function classOf(dtype) {
  if (Array.isArray(dtype)) return Object;
  if (dtype === "<f2") return globalThis.Float16Array ?? Float32Array;
  if (dtype === "|S5") return zarr.ByteStringArray;
  if (dtype === "<U3") return zarr.UnicodeStringArray;
  return numbers[dtype]?.[1] ?? Array;
}

function check(dtype, { data, shape, stride }, want, wantShape, what) {
  assert.deepEqual(shape, wantShape, what);
  assert.equal(stride.length, shape.length);
  assert.ok(data.constructor === classOf(dtype), `${what}: the data is a ${data.constructor.name}`);
  if (dtype === "<m8[10ms]" && want.length > 0) assert.equal(data.unit + data.scale, "ms10");
  assert.deepEqual(
    want.map((_, i) => plain(at(data, i))),
    want.map(plain),
    what,
  );
  if (Array.isArray(dtype)) assert.deepEqual(Array.from(data, plain), want.map(plain), `${what}, one by one`);
}

const kept = (taken) => taken.filter(Array.isArray).map((list) => list.length);

for (const dtype of types) {
  test(`${Array.isArray(dtype) ? "struct" : dtype}: all ways to read give the elements that were written`, async () => {
    for (let round = 0; round < 12; round++) {
      const model = randomArray(dtype);
      const { shape, chunks } = model;
      const array = await zarr.open(model.store, { kind: "array" });
      const copying = zarr.defineArrayExtension((inner) => ({ getChunk: (...all) => inner.getChunk(...all) }));
      const extended = copying(array);
      const fixed = array.type.size > 0;
      for (let i = 0; i < 4; i++) {
        const [selection, taken] = randomSelection(shape);
        const want = valuesAt(model, taken);
        const whole = kept(taken);
        const what = `${JSON.stringify({ shape, chunks })} ${JSON.stringify(selection)}`;
        const scalar = whole.length === 0;
        for (const [way, one] of [
          ["get", () => array.get(selection)],
          ["oindex", () => array.oindex(selection)],
          ["get of an extended array", () => extended.get(selection)],
        ]) {
          const result = await one();
          if (scalar) assert.deepEqual(plain(result), plain(want[0]), `${way} ${what}`);
          else check(dtype, result, want, whole, `${way} ${what}`);
        }
        for await (const part of array.chunksIn(selection)) {
          const own = part.selection.map((s, d) => (typeof s === "number" ? s : lineOf(s, shape[d])));
          check(dtype, part, valuesAt(model, own), kept(own), `chunksIn ${what}`);
        }
        if (scalar) continue;
        const lists = taken.every((t, d) => !Array.isArray(t) || !Array.isArray(selection[d]));
        if (lists) {
          let seen = 0;
          const onChunk = (part) => {
            const box = [...positions(part.shape)].map((p) => p.map((q, d) => part.start[d] + q));
            const strides = whole.map((_, d) => product(whole.slice(d + 1)));
            const values = box.map((p) => want[p.reduce((sum, q, d) => sum + q * strides[d], 0)]);
            check(dtype, part, values, part.shape, `onChunk ${what}`);
            seen += values.length;
          };
          check(dtype, await array.get(selection, { onChunk }), want, whole, `get with onChunk ${what}`);
          assert.ok(seen <= want.length);
        }
        if (fixed) {
          const bytes = await array.get(selection, { as: "bytes" });
          assert.equal(bytes.data.length, want.length * array.type.size);
          const shared = await array.get(selection, { useSharedArrayBuffer: true });
          check(dtype, shared, want, whole, `get into shared memory ${what}`);
        } else await assert.rejects(array.get(selection, { as: "bytes" }), { name: "UnsupportedError" });
        const { data } = await array.get(selection);
        if (ArrayBuffer.isView(data)) await checkOut(dtype, array, extended, selection, data);
        else await assert.rejects(array.get(selection, { out: new Uint8Array(want.length) }), TypeError);
      }
      const grid = shape.map((n, d) => below(Math.ceil(n / chunks[d])));
      const chunk = await array.getChunk(grid);
      const inner = [...positions(chunks)].map((p) => p.map((q, d) => grid[d] * chunks[d] + q));
      const inside = inner.map((p) => (p.every((q, d) => q < shape[d]) ? model.value(p) : model.fill));
      check(dtype, chunk, inside, chunks, "getChunk");
      const points = shape.map((n) => Array.from({ length: 5 }, () => below(n)));
      const picked = points[0].map((_, i) => model.value(points.map((list) => list[i])));
      check(dtype, await array.vindex(points), picked, [5], "vindex");
    }
  });
}

/** The positions of a line of `chunksIn`. */
function lineOf(line, n) {
  if (Array.isArray(line)) return line;
  const { start, stop, step } = line;
  const list = [];
  for (let i = start; step > 0 ? i < (stop ?? n) : i > (stop ?? -1); i += step) list.push(i);
  return list;
}

async function checkOut(dtype, array, extended, selection, data) {
  const bytes = (view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  const Plain =
    Object.getPrototypeOf(Object.getPrototypeOf(data)) === Object.getPrototypeOf(Int8Array.prototype)
      ? data.constructor
      : [Uint8Array, Float32Array, Float64Array, BigInt64Array].find((Of) => data instanceof Of);
  const size = data.byteLength;
  for (const memory of [new ArrayBuffer(size + 32), new SharedArrayBuffer(size + 32)]) {
    for (const reader of [array, extended]) {
      bytes(new Uint8Array(memory)).fill(0xee);
      const out = new Plain(memory, 16, data.length);
      const result = await reader.get(selection, { out });
      assert.equal(result.data, out, `${dtype}: the data is out`);
      assert.deepEqual(bytes(out), bytes(data), `${dtype}: out has the elements`);
      const around = [...new Uint8Array(memory, 0, 16), ...new Uint8Array(memory, 16 + size)];
      assert.ok(
        around.every((byte) => byte === 0xee),
        `${dtype}: what lies around out stays`,
      );
    }
    const before = bytes(new Uint8Array(memory)).toString("hex");
    const other = data instanceof Float64Array ? Int16Array : Float64Array;
    await assert.rejects(array.get(selection, { out: new other(memory, 0, 2) }), TypeError);
    const short = new Plain(memory, 16, data.length - 1);
    if (data.length > 1) await assert.rejects(array.get(selection, { out: short }), RangeError);
    assert.equal(bytes(new Uint8Array(memory)).toString("hex"), before, `${dtype}: out stays when it does not fit`);
  }
}

test("other tasks run while out is filled, and a signal ends it", async () => {
  const n = 24 << 20;
  const document = arrayV2([n], "<f4", { chunks: [1 << 20], fill_value: 1 });
  const store = new Map([["/.zarray", json(document)]]);
  const array = await zarr.open(store, { kind: "array" });
  for (const abort of [false, true, false]) {
    const out = new Float32Array(n);
    const controller = new AbortController();
    let seen = 0;
    let ended = false;
    const watch = () => {
      if (out[0] === 1 && out[n - 1] === 0) {
        seen++;
        if (abort) controller.abort(new Error("enough"));
      }
      if (!ended) setImmediate(watch);
    };
    watch();
    const reading = array.get(null, { out, signal: controller.signal });
    const told = await reading.catch((error) => error);
    ended = true;
    assert.ok(seen > 0, "no other task ran while out was filled");
    if (abort) assert.equal(told.message, "enough");
    else assert.ok(told.data === out && out.every((value) => value === 1));
  }
});

test("a read of many texts has those of its chunks", async () => {
  const [n, size] = [200_000, 40_000];
  const value = (i) => (i >= size && i < 2 * size ? "none" : i % 7 === 0 ? "" : `é ${i}`);
  const document = arrayV2([n], "|O", { chunks: [size], fill_value: "none", filters: [{ id: "vlen-utf8" }] });
  const store = new Map([["/.zarray", json(document)]]);
  for (let k = 0; k < n / size; k++) {
    if (k === 1) continue;
    const texts = Array.from({ length: size }, (_, i) => utf8.encode(value(k * size + i)));
    const parts = texts.flatMap((text) => [new Uint8Array(Uint32Array.of(text.length).buffer), text]);
    const chunk = Buffer.concat([new Uint8Array(Uint32Array.of(size).buffer), ...parts]);
    store.set(`/${k}`, new Uint8Array(chunk));
  }
  const array = await zarr.open(store, { kind: "array" });
  const indices = Array.from({ length: 70_000 }, () => below(n));
  for (const [selection, count, at] of [
    [null, n, (i) => i],
    [[zarr.slice(null, null, -2)], n / 2, (i) => n - 1 - 2 * i],
    [[indices], indices.length, (i) => indices[i]],
  ]) {
    const { data } = await array.get(selection);
    assert.equal(data.length, count);
    for (let i = 0; i < data.length; i++) if (data[i] !== value(at(i))) assert.equal(data[i], value(at(i)), `${i}`);
  }
});
