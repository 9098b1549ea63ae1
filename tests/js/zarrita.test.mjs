// The requirements of zarrita's own reading tests, on zarrita's fixtures. Every case runs with this
// package and with zarrita, and must hold for both. The file migration.test.mjs compares all
// fixtures, and has the intended differences.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { FileSystemStore, ReferenceStore, ZipFileStore } from "@zarrita/storage";
import * as zarrita from "zarrita";
import * as ours from "../../dist/node.js";
import { arrayV2, arrayV3, groupV3, json, sharding, shardOf } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { serve, top } from "../lib/serve.mjs";

const fixtures = `${top}build/fixtures/public/manzt+zarrita.js/fixtures/`;
const files = (version) => new FileSystemStore(`${fixtures}${version}/data.zarr`);
const zip = (name) => ZipFileStore.fromBlob(new Blob([readFileSync(fixtures + name)]));
const range = (n, from = 0) => Array.from({ length: n }, (_, i) => i + from);

after(() => ours.terminate());

/** A v3 array's metadata, for changes. */
const meta = (more = {}) => arrayV3([4], "int16", { chunks: [2], ...more });

/** A store of the documents, as a plain Map. */
const documents = (entries) => new Map(Object.entries(entries).map(([key, value]) => [key, json(value)]));

const values = (data) => (typeof data.get === "function" ? range(data.length).map((i) => data.get(i)) : [...data]);

for (const [name, zarr] of Object.entries({ "zarr-wasm": ours, zarrita })) describe(name, () => cases(zarr));

