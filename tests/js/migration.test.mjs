// Tests what docs/start/migrating.md says about zarrita's programs. The package exports all of
// zarrita's names, types included. All fixtures that zarrita can open are the same here: their
// properties, and their values whole and by chunk. The exceptions are the page's headings of the
// third level: each is the title of a test, and vice versa.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { FileSystemStore, ZipFileStore } from "@zarrita/storage";
import { build } from "esbuild";
import { API } from "typescript/unstable/sync";
import * as zarrita from "zarrita";
import * as zarr from "../../dist/node.js";
import { arrayV2, arrayV3, json } from "../lib/documents.mjs";
import { listen, top } from "../lib/serve.mjs";

const allFixtures = `${top}build/fixtures`;
const fixtures = `${top}build/fixtures/public/manzt+zarrita.js/fixtures/`;
const meta = (more = {}) => arrayV3([4], "int16", { chunks: [2], ...more });

/** A store of one array with two chunks. */
function store(more, chunks = { "/c/0": [1, 0, 2, 0], "/c/1": [3, 0, 4, 0] }) {
  const map = new Map([["/zarr.json", json(meta(more))]]);
  for (const [key, bytes] of Object.entries(chunks)) map.set(key, Uint8Array.from(bytes));
  return map;
}

/** Opens the same array with both packages. */
async function both(more, chunks) {
  return Promise.all([zarr, zarrita].map((lib) => lib.open(store(more, chunks), { kind: "array" })));
}

async function fixture(path) {
  const root = new FileSystemStore(`${fixtures}${path.split("/")[0]}/data.zarr`);
  return Promise.all([zarr, zarrita].map((lib) => lib.open(lib.root(root).resolve(path.slice(3)), { kind: "array" })));
}

const is =
  (...tags) =>
  (error) =>
    zarr.isZarrError(error, ...tags);

const plainError = (error) => error.constructor === Error;

after(() => zarr.terminate());

