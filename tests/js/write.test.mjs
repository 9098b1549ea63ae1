// Arrays that JavaScript writes, compared with a model, and read by others.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as zarrita from "zarrita";
import * as zarr from "../../dist/node.js";
import * as write from "../../dist/write-node.js";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";
import { Cuts, elementsOf, randomArray, textOf, writeProgram } from "./write-program.mjs";

after(() => zarr.terminate());

const slow = { timeout: 300_000 };
const count = Number(process.env.WRITE_COUNT ?? rounds(120));

async function seeds(from, n, run) {
  for (let seed = from; seed < from + n; seed++) {
    try {
      await run(seed);
    } catch (error) {
      throw new Error(`seed ${seed}: ${error.stack}`, { cause: error });
    }
  }
}

test("random arrays read back as written, through every entry", slow, () =>
  seeds(1, count, (seed) => writeProgram({ zarr, write }, seed)),
);

/** Types that zarrita has. */
const zarritas = /^(u?int(8|16|32|64)|float(16|32|64)|bool|<U3|\|S4|string)$/;

/** A store from which zarrita can read shards. */
const withRanges = (store) => ({
  get: (key) => store.get(key),
  getRange(key, { offset, length, suffixLength }) {
    const bytes = store.get(key);
    return suffixLength === undefined ? bytes?.slice(offset, offset + length) : bytes?.slice(-suffixLength);
  },
});

test("zarrita reads written arrays of all its types and codecs", slow, async () => {
  const seen = new Set();
  await seeds(1, 150, async (seed) => {
    const r = random(seed);
    const { options, make } = randomArray(r);
    const { dtype, format, filters, compressor, shape } = options;
    // In version 3 zarrita has no fixed-width text.
    if (!zarritas.test(dtype) || (format === 3 && /^[<|]/.test(dtype)) || filters) return;
    if (dtype === "float16" && typeof Float16Array !== "function") return;
    if (shape.includes(0) || new Cuts(options).irregular) return; // it fails there
    const store = new Map();
    const array = await write.createArray(store, options);
    const data = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, make);
    await write.set(array, null, { data, shape });
    const open = format === 2 ? zarrita.open.v2 : zarrita.open.v3;
    const theirs = await open(zarrita.root(withRanges(store)), { kind: "array" });
    const got = await zarrita.get(theirs);
    const chunk = shape.length === 0 && Object(got) !== got ? { data: [got], shape: [] } : got;
    // The elements may have the order of the chunks.
    const { data: values, stride } = { stride: [], ...chunk };
    const at = typeof values.get === "function" ? (i) => values.get(i) : (i) => values[i];
    const wanted = data.map(textOf);
    const steps = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
    for (const [i, want] of wanted.entries()) {
      const coords = shape.map((n, d) => Math.floor(i / steps[d]) % n);
      const position = coords.reduce((sum, c, d) => sum + c * stride[d], 0);
      assert.equal(textOf(at(position)), want, `${format} ${dtype} of ${shape}`);
    }
    seen.add(`${format} ${dtype}`);
    for (const { name, id } of [...(options.codecs ?? []), ...(compressor ? [compressor] : [])]) seen.add(name ?? id);
  });
  for (const one of [
    "2 int32",
    "3 int64",
    "3 string",
    "2 <U3",
    "3 bool",
    "blosc",
    "gzip",
    "zstd",
    "zlib",
    "lz4",
    "crc32c",
  ]) {
    assert.ok(seen.has(one), `${one}: ${[...seen].sort()}`);
  }
});

test("arrays written by zarrita's create and set are read and changed", async () => {
  const store = new Map();
  const types = { int16: [3, -4], float64: [0.5, -1], bool: [true, false], int64: [3n, -4n], uint8: [1, 255] };
  for (const [dtype, [one, other]] of Object.entries(types)) {
    const codecs = [{ name: "bytes", configuration: { endian: "little" } }];
    const fillValue = typeof one === "bigint" ? 0n : dtype === "bool" ? false : 0;
    const theirs = await zarrita.create(zarrita.root(store).resolve(dtype), {
      shape: [4, 5],
      chunkShape: [2, 3],
      dtype,
      codecs,
      // zarrita writes no bigint into its document.
      fillValue: typeof fillValue === "bigint" ? 0 : fillValue,
    });
    await zarrita.set(theirs, [null, zarrita.slice(1, 3)], one);
    const array = await zarr.open(zarr.root(store).resolve(dtype), { kind: "array" });
    const row = (value) => [fillValue, value, value, fillValue, fillValue].map(textOf);
    assert.deepEqual(
      elementsOf(await array.get()),
      [1, 2, 3, 4].flatMap(() => row(one)),
    );
    await zarr.set(array, [2], other);
    await zarr.set(array, [3], await array.get([2]));
    const chunk = await zarrita.get(theirs, [zarrita.slice(1, 4), null]);
    const every = Array.from({ length: 5 }, () => textOf(other));
    assert.deepEqual(elementsOf(chunk), [...row(one), ...every, ...every]);
  }
});

