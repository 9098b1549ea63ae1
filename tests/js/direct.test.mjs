// Compares reads of arrays in a Map with the engine's reads of the same bytes. This thread copies
// uncompressed chunks, and sends small compressed ones to the engine, which only decodes them.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import * as zarr from "../../dist/node.js";
import * as write from "../../dist/write-node.js";
import { arrayV2, arrayV3 } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";

after(() => zarr.terminate());

const r = random(30);
const utf8 = new TextEncoder();
const json = (value) => utf8.encode(JSON.stringify(value));
const product = (shape) => shape.reduce((n, size) => n * size, 1);
const bytesOf = (n) => Uint8Array.from({ length: n }, () => r(256));

/** A store with the content of a Map, which the engine reads. */
class Engine {
  constructor(map) {
    this.map = map;
  }
  get(key) {
    return this.map.get(key);
  }
  async set(key, bytes) {
    this.map.set(key, bytes);
  }
  async delete(key) {
    this.map.delete(key);
  }
}

/** The types: version 2, version 3, the bytes of an element, and a fill value. */
const types = [
  ["|b1", "bool", 1, true],
  ...[1, 2, 4, 8].flatMap((n) => [
    [`<i${n}`, `int${8 * n}`, n, -7],
    [`<u${n}`, `uint${8 * n}`, n, 200],
  ]),
  ...[2, 4, 8].map((n) => [`<f${n}`, `float${8 * n}`, n, "NaN"]),
  ["<c8", "complex64", 8, [1, "-Infinity"]],
  ["<c16", "complex128", 16, [0.5, 2]],
  ["<M8[s]", { name: "numpy.datetime64", configuration: { unit: "s", scale_factor: 1 } }, 8, 86400],
  ["<m8[ms]", { name: "numpy.timedelta64", configuration: { unit: "ms", scale_factor: 1 } }, 8, -5],
  ["|V3", "r24", 3, [1, 2, 3]],
  ["|S4", undefined, 4],
  ["<U2", undefined, 8],
  [">i4", undefined, 4],
  [undefined, "bfloat16", 2, 1.5],
  [undefined, "int4", 1, 3],
];

/** A random array in a Map. Some chunks are absent or unaligned, and one may be invalid. */
function randomArray(spoiled = true) {
  const [v2, v3, size, fill] = r.of(types);
  const shape = Array.from({ length: r(5) }, () => r.of([0, 1, 2, 3, 5, 9, 20]));
  const chunks = shape.map((n) => 1 + r(r.chance(0.2) ? n + 5 : Math.max(1, n)));
  const format = v2 === undefined || (v3 !== undefined && r.chance(0.5)) ? 3 : 2;
  const path = r.of(["", "a", "a/b"]);
  const at = (name) => (path ? `/${path}/${name}` : `/${name}`);
  const store = new Map();
  const separator = r.of(["/", "."]);
  const encoding = r.of(["default", "v2"]);
  const given = format === 3 || r.chance(0.5);
  const gzip = r.chance(0.4);
  const pack = gzip ? (bytes) => new Uint8Array(gzipSync(bytes, { level: 1 })) : (bytes) => bytes;
  if (format === 3) {
    const codecs = [{ name: "bytes", configuration: { endian: r.chance(0.9) ? "little" : "big" } }];
    const order = shape.map((_, d) => d).reverse();
    if (r.chance(0.1)) codecs.unshift({ name: "transpose", configuration: { order } });
    if (gzip) codecs.push({ name: "gzip", configuration: { level: 1 } });
    store.set(
      at("zarr.json"),
      json(
        arrayV3(shape, v3, {
          chunks,
          chunk_key_encoding: { name: encoding, configuration: { separator } },
          fill_value: r.chance(0.3) && typeof fill === "number" ? 0 : fill,
          codecs,
        }),
      ),
    );
  } else {
    store.set(
      at(".zarray"),
      json(
        arrayV2(shape, v2, {
          chunks,
          order: r.chance(0.85) ? "C" : "F",
          compressor: gzip ? { id: "gzip", level: 1 } : null,
          fill_value: r.chance(0.5) && /^[<|][iuf]/.test(v2) ? 9 : null,
          ...(given && { dimension_separator: separator }),
        }),
      ),
    );
  }
  // Only one is invalid, because the engine may report any of several.
  let spoil = spoiled && r.chance(0.3);
  const lacks = r.chance(0.4);
  // The engine takes the separator of the first chunk that it finds.
  const found = r.chance(0.9) ? "." : "/";
  const keyOf = (coords) => {
    if (format === 3 && encoding === "default") return ["c", ...coords].join(separator);
    return coords.join(given ? separator : found) || "0";
  };
  for (const coords of positions(shape.map((n, d) => Math.ceil(n / chunks[d])))) {
    if (lacks && r.chance(0.3)) continue;
    const n = product(chunks) * size;
    const offset = r.of([0, 0, 1, 2, 4]);
    let chunk = pack(bytesOf(n + offset).subarray(offset));
    if (gzip && offset > 0) chunk = new Uint8Array([...bytesOf(offset), ...chunk]).subarray(offset);
    if (spoil && r.chance(0.2)) {
      const other = r.of([bytesOf(n + 1), bytesOf(Math.max(0, n - 1))]);
      chunk = r.of([other, pack(other), chunk.slice(0, -1), "text", new Uint8Array()]);
      spoil = false;
    }
    store.set(at(keyOf(coords)), chunk);
  }
  return { store, path, format, shape, chunks };
}

