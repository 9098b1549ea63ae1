// Other readers open the results of writes that omit chunks, and of copies.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import * as zarrita from "zarrita";
import * as zarr from "../../dist/node.js";
import * as write from "../../dist/write-node.js";
import { json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";
import { elementsOf, textOf, writeProgram } from "./write-program.mjs";

after(() => zarr.terminate());

const count = Number(process.env.COPY_COUNT ?? rounds(150));
const at = (store, path) => zarr.root(store).resolve(path);
/** The objects below a path, without the documents. */
const chunksOf = (store, path) =>
  Object.fromEntries(
    [...store]
      .filter(([key]) => key.startsWith(`/${path}/`) && !/\/(\.z\w+|zarr\.json)$/.test(key))
      .map(([key, bytes]) => [key.slice(path.length + 2), Buffer.from(bytes).toString("hex")]),
  );

/** An array of version 2 whose chunks are encoded differently from this package's encoders. */
function gzipped() {
  const store = new Map();
  store.set(
    "/a/.zarray",
    json({
      zarr_format: 2,
      shape: [8],
      chunks: [2],
      dtype: "<i2",
      compressor: { id: "gzip", level: 9 },
      fill_value: 0,
      filters: null,
      order: "C",
    }),
  );
  for (const [i, values] of [
    [1, 2],
    [0, 0],
    [3, 4],
  ].entries()) {
    const bytes = gzipSync(new Uint8Array(Int16Array.from(values).buffer), { level: 0 });
    bytes.writeUInt32LE(1234567, 4); // the creation time
    store.set(`/a/${i}`, new Uint8Array(bytes));
  }
  return store;
}

test("a copy that changes nothing copies chunks as bytes, and recode encodes them anew", async () => {
  const store = gzipped();
  const array = await zarr.open(at(store, "a"), { kind: "array" });
  const want = chunksOf(store, "a");
  assert.equal(Object.keys(want).length, 3);
  const told = [];
  const report = await write.copy(array, at(store, "b"), { onProgress: (done, total) => told.push([done, total]) });
  assert.deepEqual(report, { copied: 1, skipped: 0, bytes: 16 });
  assert.deepEqual(told.at(-1), [8, 8]);
  assert.deepEqual(chunksOf(store, "b"), want);
  await write.copy(array, at(store, "v3"), { format: 3 });
  const c = Object.fromEntries(Object.entries(want).map(([key, bytes]) => [`c/${key}`, bytes]));
  assert.deepEqual(chunksOf(store, "v3"), c);
  const v3 = await zarr.open(at(store, "v3"), { kind: "array" });
  await write.copy(v3, at(store, "v2"), { format: 2, array: { chunks: [2] } });
  assert.deepEqual(chunksOf(store, "v2"), want);
  await write.copy(array, at(store, "recoded"), { recode: true });
  const recoded = chunksOf(store, "recoded");
  assert.deepEqual(Object.keys(recoded), ["0", "2"]); // a chunk of the fill value is left out
  assert.notEqual(recoded[0], want[0]);
  for (const path of ["b", "v2", "v3", "recoded"]) {
    const copy = await zarr.open(at(store, path), { kind: "array" });
    assert.deepEqual([...(await copy.get()).data], [1, 2, 0, 0, 3, 4, 0, 0], path);
  }
  await assert.rejects(write.copy(array, at(store, "b")), write.ExistsError);
  assert.equal((await write.copy(array, at(store, "b"), { ifExists: "skip" })).skipped, 1);
  await assert.rejects(write.copy(array, at(store, "x"), { recode: "yes" }), TypeError);
  const controller = new AbortController();
  class Ending extends Map {
    set(key, value) {
      controller.abort(new Error("enough"));
      return super.set(key, value);
    }
  }
  const ended = write.copy(array, at(new Ending(), "x"), { signal: controller.signal });
  await assert.rejects(ended, /^Error: enough$/);
});

test("an array without a fill value has every chunk that was written", async () => {
  const store = new Map();
  let array = await write.createArray(at(store, "a"), {
    format: 2,
    shape: [4],
    chunks: [2],
    dtype: "int16",
    fillValue: null,
  });
  await write.set(array, [zarr.slice(0, 2)], 0, { skipEmpty: true });
  array = await write.append(array, [0, 0], { skipEmpty: true });
  assert.deepEqual(Object.keys(chunksOf(store, "a")).sort(), ["0", "2"]);
  for (const recode of [false, true]) {
    await write.copy(array, at(store, "b"), { recode, ifExists: "replace" });
    assert.deepEqual(Object.keys(chunksOf(store, "b")).sort(), ["0", "2"]);
  }
});

test("a fill value that others round is written", async () => {
  for (const format of [2, 3]) {
    const fillValue = 2n ** 53n + 1n;
    const store = new Map();
    const array = await write.createArray(store, { format, shape: [4], chunks: [2], dtype: "int64", fillValue });
    await write.set(array, null, fillValue, { skipEmpty: true });
    assert.deepEqual(await byZarrita(store, array), Array(4).fill(`${fillValue}n`));
  }
});

/** zarrita's types; in version 3 it has no fixed-width text. */
const zarritas = {
  2: /^(u?int(8|16|32|64)|float(32|64)|bool|<U3|\|S4|string)$/,
  3: /^(u?int(8|16|32|64)|float(32|64)|bool|string)$/,
};

/** A store from which zarrita can read shards. */
const withRanges = (store) => ({
  get: (key) => store.get(key),
  getRange(key, { offset, length, suffixLength }) {
    const bytes = store.get(key);
    return suffixLength === undefined ? bytes?.slice(offset, offset + length) : bytes?.slice(-suffixLength);
  },
});

/** The elements as zarrita reads them, in C order. */
async function byZarrita(store, array) {
  const open = array.format === 2 ? zarrita.open.v2 : zarrita.open.v3;
  const theirs = await open(zarrita.root(withRanges(store)).resolve(array.path), { kind: "array" });
  const got = await zarrita.get(theirs);
  const { shape } = array;
  const { data, stride } = { stride: [], ...(shape.length === 0 && Object(got) !== got ? { data: [got] } : got) };
  const value = typeof data.get === "function" ? (i) => data.get(i) : (i) => data[i];
  const steps = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
  return Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => {
    const position = shape.reduce((sum, n, d) => sum + (Math.floor(i / steps[d]) % n) * stride[d], 0);
    return textOf(value(position));
  });
}