const differences = {
  async "Nodes are opened, not constructed"() {
    const [ours] = await both();
    assert.ok(ours instanceof zarr.Array && ours instanceof zarr.Location);
    assert.equal(new zarr.Location(new Map(), "/a").resolve("b").path, "/a/b");
    assert.throws(() => new zarr.Array(new Map(), "/", meta()));
    assert.equal(new zarrita.Array(new Map(), "/", meta()).shape[0], 4);
  },

  "zarrita's internals are not exported"() {
    const missing = Object.keys(zarrita).filter((name) => !(name in zarr));
    assert.ok(missing.length > 0);
    assert.deepEqual(
      missing.filter((name) => !name.startsWith("_")),
      [],
    );
  },

  "Names from before zarrita 0.7"() {
    assert.equal(zarr.NodeNotFoundError, zarr.NotFoundError);
    assert.equal(zarr.KeyError, zarr.NotFoundError);
    assert.ok(
      !("NodeNotFoundError" in zarrita) && !("tryWithConsolidated" in zarr) && !("tryWithConsolidated" in zarrita),
    );
  },

  async "The caller's queue of chunks is not used"() {
    for (const [i, array] of (await both()).entries()) {
      let added = 0;
      const running = [];
      const createQueue = () => ({
        add(run) {
          added++;
          running.push(run());
        },
        onIdle: () => Promise.all(running),
      });
      const { data } = await [zarr, zarrita][i].get(array, null, { createQueue });
      assert.deepEqual([[...data], added], [[1, 2, 3, 4], i === 0 ? 0 : 2]);
    }
  },

  async "Engine codecs in the registry cannot be called"() {
    const own = [...zarr.registry];
    for (const name of zarrita.registry.keys()) assert.ok(zarr.registry.has(name), name);
    for (const [, make] of own) assert.throws(make, is("UnsupportedError"));
    assert.equal(typeof (await zarrita.registry.get("gzip")()).fromConfig, "function");
    const negate = { name: "test.negate", configuration: {} };
    zarr.registry.set("test.negate", () => ({
      fromConfig: () => ({
        kind: "array_to_array",
        decode: (chunk) => ({ ...chunk, data: chunk.data.map((v) => -v) }),
      }),
    }));
    zarr.registry.set("bytes", () => ({
      fromConfig: (_, { shape }) => ({
        kind: "array_to_bytes",
        decode: () => ({ data: Int16Array.of(5, 6), shape, stride: [1] }),
      }),
    }));
    try {
      const array = await zarr.open(store({ codecs: [negate, ...meta().codecs] }), { kind: "array" });
      assert.deepEqual([...(await array.get()).data], [-5, -6, -5, -6]);
    } finally {
      zarr.registry.clear();
      for (const [name, make] of own) zarr.registry.set(name, make);
    }
    const array = await zarr.open(store(), { kind: "array" });
    assert.deepEqual([...(await array.get()).data], [1, 2, 3, 4]);
  },

  async "Data is in C order always"() {
    const [ours, theirs] = await fixture("v2/3d.chunked.mixed.i2.F");
    const c = Array.from({ length: 27 }, (_, i) => i);
    const a = await zarr.get(ours);
    const b = await zarrita.get(theirs);
    assert.deepEqual([[...a.data], a.stride], [c, [9, 3, 1]]);
    assert.deepEqual(b.stride, [1, 3, 9]);
    const at = ({ data, stride }, i, j, k) => data[i * stride[0] + j * stride[1] + k * stride[2]];
    assert.equal(at(a, 2, 1, 0), at(b, 2, 1, 0));
  },

  async "Booleans are bytes"() {
    const [a, b] = await Promise.all((await fixture("v2/1d.contiguous.b1")).map((array) => array.getChunk([0])));
    assert.ok(a.data instanceof Uint8Array && !(b.data instanceof Uint8Array));
    assert.deepEqual([a.data[0], a.data[1], b.data[0]], [1, 0, undefined]);
    assert.deepEqual([...a.data], [true, false, true, false]);
    assert.deepEqual(Array.from(a.data, String), Array.from(b.data, String));
    for (const i of [0, 1]) assert.equal(a.data.get(i), b.data.get(i));
  },

  async "Strings are arrays of strings"() {
    const [a, b] = await Promise.all((await fixture("v2/1d.contiguous.U7")).map((array) => array.getChunk([0])));
    assert.ok(Array.isArray(a.data) && !Array.isArray(b.data));
    assert.deepEqual([a.data[2], a.data.get(2), b.data[2], b.data.get(2)], ["cc", "cc", undefined, "cc"]);
    assert.ok(!("buffer" in a.data) && !("chars" in a.data) && b.data.buffer && b.data.chars);
  },

  async "Many strings are created on access"() {
    for (const [n, lazy] of [
      [16_384, false],
      [16_385, true],
    ]) {
      const source = new Map([
        ["/.zarray", json(arrayV2([n], "|S2", { fill_value: "" }))],
        ["/0", new Uint8Array(2 * n).fill(0x61)],
      ]);
      const { data } = await (await zarr.open.v2(source, { kind: "array" })).getChunk([0]);
      assert.ok(Array.isArray(data) && data.length === n && data[n - 1] === "aa" && data.every((s) => s === "aa"));
      data[1] = "b";
      assert.deepEqual([data[0], data[1], data.indexOf("b"), JSON.stringify(data).length], ["aa", "b", 1, 5 * n]);
      if (lazy) assert.throws(() => structuredClone(data), { name: "DataCloneError" });
      assert.equal(structuredClone(lazy ? Array.from(data) : data)[1], "b");
      const theirs = await (await zarrita.open.v2(source, { kind: "array" })).getChunk([0]);
      assert.equal(theirs.data.get(n - 1), "aa");
    }
  },

  async "Byte strings that are not UTF-8 are Latin-1"() {
    const document = { zarr_format: 2, shape: [2], chunks: [2], dtype: "|S1", compressor: null, filters: null };
    const source = new Map([
      ["/.zarray", json(document)],
      ["/0", Uint8Array.of(0xe9, 0xe8)],
    ]);
    const [a, b] = await Promise.all(
      [zarr, zarrita].map(async (lib) => (await lib.open.v2(source, { kind: "array" })).getChunk([0])),
    );
    assert.deepEqual([a.data.get(0), a.data.get(1)], ["\u00e9", "\u00e8"]);
    assert.deepEqual([b.data.get(0), b.data.get(1)], ["\ufffd", "\ufffd"]);
  },

  async "Objects of several dimensions are elements"() {
    const source = new Map([
      ["/.zarray", json(arrayV2([2, 2], "|O", { filters: [{ id: "json2" }], fill_value: null }))],
      ["/0.0", json([["a", "b"], ["c", "d"], "|O", [2, 2]])],
    ]);
    const [a, b] = await Promise.all(
      [zarr, zarrita].map(async (lib) => (await lib.open.v2(source, { kind: "array" })).getChunk([0, 0])),
    );
    assert.deepEqual(a.data, ["a", "b", "c", "d"]);
    assert.notDeepEqual(b.data, a.data);
  },

  async "Bytes of text have no order"() {
    const texts = async (lib, dtype) => {
      const map = new Map([["/0", new TextEncoder().encode("abcd")]]);
      map.set("/.zarray", json(arrayV2([4], dtype, { fill_value: "" })));
      return [...(await (await lib.open.v2(map, { kind: "array" })).getChunk([0])).data].join("");
    };
    assert.deepEqual([await texts(zarr, ">S1"), await texts(zarrita, "|S1")], ["abcd", "abcd"]);
    assert.equal(await texts(zarrita, ">S1"), "dcba");
  },

  async "Codecs honour their whole configuration"() {
    const delta = { name: "numcodecs.delta", configuration: { dtype: "<i2", astype: "|i1" } };
    const more = { codecs: [delta, ...meta().codecs], shape: [2] };
    for (const [i, array] of (await both(more, { "/c/0": [5, 1] })).entries()) {
      const read = array.getChunk([0]).then(({ data }) => [...data]);
      if (i === 0) assert.deepEqual(await read, [5, 6]);
      else assert.notDeepEqual(await read.catch(() => "no data"), [5, 6]);
    }
  },

  async "Integers in attributes are exact"() {
    const text = JSON.stringify(meta({ attributes: { big: 0 } })).replace('"big":0', '"big":9007199254740993');
    const source = new Map([["/zarr.json", new TextEncoder().encode(text)]]);
    assert.equal((await zarr.open(source)).attrs.big, 9007199254740993n);
    assert.equal((await zarrita.open(source)).attrs.big, 9007199254740992);
  },

  async "Half floats need no support of the platform"() {
    const known = globalThis.Float16Array;
    globalThis.Float16Array = undefined;
    try {
      const source = () => store({ data_type: "float16" }, { "/c/0": [0, 0x3c, 0, 0xc0] });
      const { data } = await (await zarr.open(source(), { kind: "array" })).getChunk([0]);
      assert.deepEqual(data, Float32Array.of(1, -2));
      await assert.rejects(zarrita.open(source(), { kind: "array" }));
    } finally {
      if (known) globalThis.Float16Array = known;
      else delete globalThis.Float16Array;
    }
  },

  async "Fill values are exact"() {
    const text = (value, type) =>
      new Map([
        [
          "/zarr.json",
          new TextEncoder().encode(
            JSON.stringify(meta({ data_type: type, fill_value: "FILL" })).replace('"FILL"', value),
          ),
        ],
      ]);
    const fill = async (lib, value, type) => (await lib.open(text(value, type), { kind: "array" })).fillValue;
    assert.equal(await fill(zarr, "9223372036854775807", "int64"), 2n ** 63n - 1n);
    assert.notEqual(await fill(zarrita, "9223372036854775807", "int64"), 2n ** 63n - 1n);
    assert.equal(await fill(zarr, '"0x40490fdb"', "float32"), Math.fround(Math.PI));
    assert.notEqual(await fill(zarrita, '"0x40490fdb"', "float32"), Math.fround(Math.PI));
    for (const type of ["float32", "int32"])
      for (const lib of [zarr, zarrita]) assert.equal(await fill(lib, "null", type), null);
    assert.equal(await fill(zarr, "0.1", "float32"), Math.fround(0.1));
    assert.equal(await fill(zarrita, "0.1", "float32"), 0.1);
    for (const [dtype, fill_value, ours] of [
      ["|b1", 1, true],
      ["|S3", "YWI=", "ab"],
    ]) {
      const source = new Map([["/.zarray", json(arrayV2([1], dtype, { fill_value }))]]);
      assert.equal((await zarr.open(source, { kind: "array" })).fillValue, ours);
      assert.equal((await zarrita.open.v2(source, { kind: "array" })).fillValue, fill_value);
    }
    const filters = [{ id: "vlen-utf8" }];
    const absent = new Map([["/.zarray", json(arrayV2([1], "|O", { filters, fill_value: null }))]]);
    assert.equal(await zarr.get(await zarr.open(absent, { kind: "array" }), [0]), "");
    assert.equal(await zarrita.get(await zarrita.open.v2(absent, { kind: "array" }), [0]), null);
  },

  async "Short selections are padded"() {
    const [ours, theirs] = await fixture("v2/2d.contiguous.i2");
    assert.deepEqual([...(await zarr.get(ours, [1])).data], [3, 4]);
    assert.equal(await zarrita.get(theirs, [1]), 0);
  },

  async "Selections take more"() {
    const [ours, theirs] = await fixture("v2/2d.chunked.ragged.i2");
    for (const [selection, want] of [
      [
        [zarr.slice(null, null, -2), 0],
        [7, 1],
      ],
      [
        ["...", 1],
        [2, 5, 8],
      ],
      [
        [
          [2, 0],
          [0, 1],
        ],
        [7, 8, 1, 2],
      ],
      [
        [[true, false, true], 0],
        [1, 7],
      ],
    ]) {
      assert.deepEqual([...(await zarr.get(ours, selection)).data], want);
      await assert.rejects(zarrita.get(theirs, selection));
    }
  },

  async "Empty selections give empty results"() {
    const [ours, theirs] = await both();
    const { data, shape } = await zarr.get(ours, [zarr.slice(2, 2)]);
    assert.deepEqual([data, shape], [new Int16Array(), [0]]);
    await assert.rejects(zarrita.get(theirs, [zarrita.slice(2, 2)]), plainError);
  },

  async "Indices are integers"() {
    const [ours, theirs] = await both();
    await assert.rejects(zarr.get(ours, [0.7]), is("InvalidSelectionError"));
    assert.equal(await zarrita.get(theirs, [0.7]), 1);
  },

  async "Invalid selections are errors"() {
    const [ours, theirs] = await both();
    for (const selection of [
      5,
      "x",
      true,
      new Map(),
      new Date(),
      [undefined],
      [Number.NaN],
      [{ start: 0, stop: "x" }],
    ]) {
      await assert.rejects(zarr.get(ours, selection), is("InvalidSelectionError"));
      if (selection === 5) assert.equal(await zarrita.get(theirs, selection), 0);
      if (Array.isArray(selection) && selection[0] === undefined)
        assert.deepEqual((await zarrita.get(theirs, selection)).shape, [4]);
    }
  },

  async "Chunks outside the grid are errors"() {
    const [ours, theirs] = await both();
    await assert.rejects(ours.getChunk([2]), is("InvalidSelectionError"));
    assert.deepEqual([...(await theirs.getChunk([2])).data], [0, 0]);
  },

  async "More data types and codecs open"() {
    const time = { name: "numpy.datetime64", configuration: { unit: "s", scale_factor: 1 } };
    const source = () => store({ data_type: time, fill_value: 0, shape: [1] }, {});
    const array = await zarr.open(source(), { kind: "array" });
    assert.equal(array.dtype, "numpy.datetime64");
    assert.equal((await array.get()).data.toDate(0).getTime(), 0);
    await assert.rejects(zarrita.open(source(), { kind: "array" }), TypeError);
    const chunk_grid = { name: "rectilinear", configuration: { kind: "inline", chunk_shapes: [[3, 1]] } };
    assert.deepEqual(
      (await both({ chunk_grid })).map(({ chunks }) => chunks),
      [[3], undefined],
    );
  },

  async "Unknown codecs are found when opening"() {
    const more = { codecs: [...meta().codecs, { name: "exotic", configuration: {} }] };
    await assert.rejects(zarr.open(store(more), { kind: "array" }), is("UnknownCodecError"));
    const theirs = await zarrita.open(store(more), { kind: "array" });
    await assert.rejects(zarrita.get(theirs), (error) => zarrita.isZarritaError(error, "UnknownCodecError"));
  },

  async "Metadata that must be understood is"() {
    for (const more of [
      { surprise: { must_understand: true } },
      { storage_transformers: [{ name: "odd" }] },
      { chunk_grid: { name: "odd", configuration: { chunk_shape: [2] } } },
    ]) {
      await assert.rejects(zarr.open(store(more)), is("UnsupportedError"));
      assert.equal((await zarrita.open(store(more))).kind, "array");
    }
  },

  async "Metadata that is not valid is refused"() {
    for (const more of [{ codecs: [] }, { shape: [-4] }, { codecs: [{ name: "crc32c" }, ...meta().codecs] }]) {
      await assert.rejects(zarr.open(store(more)), is("InvalidMetadataError"));
      assert.equal((await zarrita.open(store(more))).kind, "array");
    }
  },

  async "Lengths of 2^53 and more are refused"() {
    const text = JSON.stringify(meta({ shape: ["long"] })).replace('"long"', "9007199254740993");
    const map = new Map([["/zarr.json", new TextEncoder().encode(text)]]);
    await assert.rejects(zarr.open(map), is("LimitError"));
    assert.deepEqual((await zarrita.open(map)).shape, [2 ** 53]);
  },

  async "Archives, references and repositories are detected"() {
    const icechunk = new Map([["/refs/branch.main/ref.json", new TextEncoder().encode('{"snapshot":"VY76P925"}')]]);
    await assert.rejects(
      zarr.open(icechunk),
      (error) => is("UnsupportedError")(error) && error.container === "icechunk",
    );
    await assert.rejects(zarrita.open(icechunk), { name: "NotFoundError" });
    await serving(new Map(), async (url) => {
      const store = new zarr.FetchStore(`${url}/data.zarr.zip`);
      await assert.rejects(zarr.open(store), (error) => is("UnsupportedError")(error) && error.container === "zip");
      await assert.rejects(zarrita.open(new zarrita.FetchStore(`${url}/data.zarr.zip`)), { name: "NotFoundError" });
    });
  },

  async "Versions are looked for together"() {
    const asked = [[], []];
    for (const [i, lib] of [zarr, zarrita].entries()) {
      const map = store();
      const recording = {
        get: async (key) => {
          asked[i].push(key);
          return map.get(key);
        },
      };
      await lib.open.v3(recording);
      await lib.open(recording);
    }
    assert.deepEqual(asked[1], ["/zarr.json", "/zarr.json"]);
    assert.deepEqual(asked[0], ["/zarr.json"]);
    const keys = [];
    await assert.rejects(zarr.open({ get: async (key) => void keys.push(key) }), is("NotFoundError"));
    for (const key of ["/zarr.json", "/.zarray", "/.zgroup", "/.zattrs"])
      assert.ok(keys.indexOf(key) >= 0 && keys.indexOf(key) < 5, key);
  },

  async "Consolidated metadata needs no wrapper"() {
    const seen = [0, 0];
    for (const [i, lib] of [zarr, zarrita].entries()) {
      const files = new FileSystemStore(`${fixtures}v3/data.zarr/consolidated`);
      const counting = {
        get: (key) => {
          seen[i] += key.endsWith(".json") && key !== "/zarr.json" ? 1 : 0;
          return files.get(key);
        },
      };
      const group = await lib.open(counting, { kind: "group" });
      await lib.open(group.resolve("nested/1d.i2"), { kind: "array" });
      if (i > 0) continue;
      assert.deepEqual(
        (await group.members()).map((m) => m.name),
        ["1d.chunked.i2", "2d.contiguous.i2", "nested"],
      );
      assert.match(String(await group.tree()), /nested\n {4}└── 1d\.i2 \(\d+\) int16/);
    }
    assert.deepEqual(seen, [0, 1]);
  },

  async "Attributes always come"() {
    const map = new Map([
      ["/.zgroup", json({ zarr_format: 2 })],
      ["/.zattrs", json({ a: 1 })],
    ]);
    assert.deepEqual((await zarr.open(map, { attrs: false })).attrs, { a: 1 });
    assert.deepEqual((await zarrita.open.v2(map, { attrs: false })).attrs, {});
    assert.deepEqual(
      (await both({ attributes: undefined })).map(({ attrs }) => attrs),
      [{}, undefined],
    );
  },

  async "Dimensions without names have none"() {
    assert.deepEqual(
      (await both({ dimension_names: null })).map(({ dimensionNames }) => dimensionNames),
      [undefined, null],
    );
    assert.deepEqual(
      (await both()).map(({ dimensionNames }) => dimensionNames),
      [undefined, undefined],
    );
  },

  async "Names of dimensions fit the array"() {
    const attributes = { _ARRAY_DIMENSIONS: ["x"] };
    assert.deepEqual(
      (await both({ attributes })).map(({ dimensionNames }) => dimensionNames),
      [["x"], undefined],
    );
    const map = new Map([
      ["/.zarray", json(arrayV2([4], "|u1"))],
      ["/.zattrs", json({ _ARRAY_DIMENSIONS: ["x", "y"] })],
    ]);
    const names = await Promise.all(
      [zarr, zarrita].map(async (lib) => (await lib.open.v2(map, { kind: "array" })).dimensionNames),
    );
    assert.deepEqual(names, [undefined, ["x", "y"]]);
  },

  "Names in paths are literal"() {
    const names = ["a%20b", "what?", "no#1", "temp:2m"];
    for (const name of names) {
      assert.equal(zarr.root().resolve(name).path, `/${name}`);
      let theirs;
      try {
        theirs = zarrita.root().resolve(name).path;
      } catch {}
      assert.notEqual(theirs, `/${name}`);
    }
  },

  async "Messages and constructors differ"() {
    const error = await zarr.open(new Map()).catch((e) => e);
    assert.equal(error.code, "NOT_FOUND");
    assert.match(error.message, /no Zarr node at \/ \(tried zarr\.json/);
    const own = new zarr.NotFoundError("nothing", { path: "/a", found: "group" });
    assert.deepEqual([own.message, own.path, own.found, own._tag], ["nothing", "/a", "group", "NotFoundError"]);
    assert.equal(new zarrita.NotFoundError("nothing").message, "Not found: nothing");
  },

  async "HTTP errors have a class"() {
    await serving(403, async (url) => {
      const error = await zarr.open(url).catch((e) => e);
      assert.ok(zarr.isZarrError(error, "HttpError") && error.status === 403 && error.url.startsWith(url));
      await assert.rejects(zarrita.open(new zarrita.FetchStore(url)), plainError);
    });
  },

  async "Damaged chunks are errors"() {
    const [ours, theirs] = await both({}, { "/c/0": [1, 0] });
    await assert.rejects(ours.getChunk([0]), is("CodecPipelineError"));
    await assert.doesNotReject(theirs.getChunk([0]));
  },

  async "Existing nodes are not replaced"() {
    for (const lib of [zarr, zarrita]) {
      const store = new Map();
      const options = { shape: [2], chunkShape: [2], dtype: "int16" };
      const place = lib.root(store).resolve("g/a");
      await lib.create(place, options);
      assert.equal(store.has("/g/zarr.json"), lib === zarr);
      const again = () => lib.create(place, { ...options, shape: [3] });
      if (lib === zarr) await assert.rejects(again, { name: "ExistsError" });
      else await again();
      const array = await lib.create(place, { ...options, shape: [4], overwrite: true });
      assert.deepEqual(array.shape, [4]);
    }
  },

  async "Created metadata is complete"() {
    const document = async (lib) => {
      const store = new Map();
      await lib.create(lib.root(store), { shape: [2], chunkShape: [2], dtype: "int16" });
      const { codecs, fill_value } = JSON.parse(new TextDecoder().decode(store.get("/zarr.json")));
      return [codecs.map(({ name }) => name), fill_value];
    };
    assert.deepEqual(await document(zarr), [["bytes", "zstd"], 0]);
    assert.deepEqual(await document(zarrita), [[], null]);
  },

  async "Values fit, or are errors"() {
    for (const lib of [zarr, zarrita]) {
      const options = { shape: [2], chunkShape: [2], dtype: "int8", fillValue: 0, codecs: [{ name: "bytes" }] };
      const array = await lib.create(lib.root(new Map()), options);
      const wrong = [
        () => lib.set(array, null, 300),
        () => lib.set(array, null, { data: Int16Array.of(1, 2), shape: [2], stride: [1] }),
      ];
      for (const write of wrong) {
        if (lib === zarr) await assert.rejects(write, { name: "InvalidValueError" });
        else await write();
      }
      const { data } = await lib.get(array);
      assert.deepEqual([...data], lib === zarr ? [0, 0] : [1, 0]);
    }
  },

  async "Selections that read can be written"() {
    for (const lib of [zarr, zarrita]) {
      const options = { shape: [2, 3], chunkShape: [2, 3], dtype: "int8", fillValue: 0, codecs: [{ name: "bytes" }] };
      const array = await lib.create(lib.root(new Map()), options);
      const writes = [
        () => lib.set(array, [[0], null], 1),
        () => lib.set(array, [1], 2),
        () => lib.set(array, [null, [true, false, true]], 3),
      ];
      for (const write of writes) {
        await write().catch((error) => assert.equal(lib, zarrita, error.stack));
      }
      const { data } = await lib.get(array);
      if (lib === zarr) assert.deepEqual([...data], [3, 1, 3, 3, 2, 3]);
      else assert.notDeepEqual([...data], [3, 1, 3, 3, 2, 3]);
    }
  },

  async "A store gets its own signal"() {
    const map = store();
    let ask;
    const asked = new Promise((resolve) => (ask = resolve));
    let release;
    const slow = {
      get(key, { signal } = {}) {
        if (!key.startsWith("/c/")) return map.get(key);
        return new Promise((resolve) => {
          ask(signal);
          release = () => resolve(map.get(key));
        });
      },
    };
    const array = await zarr.open(slow, { kind: "array" });
    const controller = new AbortController();
    const reading = array.get([0], { signal: controller.signal });
    const theirs = await asked;
    assert.notEqual(theirs, controller.signal);
    // A call to the store after the end keeps no process alive.
    const alive = setInterval(() => {}, 1000);
    const aborted = new Promise((resolve) => theirs.addEventListener("abort", resolve));
    controller.abort(new Error("enough"));
    await assert.rejects(reading, /enough/);
    await aborted;
    clearInterval(alive);
    release();
  },

  async "Small shards are read whole"() {
    const asked = [];
    const inner = new FileSystemStore(`${fixtures}v3/data.zarr`);
    const counted = {
      get: (key, options) => {
        asked.push("whole");
        return inner.get(key, options);
      },
      getRange: (key, range, options) => {
        asked.push("suffixLength" in range ? "index" : "part");
        return inner.getRange(key, range, options);
      },
    };
    for (const lib of [zarr, zarrita]) {
      const at = lib.root(counted).resolve("2d.chunked.compressed.sharded.i2");
      const array = await lib.open.v3(at, { kind: "array" });
      asked.length = 0;
      const chunks = await Promise.all([0, 1].map((i) => array.getChunk([0, i])));
      assert.deepEqual(
        chunks.map(({ data }) => [...data]),
        [[1], [2]],
      );
      assert.deepEqual(asked, lib === zarr ? ["whole"] : ["index", "part", "part"]);
    }
  },

  async "Options of getChunk come to stores of the page"() {
    await serving(store(), async (url) => {
      const marked = [];
      const fetch = async (request) => {
        marked.push(request.headers.get("x-mark"));
        return globalThis.fetch(request);
      };
      for (const lib of [zarr, zarrita]) {
        marked.length = 0;
        const array = await lib.open.v3(new lib.FetchStore(url, { fetch }), { kind: "array" });
        await array.getChunk([0], { headers: { "X-Mark": "1" } });
        await array.getChunk([0], { headers: { "X-Mark": "2" } });
        assert.deepEqual(marked, lib === zarr ? [null, "1"] : [null, "1", "2"]);
      }
      const plain = await zarr.open.v3(url, { kind: "array" });
      assert.deepEqual([...(await plain.getChunk([0], { headers: { "X-Mark": "3" } })).data], [1, 2]);
    });
  },

  async "Extensions of FetchStore leave the fetching to the engine"() {
    await serving(store(), async (url) => {
      const cache = new Map();
      const own = zarr.withByteCaching(new zarr.FetchStore(url), { cache });
      const array = await zarr.open(own, { kind: "array" });
      assert.deepEqual([...(await array.get()).data], [1, 2, 3, 4]);
      assert.ok(cache.has("/c/0") && array.store === own);
      for (const extend of [zarr.withByteCaching, zarr.withRangeCoalescing, zarr.withMaybeConsolidatedMetadata]) {
        let direct = 0;
        const { fetch } = globalThis;
        globalThis.fetch = (...args) => {
          direct++;
          return fetch(...args);
        };
        const extended = await extend(new zarr.FetchStore(url, { fetch: false }));
        const other = await zarr.open(extended, { kind: "array" });
        assert.deepEqual([...(await other.get()).data], [1, 2, 3, 4]);
        assert.equal(direct, 0);
        globalThis.fetch = fetch;
      }
    });
  },

  async "One abort does not reject the others of a merged range"() {
    for (const lib of [zarr, zarrita]) {
      const inner = {
        get: () => undefined,
        getRange: (_, { length }, { signal }) =>
          new Promise((resolve, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason));
            setTimeout(() => resolve(new Uint8Array(length)), 20);
          }),
      };
      const merged = lib.withRangeCoalescing(inner);
      const controller = new AbortController();
      const one = merged.getRange("/a", { offset: 0, length: 1 }, { signal: controller.signal });
      const two = merged.getRange("/a", { offset: 2, length: 1 }, {});
      const outcome = Promise.allSettled([one, two]);
      await new Promise((resolve) => setTimeout(resolve, 1));
      controller.abort(new Error("mine"));
      assert.deepEqual(
        (await outcome).map((o) => o.status),
        ["rejected", lib === zarr ? "fulfilled" : "rejected"],
      );
    }
  },

  async "Servers that ignore Range are read right"() {
    await serving(new Map([["/x", Uint8Array.of(0, 1, 2, 3)]]), async (url) => {
      const range = { offset: 2, length: 1 };
      assert.deepEqual(await new zarr.FetchStore(url).getRange("/x", range), Uint8Array.of(2));
      assert.notDeepEqual(await new zarrita.FetchStore(url).getRange("/x", range), Uint8Array.of(2));
    });
  },

  async "get and getRange of a FetchStore believe no wrong answer"() {
    const [ours, theirs] = [zarr, zarrita].map((lib) => (url) => new lib.FetchStore(url));
    const beyond = { offset: 2, length: 9 };
    await serving(new Map([["/x", Uint8Array.of(0, 1, 2, 3)]]), async (url) => {
      await assert.rejects(ours(url).getRange("/x", beyond), is("StoreError"));
      assert.equal((await theirs(url).getRange("/x", beyond)).length, 4);
      assert.equal(await ours(url).get("/y"), undefined);
      await assert.rejects(ours(url).get("/../x"), is("StoreError"));
    });
    await serving(206, async (url) => {
      await assert.rejects(ours(url).get("/x"), is("HttpError"));
      assert.equal((await theirs(url).get("/x")).length, 0);
    });
  },

  async "The address of a store may be empty"() {
    // Without a page, it cannot be a folder.
    await assert.rejects(new zarr.FetchStore("").get("/x"), is("StoreError"));
    await assert.rejects(new zarrita.FetchStore("").get("/x"), TypeError);
  },
};