/** @param {typeof import("zarrita")} zarr */
function cases(zarr) {
  const v2 = (path, options = { kind: "array" }) => zarr.open.v2(zarr.root(files("v2")).resolve(path), options);
  const v3 = (path, options = { kind: "array" }) => zarr.open.v3(zarr.root(files("v3")).resolve(path), options);

  const whole = [
    ["1d.contiguous.zlib.i2", Int16Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.blosc.i2", Int16Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.lz4.i2", Int16Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.zstd.i2", Int16Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.raw.i2", Int16Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.gzip.i2", Int16Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.shuffle.i2", Int16Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.delta.i2", Int16Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.delta.shuffle.i2", Int16Array, [4], [10, 20, 30, 40]],
    ["1d.contiguous.delta.i4", Int32Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.bitround.f4", Float32Array, [4], [1.125, 2.25, 3.25, 4.5]],
    ["1d.contiguous.fixedscaleoffset.f4", Float32Array, [4], [1000, 1000.1, 1000.2, 1000.3].map(Math.fround)],
    ["1d.contiguous.i4", Int32Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.u1", Uint8Array, [4], [255, 0, 255, 0]],
    ["1d.contiguous.f4.le", Float32Array, [4], [-1000.5, 0, 1000.5, 0]],
    ["1d.contiguous.f4.be", Float32Array, [4], [-1000.5, 0, 1000.5, 0]],
    ["1d.contiguous.f8", Float64Array, [4], [1.5, 2.5, 3.5, 4.5]],
    ["1d.contiguous.b1", zarr.BoolArray, [4], [true, false, true, false]],
    ["1d.contiguous.U13.le", zarr.UnicodeStringArray, [4], ["a", "b", "cc", "d"]],
    ["1d.contiguous.U13.be", zarr.UnicodeStringArray, [4], ["a", "b", "cc", "d"]],
    ["1d.contiguous.U7", zarr.UnicodeStringArray, [4], ["a", "b", "cc", "d"]],
    ["1d.contiguous.S7", zarr.ByteStringArray, [4], ["a", "b", "cc", "d"]],
    ["1d.contiguous.json2.O", Array, [4], ["foo", "bar", "baz", "qux"]],
    ["1d.contiguous.string.vlen", Array, [4], ["hello", "world", "zarr", "v3"]],
    ["1d.string.empty", Array, [3], ["", "test", ""]],
    ["1d.string.unicode", Array, [4], ["hello", "世界", "🚀🎉", "Ñoño"]],
    ["1d.chunked.i2", Int16Array, [4], [1, 2, 3, 4]],
    ["1d.chunked.ragged.i2", Int16Array, [5], [1, 2, 3, 4, 5]],
    ["2d.contiguous.i2", Int16Array, [2, 2], [1, 2, 3, 4]],
    ["2d.chunked.i2", Int16Array, [2, 2], [1, 2, 3, 4]],
    ["2d.chunked.ragged.i2", Int16Array, [3, 3], range(9, 1)],
    ["2d.chunked.U7", zarr.UnicodeStringArray, [2, 2], ["a", "b", "cc", "d"]],
    ["3d.contiguous.i2", Int16Array, [3, 3, 3], range(27)],
    ["3d.chunked.i2", Int16Array, [3, 3, 3], range(27)],
    ["3d.chunked.mixed.i2.C", Int16Array, [3, 3, 3], range(27)],
    ["3d.chunked.O", Array, [2, 2, 2], ["a", "aa", "aaa", "aaaa", "b", "bb", "bbb", "bbbb"]],
    ["1d.contiguous.compressed.sharded.i2", Int16Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.compressed.sharded.i4", Int32Array, [4], [1, 2, 3, 4]],
    ["1d.contiguous.compressed.sharded.u1", Uint8Array, [4], [255, 0, 255, 0]],
    ["1d.contiguous.compressed.sharded.f4", Float32Array, [4], [-1000.5, 0, 1000.5, 0]],
    ["1d.contiguous.compressed.sharded.f8", Float64Array, [4], [1.5, 2.5, 3.5, 4.5]],
    ["1d.contiguous.compressed.sharded.b1", zarr.BoolArray, [4], [true, false, true, false]],
    ["2d.chunked.compressed.sharded.i2", Int16Array, [4, 4], range(16, 1)],
    ["2d.chunked.compressed.sharded.filled.i2", Int16Array, [4, 4], range(16)],
    ["3d.contiguous.compressed.sharded.i2", Int16Array, [3, 3, 3], range(27)],
    ["3d.chunked.compressed.sharded.i2", Int16Array, [4, 4, 4], range(64)],
  ];

  test("whole arrays by get()", async () => {
    let read = 0;
    for (const [path, type, shape, want] of whole) {
      for (const open of [v2, v3]) {
        let array;
        try {
          array = await open(path);
        } catch (error) {
          if (zarr.isZarritaError(error, "NotFoundError")) continue; // the other version has it
          throw error;
        }
        read++;
        const { data, ...rest } = await zarr.get(array);
        const where = `${path} ${open === v2 ? "v2" : "v3"}`;
        assert.ok(data instanceof type, where);
        assert.deepEqual(values(data), want, where);
        const strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
        assert.deepEqual(rest, { shape, stride: strides }, where);
      }
    }
    assert.equal(read, 62);
  });

  const chunks = [
    [v2, "1d.chunked.i2", [1], [2], [3, 4]],
    [v2, "1d.chunked.ragged.i2", [2], [2], [5, 0]],
    [v2, "2d.chunked.i2", [1, 0], [1, 1], [3]],
    [v2, "2d.chunked.ragged.i2", [0, 1], [2, 2], [3, 0, 6, 0]],
    [v2, "2d.chunked.ragged.i2", [1, 1], [2, 2], [9, 0, 0, 0]],
    [v2, "2d.chunked.U7", [1, 0], [1, 1], ["cc"]],
    [v2, "3d.chunked.i2", [1, 1, 1], [1, 1, 1], [13]],
    [v2, "3d.chunked.O", [0, 1, 0], [1, 1, 2], ["aaa", "aaaa"]],
    [v2, "3d.chunked.mixed.i2.C", [0, 0, 2], [3, 3, 1], [2, 5, 8, 11, 14, 17, 20, 23, 26]],
    [v3, "1d.chunked.ragged.i2", [2], [2], [5, 0]],
    [v3, "2d.chunked.ragged.i2", [1, 0], [2, 2], [7, 8, 0, 0]],
    [v3, "3d.chunked.mixed.i2.C", [0, 0, 1], [3, 3, 1], [1, 4, 7, 10, 13, 16, 19, 22, 25]],
    [v3, "1d.chunked.string.vlen", [1], [2], ["ccc", "dddd"]],
    [v3, "2d.chunked.string.vlen", [1, 0], [1, 2], ["foo", "bar"]],
    // The coordinates of sharded arrays are those of the inner chunks.
    [v3, "1d.chunked.compressed.sharded.i2", [2], [1], [3]],
    [v3, "1d.chunked.filled.compressed.sharded.i2", [1], [1], [2]],
    [v3, "1d.chunked.filled.compressed.sharded.i2", [3], [1], [0]],
    [v3, "2d.chunked.compressed.sharded.i2", [1, 2], [1, 1], [7]],
    [v3, "2d.chunked.compressed.sharded.i2", [3, 3], [1, 1], [16]],
    [v3, "2d.chunked.compressed.sharded.filled.i2", [2, 1], [1, 1], [9]],
    [v3, "3d.chunked.compressed.sharded.i2", [1, 3, 2], [1, 1, 1], [30]],
    [v3, "3d.chunked.mixed.compressed.sharded.i2", [0, 0, 2], [3, 3, 1], [2, 5, 8, 11, 14, 17, 20, 23, 26]],
  ];

  test("chunks by getChunk()", async () => {
    for (const [open, path, coords, shape, want] of chunks) {
      const array = await open(path);
      const chunk = await array.getChunk(coords);
      assert.deepEqual(values(chunk.data), want, `${path} ${coords}`);
      assert.deepEqual(chunk.shape, shape, `${path} ${coords}`);
      assert.deepEqual(array.chunks, shape, path);
    }
  });

  test("a sharded array without a checksum of its index", async () => {
    const shard = shardOf(Uint8Array.of(10, 20, 30, 40), 1);
    const codecs = [sharding([1], { index_location: "end" })];
    const map = documents({ "/zarr.json": arrayV3([4], "uint8", { codecs }) });
    map.set("/c/0", shard);
    const store = {
      get: async (key) => map.get(key),
      async getRange(key, { offset, length, suffixLength }) {
        return suffixLength ? map.get(key)?.slice(-suffixLength) : map.get(key)?.slice(offset, offset + length);
      },
    };
    const array = await zarr.open.v3(zarr.root(store), { kind: "array" });
    for (const [i, want] of [10, 20, 30, 40].entries()) {
      assert.deepEqual(await array.getChunk([i]), { data: Uint8Array.of(want), shape: [1], stride: [1] });
    }
  });

  test("versions and kinds", async () => {
    const array2 = arrayV2([4], "<i2", { chunks: [2] });
    const group3 = groupV3();
    const root = zarr.root(
      documents({
        "/v2/.zgroup": { zarr_format: 2 },
        "/v2/foo/.zarray": array2,
        "/v3/zarr.json": group3,
        "/v3/foo/zarr.json": meta(),
        "/both/.zgroup": { zarr_format: 2 },
        "/both/.zattrs": { from: 2 },
        "/both/zarr.json": { ...group3, attributes: { from: 3 } },
      }),
    );
    for (const version of ["v2", "v3"]) {
      for (const open of [zarr.open, zarr.open[version]]) {
        assert.equal((await open(root.resolve(version))).kind, "group");
        assert.equal((await open(root.resolve(version), { kind: "group" })).path, `/${version}`);
        assert.equal((await open(root.resolve(`${version}/foo`))).kind, "array");
        assert.equal((await open(root.resolve(`${version}/foo`), { kind: "array" })).dtype, "int16");
      }
    }
    assert.deepEqual((await zarr.open.v2(root.resolve("both"))).attrs, { from: 2 });
    assert.deepEqual((await zarr.open.v3(root.resolve("both"))).attrs, { from: 3 });
    const missing = (error) => zarr.isZarritaError(error, "NotFoundError");
    await assert.rejects(zarr.open.v3(root.resolve("v2"), { kind: "group" }), missing);
    await assert.rejects(zarr.open.v2(root.resolve("v3"), { kind: "group" }), missing);
    await assert.rejects(zarr.open.v2(root.resolve("not/a/group"), { kind: "group" }), missing);
    await assert.rejects(zarr.open(root.resolve("nothing")), missing);
    await assert.rejects(zarr.open.v3(root.resolve("v3"), { kind: "array" }), (error) => {
      assert.equal(error.found, "group");
      return missing(error);
    });
  });

  test("groups, attributes, paths", async () => {
    const store = files("v2");
    const group = await zarr.open(zarr.root(store), { kind: "group" });
    assert.equal(group.path, "/");
    assert.equal((await zarr.open(group.resolve("1d.chunked.i2"))).store, store);
    for (const path of ["/1d.chunked.i2", "1d.chunked.i2"]) {
      assert.equal((await zarr.open(group.resolve(path), { kind: "array" })).path, "/1d.chunked.i2");
    }
    assert.ok(group instanceof zarr.Group && group instanceof zarr.Location);
    assert.ok((await zarr.open(group.resolve("1d.chunked.i2"))) instanceof zarr.Array);
    const spaces = await zarr.open.v3(zarr.root(files("v3")).resolve("/my group with spaces"), { kind: "group" });
    assert.deepEqual(spaces.attrs, { description: "A group with spaces in the name" });
    const zipped = await zarr.open.v3(
      zarr.root(zip("v3/data.zipped_from_within.zarr.zip")).resolve("/my group with spaces"),
      {
        kind: "group",
      },
    );
    assert.deepEqual(zipped.attrs, spaces.attrs);
    assert.ok(zarr.root().store instanceof Map);
    assert.equal(zarr.root().path, "/");
    assert.equal(zarr.root(new Map()).resolve("a/b").resolve("../c").path, "/a/c");
  });

  test("fill values", async () => {
    for (const [written, want] of [
      ["NaN", Number.NaN],
      ["Infinity", Infinity],
      ["-Infinity", -Infinity],
      [1.5, 1.5],
      [null, null],
    ]) {
      const array = await zarr.open(
        documents({ "/.zarray": arrayV2([4], "<f4", { chunks: [2], fill_value: written }) }),
        { kind: "array" },
      );
      assert.deepEqual(array.fillValue, want);
    }
    for (const [data_type, type, want] of [
      ["uint64", BigUint64Array, 7n],
      ["int64", BigInt64Array, -7n],
      ["float32", Float32Array, 7],
    ]) {
      const array = await zarr.open(documents({ "/zarr.json": meta({ data_type, fill_value: Number(want) }) }), {
        kind: "array",
      });
      assert.deepEqual(
        await array.getChunk([0]),
        { data: type.of(want, want), shape: [2], stride: [1] },
        "of a missing chunk",
      );
      assert.equal(array.fillValue, want);
      assert.equal((await zarr.get(array, [zarr.slice(1, 4)])).data[2], want);
    }
  });

  test("selections", async () => {
    const array = await v2("3d.chunked.mixed.i2.C");
    const { slice } = zarr;
    const at = (i, j, k) => 9 * i + 3 * j + k;
    const pick = (is, js, ks) => is.flatMap((i) => js.flatMap((j) => ks.map((k) => at(i, j, k))));
    const all = [0, 1, 2];
    for (const [selection, shape, want] of [
      [null, [3, 3, 3], range(27)],
      [[null, null, null], [3, 3, 3], range(27)],
      [[0, null, null], [3, 3], pick([0], all, all)],
      [[null, 1, null], [3, 3], pick(all, [1], all)],
      [[null, null, -1], [3, 3], pick(all, all, [2])],
      [[slice(0, 2), slice(1, 3), slice(2)], [2, 2, 2], pick([0, 1], [1, 2], [0, 1])],
      [[slice(null), slice(null, null, 2), 1], [3, 2], pick(all, [0, 2], [1])],
      [[slice(-2, null), 0, slice(0, 100)], [2, 3], pick([1, 2], [0], all)],
      [[slice(1n, 3n), 0, null], [2, 3], pick([1, 2], [0], all)],
    ]) {
      const { data, shape: got } = await zarr.get(array, selection);
      assert.deepEqual([...data], want);
      assert.deepEqual(got, shape);
    }
    assert.equal(await zarr.get(array, [1, 2, 0]), at(1, 2, 0));
    assert.equal(await zarr.get(array, [-1, -2, -3]), at(2, 1, 0));
    const invalid = (error) => zarr.isZarritaError(error, "InvalidSelectionError");
    await assert.rejects(zarr.get(array, [3, null, null]), invalid);
    await assert.rejects(zarr.get(array, [-4, null, null]), invalid);
    await assert.rejects(zarr.get(array, [0, 0, 0, 0]), invalid);
    await assert.rejects(zarr.get(array, [slice(0, 1, 0), null, null]), invalid);
    assert.deepEqual(slice(5), { start: null, stop: 5, step: null });
    assert.deepEqual(slice(null), { start: null, stop: null, step: null });
    assert.deepEqual(slice(1n, 5n), { start: 1, stop: 5, step: null });
    assert.deepEqual(slice(1, 5, 2), { start: 1, stop: 5, step: 2 });
    assert.throws(() => slice(2n ** 60n), invalid);
  });

  test("an array of no dimensions is an element", async () => {
    const store = documents({
      "/zarr.json": meta({ shape: [], chunk_grid: { name: "regular", configuration: { chunk_shape: [] } } }),
    });
    store.set("/c", Uint8Array.of(9, 1));
    const array = await zarr.open(store, { kind: "array" });
    assert.equal(await zarr.get(array), 265);
    assert.deepEqual((await array.getChunk([])).data, Int16Array.of(265));
  });

  test("selections by dimension name", async () => {
    const store = documents({
      "/zarr.json": meta({
        shape: [3, 4],
        dimension_names: ["y", "x"],
        fill_value: 5,
        chunk_grid: { name: "regular", configuration: { chunk_shape: [3, 4] } },
      }),
    });
    const array = await zarr.open(store, { kind: "array" });
    assert.deepEqual(zarr.select(array, { x: zarr.slice(1, 3) }), [null, zarr.slice(1, 3)]);
    assert.deepEqual(zarr.select(array, { x: 0, y: 2 }), [2, 0]);
    assert.deepEqual((await zarr.get(array, zarr.select(array, { y: 0 }))).shape, [4]);
    const invalid = (error) => zarr.isZarritaError(error, "InvalidSelectionError");
    assert.throws(() => zarr.select(array, { z: 0 }), invalid);
    const unnamed = await zarr.open(documents({ "/zarr.json": meta() }), { kind: "array" });
    assert.throws(() => zarr.select(unnamed, { x: 0 }), invalid);
  });

  test("stores of @zarrita/storage", async () => {
    for (const [name, path, want] of [
      ["v2/data.zipped_from_within.zarr.zip", "1d.contiguous.blosc.i2", [1, 2, 3, 4]],
      ["v3/data.uncompressed.zarr.zip", "1d.chunked.compressed.sharded.i2", [1, 2, 3, 4]],
      ["v3/data.uncompressed.zarr.zip", "2d.chunked.compressed.sharded.i2", range(16, 1)],
    ]) {
      const array = await zarr.open(zarr.root(zip(name)).resolve(path), { kind: "array" });
      assert.deepEqual([...(await zarr.get(array)).data], want, name);
    }
    const spec = {
      ".zgroup": '{"zarr_format":2}',
      "a/.zarray": JSON.stringify(arrayV2([2], "|u1")),
      "a/0": "base64:BQY=",
    };
    const array = await zarr.open(zarr.root(await ReferenceStore.fromSpec(spec)).resolve("a"), { kind: "array" });
    assert.deepEqual([...(await zarr.get(array)).data], [5, 6]);
  });

  test("FetchStore", async () => {
    const server = await serve(fixtures);
    try {
      const store = new zarr.FetchStore(`${server.url}v3/data.zarr`);
      const array = await zarr.open(zarr.root(store).resolve("2d.chunked.compressed.sharded.i2"), { kind: "array" });
      assert.deepEqual([...(await zarr.get(array)).data], range(16, 1));
      assert.equal(String(store.url), `${server.url}v3/data.zarr`);
      assert.equal(await store.get("/nothing"), undefined);
      assert.deepEqual(
        await store.getRange("/1d.contiguous.raw.i2/c/0", { offset: 2, length: 4 }),
        Uint8Array.of(2, 0, 3, 0),
      );
      assert.deepEqual(await store.getRange("/1d.contiguous.raw.i2/c/0", { suffixLength: 2 }), Uint8Array.of(4, 0));
      const seen = [];
      const own = new zarr.FetchStore(`${server.url}v2/data.zarr`, {
        fetch: (request) => {
          seen.push(request.headers.get("x-key"));
          return fetch(request);
        },
        overrides: { headers: { "x-key": "secret" } },
      });
      const opened = await zarr.open.v2(zarr.root(own).resolve("1d.chunked.i2"), { kind: "array" });
      assert.deepEqual([...(await zarr.get(opened)).data], [1, 2, 3, 4]);
      assert.ok(seen.length > 2 && seen.every((key) => key === "secret"));
    } finally {
      server.close();
    }
  });

  test("signals", async () => {
    const array = await v3("1d.contiguous.raw.i2");
    const signal = AbortSignal.abort(new Error("aborted"));
    await assert.rejects(zarr.get(array, null, { signal }), /abort/);
    await assert.rejects(zarr.get(array, null, { opts: { signal } }), /abort/);
    await assert.rejects(zarr.get(array, null, { signal: new AbortController().signal, opts: { signal } }), /abort/);
    const controller = new AbortController();
    const store = {
      get: (key, { signal: theirs } = {}) =>
        key === "/zarr.json"
          ? json(meta())
          : new Promise((_, reject) => {
              theirs.addEventListener("abort", () => reject(theirs.reason));
              if (key.startsWith("/c/")) queueMicrotask(() => controller.abort(new Error("aborted meanwhile")));
            }),
    };
    const opened = await zarr.open.v3(zarr.root(store), { kind: "array" });
    await assert.rejects(zarr.get(opened, null, { signal: controller.signal }), /aborted meanwhile/);
  });

  test("errors", async () => {
    const { isZarritaError } = zarr;
    for (const other of [new Error("x"), "x", null, undefined, { _tag: "NotFoundError" }])
      assert.equal(isZarritaError(other), false);
    const caught = async (run) => {
      try {
        await run();
      } catch (error) {
        return error;
      }
      return assert.fail("no error");
    };
    const missing = await caught(() => zarr.open.v2(zarr.root(new Map()), { kind: "array" }));
    assert.equal(missing._tag, "NotFoundError");
    assert.equal(missing.name, "NotFoundError");
    assert.ok(missing instanceof zarr.NotFoundError && missing instanceof Error);
    assert.ok(isZarritaError(missing) && isZarritaError(missing, "InvalidMetadataError", "NotFoundError"));
    assert.ok(!isZarritaError(missing, "UnsupportedError"));
    const broken = await caught(() => zarr.open.v3(new Map([["/zarr.json", new TextEncoder().encode("{")]])));
    assert.ok(broken instanceof zarr.InvalidMetadataError);
    const codecs = [...meta().codecs, { name: "exotic", configuration: {} }];
    const unknown = await caught(async () => {
      const store = documents({ "/zarr.json": meta({ codecs }) });
      store.set("/c/0", Uint8Array.of(1, 2, 3, 4));
      await zarr.get(await zarr.open(store, { kind: "array" }));
    });
    assert.ok(unknown instanceof zarr.UnknownCodecError);
    assert.equal(unknown.codec, "exotic");
    const damaged = await caught(async () => {
      const store = documents({
        "/zarr.json": meta({ codecs: [...meta().codecs, { name: "gzip", configuration: { level: 5 } }] }),
      });
      store.set("/c/0", Uint8Array.of(1, 2, 3));
      await zarr.get(await zarr.open(store, { kind: "array" }));
    });
    assert.ok(damaged instanceof zarr.CodecPipelineError);
    assert.equal(damaged.codec, "gzip");
    assert.equal(damaged.direction, "decode");
    assert.ok(damaged.cause === undefined || damaged.cause instanceof Error);
  });

  test("consolidated metadata", async () => {
    const consolidated = new FileSystemStore(`${fixtures}v3/data.zarr/consolidated`);
    const listed = (store) => Object.fromEntries(store.contents().map(({ path, kind }) => [path, kind]));
    const want = {
      "/": "group",
      "/1d.chunked.i2": "array",
      "/2d.contiguous.i2": "array",
      "/nested": "group",
      "/nested/1d.i2": "array",
    };
    for (const options of [{ format: "v3" }, { format: ["v3", "v2"] }, {}, undefined]) {
      assert.deepEqual(listed(await zarr.withConsolidatedMetadata(consolidated, options)), want);
      assert.deepEqual(listed(await zarr.withMaybeConsolidatedMetadata(consolidated, options)), want);
    }
    const store = await zarr.withConsolidatedMetadata(consolidated, { format: "v3" });
    const group = await zarr.open(store, { kind: "group" });
    assert.deepEqual(group.attrs, { answer: 42 });
    const array = await zarr.open(group.resolve("1d.chunked.i2"), { kind: "array" });
    assert.deepEqual((await array.getChunk([0])).data, Int16Array.of(1, 2));
    assert.equal(JSON.parse(new TextDecoder().decode(await store.get("/nested/1d.i2/zarr.json"))).node_type, "array");
    await assert.rejects(zarr.withConsolidatedMetadata(files("v2"), { format: "v3" }), zarr.NotFoundError);
    await assert.rejects(zarr.withConsolidatedMetadata(files("v3"), { format: "v3" }), zarr.InvalidMetadataError);
    const plain = new Map();
    assert.equal(await zarr.withMaybeConsolidatedMetadata(plain), plain);

    const array2 = arrayV2([4], "<i8", { chunks: [2], fill_value: 1 });
    const inV2 = {
      ".zgroup": { zarr_format: 2 },
      ".zattrs": { a: 1 },
      "x/.zarray": array2,
      "x/.zattrs": { b: 2 },
      "g/.zgroup": { zarr_format: 2 },
    };
    const asked = [];
    const backing = (key, name) => ({
      get: async (at) => {
        asked.push(at);
        if (at === "/.zgroup") return json({ zarr_format: 2 });
        return at === key
          ? json({ zarr_consolidated_format: 1, metadata: inV2 })
          : name === at
            ? new Uint8Array(16)
            : undefined;
      },
    });
    for (const [key, options] of [
      ["/.zmetadata", {}],
      ["/.zmetadata", { format: "v2" }],
      ["/other", { format: "v2", metadataKey: "other" }],
    ]) {
      const two = await zarr.withConsolidatedMetadata(backing(key), options);
      assert.deepEqual(listed(two), { "/": "group", "/x": "array", "/g": "group" });
      const x = await zarr.open(zarr.root(two).resolve("x"), { kind: "array" });
      assert.deepEqual([x.attrs, x.fillValue], [{ b: 2 }, 1n]);
      assert.deepEqual((await zarr.get(x)).data, BigInt64Array.of(1n, 1n, 1n, 1n));
      assert.ok(!("getRange" in two));
    }
    const maybe = backing("/.zmetadata");
    assert.equal(await zarr.withMaybeConsolidatedMetadata(maybe, { format: "v2", metadataKey: ".nonexistent" }), maybe);
    assert.ok("getRange" in (await zarr.withMaybeConsolidatedMetadata(consolidated)));
  });

  test("store extensions", async () => {
    const keys = [];
    const withLog = zarr.defineStoreExtension((store, { tag }) => ({
      get(key, options) {
        keys.push(`${tag}${key}`);
        return store.get(key, options);
      },
      tag: () => tag,
    }));
    const later = zarr.defineStoreExtension(async () => ({ late: true }));
    const store = await zarr.extendStore(
      files("v2"),
      (s) => withLog(s, { tag: "a" }),
      (s) => later(s),
      (s) => withLog(s, { tag: "b" }),
    );
    assert.equal(store.tag(), "b");
    assert.equal(store.late, true);
    assert.ok(store instanceof FileSystemStore && "getRange" in store);
    const array = await zarr.open.v2(zarr.root(store).resolve("1d.chunked.i2"), { kind: "array" });
    assert.deepEqual([...(await zarr.get(array)).data], [1, 2, 3, 4]);
    for (const key of ["b/1d.chunked.i2/.zarray", "a/1d.chunked.i2/0", "b/1d.chunked.i2/1"])
      assert.ok(keys.includes(key), key);
    const plain = zarr.extendStore(new Map([["/x", Uint8Array.of(1)]]), (s) => withLog(s, { tag: "c" }));
    assert.ok(!(plain instanceof Promise));
    assert.deepEqual(plain.get("/x"), Uint8Array.of(1));
    assert.equal(zarr.extendStore(plain), plain);
    assert.throws(() => zarr.defineStoreExtension(() => null)(new Map()));
  });

  test("array extensions", async () => {
    const coords = [];
    const doubled = zarr.defineArrayExtension((array, { by }) => ({
      async getChunk(at, options) {
        coords.push(at.join());
        const chunk = await array.getChunk(at, options);
        return { ...chunk, data: chunk.data.map((v) => v * by) };
      },
      by,
    }));
    const array = await v2("2d.chunked.ragged.i2");
    const twice = await zarr.extendArray(array, (a) => doubled(a, { by: 2 }));
    assert.equal(twice.by, 2);
    assert.deepEqual([twice.shape, twice.dtype, twice.path], [[3, 3], "int16", "/2d.chunked.ragged.i2"]);
    assert.deepEqual(
      [...(await zarr.get(twice)).data],
      range(9, 1).map((v) => 2 * v),
    );
    assert.deepEqual(coords.splice(0).sort(), ["0,0", "0,1", "1,0", "1,1"]);
    const column = await zarr.get(twice, [zarr.slice(0, 3, 2), -1]);
    assert.deepEqual([[...column.data], column.shape], [[6, 18], [2]]);
    assert.equal(await zarr.get(twice, [1, 1]), 10);
    const carried = zarr.defineStoreExtension(() => ({ arrayExtensions: [(a) => doubled(a, { by: 3 })] }));
    const store = carried(carried(files("v2")));
    const opened = await zarr.open(zarr.root(store).resolve("1d.chunked.i2"), { kind: "array" });
    assert.deepEqual([...(await zarr.get(opened)).data], [9, 18, 27, 36]);
  });

  test("members of extensions are looked up at each access", async () => {
    let n = 0;
    const counting = {};
    Object.defineProperty(counting, "now", { get: () => ++n, enumerable: true });
    const array = zarr.defineArrayExtension(() => counting)(await v2("1d.chunked.i2"));
    const store = zarr.defineStoreExtension(() => counting)(new Map());
    assert.deepEqual([array.now, array.now, store.now, store.now], [1, 2, 3, 4]);
    counting.later = "there";
    assert.deepEqual([array.later, store.later, "later" in array], ["there", "there", true]);
    // This includes members that an object inherits from its class.
    class Doubling {
      #by = 2;
      constructor(array) {
        this.array = array;
      }
      get factor() {
        return this.#by;
      }
    }
    Doubling.prototype.getChunk = async function (at, options) {
      const chunk = await this.array.getChunk(at, options);
      return { ...chunk, data: chunk.data.map((v) => 2 * v) };
    };
    const inner = await v2("1d.chunked.i2");
    const doubled = zarr.defineArrayExtension((array) => new Doubling(array))(inner);
    assert.equal(doubled.factor, 2);
    assert.deepEqual([...(await doubled.getChunk([0])).data], [2, 4]);
    assert.deepEqual([...(await zarr.get(doubled)).data], [2, 4, 6, 8]);
  });

  test("options of getChunk come to the store", async () => {
    const inner = documents({ "/zarr.json": meta() });
    inner.set("/c/0", Uint8Array.of(1, 0, 2, 0));
    const seen = [];
    const store = {
      get: async (key, options) => {
        seen.push([key, options?.subscriber, options?.signal instanceof AbortSignal]);
        return inner.get(key);
      },
    };
    const array = await zarr.open.v3(store, { kind: "array" });
    seen.length = 0;
    const { signal } = new AbortController();
    const chunks = await Promise.all([
      array.getChunk([0], { subscriber: "a", signal }),
      array.getChunk([1], { subscriber: "b", signal }),
    ]);
    assert.deepEqual(
      chunks.map(({ data }) => [...data]),
      [
        [1, 2],
        [0, 0],
      ],
    );
    assert.deepEqual(seen.sort(), [
      ["/c/0", "a", true],
      ["/c/1", "b", true],
    ]);
    // Through extensions of both kinds, and a shard by ranges.
    const marked = zarr.defineArrayExtension((array) => ({
      getChunk: (at, options) => array.getChunk(at, { ...options, subscriber: "extension" }),
    }));
    const passed = [];
    const files3 = files("v3");
    const logging = zarr.defineStoreExtension((store) => ({
      get(key, options) {
        if (key.includes("/c/")) passed.push(options?.subscriber);
        return store.get(key, options);
      },
      getRange(key, range, options) {
        passed.push(options?.subscriber);
        return store.getRange(key, range, options);
      },
    }));
    const sharded = await zarr.open.v3(zarr.root(logging(files3)).resolve("3d.chunked.compressed.sharded.i2"), {
      kind: "array",
    });
    await marked(sharded).getChunk([0, 0, 0]);
    assert.ok(passed.length > 0 && passed.every((subscriber) => subscriber === "extension"), String(passed));
  });

  test("FetchStore's get and getRange take settings of a request, and may be replaced", async () => {
    const asked = [];
    const fetch = async (request) => {
      asked.push([request.headers.get("x-mark"), request.headers.get("range"), request.cache]);
      return new Response(Uint8Array.of(1, 2), { status: request.headers.has("range") ? 206 : 200 });
    };
    const store = new zarr.FetchStore("http://127.0.0.1:1/a", { fetch });
    await store.get("/x", { headers: { "X-Mark": "1" }, cache: "no-store" });
    await store.getRange("/x", { offset: 3, length: 2 }, { headers: { "X-Mark": "2" } });
    await store.get("/x");
    assert.deepEqual(asked, [
      ["1", null, "no-store"],
      ["2", "bytes=3-4", "default"],
      [null, null, "default"],
    ]);
    const inner = documents({ "/zarr.json": meta() });
    inner.set("/c/0", Uint8Array.of(1, 0, 2, 0));
    class Own extends zarr.FetchStore {
      async get(key, options) {
        asked.push(options?.subscriber);
        return inner.get(key);
      }
    }
    asked.length = 0;
    const patched = new zarr.FetchStore("http://127.0.0.1:1/b");
    patched.get = Own.prototype.get;
    for (const replaced of [new Own("http://127.0.0.1:1/a"), patched]) {
      const array = await zarr.open.v3(replaced, { kind: "array" });
      assert.deepEqual([...(await array.getChunk([0], { subscriber: "me" })).data], [1, 2]);
    }
    assert.equal(asked.filter((subscriber) => subscriber === "me").length, 2);
    // The caller's fetch receives the settings of a request, too.
    const heard = [];
    const own = new zarr.FetchStore("http://127.0.0.1:1/c", {
      fetch: async (request) => {
        heard.push(request.headers.get("x-mark"));
        const bytes = inner.get(new URL(request.url).pathname.slice(2));
        return bytes ? new Response(bytes) : new Response(null, { status: 404 });
      },
    });
    const array = await zarr.open.v3(own, { kind: "array" });
    assert.deepEqual([...(await array.getChunk([0], { headers: { "X-Mark": "3" } })).data], [1, 2]);
    assert.equal(heard.at(-1), "3");
  });

  test("the registry lists what can be decoded", async () => {
    for (const name of "blosc lz4 zstd gzip zlib transpose bytes crc32c vlen-utf8 json2 bitround cast_value".split(
      " ",
    )) {
      assert.ok(zarr.registry.has(name), name);
    }
    for (const name of "blosc lz4 zstd gzip zlib vlen-utf8 shuffle delta bitround json2".split(" ")) {
      assert.ok([...zarr.registry.keys()].includes(`numcodecs.${name}`), name);
    }
    assert.ok([...zarr.registry].every(([name, make]) => typeof name === "string" && typeof make === "function"));
    assert.ok(zarr.registry instanceof Map && !zarr.registry.has("test.nothing"));
    // An alias of an entry does no harm.
    zarr.registry.set("numcodecs.zlib", zarr.registry.get("zlib"));
    assert.deepEqual([...(await zarr.get(await v2("1d.contiguous.zlib.i2"))).data], [1, 2, 3, 4]);
  });

  /** A store that records its requests. */
  function recorded() {
    const asked = { get: 0, getRange: 0 };
    return {
      asked,
      get: async (key) => {
        asked.get++;
        return key === "/missing" ? undefined : Uint8Array.of(1, 2, 3);
      },
      getRange: async (key, { offset = 0, length, suffixLength = length }) => {
        asked.getRange++;
        return key === "/missing" ? undefined : Uint8Array.from({ length: suffixLength }, (_, i) => offset + i);
      },
    };
  }

  test("byte caching", async () => {
    for (const cache of [undefined, new Map()]) {
      const inner = recorded();
      const store = zarr.withByteCaching(inner, cache && { cache });
      const read = async () => [
        await store.get("/a"),
        await store.getRange("/a", { offset: 0, length: 10 }),
        await store.getRange("/a", { offset: 5, length: 10 }),
        await store.getRange("/a", { suffixLength: 3 }),
        await store.get("/missing"),
      ];
      assert.deepEqual(await read(), await read());
      assert.deepEqual(inner.asked, { get: 2, getRange: 3 });
      if (cache) assert.equal(cache.size, 5);
    }
    const inner = recorded();
    const store = zarr.withByteCaching(inner, {
      keyFor: (path, range) => (range || !path.endsWith(".json") ? undefined : path),
    });
    for (const key of ["/m.json", "/m.json", "/data", "/data"]) await store.get(key);
    for (let i = 0; i < 2; i++) await store.getRange("/m.json", { offset: 0, length: 1 });
    assert.deepEqual(inner.asked, { get: 3, getRange: 2 });
    const cache = new Map();
    await zarr.withByteCaching(inner, { cache }).get("/shared");
    const second = recorded();
    await zarr.withByteCaching(second, { cache }).get("/shared");
    assert.equal(second.asked.get, 0);
    const kept = new Map();
    const array = await zarr.open.v2(
      zarr.root(zarr.withByteCaching(files("v2"), { cache: kept })).resolve("1d.chunked.i2"),
      { kind: "array" },
    );
    await zarr.get(array);
    assert.ok(kept.has("/1d.chunked.i2/0") && kept.has("/1d.chunked.i2/.zarray"));
    assert.deepEqual([...(await zarr.get(array)).data], [1, 2, 3, 4], "what is cached stays whole");
  });

  test("range coalescing", async () => {
    const inner = recorded();
    const reports = [];
    const store = zarr.withRangeCoalescing(inner, { coalesceSize: 10, onFlush: (report) => reports.push(report) });
    const got = await Promise.all([
      store.getRange("/a", { offset: 20, length: 2 }),
      store.getRange("/a", { offset: 0, length: 5 }),
      store.getRange("/a", { offset: 100, length: 1 }),
      store.getRange("/b", { offset: 7, length: 1 }),
      store.getRange("/a", { offset: 12, length: 3 }),
      store.getRange("/missing", { offset: 0, length: 3 }),
    ]);
    assert.deepEqual(
      got.map((bytes) => bytes && [...bytes]),
      [[20, 21], [0, 1, 2, 3, 4], [100], [7], [12, 13, 14], undefined],
    );
    assert.equal(inner.asked.getRange, 4);
    assert.deepEqual(reports, [
      { path: "/a", groupCount: 2, requestCount: 4, bytesFetched: 23 },
      { path: "/b", groupCount: 1, requestCount: 1, bytesFetched: 1 },
      { path: "/missing", groupCount: 1, requestCount: 1, bytesFetched: 3 },
    ]);
    assert.deepEqual([...(await store.getRange("/a", { suffixLength: 2 }))], [0, 1]);
    assert.equal(reports.length, 3);
    const failing = zarr.withRangeCoalescing({
      get: () => undefined,
      getRange: () => Promise.reject(new Error("down")),
    });
    const both = [0, 5].map((offset) => failing.getRange("/a", { offset, length: 1 }));
    for (const one of both) await assert.rejects(one, /down/);
    const short = zarr.withRangeCoalescing({ get: () => undefined, getRange: async () => new Uint8Array(1) });
    await assert.rejects(short.getRange("/a", { offset: 0, length: 5 }));
    assert.throws(() => zarr.withRangeCoalescing(new Map()), zarr.UnsupportedError);
  });

  test("codecs of the page's own", async () => {
    const xor = (key) => (bytes) => bytes.map((b) => b ^ key);
    zarr.registry.set("test.xor", async () => ({
      fromConfig: ({ key }) => ({ kind: "bytes_to_bytes", decode: xor(key), encode: xor(key) }),
    }));
    zarr.registry.set("numcodecs.test-xor", async () => ({
      fromConfig: ({ key }) => ({ kind: "bytes_to_bytes", decode: xor(key) }),
    }));
    zarr.registry.set("test.text", () => ({
      kind: "array_to_bytes",
      fromConfig: (_, { dataType, shape }) => ({
        kind: "array_to_bytes",
        decode(bytes) {
          assert.equal(dataType, "int16");
          return { data: Int16Array.from(new TextDecoder().decode(bytes).split(","), Number), shape, stride: [1] };
        },
      }),
    }));
    try {
      const store = documents({
        "/v3/zarr.json": meta({ codecs: [...meta().codecs, { name: "test.xor", configuration: { key: 3 } }] }),
        "/text/zarr.json": meta({ codecs: [{ name: "test.text", configuration: {} }] }),
        "/v2/.zarray": {
          zarr_format: 2,
          chunks: [2],
          shape: [4],
          compressor: { id: "test-xor", key: 3 },
          dtype: "<i2",
          fill_value: 0,
          filters: null,
          order: "C",
        },
      });
      for (const key of ["/v3/c/0", "/v2/0"]) store.set(key, xor(3)(Uint8Array.of(1, 0, 2, 0)));
      for (const key of ["/v3/c/1", "/v2/1"]) store.set(key, xor(3)(Uint8Array.of(3, 0, 4, 0)));
      store.set("/text/c/0", new TextEncoder().encode("1,2"));
      store.set("/text/c/1", new TextEncoder().encode("3,4"));
      for (const path of ["v3", "v2", "text"]) {
        const array = await zarr.open(zarr.root(store).resolve(path), { kind: "array" });
        assert.deepEqual((await zarr.get(array)).data, Int16Array.of(1, 2, 3, 4), path);
      }
    } finally {
      for (const name of ["test.xor", "numcodecs.test-xor", "test.text"]) zarr.registry.delete(name);
    }
  });

  test("SharedArrayBuffer", async () => {
    const array = await v2("2d.chunked.ragged.i2");
    const { data, shape } = await zarr.get(array, null, { useSharedArrayBuffer: true });
    assert.ok(data.buffer instanceof SharedArrayBuffer);
    assert.deepEqual([[...data], shape], [range(9, 1), [3, 3]]);
    const chunk = await array.getChunk(
      [9, 9].map(() => 0),
      {},
      { useSharedArrayBuffer: true },
    );
    assert.deepEqual([...chunk.data], [1, 2, 4, 5]);
  });

  test("random selections of random arrays", async () => {
    const pick = random(7);
    for (let run = 0; run < 60; run++) {
      const shape = range(1 + pick(3)).map(() => 1 + pick(6));
      const chunk = shape.map((n) => 1 + pick(n));
      const size = shape.reduce((a, b) => a * b, 1);
      // zarrita writes, and both packages read.
      const store = new Map();
      const written = await zarrita.create(zarrita.root(store), {
        shape,
        chunkShape: chunk,
        dtype: "int32",
        codecs: [
          { name: "transpose", configuration: { order: shape.map((_, d) => shape.length - 1 - d) } },
          ...meta().codecs,
        ],
      });
      const stride = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
      await zarrita.set(written, null, { data: Int32Array.from(range(size)), shape, stride });
      const array = await zarr.open(store, { kind: "array" });
      for (let k = 0; k < 5; k++) {
        const selection = shape.map((n) => {
          if (pick(10) < 4) return pick(n);
          if (pick(10) < 4) return null;
          const start = pick(n);
          return zarr.slice(start, start + 1 + pick(n - start), 1 + pick(2));
        });
        const lists = selection.map((s, d) => {
          if (typeof s === "number") return [s];
          return range(shape[d]).filter((i) => !s || (i >= s.start && i < s.stop && (i - s.start) % s.step === 0));
        });
        const want = lists.reduce((sums, list, d) => sums.flatMap((sum) => list.map((i) => sum + i * stride[d])), [0]);
        const got = await zarr.get(array, selection);
        if (typeof got === "number") {
          assert.deepEqual([got], want);
          continue;
        }
        const places = got.shape.reduce(
          (all, n, d) => all.flatMap((p) => range(n).map((i) => p + i * got.stride[d])),
          [0],
        );
        assert.deepEqual(
          places.map((p) => got.data[p]),
          want,
          JSON.stringify({ shape, chunk, selection }),
        );
      }
    }
  });
}