test("zarrita reads the results of random sets, appends, resizes and copies, in both versions", {
  timeout: 300_000,
}, async () => {
  const seen = { 2: 0, 3: 0 };
  for (let seed = 1; seed <= count; seed++) {
    const store = new Map();
    const { array, model, options } = await writeProgram({ zarr, write, store }, seed);
    const r = random(seed + 1e6);
    const wanted = model.data.map(textOf);
    const arrays = [array];
    for (const format of [2, 3]) {
      for (const recode of [false, true]) {
        const place = at(store, `copies/${format}${recode}`);
        try {
          await write.copy(array, place, {
            format,
            recode,
            ...(r(3) === 0 &&
              !options.shards &&
              array.shape.length > 0 && { array: { chunks: array.shape.map(() => 1 + r(4)), codecs: [] } }),
          });
        } catch (error) {
          assert.ok(error instanceof zarr.UnsupportedError, `seed ${seed}: ${error.stack}`);
          continue;
        }
        arrays.push(await zarr.open(place, { kind: "array" }));
      }
    }
    for (const one of arrays) {
      const what = `seed ${seed}: ${one.path}: ${JSON.stringify(options, (_, v) => (typeof v === "bigint" ? `${v}n` : v))}`;
      assert.deepEqual(
        elementsOf(
          await one.get(null).then((all) => (Object(all) === all && "shape" in all ? all : { data: [all], shape: [] })),
        ),
        wanted,
        what,
      );
      // zarrita does not read some codecs and types, and rounds some fill values.
      const { fillValue } = options;
      if (typeof fillValue === "bigint" && BigInt(Number(fillValue)) !== fillValue) continue;
      if (one.format === 2 && one.codecs.some(({ name }) => name === "crc32c")) continue;
      if ((options.dtype === "|S4" && fillValue) || fillValue === "😀x") continue;
      if (one.format === 3 && one.metadata["zarr.json"].chunk_grid.name !== "regular") continue;
      if (one.shape.includes(0) || options.filters || !zarritas[one.format].test(options.dtype)) continue;
      assert.deepEqual(await byZarrita(store, one), wanted, what);
      seen[one.format]++;
    }
  }
  assert.ok(seen[2] > count / 2 && seen[3] > count / 2, JSON.stringify(seen));
  console.log(`# ${count} programs; zarrita read ${seen[2]} arrays of version 2 and ${seen[3]} of version 3`);
});
