// Grids and groups in the open, iteration by chunk, points, views, and the limits of caches.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { promisify } from "node:util";
import * as zarr from "../../dist/node.js";
import * as writing from "../../dist/write-node.js";
import { arrayV3, json } from "../lib/documents.mjs";
import { serve } from "../lib/serve.mjs";

const { slice } = zarr;
const range = (n, from = 0) => Array.from({ length: n }, (_, i) => i + from);
const invalid = (error) => zarr.isZarrError(error, "InvalidSelectionError");

const server = await serve("build/fixtures");
after(() => {
  server.close();
  zarr.terminate();
});

test("caches() reports contents and sets budgets", async () => {
  const before = await zarr.caches();
  const { array } = await grid();
  await array.get();
  const now = await zarr.caches();
  assert.ok(now.metadata.entries > before.metadata.entries && now.metadata.bytes > before.metadata.bytes);
  assert.equal(now.decoded.budget, 128 * 2 ** 20);
  assert.ok(now.encoded.misses > before.encoded.misses);
  const small = await zarr.caches({ encoded: 0, decoded: 1000, indexes: undefined });
  assert.deepEqual([small.encoded.budget, small.encoded.bytes, small.decoded.budget], [0, 0, 1000]);
  assert.equal(small.indexes.budget, now.indexes.budget);
  // An engine that starts later also receives them.
  zarr.terminate();
  const other = await grid();
  await other.array.get();
  assert.equal((await zarr.caches()).decoded.budget, 1000);
  await zarr.caches({ encoded: 64 * 2 ** 20, decoded: 128 * 2 ** 20 });
  assert.equal((await zarr.caches({ decoded: -1 })).decoded.budget, 0);
  assert.equal((await zarr.caches({ decoded: 128 * 2 ** 20 })).decoded.budget, 128 * 2 ** 20);
});

const meta = (more = {}) =>
  arrayV3([5, 7], "uint8", { chunks: [2, 3], codecs: [{ name: "bytes" }], fill_value: 99, ...more });

/**
 * An array of 5 by 7 whose element (i, j) is 7 i + j, in chunks of the given lengths. One is
 * missing.
 */
async function grid(
  edges = [
    [2, 2, 2],
    [3, 3, 3],
  ],
  chunk_grid = meta().chunk_grid,
) {
  const asked = [];
  const map = new Map([["/zarr.json", json(meta({ chunk_grid }))]]);
  edges[0].reduce((i0, rows, ci) => {
    edges[1].reduce((j0, columns, cj) => {
      const bytes = range(rows).flatMap((i) => range(columns).map((j) => (i0 + i) * 7 + j0 + j));
      if (ci !== 2 || cj !== 1) map.set(`/c/${ci}/${cj}`, Uint8Array.from(bytes));
      return j0 + columns;
    }, 0);
    return i0 + rows;
  }, 0);
  const store = {
    get: async (key) => {
      asked.push(key);
      return map.get(key);
    },
    getRange: async (key, { offset, length, suffixLength }) => {
      asked.push(key);
      return suffixLength ? map.get(key)?.slice(-suffixLength) : map.get(key)?.slice(offset, offset + length);
    },
  };
  const array = await zarr.open(store, { kind: "array" });
  asked.length = 0;
  return { array, asked };
}

const rectilinear = [
  [
    [2, 3],
    [1, 4, 2],
  ],
  {
    name: "rectilinear",
    configuration: {
      kind: "inline",
      chunk_shapes: [
        [2, 3],
        [1, 4, 2],
      ],
    },
  },
];