function* positions(shape) {
  if (shape.length === 0) yield [];
  else for (let i = 0; i < shape[0]; i++) for (const rest of positions(shape.slice(1))) yield [i, ...rest];
}

/** A random selection. Some are invalid. */
function randomSelection(shape) {
  if (r.chance(0.1)) return null;
  const index = (n) => r.int(-n - 1, n + 1);
  const list = shape.map((n) => {
    const bound = () => r.of([null, index(n), 1000, -1000, 2n ** 60n, Number.POSITIVE_INFINITY]);
    return r.of([
      () => null,
      () => (r.chance(0.95) && n > 0 ? r.int(-n, n - 1) : index(n)),
      () => ({ start: bound(), stop: bound(), step: null }),
      () => ({ start: bound(), stop: bound(), step: r.of([1, 2n, 3, -1, -2, 7, 1000, -1000, 2n ** 60n]) }),
      () => zarr.slice(r(n + 1), null, -1),
      () => (r.chance(0.2) ? zarr.slice(null, null, 0) : null),
      () => (r.chance(0.3) ? Array.from({ length: r(4) }, () => r(Math.max(1, n))) : null),
    ])();
  });
  if (r.chance(0.15)) list.splice(r(list.length + 1), r(2), "...");
  if (r.chance(0.15)) list.pop();
  if (r.chance(0.03)) list.push(0);
  return list;
}

/** The outcome of a read in a form that can be compared. */
async function outcome(read) {
  try {
    const result = await read();
    const { data, shape, stride } = Object(result);
    if (!shape) return { scalar: typeof result === "object" ? { ...result } : result };
    const bytes =
      ArrayBuffer.isView(data) && Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("hex");
    const all = bytes || Array.from(data);
    return { all, shape, stride, of: data.constructor.name, shared: data.buffer instanceof SharedArrayBuffer };
  } catch (error) {
    const { name, message, code, path, key, codec } = error;
    return { name, message, code, path, key, codec };
  }
}

test("a Map gives the elements and the errors that the engine reads from the same bytes", async () => {
  for (let i = 0; i < 600; i++) {
    const { store, path, format, shape, chunks } = randomArray();
    const options = { kind: "array" };
    const [direct, engine] = await Promise.all(
      [store, new Engine(store)].map((one) => zarr.open(zarr.root(one).resolve(path), options)),
    );
    for (let k = 0; k < 6; k++) {
      const selection = randomSelection(shape);
      const option = r.of([{}, {}, { as: "bytes" }, { useSharedArrayBuffer: true }]);
      const coords = shape.map((n, d) => r(Math.ceil(n / chunks[d]) + (r.chance(0.1) ? 1 : 0)));
      const reads = r.of([
        (array) => array.get(selection, option),
        (array) => array.get(selection, option),
        (array) => array.getChunk(coords, option),
      ]);
      const what = () =>
        `${i}: v${format} ${direct} ${JSON.stringify({ selection, coords, option }, (_, v) => (typeof v === "bigint" ? `${v}n` : v))}`;
      const [a, b] = [await outcome(() => reads(direct)), await outcome(() => reads(engine))];
      assert.deepEqual(a, b, what());
    }
  }
});