test("create and set equal zarrita's, except for its errors", async () => {
  const run = async ({ create, set, root, open, get }) => {
    const store = new Map();
    const group = await create(root(store), { attributes: { a: 1 } });
    const codecs = [{ name: "bytes", configuration: { endian: "little" } }];
    const array = await create(group.resolve("x"), {
      shape: [3, 4],
      chunkShape: [2, 2],
      dtype: "float32",
      codecs,
      fillValue: 1.5,
      chunkSeparator: ".",
      dimensionNames: ["y", "x"],
      attributes: { b: [2] },
    });
    await set(array, [0, null], { data: Float32Array.of(1, 2, 3, 4), shape: [4], stride: [1] });
    await set(array, [null, 3], 9);
    const again = await open(group.resolve("x"), { kind: "array" });
    const { data } = await get(again);
    const { shape, chunks, dtype, attrs, path, dimensionNames } = again;
    const keys = [...store.keys()].sort();
    return { data: [...data], shape, chunks, dtype, attrs, path, dimensionNames, group: group.attrs, keys };
  };
  assert.deepEqual(await run(zarr), await run(zarrita));
});

const python = [process.env.PYTHON, "python3", "/usr/bin/python3"].find(
  (at) => at && spawnSync(at, ["-c", "import zarr; assert zarr.__version__ < '3'"]).status === 0,
);

test("zarr-python reads back written arrays of version 2", {
  ...slow,
  skip: !python && "zarr-python 2 is not installed: ./build.sh setup does it where there is apt-get",
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), "zarr-"));
  try {
    const store = new zarr.DirectoryStore(dir);
    await write.createGroup(store, { format: 2, attributes: { of: "JavaScript" } });
    const wanted = {};
    for (let seed = 1; Object.keys(wanted).length < 60; seed++) {
      const r = random(seed);
      const { options, make } = randomArray(r);
      const { format, dtype, shape } = options;
      if (format !== 2 || options.filters || /complex|string|S4/.test(dtype)) continue;
      const array = await write.createArray(zarr.root(store).resolve(`a${seed}`), options);
      const data = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, make);
      await write.set(array, null, { data, shape });
      wanted[`a${seed}`] = data.map((one) => {
        if (ArrayBuffer.isView(one)) return Buffer.from(one).toString("hex");
        return typeof one === "bigint" ? String(one) : typeof one === "number" ? String(one + 0) : one;
      });
    }
    await write.consolidateMetadata(store);
    const program = `
import json, sys, zarr
g = zarr.open_consolidated(sys.argv[1], mode="r")
def text(v):
    if isinstance(v, bytes): return v.ljust(3, b"\\0").hex()
    if isinstance(v, bool) or isinstance(v, str): return v
    if isinstance(v, int): return str(v)
    if isinstance(v, float):
        if v != v: return "NaN"
        if v in (float("inf"), float("-inf")): return "Infinity" if v > 0 else "-Infinity"
        return repr(v + 0.0)
    return str(v)
out = {"": g.attrs.asdict()}
for name, a in g.arrays():
    v = a[...]
    if v.dtype.kind == "M": v = v.astype("i8")
    out[name] = [text(x) for x in v.ravel().tolist()]
print(json.dumps(out))`;
    const { "": attrs, ...got } = JSON.parse(
      execFileSync(python, ["-c", program, dir], { encoding: "utf8", maxBuffer: 1 << 26 }),
    );
    assert.deepEqual(attrs, { of: "JavaScript" });
    // A number as Python prints it, and as printed here.
    const numbers = (list) =>
      list.map((v) =>
        typeof v === "string" && /^-?[\d.]+(e[-+]?\d+)?$/.test(v) && !/^-?\d+$/.test(v) ? String(Number(v)) : v,
      );
    for (const [name, want] of Object.entries(wanted)) assert.deepEqual(numbers(got[name]), numbers(want), name);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("many writers of one chunk lose nothing of each other", slow, async () => {
  const store = new Map();
  const array = await write.createArray(store, { shape: [64, 64], dtype: "uint16", chunks: [64, 64] });
  const again = await zarr.open(store, { kind: "array" });
  const writes = Array.from({ length: 64 }, (_, y) =>
    y % 2 ? write.set(again, [y], y) : write.set(array, [y], new Uint16Array(64).fill(y)),
  );
  await Promise.all(writes);
  const { data } = await array.get();
  assert.deepEqual(
    Array.from(data),
    Array.from({ length: 64 * 64 }, (_, i) => Math.floor(i / 64)),
  );
});

