// Chunk grids of any size: counts, lists and reads by chunk.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { arrayV2, arrayV3, groupV3, sharding, shardOf } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";

after(() => zarr.terminate());

/** The bytes of a document; a bigint becomes its digits. */
const json = (value) => {
  const digits = (_, v) => (typeof v === "bigint" ? `bigint ${v}` : v);
  return new TextEncoder().encode(JSON.stringify(value, digits).replace(/"bigint (\d+)"/g, "$1"));
};
const is = (name) => (error) => zarr.isZarrError(error, name);

const regular = (chunk_shape) => ({ name: "regular", configuration: { chunk_shape } });
const rectilinear = (chunk_shapes) => ({ name: "rectilinear", configuration: { kind: "inline", chunk_shapes } });

const document = (shape, chunk_grid, more) => arrayV3(shape, "uint8", { chunk_grid, fill_value: 7, ...more });

/**
 * An array of that document, with the given objects. A store with ranges has only get and getRange.
 */
function openOf(meta, objects = {}, ranges = true) {
  const map = new Map([["/zarr.json", json(meta)], ...Object.entries(objects)]);
  const store = {
    get: async (key) => map.get(key),
    getRange: async (key, { offset, length, suffixLength }) => {
      const bytes = map.get(key);
      // The arithmetic of a store.
      return suffixLength === undefined ? bytes?.slice(offset, offset + length) : bytes?.slice(-suffixLength);
    },
  };
  return zarr.open(ranges ? store : map, { kind: "array" });
}

/** The greatest length for which every index and every edge is an exact number. */
const big = Number.MAX_SAFE_INTEGER;

test("chunks of 2^53 - 1 elements read as any others on a store of the page's", async () => {
  for (const ranges of [true, false]) {
    const meta = document([big], regular([big]));
    const absent = await openOf(meta, {}, ranges);
    assert.deepEqual([absent.shape, absent.chunks, absent.nchunks], [[big], [big], 1]);
    assert.deepEqual(absent.chunkGrid, { name: "regular", shape: [1], chunkShapes: [big] });
    const places = [
      { start: 3, stop: 5, step: null },
      { start: 2n ** 52n, stop: 2n ** 52n + 2n, step: null },
    ];
    for (const place of places) assert.deepEqual([...(await absent.get([place])).data], [7, 7], String(place.start));
    assert.deepEqual([...(await absent.vindex([[2n ** 53n - 2n]])).data], [7]);
    await assert.rejects(absent.getChunk([0]), is("LimitError"));
    await assert.rejects(absent.get(), is("LimitError"));
    // No store can have all of a chunk that long.
    const short = await openOf(meta, { "/c/0": Uint8Array.from({ length: 64 }, (_, i) => i) }, ranges);
    await assert.rejects(short.get([places[1]]), (error) =>
      zarr.isZarrError(error, "CodecPipelineError", "LimitError"),
    );
  }
});

test("a length of 2^53 or more is a named error, by every way to the array, and its neighbours are read", async () => {
  const n = 2n ** 53n;
  const lengths = {
    "the shape": document([5, n], regular([5, 5])),
    "a shape that a number holds": document([2n ** 60n], regular([2])),
    "the largest": document([2n ** 63n - 1n], regular([1024])),
    "of an array that is empty": document([0, n], regular([5, 5])),
    "chunks longer than the array": document([5], regular([n])),
    "chunks of an array that is empty": document([0], regular([n + 1n])),
    "a run": document([10], rectilinear([[5, n]])),
    "how many": document([n], rectilinear([[[1, n]]])),
  };
  for (const [what, meta] of Object.entries(lengths)) {
    const entries = new Map([
      ["/zarr.json", json(groupV3())],
      ["/large/zarr.json", json(meta)],
      ["/small/zarr.json", json(document([2], regular([2])))],
    ]);
    const at = zarr.root(entries);
    const refused = (error) => is("LimitError")(error) && error.limit === "Length" && /"\/large"/.test(error.message);
    for (let twice = 0; twice < 2; twice++) {
      for (const open of [zarr.open, zarr.open.v3])
        for (const kind of [undefined, "array"])
          await assert.rejects(open(at.resolve("large"), { kind }), refused, what);
    }
    const group = await zarr.open(at);
    const members = await group.members();
    assert.deepEqual(members.map(({ name, kind }) => [name, kind]).sort(), [
      ["large", "array"],
      ["small", "array"],
    ]);
    assert.deepEqual(
      members.flatMap(({ name, error }) => (error ? [name] : [])),
      ["large"],
      what,
    );
    const small = await zarr.open(at.resolve("small"), { kind: "array" });
    assert.deepEqual([...(await small.get()).data], [7, 7]);
  }
  const old = new Map([["/.zarray", json(arrayV2([n], "|u1", { chunks: [10] }))]]);
  for (const open of [zarr.open, zarr.open.v2]) await assert.rejects(open(old), is("LimitError"));
});