const hex = (store) =>
  Object.fromEntries([...store].map(([key, bytes]) => [key, Buffer.from(bytes).toString("hex")]).sort());

test("a write to a Map leaves the objects that the engine writes", async () => {
  let whole = 0;
  for (let i = 0; i < 150; i++) {
    const { store, path, format, shape, chunks } = randomArray(false);
    const other = new Map(store);
    const [direct, engine] = await Promise.all(
      [store, new Engine(other)].map((one) => zarr.open(zarr.root(one).resolve(path), { kind: "array" })),
    );
    for (let k = 0; k < 3; k++) {
      // Often the selection is of whole chunks.
      const blocks = shape.map((n, d) => {
        const from = r(Math.ceil(n / chunks[d])) * chunks[d];
        return r.of([null, zarr.slice(from, Math.min(n, from + chunks[d])), zarr.slice(from, null)]);
      });
      const selection = r.chance(0.7) ? blocks : randomSelection(shape);
      const read = await outcome(() => engine.get(selection, { as: "bytes" }));
      if (!read.shape) continue;
      const value = { data: bytesOf(read.all.length / 2), shape: read.shape };
      if (direct.dtype === "bool") value.data = value.data.map((byte) => byte & 1);
      const what = () =>
        `${i}: v${format} ${direct} ${JSON.stringify(selection, (_, v) => (typeof v === "bigint" ? `${v}n` : v))}`;
      const [a, b] = [direct, engine].map((array) =>
        outcome(() => write.set(array, selection, value, { as: "bytes" })),
      );
      assert.deepEqual(await a, await b, what());
      assert.deepEqual(hex(store), hex(other), what());
      whole++;
    }
  }
  assert.ok(whole > 200);
});

test("concurrent writes of whole and of partial chunks to a Map are all kept", async () => {
  for (let i = 0; i < 30; i++) {
    const store = new Map();
    const array = await write.createArray(store, { shape: [64], chunks: [8], dtype: "uint32", codecs: [] });
    const values = Uint32Array.from({ length: 64 }, () => r(2 ** 32));
    const writes = [];
    for (let from = 0; from < 64; ) {
      const to = Math.min(64, r.chance(0.5) && from % 8 === 0 ? from + 8 * r.int(1, 3) : from + r.int(1, 12));
      writes.push([from, to]);
      from = to;
    }
    const done = [];
    for (const [from, to] of writes.sort(() => r(3) - 1)) {
      done.push(write.set(array, [zarr.slice(from, to)], { data: values.slice(from, to), shape: [to - from] }));
      if (r.chance(0.3)) await done[r(done.length)];
    }
    await Promise.all(done);
    assert.deepEqual((await array.get()).data, values);
  }
});

test("whole chunks are written to a Map without the engine", async () => {
  const store = new Map([["/zarr.json", json(plain([6], [4]))]]);
  const array = await zarr.open(store, { kind: "array" });
  zarr.terminate();
  await write.set(array, null, { data: Uint32Array.of(1, 2, 3, 4, 5, 6), shape: [6] });
  assert.equal((await zarr.memory()).engine, 0);
  assert.deepEqual([...new Uint32Array(store.get("/c/1").buffer)], [5, 6, 0, 0]);
  const changed = write.resize(array, [5]);
  await changed;
  await assert.rejects(write.set(array, null, { data: new Uint32Array(6), shape: [6] }), {
    name: "MetadataChangedError",
  });
});

const plain = (shape, chunks, more = {}) => arrayV3(shape, "uint32", { chunks, ...more });

test("an uncompressed array in a Map is read without the engine", async () => {
  const store = new Map([
    ["/zarr.json", json(plain([4], [2]))],
    ["/c/1", new Uint8Array(Uint32Array.of(7, 8).buffer)],
  ]);
  const array = await zarr.open(store, { kind: "array" });
  zarr.terminate();
  assert.deepEqual([...(await array.get()).data], [0, 0, 7, 8]);
  assert.equal(await array.get([3]), 8);
  assert.equal((await zarr.memory()).engine, 0);
});

/** The number of decoded chunks that the engine has kept. */
async function kept() {
  const { hits, misses, shared } = (await zarr.caches()).decoded;
  return hits + misses + shared;
}

