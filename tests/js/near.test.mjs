// Reads of chunks that the page has near: they are the engine's answers, without the engine.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import * as write from "../../dist/write-node.js";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";

after(() => zarr.terminate());

const r = random(31);
const product = (shape) => shape.reduce((n, size) => n * size, 1);
const bytesOf = (data) => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

/** A store that is no Map. */
class Store {
  map = new Map();
  get(key) {
    return this.map.get(key);
  }
  set(key, bytes) {
    this.map.set(key, bytes);
  }
  delete(key) {
    this.map.delete(key);
  }
}

/** The number of decoded chunks that the engine has used. */
async function used() {
  const { hits, misses, shared } = (await zarr.caches()).decoded;
  return hits + misses + shared;
}

/** An array of compressed random elements. */
async function filled(store, options) {
  const array = await write.createArray(store, { codecs: [{ name: "gzip", configuration: { level: 1 } }], ...options });
  const data = new Uint16Array(product(options.shape)).map(() => r(1 << 16));
  await write.set(array, null, { data, shape: options.shape });
  return { array: await zarr.open(store, { kind: "array" }), data };
}

for (const [name, make] of [
  ["a Map", () => new Map()],
  ["another store", () => new Store()],
]) {
  test(`steps through a decoded chunk of ${name} need no engine`, async () => {
    const shape = [40, 30, 20];
    const { array, data } = await filled(make(), { shape, chunks: [40, 15, 20], dtype: "uint16" });
    const step = async (i) =>
      assert.deepEqual((await array.get([i, zarr.slice(0, 15)])).data, data.slice(600 * i, 600 * i + 300));
    // The second read may only load what the page needs for it.
    for (let i = 0; i < 4; i++) await step(i);
    const before = await used();
    for (let i = 0; i < 40; i++) await step(i);
    assert.equal(await used(), before);
    assert.deepEqual(
      bytesOf((await array.get([39, 14, zarr.slice(null, null, -1)], { as: "bytes" })).data),
      bytesOf(data.slice(-320, -300).reverse()),
    );
    assert.ok(
      (await array.get([zarr.slice(3), 0], { useSharedArrayBuffer: true })).data.buffer instanceof SharedArrayBuffer,
    );
    assert.equal(await used(), before);
    assert.ok((await zarr.memory()).buffers >= 2 * 40 * 15 * 20);
  });
}

test("a read is the engine's if it is cancelled or reports its progress", async () => {
  const { array } = await filled(new Map(), { shape: [8], chunks: [8], dtype: "uint16" });
  for (let i = 0; i < 4; i++) await array.get();
  await assert.rejects(array.get(null, { signal: AbortSignal.abort(new Error("enough")) }), { message: "enough" });
  const seen = [];
  await array.get(null, { onProgress: (done, total) => seen.push([done, total]) });
  assert.deepEqual(seen.at(-1), [1, 1]);
  await assert.rejects(array.get([8]), { name: "InvalidSelectionError" });
});

test("the chunks near the page have a bound, and the budget of decoded chunks bounds them", async () => {
  zarr.terminate();
  const size = 4 << 20;
  const array = await write.createArray(new Map(), { shape: [24 * size], chunks: [size], dtype: "int8", fillValue: 1 });
  await write.set(array, null, 2);
  const before = (await zarr.memory()).buffers;
  for (let i = 0; i < 24; i++) for (let k = 0; k < 5; k++) assert.equal(await array.get([i * size + k]), 2);
  const near = (await zarr.memory()).buffers - before;
  assert.ok(near > 16 << 20 && near <= 32 << 20, `${near} bytes`);
  try {
    await zarr.caches({ decoded: 0 });
    assert.ok((await zarr.memory()).buffers - before < size);
    for (let k = 0; k < 5; k++) assert.equal(await array.get([k]), 2);
    assert.ok((await zarr.memory()).buffers - before < size);
  } finally {
    await zarr.caches({ decoded: 128 << 20 });
  }
});

/** The positions that a selector takes. */
function positions(one, n) {
  if (one === null) return Array.from({ length: n }, (_, i) => i);
  if (typeof one === "number") return [one < 0 ? one + n : one];
  if (Array.isArray(one)) return one;
  const all = Array.from({ length: n }, (_, i) => i).slice(...one.part);
  return (one.step < 0 ? all.reverse() : all).filter((_, i) => i % Math.abs(one.step) === 0);
}

const selectorOf = (n) => {
  const from = r(n);
  const part = [from, from + 1 + r(n - from)];
  return r.of([null, from, -1 - r(n), [r(n), r(n)], { part, step: 1 }, { part, step: r.of([2, 3, -1, -2]) }]);
};

/** The selector of the package. */
function wanted(one) {
  if (!one?.part) return one;
  const { part, step } = one;
  if (step > 0) return zarr.slice(...part, step);
  return zarr.slice(part[1] - 1, part[0] === 0 ? null : part[0] - 1, step);
}

const layouts = [
  {},
  { shards: [6, 8] },
  { format: 2, codecs: undefined, order: "F" },
  { dtype: "bool" },
  { dtype: "complex64" },
  { dtype: "datetime64[s]" },
  { dtype: "string" },
];