test("an index of a shard whose chunks lie beyond 2^53 is damaged", async () => {
  const index = new DataView(new ArrayBuffer(32));
  [2n ** 60n, 4n, 2n ** 53n - 2n, 4n].forEach((n, i) => void index.setBigUint64(8 * i, n, true));
  const codecs = [sharding([4])];
  for (const ranges of [true, false]) {
    const array = await openOf(
      document([8], regular([8]), { codecs }),
      { "/c/0": new Uint8Array(index.buffer) },
      ranges,
    );
    assert.deepEqual([array.chunks, array.shards, array.nchunks], [[4], [8], 2]);
    for (const chunk of [0, 1]) await assert.rejects(array.getChunk([chunk]), is("CodecPipelineError"));
  }
});

test("runs of chunks stay runs", async () => {
  const counts = [1e8, 2 ** 32, 1e15];
  const started = performance.now();
  for (const count of counts) {
    const array = await openOf(document([count, 6], rectilinear([[[1, count]], [4, 2, [3, 5]]])));
    assert.deepEqual(array.chunkGrid, {
      name: "rectilinear",
      shape: [count, 2],
      chunkShapes: [
        [[1, count]],
        [
          [4, 1],
          [2, 1],
        ],
      ],
    });
    assert.equal(array.nchunks, 2 * count);
    assert.match(String(await (await groupOf(array)).tree()), new RegExp(`a \\(${count}, 6\\) uint8`));
    await assert.rejects(array.nchunksInitialized(), is("LimitError"));
    assert.deepEqual((await array.getChunk([count - 1, 1])).shape, [1, 2]);
    assert.deepEqual([...(await array.get([{ start: -2, stop: null, step: null }, 5])).data], [7, 7]);
    await assert.rejects(array.getChunk([count, 0]), is("InvalidSelectionError"));
  }
  const ms = performance.now() - started;
  assert.ok(ms < 60_000, `it took ${Math.round(ms)} ms`);
});

test("runs of very many chunks are refused or read by every entry, at once", async () => {
  const entries = {
    get: [(array) => array.get(), "LimitError"],
    "get of a part": [async (array) => [...(await array.get([zarr.slice(3, 6)])).data], [7, 7, 7]],
    "get of a list": [async (array) => [...(await array.get([[-1, 0, 5]])).data], [7, 7, 7]],
    oindex: [async (array) => [...(await array.oindex([[-1, 0]])).data], [7, 7]],
    vindex: [async (array) => [...(await array.vindex([[-1, 0]])).data], [7, 7]],
    getChunk: [async (array) => [...(await array.getChunk([array.nchunks - 1])).data], [7]],
    nchunksInitialized: [(array) => array.nchunksInitialized(), "LimitError"],
    async chunksIn(array) {
      for await (const { coords, data } of array.chunksIn()) return [...coords, ...data];
    },
    view: [async (array) => [...(await array.view("int8").get([zarr.slice(0, 1)])).data], [7]],
    async properties({ chunkGrid, nchunks, shape, nbytes }) {
      return [chunkGrid.chunkShapes[0].length, nchunks / shape[0], nbytes / shape[0]];
    },
    metadata: [(array) => JSON.stringify(array.metadata).length < 1000, true],
    text: [(array) => String(array).length < 1000, true],
  };
  const wanted = { chunksIn: [0, 7], properties: [1, 1, 1] };
  for (const n of [1e8, 1e9, 2 ** 32]) {
    const array = await openOf(document([n], rectilinear([[[1, n]]])));
    for (const [name, entry] of Object.entries(entries)) {
      const [run, want] = Array.isArray(entry) ? entry : [entry, wanted[name]];
      const read = async () => run(array);
      if (typeof want === "string") await assert.rejects(read(), is(want), `${name} of ${n}`);
      else assert.deepEqual(await read(), want, `${name} of ${n}`);
    }
  }
});