/** Blosc, which the engine's lead decodes, and not its helpers. */
const blosc = { name: "blosc", configuration: { cname: "lz4", clevel: 1, shuffle: "noshuffle", blocksize: 0 } };
/** Encodes elements as a frame of blosc that stores them. */
function framed({ buffer, byteLength }) {
  const frame = new Uint8Array(16 + byteLength);
  frame.set([2, 1, 2, 4]);
  new Uint32Array(frame.buffer).set([byteLength, byteLength, frame.length], 1);
  frame.set(new Uint8Array(buffer), 16);
  return frame;
}

/** An array of compressed chunks in a Map, and its elements. */
function compressed(shape, chunk, more) {
  const document = plain(shape, [chunk], more);
  document.codecs.push(blosc);
  const data = Uint32Array.from({ length: shape[0] }, () => r(2 ** 32));
  const store = new Map([["/zarr.json", json(document)]]);
  for (let from = 0; from < data.length; from += chunk) {
    const elements = new Uint32Array(chunk);
    elements.set(data.subarray(from, from + chunk));
    store.set(`/c/${from / chunk}`, framed(elements));
  }
  return { store, data };
}

test("the engine only decodes small compressed chunks of a Map", async () => {
  const { store, data } = compressed([1000], 100);
  store.delete("/c/3");
  data.fill(0, 300, 400);
  const open = () => zarr.open(new Map(store), { kind: "array" });
  const array = await open();
  const before = await kept();
  for (let i = 0; i < 10; i++) {
    const part = [zarr.slice(100 * i, 100 * i + 100)];
    assert.deepEqual((await array.get(part)).data, data.slice(100 * i, 100 * i + 100));
  }
  assert.deepEqual(
    (await (await open()).get([zarr.slice(950, 40, -3)])).data,
    data.filter((_, i) => i > 40 && (950 - i) % 3 === 0 && i <= 950).reverse(),
  );
  const shared = await (await open()).get(null, { useSharedArrayBuffer: true });
  assert.ok(shared.data.buffer instanceof SharedArrayBuffer);
  assert.deepEqual([...shared.data], [...data]);
  const other = await open();
  const all = await Promise.all(Array.from({ length: 10 }, (_, i) => other.getChunk([i])));
  for (const [i, chunk] of all.entries()) assert.deepEqual(chunk.data, data.slice(100 * i, 100 * i + 100));
  assert.equal(await kept(), before);
});

test("the engine reads large compressed chunks of a Map, and small parts", async () => {
  for (const [n, chunk, part] of [
    [100_000, 50_000, zarr.slice(50_000)],
    [200_000, 100_000, zarr.slice(100_000)],
    [1000, 500, zarr.slice(100)],
  ]) {
    const { store, data } = compressed([n], chunk);
    const array = await zarr.open(store, { kind: "array" });
    const before = await kept();
    assert.deepEqual((await array.get([part])).data, data.slice(0, part.stop));
    assert.equal((await kept()) - before, n === 100_000 ? 0 : 1, `${chunk}`);
  }
});

test("many small chunks of a Map give the elements and the errors that the engine reads", async () => {
  for (let i = 0; i < 30; i++) {
    const shape = [r.int(200, 400), r.int(300, 500)];
    const chunks = [r.int(10, 60), r.int(10, 60)];
    const document = plain(shape, chunks);
    document.codecs.push(blosc);
    const store = new Map([["/zarr.json", json(document)]]);
    const all = [...positions(shape.map((n, d) => Math.ceil(n / chunks[d])))];
    const lacks = r.of([0, 0.1, 0.999]);
    const elements = Uint32Array.from({ length: product(chunks) }, () => r(2 ** 32));
    for (const coords of all) {
      if (r.chance(lacks)) continue;
      elements[r(elements.length)] ^= 1;
      store.set(`/c/${coords.join("/")}`, framed(elements));
    }
    const key = `/c/${r.of(all).join("/")}`;
    const spoiled = r.chance(0.3) && store.has(key);
    if (spoiled) store.set(key, store.get(key).slice(0, -9));
    const [direct, engine] = await Promise.all(
      [store, new Engine(store)].map((one) => zarr.open(one, { kind: "array" })),
    );
    for (const selection of [null, shape.map((n) => zarr.slice(r(20), n - r(20), r.of([1, 1, 2])))]) {
      const option = r.of([{}, { useSharedArrayBuffer: true }]);
      const before = await kept();
      const told = await outcome(() => direct.get(selection, option));
      if (!spoiled && !selection) assert.equal(await kept(), before, "the engine read it");
      assert.deepEqual(told, await outcome(() => engine.get(selection, option)), `${i}: ${shape} ${chunks}`);
    }
  }
});