test("the caller's memory is the caller's again at once", async () => {
  const array = await write.createArray(new Map(), { shape: [1000], dtype: "int32", chunks: [100] });
  const mine = Int32Array.from({ length: 1000 }, (_, i) => i);
  const done = write.set(array, null, mine);
  mine.fill(-1);
  await done;
  assert.equal(mine.length, 1000);
  assert.deepEqual((await array.get()).data[999], 999);
});

test("structs are written whole, by columns and by fields", async () => {
  const dtype = [
    ["a", "<i2"],
    ["b", "<f4"],
    ["c", "|S3"],
  ];
  const array = await write.createArray(new Map(), { format: 2, shape: [3], dtype, chunks: [2] });
  await write.set(array, null, { a: [1, 2, 3], b: Float32Array.of(0.5, 1, 2), c: ["x", "yz", "abc"] });
  await write.set(array, [1], { a: -7, b: 4, c: "" });
  await write.set(array, [zarr.slice(1, 3)], [10, 11], { field: "b" });
  const chunk = await array.get();
  const records = [
    { a: 1, b: 0.5, c: "x" },
    { a: -7, b: 10, c: "" },
    { a: 3, b: 11, c: "abc" },
  ];
  assert.deepEqual([...chunk.data], records);
  await write.set(array, null, chunk);
  await write.set(array, [0], records[2]);
  assert.deepEqual(await array.get([0]), records[2]);
  await assert.rejects(write.set(array, null, 1, { field: "d" }), write.InvalidValueError);
});

test("blocks, objects and bytes are written", async () => {
  const array = await write.createArray(new Map(), { shape: [5, 6], dtype: "int8", chunks: [2, 3] });
  await write.setBlocks(array, [1, 0], 7);
  await write.setBlocks(array, [2], [[1, 2, 3, 4, 5, 6]]);
  const { data } = await array.get();
  assert.deepEqual(Array.from(data), [
    ...new Array(12).fill(0),
    ...[7, 7, 7, 0, 0, 0, 7, 7, 7, 0, 0, 0],
    ...[1, 2, 3, 4, 5, 6],
  ]);
  const bytes = await array.get([zarr.slice(2, 5)], { as: "bytes" });
  await write.set(array, [zarr.slice(0, 3)], bytes, { as: "bytes" });
  const rows = [data.slice(12, 18), data.slice(18, 24), data.slice(24)];
  assert.deepEqual(
    Array.from((await array.get()).data),
    [0, 1, 2, 1, 2].flatMap((row) => Array.from(rows[row])),
  );
  const objects = await write.createArray(new Map(), {
    format: 2,
    shape: [4],
    dtype: "|O",
    filters: [{ id: "json2" }],
    compressor: null,
  });
  const values = [{ a: [1, null] }, null, "x", [1.5, 2n ** 60n]];
  await write.set(objects, null, values);
  assert.deepEqual((await objects.get()).data, values);
});