test("invalid selectors are named errors, by every entry", async () => {
  const array = await openOf({ ...document([6], regular([2])), dimension_names: ["x"] });
  const entries = {
    get: (one) => array.get([one]),
    "get by name": (one) => array.get({ x: one }),
    oindex: (one) => array.oindex([one]),
    vindex: (one) => array.vindex([one]),
    getChunk: (one) => array.getChunk([one]),
    chunksIn: (one) => array.chunksIn([one]).next(),
    "view.get": (one) => array.view("int8").get([one]),
    "get()": (one) => zarr.get(array, [one]),
    "select()": (one) => zarr.get(array, zarr.select(array, { x: one })),
  };
  class Odd {}
  const wrong = [
    {},
    { a: 1 },
    new Map(),
    new Odd(),
    new Date(0),
    () => 1,
    Symbol("s"),
    "x",
    true,
    0.5,
    [{}],
    [[1]],
    [null],
  ];
  for (const [name, read] of Object.entries(entries)) {
    for (const one of wrong) {
      if (name === "vindex" && (one === 0.5 || one === true)) continue;
      await assert.rejects(
        async () => read(one),
        (error) => {
          assert.ok(zarr.isZarrError(error, "InvalidSelectionError"), `${name}: ${error}`);
          assert.doesNotMatch(error.message, /\[object /, name);
          return true;
        },
        name,
      );
    }
  }
  assert.equal(await array.get([5]), 7);
});

/** A group with that array in it. */
function groupOf(array) {
  const node = array.metadata["zarr.json"];
  const consolidated_metadata = { kind: "inline", must_understand: false, metadata: { a: node } };
  return zarr.open(new Map([["/zarr.json", json(groupV3({}, { consolidated_metadata }))]]), {
    kind: "group",
  });
}

test("reading by chunk begins at once, however many chunks there are", async () => {
  const n = 1e15;
  const grids = [
    document([n], regular([1])),
    document([n], rectilinear([[[1, n]]])),
    document(
      [n],
      rectilinear([
        [
          [3, 10],
          [1, n - 30],
        ],
      ]),
    ),
  ];
  const selections = [
    undefined,
    ["..."],
    [{ start: null, stop: null, step: -1 }],
    [{ start: 5, stop: null, step: 1000 }],
    { x: { start: 12, stop: null, step: null } },
    [[n - 1, 5, 5]],
  ];
  const started = performance.now();
  for (const meta of grids) {
    const array = await openOf({ ...meta, dimension_names: ["x"] });
    for (const selection of selections) {
      const whole = Array.isArray(selection?.[0]);
      let total = 0;
      const options = {
        onProgress: (_, all) => {
          total = all;
        },
      };
      let seen = 0;
      for await (const { data, coords, selection: taken, out } of array.chunksIn(selection, options)) {
        assert.ok(data.every((v) => v === 7) && Number.isSafeInteger(coords[0]));
        assert.equal((await array.get(taken)).data.length, data.length);
        assert.ok(Array.isArray(out[0]) || Number.isSafeInteger(out[0].start));
        if (++seen === 40) break;
      }
      assert.equal(seen, whole ? 2 : 40);
      assert.ok(whole ? total === 2 : total > 1e11, `${total}`);
    }
  }
  const matrix = await openOf(document([n, n, 5], rectilinear([[[1, n]], [[2, n]], 2])));
  let seen = 0;
  for await (const { coords } of matrix.chunksIn([{ start: null, stop: null, step: -1 }, null, [4, 0]])) {
    assert.deepEqual(coords, [n - 1, Math.floor(seen / 2), seen % 2 ? 0 : 2]);
    if (++seen === 50) break;
  }
  const ms = performance.now() - started;
  assert.ok(ms < 60_000, `it took ${Math.round(ms)} ms`);
});

test("the longest dimension is read by chunk from both of its ends", async () => {
  const array = await openOf(document([big], regular([2])));
  const first = async (start, stop, step) => (await array.chunksIn([{ start, stop, step }]).next()).value;
  assert.deepEqual((await first(null, null, null)).out, [{ start: 0, stop: 2, step: 1 }]);
  for (const [selection, coords, length] of [
    [[null, null, -1], 2 ** 52 - 1, 1],
    [[2n ** 53n - 4n, null, null], 2 ** 52 - 2, 2],
    [[2n ** 53n - 2n, null, 2n ** 60n], 2 ** 52 - 1, 1],
    [[-3, null, 2], 2 ** 52 - 2, 1],
  ]) {
    const part = await first(...selection);
    assert.deepEqual([part.coords, [...part.data]], [[coords], new Array(length).fill(7)], String(selection));
    assert.deepEqual(part.out, [{ start: 0, stop: length, step: 1 }], String(selection));
  }
});

test("shards of a rectilinear grid are cut into chunks of one shape", async () => {
  const codecs = [sharding([2])];
  // Shards of 4, 2 and 6 elements. The last extends beyond the array.
  const shard = (values) => shardOf(Uint8Array.from(values), 2);
  const array = await openOf(document([9], rectilinear([[4, 2, 6]]), { codecs }), {
    "/c/0": shard([0, 1, 2, 3]),
    "/c/2": shard([6, 7, 8, 9, 10, 11]),
  });
  assert.deepEqual(array.chunkGrid, { name: "rectilinear", shape: [5], chunkShapes: [2] });
  assert.deepEqual([array.chunks, array.shards, array.nchunks, await array.nchunksInitialized()], [[2], [6], 5, 4]);
  const got = [];
  for await (const { coords, data } of array.chunksIn()) got.push([coords[0], ...data]);
  assert.deepEqual(got, [
    [0, 0, 1],
    [1, 2, 3],
    [2, 7, 7],
    [3, 6, 7],
    [4, 8],
  ]);
  assert.deepEqual([...(await array.getChunk([3])).data], [6, 7]);
});

// ---- random grids and selections ------------------------------------------------

/** A random array of a random grid, whose elements count from 0, some chunks missing. */
async function randomArray(pick) {
  const rank = pick(4);
  const dimensions = Array.from({ length: rank }, () => {
    const lengths = [];
    const runs = [];
    if (pick(2)) {
      const each = 1 + pick(5);
      for (let i = pick(4); i >= 0; i--) lengths.push(each);
      return { lengths, runs: each, covers: lengths.length * each };
    }
    for (let i = pick(3); i >= 0; i--) {
      const run = [1 + pick(4), 1 + pick(3)];
      runs.push(pick(2) || run[1] > 1 ? run : run[0]);
      for (let k = 0; k < run[1]; k++) lengths.push(run[0]);
    }
    return { lengths, runs, covers: lengths.reduce((a, b) => a + b, 0) };
  });
  const shape = dimensions.map(({ covers, lengths }) => covers - pick(lengths.at(-1)));
  const even = dimensions.every(({ runs }) => typeof runs === "number");
  const chunk_grid =
    even && pick(3) ? regular(dimensions.map(({ runs }) => runs)) : rectilinear(dimensions.map(({ runs }) => runs));
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
  const objects = {};
  const make = (d, coords, origin, box) => {
    if (d < rank) {
      let start = 0;
      dimensions[d].lengths.forEach((length, i) => {
        make(d + 1, [...coords, i], [...origin, start], [...box, length]);
        start += length;
      });
      return;
    }
    if (pick(5) === 0) return;
    const values = [];
    const fill = (k, at, inside) => {
      if (k === rank) return void values.push(inside ? at : 9999);
      for (let i = 0; i < box[k]; i++) {
        const p = origin[k] + i;
        fill(k + 1, at + p * strides[k], inside && p < shape[k]);
      }
    };
    fill(0, 0, true);
    objects[["/c", ...coords].join("/")] = new Uint8Array(Int32Array.from(values).buffer);
  };
  make(0, [], [], []);
  const names = dimensions.map((_, d) => `d${d}`);
  const codecs = [{ name: "bytes", configuration: { endian: "little" } }];
  const meta = document(shape, chunk_grid, { data_type: "int32", codecs, fill_value: -1, dimension_names: names });
  return { array: await openOf(meta, objects, pick(2) === 1), shape, names };
}

function randomSelector(pick, n) {
  const bound = () => (pick(3) ? pick(2 * n + 3) - n - 1 : null);
  switch (pick(7)) {
    case 0:
      return pick(2 * n) - n;
    case 1:
      return Array.from({ length: pick(6) }, () => pick(2 * n) - n);
    case 2:
      return Array.from({ length: n }, () => pick(2) === 0);
    case 3:
      return null;
    case 4:
      return { start: bound(), stop: bound(), step: -1 - pick(4) };
    default:
      return { start: bound(), stop: bound(), step: pick(2) ? 1 + pick(4) : null };
  }
}

function randomSelection(pick, shape, names) {
  const all = shape.map((n) => randomSelector(pick, n));
  switch (pick(5)) {
    case 0:
      return all.slice(0, pick(shape.length + 1));
    case 1: {
      const from = pick(shape.length + 1);
      const to = from + pick(shape.length + 1 - from);
      return [...all.slice(0, from), "...", ...all.slice(to)];
    }
    case 2:
      return Object.fromEntries(names.flatMap((name, d) => (pick(2) ? [[name, all[d]]] : [])));
    default:
      return all;
  }
}

const positions = (line) =>
  Array.isArray(line)
    ? line
    : Array.from(
        { length: Math.ceil(((line.stop ?? -1) - line.start) / line.step) },
        (_, i) => line.start + i * line.step,
      );

test("the parts of random selections of random grids are the selection, each element once", async () => {
  for (let seed = 1; seed <= 400; seed++) {
    const pick = random(seed);
    const { array, shape, names } = await randomArray(pick);
    const selection = randomSelection(pick, shape, names);
    const about = JSON.stringify({ seed, selection, grid: array.chunkGrid, shape });
    const whole = await array.get(selection);
    const want = typeof whole === "number" ? { data: [whole], shape: [], stride: [] } : whole;
    const got = new Array(want.data.length).fill(undefined);
    const chunks = new Set();
    let total = 0;
    const options = {
      ahead: 1 + pick(6),
      onProgress: (_, all) => {
        total = all;
      },
    };
    for await (const part of array.chunksIn(selection, options)) {
      assert.ok(
        part.coords.every((c, d) => c >= 0 && c < array.chunkGrid.shape[d]),
        about,
      );
      chunks.add(part.coords.join());
      const places = part.out.map(positions);
      assert.deepEqual(
        places.map((list) => list.length),
        part.shape,
        about,
      );
      const at = places.reduce((all, list, d) => all.flatMap((p) => list.map((i) => p + i * want.stride[d])), [0]);
      for (const [i, p] of at.entries()) {
        assert.equal(got[p], undefined, about);
        got[p] = part.data[i];
      }
      const again = await array.get(part.selection);
      assert.deepEqual(typeof again === "number" ? [again] : [...again.data], [...part.data], about);
    }
    assert.deepEqual(got, [...want.data], about);
    assert.equal(chunks.size, total, about);
  }
});

test("an array whose chunks are read by a function of the page's reads random selections like any other", async () => {
  const through = zarr.defineArrayExtension((array) => ({
    getChunk: (coords, options) => array.getChunk(coords, options),
  }));
  for (let seed = 1000; seed < 1200; seed++) {
    const pick = random(seed);
    const { array, shape, names } = await randomArray(pick);
    const selection = randomSelection(pick, shape, names);
    assert.deepEqual(
      await through(array).get(selection),
      await array.get(selection),
      JSON.stringify({ seed, selection }),
    );
  }
});