/** Serves a Map by HTTP without ranges, or a status for everything, while `run` runs. */
async function serving(what, run) {
  const server = await listen(({ url }, response) => {
    const body = what instanceof Map ? what.get(url) : undefined;
    response.writeHead(body ? 200 : what instanceof Map ? 404 : what, { "Content-Type": "application/octet-stream" });
    response.end(body);
  });
  try {
    await run(server.origin);
  } finally {
    server.close();
  }
}

for (const [title, run] of Object.entries(differences)) test(title, run);

test("the page lists these differences and no others", () => {
  const page = readFileSync(`${top}docs/start/migrating.md`, "utf8");
  assert.deepEqual(
    [...page.matchAll(/^### (.*)$/gm)].map(([, title]) => title),
    Object.keys(differences),
  );
});

const writable = "it is what Writable is here";
const storage = "a store of @zarrita/storage, whose stores work here: import it from there";
const internal = "zarrita's own parts";

const leftOut = {
  AsyncWritable: writable,
  SyncWritable: writable,
  AsyncMutable: writable,
  SyncMutable: writable,
  FileSystemStore: storage,
  _zarrita_internal_get: internal,
  _zarrita_internal_set: internal,
  _zarrita_internal_getStrides: internal,
  _zarrita_internal_sliceIndices: internal,
};

test("every name of zarrita's and its stores' is here, or left out for a reason", () => {
  const api = new API({ cwd: top });
  try {
    const [{ checker, program }] = api
      .updateSnapshot({ openProject: `${top}tests/types/zarrita/tsconfig.json` })
      .getProjects();
    const exported = (file) => {
      const source = program.getSourceFile(`${top}${file}`);
      return checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map(({ name }) => name);
    };
    const theirs = new Set([
      ...exported("node_modules/zarrita/dist/src/index.d.ts"),
      ...exported("node_modules/@zarrita/storage/dist/src/index.d.ts"),
    ]);
    assert.ok(theirs.size > 70, `${theirs.size} names`);
    const ours = new Set(exported("dist/index.d.ts"));
    assert.deepEqual([...theirs].filter((name) => !ours.has(name)).sort(), Object.keys(leftOut).sort());
  } finally {
    api.close();
  }
});

test("a program's imports of zarrita and its FetchStore are replaced as the migration page says", async () => {
  const dir = `${top}build/names`;
  mkdirSync(dir, { recursive: true });
  writeFileSync(`${dir}/fetch-store.js`, 'export { FetchStore as default } from "zarr-wasm";\n');
  writeFileSync(
    `${dir}/program.js`,
    `import FetchStore from "@zarrita/storage/fetch";
import FileSystemStore from "@zarrita/storage/fs";
import * as zarr from "zarrita";
export const same = FetchStore === zarr.FetchStore;
export const read = async (path) => (await zarr.get(await zarr.open(new FileSystemStore(path), { kind: "array" }))).data;
export const { terminate } = zarr;
`,
  );
  await build({
    entryPoints: [`${dir}/program.js`],
    outfile: `${dir}/program.mjs`,
    bundle: true,
    format: "esm",
    platform: "node",
    alias: { zarrita: "zarr-wasm", "@zarrita/storage/fetch": `${dir}/fetch-store.js` },
    external: ["zarr-wasm"],
    absWorkingDir: top,
  });
  const { same, read, terminate } = await import(`${dir}/program.mjs`);
  try {
    assert.equal(same, true);
    assert.deepEqual(await read(`${fixtures}v3/data.zarr/1d.chunked.i2`), Int16Array.of(1, 2, 3, 4));
  } finally {
    terminate();
  }
});

/** All directories with an array of version 2 or 3, whatever its metadata. */
function* directories(dir) {
  const entries = readdirSync(dir, { withFileTypes: true });
  const names = entries.map((entry) => entry.name);
  if (names.includes(".zarray")) yield [dir, 2];
  if (names.includes("zarr.json") && !/"node_type": *"group"/.test(readFileSync(join(dir, "zarr.json"), "utf8"))) {
    yield [dir, 3];
  }
  for (const entry of entries) if (entry.isDirectory()) yield* directories(join(dir, entry.name));
}

/**
 * The files of a directory. (That of @zarrita/storage ends the process when a damaged shard has it
 * read at an odd place.)
 */
function filesOf(dir) {
  const get = (key) => (existsSync(dir + key) ? new Uint8Array(readFileSync(dir + key)) : undefined);
  const getRange = async (key, range) => {
    const from = "suffixLength" in range ? -range.suffixLength : range.offset;
    return get(key)?.subarray(from, "suffixLength" in range ? undefined : from + range.length);
  };
  return { get: async (key) => get(key), getRange };
}

/**
 * All arrays that can be compared: a name, the version, and a way to open them with either package.
 */
function* arrays() {
  for (const [dir, version] of directories(allFixtures)) {
    yield [dir.slice(allFixtures.length + 1), version, () => filesOf(dir)];
  }
  const { cases } = JSON.parse(readFileSync(`${allFixtures}/manifest.json`, "utf8"));
  for (const { store, store_kind, array, format } of cases) {
    if (store_kind !== "zip") continue;
    const archive = () => ZipFileStore.fromBlob(new Blob([readFileSync(`${allFixtures}/${store}`)]));
    yield [`${store}/${array}`, format, archive, array];
  }
}

const types = [
  ..."int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool string v2:object".split(" "),
  ..."v2:U1 v2:U7 v2:S1 v2:S7 number bigint boolean object".split(" "),
];

const attempt = async (run) => {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
};

/** The elements in C order. */
function elements({ data, shape, stride }) {
  const out = [];
  const walk = (d, at) => {
    if (d === shape.length) out.push(typeof data.get === "function" ? data.get(at) : data[at]);
    else for (let i = 0; i < shape[d]; i++) walk(d + 1, at + i * stride[d]);
  };
  walk(0, 0);
  return out;
}

/** The compared parts of a result. */
function result(value) {
  if (value === null || typeof value !== "object" || !("stride" in value)) return { scalar: value };
  return { class: value.data.constructor.name, shape: value.shape, stride: value.stride, values: elements(value) };
}

const whole = 100_000;

/**
 * Whether zarrita has all codecs of a chain. It reports a missing one by an unhandled rejection.
 */
const readable = (codecs) =>
  codecs.every(({ name, configuration: { codecs = [], index_codecs = [] } = {} }) =>
    name === "sharding_indexed" ? readable(codecs) && readable(index_codecs) : zarrita.registry.has(name),
  );

/** Compares the same array in both packages, and returns the differences. */
async function differencesOf(id, version, make, path = "") {
  const open = async (lib) => {
    const place = lib.root(await make()).resolve(path || "/");
    return (version === 2 ? lib.open.v2 : lib.open.v3)(place, { kind: "array" });
  };
  const theirs = await attempt(() => open(zarrita));
  if (theirs.error) return undefined;
  const ours = await attempt(() => open(zarr));
  const found = [];
  const compare = (what, a, b) => {
    if (isDeepStrictEqual(a, b)) return;
    const { fillValue: fill, shape } = ours.value ?? theirs.value;
    found.push({ id, what, ours: a, theirs: b, fill, shape });
  };
  if (ours.error) {
    compare("open", ours.error, "opens");
    return found;
  }
  const [a, b] = [ours.value, theirs.value];
  for (const name of ["kind", "path", "dtype", "shape", "chunks", "attrs", "dimensionNames", "fillValue"]) {
    compare(name, a[name], b[name]);
  }
  for (const type of [...types, b.dtype]) compare(`is ${type}`, a.is(type), b.is(type));
  const { codecs, filters, compressor } = Object.values(a.metadata)[0];
  const v2 = [...(filters ?? []), compressor ?? []].flat().map(({ id }) => ({ name: `numcodecs.${id}` }));
  if (!readable(version === 3 ? codecs : v2.filter(({ name }) => name !== "numcodecs.fixedscaleoffset"))) return found;
  const reads = [["getChunk", (_, array) => array.getChunk(array.shape.map(() => 0))]];
  if (b.shape.reduce((n, size) => n * size, 1) <= whole) reads.push(["get", (lib, array) => lib.get(array)]);
  for (const [name, read] of reads) {
    const [x, y] = await Promise.all([attempt(() => read(zarr, a)), attempt(() => read(zarrita, b))]);
    if (y.error) continue; // zarrita cannot read it
    if (x.error) {
      compare(name, x.error, "reads");
      continue;
    }
    const [one, other] = [result(x.value), result(y.value)];
    for (const key of Object.keys(other)) compare(`${name} ${key}`, one[key], other[key]);
  }
  return found;
}

/** Whether all values differ by a kind. */
const differ =
  (tell) =>
  ({ what, ours, theirs, fill }) =>
    what.endsWith(" values") && ours.every((v, i) => isDeepStrictEqual(v, theirs[i]) || tell(v, theirs[i], fill));
const opening =
  (name) =>
  ({ what, ours }) =>
    what === "open" && ours.name === name;

const rounded = (_, value) => (typeof value === "bigint" ? Number(value) : value);

/** The kinds of differences, by their headings on the migration page. */
const kinds = {
  "Data is in C order always": ({ what }) => what.endsWith(" stride"),
  "Byte strings that are not UTF-8 are Latin-1": differ(
    (ours, theirs, fill) => theirs?.includes?.("\ufffd") || ours === fill,
  ),
  "Fill values are exact": (d) =>
    (d.what === "fillValue" && d.theirs !== undefined) ||
    differ((ours, _, fill) => isDeepStrictEqual(ours, fill ?? ""))(d),
  "Objects of several dimensions are elements": ({ id, what }) => /json2_nd$/.test(id) && what.endsWith(" values"),
  "Bytes of text have no order": ({ id, what }) => /\/types.zarr\/c$/.test(id) && what.endsWith(" values"),
  "Codecs honour their whole configuration": ({ id, what }) =>
    / (values|shape)$|^chunks$/.test(what) &&
    /delta_(astype|f8_f4)|\/outer_(transpose|gzip|crc)|transpose.zarr\/twice|index_location\/start|\/m0(15|22)$/.test(
      id,
    ),
  "Chunks outside the grid are errors": ({ what, ours, shape }) =>
    what === "getChunk" && ours.name === "InvalidSelectionError" && (shape.includes(0) || shape.length === 0),
  "More data types and codecs open": ({ what, ours, theirs }) =>
    what === "chunks" && Array.isArray(ours) && theirs === undefined,
  "Unknown codecs are found when opening": opening("UnknownCodecError"),
  "Metadata that must be understood is": opening("UnsupportedError"),
  "Metadata that is not valid is refused": opening("InvalidMetadataError"),
  "Lengths of 2^53 and more are refused": opening("LimitError"),
  "Attributes always come": ({ what, ours, theirs }) =>
    what === "attrs" && isDeepStrictEqual(ours, {}) && theirs === undefined,
  "Integers in attributes are exact": ({ what, ours, theirs }) =>
    what === "attrs" && isDeepStrictEqual(JSON.parse(JSON.stringify(ours, rounded)), theirs),
  "Names of dimensions fit the array": ({ id, what }) =>
    /\/dims_(v2_wrong_length|v3_attr_only)/.test(id) && what === "dimensionNames",
  "Dimensions without names have none": ({ what, ours, theirs }) =>
    what === "dimensionNames" && ours === undefined && theirs === null,
  "Damaged chunks are errors": ({ id, what, ours }) =>
    /^corrupt\//.test(id) && /^get/.test(what) && /^(CodecPipeline|Limit)Error$/.test(ours.name),
};

test("fixtures that zarrita opens read equally here, except as the migration page states", async () => {
  const unused = new Set(Object.keys(kinds));
  const unexplained = [];
  let compared = 0;
  for (const args of arrays()) {
    const found = await differencesOf(...args);
    if (!found) continue;
    compared++;
    for (const difference of found) {
      const kind = Object.keys(kinds).find((name) => kinds[name](difference));
      if (kind) unused.delete(kind);
      else unexplained.push(difference);
    }
  }
  const text = ({ id, what, ours, theirs }) => `${id}: ${what}: ${show(ours)}, zarrita: ${show(theirs)}`;
  const lines = unexplained.map(text);
  assert.ok(lines.length === 0, `${lines.length} differences that are not on the page:\n${lines.join("\n")}`);
  assert.deepEqual([...unused], [], "kinds of differences that there are no longer");
  for (const kind of Object.keys(kinds)) assert.ok(Object.hasOwn(differences, kind), `${kind} is not on the page`);
  assert.ok(compared > 700, `${compared} arrays`);
});

test("arrays that zarrita creates without a fill value read equally, with and without codecs", async () => {
  // zarrita cannot read 64-bit integers that it creates in this way.
  const dtypes = "int8 int16 int32 uint8 uint16 uint32 float32 float64 bool".split(" ");
  const bytes = { name: "bytes", configuration: { endian: "little" } };
  for (const [dtype, given] of dtypes.flatMap((dtype) => [undefined, [bytes]].map((codecs) => [dtype, codecs]))) {
    const map = new Map();
    const theirs = await zarrita.create(map, { shape: [5, 3], chunkShape: [2, 2], dtype, codecs: given });
    const { codecs, fill_value } = JSON.parse(new TextDecoder().decode(map.get("/zarr.json")));
    assert.deepEqual([codecs, fill_value], [given ?? [], null], "what this is about");
    const one = dtype === "bool" ? true : 77;
    await zarrita.set(theirs, [zarrita.slice(1, 3), 1], one);
    const ours = await zarr.open(map, { kind: "array" });
    assert.deepEqual([ours.dtype, ours.fillValue, ours.chunks], [dtype, null, [2, 2]]);
    const [a, b] = [result(await zarr.get(ours)), result(await zarrita.get(theirs))];
    assert.deepEqual(a, b, dtype);
    assert.equal(a.values.filter((v) => v === one).length, 2);
    assert.deepEqual(
      result(await ours.getChunk([2, 1])),
      result(await theirs.getChunk([2, 1])),
      `${dtype}, not stored`,
    );
  }
});

function show(value) {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  const text = JSON.stringify(value, (_, v) =>
    typeof v === "bigint" ? `${v}n` : Object.is(v, -0) ? "-0" : Number.isNaN(v) ? "NaN" : v,
  );
  return String(text).slice(0, 80);
}