test("a regular grid in the open", async () => {
  const { array } = await grid();
  assert.deepEqual(array.chunkGrid, { name: "regular", shape: [3, 3], chunkShapes: [2, 3] });
  assert.deepEqual([array.nchunks, array.size, array.nbytes, array.shards, array.order], [9, 35, 35, null, null]);
  assert.deepEqual(array.codecs, [{ name: "bytes" }]);
  assert.deepEqual(array.metadata["zarr.json"].shape, [5, 7]);
  assert.equal(await array.nchunksInitialized(), 8);
  await assert.rejects(array.nchunksInitialized({ signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a rectilinear grid in the open", async () => {
  const { array } = await grid(...rectilinear);
  const chunkShapes = rectilinear[0].map((lengths) => lengths.map((length) => [length, 1]));
  assert.deepEqual(array.chunkGrid, { name: "rectilinear", shape: [2, 3], chunkShapes });
  assert.deepEqual([array.nchunks, array.chunks], [6, [3, 4]]);
  assert.equal(await array.nchunksInitialized(), 6);
});

test("shards in the open", async () => {
  const array = await zarr.open(
    `${server.url}public/manzt+zarrita.js/fixtures/v3/data.zarr/2d.chunked.compressed.sharded.i2`,
    {
      kind: "array",
    },
  );
  assert.deepEqual([array.chunks, array.shards, array.chunkGrid.shape, array.nchunks], [[1, 1], [2, 2], [4, 4], 16]);
  assert.equal(await array.nchunksInitialized(), 16);
  assert.deepEqual([...(await array.getChunk([3, 2])).data], [15]);
  await assert.rejects(array.getChunk([4, 0]), invalid);
});

const selections = [
  undefined,
  null,
  [1],
  [slice(1, 4), slice(2, 6)],
  [slice(null, null, -1), slice(6, 0, -2)],
  ["...", slice(1, 7, 3)],
  [-1, "..."],
  [
    [4, 0, 4],
    [6, 1],
  ],
  [slice(0, 5, 4), [true, false, false, true, false, false, true]],
  [slice(3, 3), null],
  [[], 0],
  [2, 3],
];

test("reading by chunk equals reading at once", async () => {
  for (const made of [await grid(), await grid(...rectilinear)]) {
    const { array } = made;
    for (const selection of selections) {
      const whole = await array.get(selection);
      const { data, shape, stride } = typeof whole === "number" ? { data: [whole], shape: [], stride: [] } : whole;
      const got = new Array(data.length);
      for await (const part of array.chunksIn(selection)) {
        // The place of each element of the part, as the part states it.
        const places = part.out.map((line, d) =>
          Array.isArray(line) ? line : range(part.shape[d]).map((i) => line.start + i * line.step),
        );
        const at = places.reduce((all, list, d) => all.flatMap((p) => list.map((i) => p + i * stride[d])), [0]);
        assert.equal(at.length, part.data.length);
        for (const [i, p] of at.entries()) got[p] = part.data[i];
        const again = await array.get(part.selection);
        assert.deepEqual(typeof again === "number" ? [again] : [...again.data], [...part.data]);
        assert.equal(part.coords.length, 2);
      }
      assert.deepEqual(got, [...data], JSON.stringify({ selection, shape }));
    }
  }
});

test("reading by chunk reads a few ahead, stops with the loop and with the signal", async () => {
  const { array, asked } = await grid();
  const seen = [];
  for await (const { coords } of array.chunksIn(null, { ahead: 2 })) {
    seen.push(coords.join());
    if (seen.length === 2) break;
  }
  assert.deepEqual(seen, ["0,0", "0,1"]);
  assert.ok(asked.length <= 4, String(asked));
  const progress = [];
  for await (const _ of array.chunksIn([0], { onProgress: (done, total) => progress.push([done, total]) })) void _;
  assert.deepEqual(progress, [
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  const controller = new AbortController();
  await assert.rejects(async () => {
    for await (const _ of array.chunksIn(null, { signal: controller.signal })) controller.abort(new Error("enough"));
  }, /enough/);
  await assert.rejects(array.chunksIn([9]).next(), invalid);
  for (const selection of [[0, 0, 0], ["...", "..."], [slice(0, 1, 0)], [0.5], [[true]], { x: 1 }]) {
    await assert.rejects(array.chunksIn(selection).next(), invalid, JSON.stringify(selection));
  }
});

test("a misspelt option of any read is an error that lists the options, and zarrita's queue is none", async () => {
  const array = await zarr.open(new Map([["/zarr.json", json(arrayV3([4], "int8"))]]), { kind: "array" });
  const reads = {
    get: (options) => array.get(null, options),
    oindex: (options) => array.oindex(null, options),
    "zarr.get": (options) => zarr.get(array, null, options),
    blocks: (options) => array.blocks([0], options),
    vindex: (options) => array.vindex([[1]], options),
    chunksIn: (options) => array.chunksIn(null, options).next(),
  };
  for (const [name, read] of Object.entries(reads)) {
    const misspelt = { name: "TypeError", message: /no option "onprogress"\. The options are signal, .*onProgress/ };
    await assert.rejects(async () => read({ onprogress: () => {} }), misspelt, name);
    await read({ signal: undefined, signel: undefined, createQueue: () => {}, create_queue: () => {} });
  }
});

test("points", async () => {
  const { array, asked } = await grid();
  const { data, shape, stride } = await array.vindex([[0, 4, -1, 1], Int32Array.of(0, 6, -2, 1)]);
  assert.deepEqual([[...data], shape, stride], [[0, 34, 99, 8], [4], [1]]);
  assert.equal(asked.length, 3, String(asked));
  assert.deepEqual([...(await array.vindex([2, [0, 1, 6]])).data], [14, 15, 20]);
  assert.deepEqual([...(await array.vindex([1, 1])).data], [8]);
  assert.deepEqual([...(await array.vindex([[], 1])).data], []);
  const mask = new zarr.BoolArray(35);
  mask[3] = mask[34] = 1;
  assert.deepEqual([...(await array.vindex(mask)).data], [3, 34]);
  for (const wrong of [
    [[0]],
    [
      [0, 1],
      [0, 1, 2],
    ],
    [[5], [0]],
    [[0.5], [0]],
    new zarr.BoolArray(3),
  ]) {
    await assert.rejects(array.vindex(wrong), invalid, JSON.stringify(wrong));
  }
  assert.deepEqual(
    [
      ...(
        await array.oindex([
          [0, 2],
          [1, 3],
        ])
      ).data,
    ],
    [1, 3, 15, 17],
  );
});

test("views", async () => {
  const store = new Map([
    [
      "/zarr.json",
      json(
        meta({
          shape: [2],
          data_type: "int64",
          fill_value: 0,
          chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
          codecs: [{ name: "bytes", configuration: { endian: "big" } }],
        }),
      ),
    ],
  ]);
  const bytes = new DataView(new ArrayBuffer(16));
  bytes.setBigInt64(0, 86_400_000_000_000n);
  bytes.setBigInt64(8, -1n);
  store.set("/c/0", new Uint8Array(bytes.buffer));
  const array = await zarr.open(store, { kind: "array" });
  const times = array.view("datetime64[ns]");
  assert.equal(times.dtype, "numpy.datetime64");
  const { data } = await times.get();
  assert.ok(data instanceof zarr.DateTimeArray);
  assert.equal(data.toDate(0).toISOString(), "1970-01-02T00:00:00.000Z");
  assert.equal(times.fillValue, 0n);
  assert.deepEqual(await array.view("uint64").get([1]), 2n ** 64n - 1n);
  assert.deepEqual((await array.view("timedelta64[10s]").get()).data.scale, 10);
  assert.equal((await array.view("r64").get()).data.itemSize, 8);
  assert.ok((await array.view("complex64").get()).data instanceof zarr.Complex64Array);
  assert.ok((await array.view("float64").get()).data instanceof Float64Array);
  for (const wrong of ["int32", "float8", "text", "datetime64", "bfloat16"]) {
    assert.throws(
      () => array.view(wrong),
      (error) => zarr.isZarrError(error, "UnsupportedError"),
      wrong,
    );
  }
});

test("a codec of the page's may leave its kind to its entry", async () => {
  zarr.registry.set("test.negate", () => ({
    kind: "array_to_array",
    fromConfig: () => ({ decode: (chunk) => ({ ...chunk, data: chunk.data.map((v) => -v) }) }),
  }));
  const store = new Map([
    ["/zarr.json", json(meta({ data_type: "int8", codecs: [{ name: "test.negate" }, { name: "bytes" }] }))],
    ["/c/0/0", Uint8Array.of(1, 2, 3, 4, 5, 6)],
  ]);
  try {
    const array = await zarr.open(store, { kind: "array" });
    assert.deepEqual([...(await array.getChunk([0, 0])).data], [-1, -2, -3, -4, -5, -6]);
  } finally {
    zarr.registry.clear();
  }
});

test("members and trees of a group", async () => {
  const group = await zarr.open(`${server.url}xarray/climate_v3.zarr`, { kind: "group" });
  const arrays = await group.arrays();
  assert.ok(arrays.get("t2m") instanceof zarr.Array);
  assert.deepEqual(
    [...arrays.keys()],
    (await group.members()).map(({ name }) => name),
  );
  assert.equal((await group.groups()).size, 0);
  const entries = { "/zarr.json": { zarr_format: 3, node_type: "group", attributes: {} } };
  const root = {
    ...entries["/zarr.json"],
    consolidated_metadata: {
      kind: "inline",
      must_understand: false,
      metadata: {
        a: meta(),
        g: entries["/zarr.json"],
        "g/b": meta({ shape: [], chunk_grid: { name: "regular", configuration: { chunk_shape: [] } } }),
        "x/y/c": meta(),
      },
    },
  };
  const nested = await zarr.open(new Map([["/zarr.json", json(root)]]), { kind: "group" });
  const tree = await nested.tree();
  assert.equal(
    String(tree),
    "/\n├── a (5, 7) uint8\n├── g\n│   └── b () uint8\n└── x\n    └── y\n        └── c (5, 7) uint8",
  );
  assert.equal(tree.children[1].children[0].node.path, "/g/b");
  assert.ok(tree.children[0].node instanceof zarr.Array && tree.node === nested);
  assert.deepEqual(
    (await nested.tree({ maxDepth: 1 })).children.map(({ children }) => children.length),
    [0, 0, 0],
  );
  assert.deepEqual([...(await nested.groups()).keys()], ["g"]);
  const map = new Map([["/.zgroup", json({ zarr_format: 2 })]]);
  assert.equal(String(await (await zarr.open(map, { kind: "group" })).tree()), "/");
  const bare = await zarr.open({ get: (key) => map.get(key) }, { kind: "group" });
  await assert.rejects(bare.tree(), (error) => zarr.isZarrError(error, "UnsupportedError"));
});

test("documents are read on the page as the engine reads them", async () => {
  // The forms that internal/json accepts beyond JSON, and integers that a number cannot hold.
  const attributes = `{ "nan": NaN, "ends": [Infinity, -Infinity, +Infinity], "point": [0., -0., 12., 1.e3, -3.E-2], "same": 1, "same": 2,
    "large": [9223372036854775807, -9007199254740993, 18446744073709551615], "text": "in 1999. NaN, +Infinity, 0., \\"9007199254740993\\" " }`;
  const encoder = new TextEncoder();
  const group = `{"zarr_format":3,"node_type":"group","attributes":${attributes}}`;
  const v3 = await zarr.open(new Map([["/zarr.json", encoder.encode(`\ufeff${group}`)]]), { kind: "group" });
  assert.deepEqual(v3.attrs.point, [0, -0, 12, 1000, -0.03]);
  assert.deepEqual(v3.attrs.ends, [Infinity, -Infinity, Infinity]);
  assert.deepEqual(v3.metadata["zarr.json"].attributes, v3.attrs);
  const documents = new Map([
    ["/.zgroup", encoder.encode('{"zarr_format":2}')],
    ["/.zattrs", encoder.encode(attributes)],
  ]);
  const v2 = await zarr.open(documents, { kind: "group" });
  assert.deepEqual(v2.metadata[".zattrs"], v2.attrs);
  assert.deepEqual(v2.attrs, v3.attrs);
  const metadata = `{".zgroup":{"zarr_format":2},".zattrs":${attributes}}`;
  for (const key of [".zmetadata", "all"]) {
    const consolidated = encoder.encode(`{"zarr_consolidated_format":1,"metadata":${metadata}}`);
    const store = await zarr.withConsolidatedMetadata(new Map([...documents, [`/${key}`, consolidated]]), {
      metadataKey: key,
      format: "v2",
    });
    // The result is JSON as any reader parses it: without the sign of a zero, for example.
    const { point, text, same } = (await zarr.open(store, { kind: "group" })).attrs;
    assert.deepEqual([point.map((n) => n + 0), text, same], [[0, 0, 12, 1000, -0.03], v2.attrs.text, 2], key);
  }
});

test("the one file with everything works as the others do", async () => {
  const inline = await import("../../dist/inline.js");
  // This build is for pages, too, which have no files. It contains writing, because it cannot load
  // another file.
  const everywhere = Object.keys({ ...zarr, ...writing }).filter((name) => name !== "FileStore");
  assert.deepEqual(Object.keys(inline).sort(), everywhere.sort());
  try {
    const array = await inline.open(`${server.url}xarray/climate_v3.zarr/t2m`, { kind: "array" });
    const other = await zarr.open(`${server.url}xarray/climate_v3.zarr/t2m`, { kind: "array" });
    assert.deepEqual((await array.get([0])).data, (await other.get([0])).data);
  } finally {
    inline.terminate();
  }
});

test("a script that has read ends by itself", async () => {
  const script = `
    import * as zarr from ${JSON.stringify(new URL("../../dist/node.js", import.meta.url).href)};
    const array = await zarr.open("${server.url}xarray/climate_v3.zarr/t2m", { kind: "array" });
    console.log((await array.get([0, 0, 0])) !== undefined);`;
  // The engine's timers of completed requests do not keep the process for a minute.
  const ended = promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { timeout: 40_000 });
  assert.equal((await ended).stdout, "true\n");
});