test("random reads, writes and losses of the engine give the elements of a model", async () => {
  let near = 0;
  for (let round = 0; round < rounds(60); round++) {
    const store = r.of([new Map(), new Store()]);
    const shape = [1 + r(12), 1 + r(16)];
    const layout = r.of(layouts.slice(0, 3));
    let array = await write.createArray(store, {
      shape,
      chunks: [3, 4],
      dtype: "uint16",
      fillValue: 7,
      codecs: [{ name: "gzip", configuration: { level: 1 } }],
      ...layout,
    });
    let model = new Uint16Array(product(shape)).fill(7);
    const handles = async () => [array, await zarr.open(store, { kind: "array" })];
    let all = await handles();
    const steps = [];
    const read = async () => {
      const of = r.of(all);
      // Few selections, so that chunks are read again and again.
      const selection = shape.map((n) => (r.chance(0.5) ? r.of([null, r(n)]) : selectorOf(n)));
      const [rows, columns] = selection.map((one, d) => positions(one, shape[d]));
      const expected = rows.flatMap((y) => columns.map((x) => model[y * shape[1] + x]));
      const found = await of.get(
        selection.map(wanted),
        r.of([{}, {}, { priority: 1 }, { useSharedArrayBuffer: true }]),
      );
      steps.push(JSON.stringify(selection));
      assert.deepEqual(
        [...(found.data ?? [found])],
        expected,
        `${round}: ${JSON.stringify(layout)} ${shape} ${steps.join("; ")}`,
      );
    };
    const change = async () => {
      const part = shape.map((n) => {
        const from = r(n);
        return [from, from + 1 + r(n - from)];
      });
      const size = part.map(([from, to]) => to - from);
      const data = new Uint16Array(product(size)).map(() => r(1 << 16));
      steps.push(`set ${JSON.stringify(part)}`);
      await write.set(
        r.of(all),
        part.map((one) => zarr.slice(...one)),
        { data, shape: size },
      );
      for (let y = 0; y < size[0]; y++)
        for (let x = 0; x < size[1]; x++) model[(part[0][0] + y) * shape[1] + part[1][0] + x] = data[y * size[1] + x];
    };
    const rest = [
      async () => {
        steps.push("terminate");
        zarr.terminate();
      },
      async () => {
        steps.push("open");
        all[1] = await zarr.open(store, { kind: "array" });
      },
      async () => {
        steps.push("no cache");
        await zarr.caches({ decoded: 0 });
        await zarr.caches({ decoded: 128 << 20 });
      },
      async () => {
        steps.push("resize");
        if (shape[0] === 1) return;
        shape[0]--;
        array = await write.resize(array, shape);
        model = model.slice(0, product(shape));
        const [, old] = all;
        all = await handles();
        await assert.rejects(old.get([0]), { name: "MetadataChangedError" });
      },
      async () => {
        steps.push("together");
        await Promise.all([read(), read(), read(), read()]);
      },
    ];
    await change();
    for (let k = 0; k < 60; k++) {
      const before = k % 10 === 9 ? (await zarr.memory()).buffers : 0;
      near = Math.max(near, before);
      if (r.chance(0.85)) await read();
      else if (r.chance(0.6)) await change();
      else await r.of(rest)();
    }
  }
  assert.ok(near > 0);
});

test("elements of every type are the same from the engine and near the page", async () => {
  for (const layout of layouts) {
    const store = new Map();
    const shape = [5, 8];
    const made = await write.createArray(store, {
      shape,
      chunks: layout.shards ? [3, 4] : [5, 8],
      dtype: "float32",
      ...layout,
    });
    const first = await made.get();
    const all = Array.from({ length: 5 }, async (_, i) => [i, await made.get([i])]);
    for (const [i, { data }] of await Promise.all(all)) {
      const [a, b] = [await (await zarr.open(store, { kind: "array" })).get([i]), await made.get([i])];
      assert.deepEqual(b, a);
      assert.deepEqual(data, a.data);
      assert.equal(data.constructor, first.data.constructor);
    }
  }
});

test("a chunk near the page is dropped when the engine notices that its object has changed", async () => {
  const options = { shape: [8], chunks: [2], shards: [8], dtype: "uint16" };
  const version = Symbol.for("zarr-wasm.version");
  let modified = 1;
  let objects;
  const versioned = (bytes) => bytes && Object.defineProperty(bytes, version, { value: { modified } });
  const store = {
    get: async (name) => versioned(objects.get(name)?.slice()),
    getRange: async (name, { offset = 0, length, suffixLength }) =>
      versioned(objects.get(name)?.slice(...(suffixLength ? [-suffixLength] : [offset, offset + length]))),
  };
  const made = [1, 2].map(async (times) => {
    const map = new Map();
    const array = await write.createArray(map, { ...options, codecs: [{ name: "gzip", configuration: { level: 1 } }] });
    await write.set(
      array,
      null,
      Uint16Array.from({ length: 8 }, (_, i) => times * (i + 1)),
    );
    return map;
  });
  const [before, later] = await Promise.all(made);
  objects = before;
  const array = await zarr.open(store, { kind: "array" });
  for (let i = 0; i < 5; i++) assert.equal(await array.get([1]), 2);
  // Without encoded bytes, the next reads meet the other version.
  await zarr.caches({ encoded: 0 });
  objects = later;
  modified = 2;
  for (let i = 2; i < 8; i++) assert.equal(await array.get([i]), 2 * (i + 1));
  assert.equal(await array.get([1]), 4);
  await zarr.caches({ encoded: 64 << 20 });
});