test("a block of a sharded array is a shard, to read and to write; one of a rectilinear grid a chunk of it", async () => {
  const sharded = await write.createArray(new Map(), { shape: [12], chunks: [2], shards: [4], dtype: "uint8" });
  await write.setBlocks(sharded, [0], 7);
  assert.deepEqual([...(await sharded.get()).data], [7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0]);
  await write.setBlocks(sharded, [-1], [1, 2, 3, 4]);
  const last = await sharded.blocks([zarr.slice(1, null)]);
  assert.deepEqual([last.shape, [...last.data]], [[8], [0, 0, 0, 0, 1, 2, 3, 4]]);
  assert.deepEqual([...(await sharded.getChunk([5])).data], [3, 4], "a chunk is what lies inside a shard");
  const shards = await write.createArray(new Map(), { shape: [11], chunks: [2], shards: [[4, 2, 6]], dtype: "uint8" });
  await write.setBlocks(shards, [1], 5);
  await write.setBlocks(shards, [2], 9); // up to the array's end
  assert.deepEqual([...(await shards.get()).data], [0, 0, 0, 0, 5, 5, 9, 9, 9, 9, 9]);
  assert.deepEqual(shards.chunkGrid, { name: "rectilinear", shape: [6], chunkShapes: [2] });
  const chunks = await write.createArray(new Map(), { shape: [10], chunks: [[3, 3, 4]], dtype: "uint8" });
  await write.setBlocks(chunks, [zarr.slice(1, 3)], new Uint8Array(7).fill(1));
  assert.deepEqual([...(await chunks.get()).data], [0, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
  assert.deepEqual((await chunks.blocks([zarr.slice(0, 0)])).shape, [0]);
  for (const wrong of [
    [3],
    [-4],
    [[0, 1]],
    [zarr.slice(0, 3, 2)],
    [zarr.slice(null, null, -1)],
    [0, 0],
    ["...", "..."],
    [[true]],
  ]) {
    for (const call of [() => chunks.blocks(wrong), () => write.setBlocks(chunks, wrong, 1)]) {
      await assert.rejects(call, zarr.InvalidSelectionError, String(wrong));
    }
  }
});

test("fill values are exact to the bit", async () => {
  const made = async (dtype, fillValue, more = {}) => {
    const array = await write.createArray(new Map(), { shape: [2], dtype, fillValue, ...more });
    return array.get([1]);
  };
  for (const format of [2, 3]) {
    const more = { format };
    assert.equal(await made("int64", -(2n ** 63n), more), -(2n ** 63n));
    assert.equal(await made("uint64", 2n ** 64n - 1n, more), 2n ** 64n - 1n);
    assert.ok(Object.is(await made("float64", -0, more), -0));
    assert.equal(await made("float32", Number.NEGATIVE_INFINITY, more), Number.NEGATIVE_INFINITY);
    assert.ok(Number.isNaN(await made("float64", Number.NaN, more)));
    assert.equal(await made("bool", true, more), true);
    assert.deepEqual(await made("complex64", { re: 1.5, im: Number.POSITIVE_INFINITY }, more), {
      re: 1.5,
      im: Number.POSITIVE_INFINITY,
    });
    assert.equal(await made("|S4", "é", more), "é");
    assert.equal(await made("<U3", "日本語", more), "日本語");
    assert.equal(await made("string", "n/a", more), "n/a");
    assert.deepEqual([...(await made("|V3", Uint8Array.of(1, 2, 3), more))], [1, 2, 3]);
    assert.equal(await made("datetime64[s]", 86400n, more), 86400n);
  }
  const bits = await write.createArray(new Map(), { shape: [1], dtype: "float32", fillValue: "0x7fc00123" });
  assert.deepEqual([...(await bits.get(null, { as: "bytes" })).data], [0x23, 0x01, 0xc0, 0x7f]);
});

test("an impossible array is a named error, and nothing is written", async () => {
  const store = new Map();
  const shape = [4];
  const refused = [
    [TypeError, { shape, chunkshape: [2] }, /no option "chunkshape"\. The options are .*chunkShape/],
    [TypeError, { shape, chunks: [2], chunkShape: [2] }, /chunks and chunkShape are the same option/],
    [TypeError, { shape: [-1] }, /a list of lengths/],
    [TypeError, { shape, chunks: "big" }, /chunks/],
    [TypeError, { shape, codecs: [], compressor: null }, /not both/],
    [TypeError, { shape, codecs: [5] }, /codec/],
    [TypeError, { shape, order: "A" }, /order/],
    [TypeError, { shape, format: 1 }, /2 or 3/],
    [TypeError, { shape, attributes: [1] }, /attributes/],
    [write.InvalidValueError, { shape, attributes: { f: () => 0 } }, /JSON/],
    [zarr.ZarrError, { shape, dtype: "int33" }, /int33/],
    [zarr.ZarrError, { shape, dtype: "int8", fillValue: 300 }, /300/],
    [zarr.ZarrError, { shape, codecs: ["nothing"] }, /nothing/],
    [zarr.ZarrError, { shape, chunks: [2], shards: [3] }, /shards/],
    [TypeError, { shape, chunks: [[]] }, /a list of lengths or of \[length, count\]/],
    [TypeError, { shape, chunks: [[0, 4]] }, /\[0, 4\]/],
    [TypeError, { shape, chunks: [[4, [1, 2, 3]]] }, /\[4, \[1, 2, 3\]\]/],
    [TypeError, { shape, chunks: [[4]], shards: [4] }, /chunks inside shards are all of one shape/],
    [zarr.InvalidMetadataError, { shape, chunks: [[3]] }, /the chunks cover 3 of 4 elements/],
    [zarr.InvalidMetadataError, { shape, chunks: [[4], 2] }, /edges of 2 dimensions/],
    [zarr.InvalidMetadataError, { shape, chunks: [[4]], format: 2 }, /a rectilinear grid, which only version 3 has/],
    [zarr.InvalidMetadataError, { shape, chunks: [2], shards: [[2, 3]] }, /shards: of length 3 are not divided/],
    [zarr.ZarrError, { shape, dimensionNames: ["a", "b"] }, /names/],
  ];
  for (const [Class, options, message] of refused) {
    await assert.rejects(write.createArray(store, options), (error) => {
      assert.ok(error instanceof Class, `${error.stack}`);
      assert.notEqual(error.name, "EngineError");
      assert.match(error.message, message);
      return true;
    });
  }
  assert.equal(store.size, 0);
  const array = await write.createArray(store, { shape, dtype: "int16" });
  await assert.rejects(write.createArray(store, { shape }), write.ExistsError);
  await assert.rejects(write.requireArray(store, { shape: [5], dtype: "int16" }), write.ExistsError);
  assert.deepEqual((await write.requireArray(store, { shape, dtype: "int16" })).shape, shape);
  const keys = [...store.keys()];
  await assert.rejects(write.set(array, null, 40000), write.InvalidValueError);
  await assert.rejects(write.set(array, null, [1, 2, 3]), write.InvalidValueError);
  await assert.rejects(write.set(array, [0]), { name: "InvalidValueError", message: /set has no values: / });
  await assert.rejects(write.set(array, [9], 1), zarr.InvalidSelectionError);
  await assert.rejects(write.setMask(array, [true], 1), zarr.InvalidSelectionError);
  await assert.rejects(write.append(array, [1], { dimension: 1 }), zarr.InvalidSelectionError);
  await assert.rejects(write.set(new Map(), null, 1), TypeError);
  assert.deepEqual([...store.keys()], keys);
  const readable = { get: (key) => store.get(key) };
  const closed = await zarr.open(readable, { kind: "array" });
  await assert.rejects(write.set(closed, null, 1), zarr.UnsupportedError);
  const full = { get: (key) => store.get(key), set: () => Promise.reject(new Error("the disk is full")) };
  const failing = await zarr.open(full, { kind: "array" });
  await assert.rejects(write.set(failing, null, 1), (error) => {
    assert.ok(error instanceof write.WriteError, error.stack);
    assert.deepEqual(error.written, []);
    return true;
  });
  await write.set(array, null, 5);
  assert.deepEqual([...(await array.get()).data], [5, 5, 5, 5]);
});

test("a signal ends a write with its reason, and progress is reported", async () => {
  const store = new Map();
  const array = await write.createArray(store, { shape: [64, 8], dtype: "int32", chunks: [8, 8] });
  const told = [];
  await write.set(array, null, 3, { onProgress: (done, total) => told.push([done, total]) });
  assert.deepEqual(told.at(-1), [8, 8]);
  const stop = new AbortController();
  let puts = 0;
  const slowStore = {
    get: (key) => store.get(key),
    async set(key, bytes) {
      if (++puts === 2) stop.abort(new Error("enough"));
      store.set(key, bytes);
    },
  };
  const other = await zarr.open(slowStore, { kind: "array" });
  await assert.rejects(write.set(other, null, 4, { signal: stop.signal }), /enough/);
  const stored = await zarr.open(new Map(store), { kind: "array" });
  for (const value of (await stored.get()).data) assert.ok(value === 3 || value === 4);
  await assert.rejects(write.set(array, null, 4, { signal: AbortSignal.abort(new Error("no")) }), /^Error: no$/);
});

test("hierarchies are copied, moved, migrated, consolidated and deleted", async () => {
  const store = new Map();
  const at = (path) => zarr.root(store).resolve(path);
  const group = await write.createGroup(at("g"), { format: 2, attributes: { of: "all" } });
  const array = await write.createArray(group.resolve("a"), { shape: [6], dtype: "int16", chunks: [2] });
  assert.equal(array.format, 2);
  await write.set(array, null, [1, 2, 3, 4, 5, 6]);
  const copied = await write.copy(group, at("h"), { format: 3, array: { chunks: [3], shards: [6] } });
  assert.equal(copied.copied, 2);
  const h = await zarr.open(at("h"), { kind: "group" });
  const a = await h.open("a", { kind: "array" });
  assert.deepEqual(
    [h.format, h.attrs, a.chunks, a.shards, [...(await a.get()).data]],
    [3, { of: "all" }, [3], [6], [1, 2, 3, 4, 5, 6]],
  );
  await assert.rejects(write.copy(group, at("h")), write.ExistsError);
  assert.equal((await write.copyAll(group, at("h"), { ifExists: "skip" })).skipped, 1);
  const elsewhere = new Map();
  assert.ok((await write.copyStore(at("g"), zarr.root(elsewhere))).copied > 3);
  assert.deepEqual(
    [...(await (await zarr.open(zarr.root(elsewhere).resolve("a"), { kind: "array" })).get()).data],
    [1, 2, 3, 4, 5, 6],
  );
  const moved = await write.rename(at("h/a"), "b");
  assert.equal(moved.path, "/h/b");
  assert.equal((await zarr.open(await write.move(moved, "/c"), { kind: "array" })).path, "/c");
  const migrated = await write.migrate(at("g"), 3);
  assert.equal(migrated.format, 3);
  const migratedKeys = [...store.keys()];
  assert.equal((await write.migrate(at("g"), 3)).format, 3, "done twice");
  assert.deepEqual([...store.keys()], migratedKeys);
  await assert.rejects(write.migrate(at("g"), 2), zarr.UnsupportedError);
  let node = await write.setAttributes(migrated, { x: 1, y: 2 });
  node = await write.updateAttributes(node, { y: [2n ** 60n], z: null });
  node = await write.deleteAttributes(node, "x");
  assert.deepEqual(node.attrs, { y: [2n ** 60n], z: null });
  assert.ok((await write.consolidateMetadata(at("g"))).consolidated);
  assert.deepEqual(
    [...(await (await zarr.open.v3(at("g/a"), { kind: "array" })).get([zarr.slice(4, 6)])).data],
    [5, 6],
  );
  await write.deleteNode(at("g"));
  await assert.rejects(zarr.open(at("g")), zarr.NotFoundError);
  assert.ok(![...store.keys()].some((key) => key.startsWith("/g/")));
});

test("arrays are made like others, with other things said", async () => {
  const array = await write.createArray(new Map(), {
    shape: [4, 4],
    dtype: "float32",
    chunks: [2, 2],
    fillValue: 7,
    codecs: ["gzip"],
    attributes: { a: 1 },
  });
  const of = async (like) => [
    like.shape,
    like.dtype,
    like.chunks,
    like.fillValue,
    like.codecs.map(({ name }) => name),
    like.attrs,
  ];
  assert.deepEqual(await of(await write.createLike(new Map(), array)), [
    [4, 4],
    "float32",
    [2, 2],
    7,
    ["bytes", "gzip"],
    {},
  ]);
  assert.equal((await write.zerosLike(new Map(), array)).fillValue, 0);
  assert.equal((await write.onesLike(new Map(), array)).fillValue, 1);
  assert.equal((await write.fullLike(new Map(), array, 2.5)).fillValue, 2.5);
  assert.equal((await write.emptyLike(new Map(), array, { format: 2 })).fillValue, null);
  assert.deepEqual((await write.createLike(new Map(), array, { shape: [9, 4], chunks: [3, 4] })).chunks, [3, 4]);
  assert.equal((await write.zeros(new Map(), { shape: [2] })).fillValue, 0);
  assert.equal((await write.ones(new Map(), { shape: [2], dtype: "bool" })).fillValue, true);
  assert.equal((await write.full(new Map(), 5n, { shape: [2], dtype: "int64" })).fillValue, 5n);
  assert.equal((await write.empty(new Map(), { shape: [2], format: 2 })).fillValue, null);
});