test("a read of many small chunks ends by a signal or with the engine, and the next one works", async () => {
  const { store, data } = compressed([300_000], 1000);
  const array = await zarr.open(store, { kind: "array" });
  for (const turns of [0, 1, 2, 5]) {
    for (const end of [(controller) => controller.abort(new Error("enough")), () => zarr.terminate()]) {
      const controller = new AbortController();
      const read = array.get(null, { signal: controller.signal }).then(
        ({ data }) => data,
        (error) => error,
      );
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
      end(controller);
      const told = await read;
      if (told instanceof Error) assert.match(told.message, /enough|terminated|ended/);
      else assert.deepEqual(told, data);
      assert.deepEqual((await array.get()).data, data);
    }
  }
});

test("an engine that starts again decodes the chunks of a Map", async () => {
  const { store, data } = compressed([300], 100);
  const array = await zarr.open(store, { kind: "array" });
  for (let i = 0; i < 3; i++) {
    assert.deepEqual((await array.get([zarr.slice(100 * i, 100 * i + 100)])).data, data.slice(100 * i, 100 * i + 100));
    zarr.terminate();
  }
  const controller = new AbortController();
  const read = array.get(null, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(read, { message: "enough" });
  assert.deepEqual((await array.get()).data, data);
});

test("each read sees the Map as it is when the read begins", async () => {
  const store = new Map([["/zarr.json", json(plain([6], [2]))]]);
  const array = await zarr.open(store, { kind: "array" });
  const model = new Uint32Array(6);
  for (let i = 0; i < 200; i++) {
    const chunk = r(3);
    if (r.chance(0.3)) {
      store.delete(`/c/${chunk}`);
      model.fill(0, 2 * chunk, 2 * chunk + 2);
    } else {
      const values = Uint32Array.of(r(99), r(99));
      store.set(`/c/${chunk}`, new Uint8Array(values.buffer));
      model.set(values, 2 * chunk);
    }
    assert.deepEqual((await array.get()).data, model);
    if (r.chance(0.05)) zarr.terminate();
  }
});

test("an array whose document the Map no longer has is the engine's, which reports the change", async () => {
  for (const change of [
    (store) => store.set("/zarr.json", json(plain([2], [2], { data_type: "float32" }))),
    (store) => store.delete("/zarr.json"),
  ]) {
    const store = new Map([
      ["/zarr.json", json(plain([2], [2]))],
      ["/c/0", new Uint8Array(8)],
    ]);
    const array = await zarr.open(store, { kind: "array" });
    await array.get();
    zarr.terminate();
    change(store);
    await assert.rejects(array.get(), { name: "MetadataChangedError" });
  }
});

test("limits hold for arrays in a Map", async () => {
  zarr.terminate();
  await zarr.init({ limits: { outputBytes: 100 } });
  try {
    const store = new Map([["/zarr.json", json(plain([26], [26]))]]);
    const array = await zarr.open(store, { kind: "array" });
    await assert.rejects(array.get(), { name: "LimitError" });
    assert.equal((await array.get([zarr.slice(25)])).data.length, 25);
  } finally {
    zarr.terminate();
    await zarr.init({});
  }
});

test("other tasks run while elements are copied, and a signal ends the copy", async () => {
  const n = 1 << 20;
  const store = new Map([["/zarr.json", json(plain([32, n], [1, n]))]]);
  for (let i = 0; i < 32; i++) store.set(`/c/${i}/0`, new Uint8Array(4 * n));
  const array = await zarr.open(store, { kind: "array" });
  for (const abort of [false, true]) {
    const controller = new AbortController();
    let seen = 0;
    let ended = false;
    const watch = () => {
      if (++seen === 3 && abort) controller.abort(new Error("enough"));
      if (!ended) setImmediate(watch);
    };
    setImmediate(watch);
    const told = await array.get(null, { signal: controller.signal }).catch((error) => error);
    ended = true;
    assert.ok(seen > 2, "no other task ran");
    if (abort) assert.equal(told.message, "enough");
    else assert.equal(told.data.length, 32 * n);
  }
});
