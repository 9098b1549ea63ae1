// The rows of docs/start/migrating.md in JavaScript: the equivalent of each function of
// zarr-python's API. Package tests/zarrpython runs those in Go.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as main from "../../dist/node.js";
import * as printing from "../../dist/print.js";
import * as writing from "../../dist/write-node.js";
import * as zipping from "../../dist/zip.js";
import { listen, top } from "../lib/serve.mjs";

const { caches, DirectoryStore, FetchStore, NotFoundError, open, registry, root, slice, ZipStore } = main;
const { append, consolidateMetadata, copy, copyAll, copyStore, createArray, createGroup, createLike } = writing;
const { deleteAttributes, deleteNode, empty, emptyLike, full, fullLike, migrate, move, ones, onesLike } = writing;
const { rename, requireArray, requireGroup, resize, set, setAttributes, setBlocks, setMask, setPoints } = writing;
const { updateAttributes, zeros, zerosLike } = writing;
const { toText } = printing;
const { ZipWriter } = zipping;

const folder = mkdtempSync(join(tmpdir(), "zarrpython-"));
after(() => {
  rmSync(folder, { recursive: true, force: true });
  return main.terminate();
});
let made = 0;
/** A path at which nothing exists yet. */
const fresh = () => join(folder, String(++made));

const small = { shape: 4, dtype: "uint8" };
const array = { kind: "array" };
const group = { kind: "group" };
const place = (path = "a") => root(new Map()).resolve(path);
const bytes = async (node, selection) => Array.from((await node.get(selection)).data);
const upTo = (n) => Array.from({ length: n }, (_, i) => i);

/** The bytes 0 to 11, 3 rows of 4 in chunks of 2 x 2, of version 2. */
async function numbers(target = place(), more = {}) {
  const node = await createArray(target, { format: 2, shape: [3, 4], chunks: [2, 2], dtype: "uint8", ...more });
  await set(node, null, upTo(12));
  return node;
}

/** A group with an array `a` and a group `g` that contains an array `b`. */
async function family(store = new Map()) {
  const node = await createGroup(store);
  await numbers(node.resolve("a"));
  await zeros(node.resolve("g/b"), small);
  return node;
}

/** The tests of rows about one feature with several names. */
const setsBasic = async () => {
  const a = await numbers();
  await set(a, [0, slice(1, 3)], [91, 92]);
  assert.deepEqual(await bytes(a, [0]), [0, 91, 92, 3]);
};

const ordered = async (a) => {
  await Promise.all(upTo(12).map((i) => setPoints(a, [[Math.floor(i / 4)], [i % 4]], 100 + i)));
  assert.deepEqual(
    await bytes(a),
    upTo(12).map((i) => 100 + i),
  );
};

/** The functions of zarr-python, and their equivalents. */
const rows = {
  create: async () => {
    const a = await createArray(place(), { shape: [10, 10], chunks: [5, 5], dtype: "<i4", fill_value: 7 });
    assert.deepEqual([a.shape, a.chunks, a.dtype, a.fillValue, a.format], [[10, 10], [5, 5], "int32", 7, 3]);
  },
  empty: async () => {
    const a = await empty(place(), { ...small, format: 2 });
    assert.equal(a.fillValue, null);
    assert.deepEqual(await bytes(a), [0, 0, 0, 0]);
  },
  zeros: async () => assert.deepEqual(await bytes(await zeros(place(), small)), [0, 0, 0, 0]),
  ones: async () => assert.deepEqual(await bytes(await ones(place(), small)), [1, 1, 1, 1]),
  full: async () => assert.deepEqual(await bytes(await full(place(), 9, small)), [9, 9, 9, 9]),
  array: async () => {
    const a = await createArray(place(), small);
    await set(a, null, [1, 2, 3, 4]);
    assert.deepEqual(await bytes(a), [1, 2, 3, 4]);
  },
  open_array: async () => {
    const at = place();
    await assert.rejects(open(at, array), NotFoundError);
    await set(await requireArray(at, small), null, 5); // a, of nothing
    assert.deepEqual(await bytes(await requireArray(at, small)), [5, 5, 5, 5]); // a
    assert.deepEqual(await bytes(await open(at, array)), [5, 5, 5, 5]); // r
    await assert.rejects(createArray(at, small), writing.ExistsError); // w-
    // w
    assert.deepEqual(await bytes(await createArray(at, { ...small, overwrite: true })), [0, 0, 0, 0]);
  },
  empty_like: async () => {
    const a = await emptyLike(place("b"), await numbers());
    assert.deepEqual([a.shape, a.chunks, a.fillValue], [[3, 4], [2, 2], null]);
  },
  zeros_like: async () => assert.equal(await (await zerosLike(place("b"), await numbers())).get([0, 1]), 0),
  ones_like: async () => assert.equal(await (await onesLike(place("b"), await numbers())).get([0, 0]), 1),
  full_like: async () => assert.equal(await (await fullLike(place("b"), await numbers(), 8)).get([2, 3]), 8),
  open_like: async () => {
    const at = place("b");
    const a = await numbers();
    const like = () =>
      open(at, array).catch((error) => {
        if (!(error instanceof NotFoundError)) throw error;
        return createLike(at, a);
      });
    await set(await like(), null, 4);
    assert.equal(await (await like()).get([0, 0]), 4);
  },

  "Array.path": async () => assert.equal((await numbers(place("x/a"))).path, "/x/a"),
  "Array.store": async () => {
    const store = new Map();
    assert.equal((await numbers(root(store))).store, store);
  },
  "Array.shape": async () => assert.deepEqual((await numbers()).shape, [3, 4]),
  "Array.chunks": async () => {
    assert.deepEqual((await numbers()).chunks, [2, 2]);
    const { chunks, shards } = await zeros(place(), { ...small, chunks: [1], shards: [2] });
    assert.deepEqual([chunks, shards], [[1], [2]]);
  },
  "Array.dtype": async () => assert.equal((await numbers()).dtype, "uint8"),
  "Array.compressor": async () => assert.equal((await numbers()).codecs.at(-1).name, "blosc"),
  "Array.filters": async () => {
    const filters = [{ id: "delta", dtype: "|u1" }];
    const { codecs } = await numbers(place(), { filters });
    assert.ok(
      codecs.some(({ name }) => name.endsWith("delta")),
      JSON.stringify(codecs),
    );
  },
  "Array.fill_value": async () => assert.equal((await full(place(), 3, small)).fillValue, 3),
  "Array.order": async () => assert.equal((await numbers(place(), { order: "F" })).order, "F"),
  "Array.attrs": async () => {
    const a = await updateAttributes(await numbers(place(), { attributes: { x: 1 } }), { y: 2 });
    assert.deepEqual(a.attrs, { x: 1, y: 2 });
  },
  "Array.cdata_shape": async () => assert.deepEqual((await numbers()).chunkGrid.shape, [2, 2]),
  "Array.nchunks": async () => assert.equal((await numbers()).nchunks, 4),
  "Array.nchunks_initialized": async () => {
    const a = await zeros(place(), { ...small, chunks: [1] });
    await set(a, [slice(3)], 1);
    assert.equal(await a.nchunksInitialized(), 3);
  },
  "Array.info": async () => assert.match(toText(await numbers()), /^Data type +: uint8$/m),
  "Array.__getitem__": async () => {
    const { data, shape } = await (await numbers()).get([slice(2), 1]);
    assert.deepEqual([Array.from(data), shape], [[1, 5], [2]]);
  },
  "Array.__setitem__": setsBasic,
  "Array.get_basic_selection": async () => assert.equal(await (await numbers()).get([-1, 0]), 8),
  "Array.set_basic_selection": setsBasic,
  "Array.get_mask_selection": async () => {
    const { data } = await (await numbers()).vindex(new main.BoolArray(upTo(12).map((i) => i % 5 === 0)));
    assert.deepEqual(Array.from(data), [0, 5, 10]);
  },
  "Array.set_mask_selection": async () => {
    const a = await numbers();
    await setMask(
      a,
      [
        [true, false, false, false],
        [false, false, false, false],
        [false, false, false, true],
      ],
      [50, 51],
    );
    assert.deepEqual(await bytes(a), [50, ...upTo(12).slice(1, 11), 51]);
  },
  "Array.get_orthogonal_selection": async () => {
    const a = await numbers();
    assert.deepEqual(
      Array.from(
        (
          await a.oindex([
            [0, 2],
            [1, 3],
          ])
        ).data,
      ),
      [1, 3, 9, 11],
    );
    assert.deepEqual(
      Array.from(
        (
          await a.get([
            [true, false, true],
            [1, 3],
          ])
        ).data,
      ),
      [1, 3, 9, 11],
    );
  },
  "Array.set_orthogonal_selection": async () => {
    const a = await numbers();
    await set(
      a,
      [
        [true, false, true],
        [1, 3],
      ],
      [91, 92, 93, 94],
    );
    assert.deepEqual(await bytes(a), [0, 91, 2, 92, 4, 5, 6, 7, 8, 93, 10, 94]);
  },
  "Array.get_coordinate_selection": async () => {
    const { data } = await (await numbers()).vindex([
      [2, 0],
      [3, 1],
    ]);
    assert.deepEqual(Array.from(data), [11, 1]);
  },
  "Array.set_coordinate_selection": async () => {
    const a = await numbers();
    await setPoints(
      a,
      [
        [2, 0],
        [3, 1],
      ],
      [71, 72],
    );
    assert.deepEqual([await a.get([2, 3]), await a.get([0, 1])], [71, 72]);
  },
  "Array.get_block_selection": async () => {
    const { data } = await (await numbers()).blocks([0, 1]);
    assert.deepEqual(Array.from(data), [2, 3, 6, 7]);
  },
  "Array.set_block_selection": async () => {
    const a = await numbers();
    await setBlocks(a, [0, 1], 0);
    assert.deepEqual(await bytes(a), [0, 1, 0, 0, 4, 5, 0, 0, 8, 9, 10, 11]);
  },
  "Array fields": async () => {
    const a = await createArray(place(), {
      format: 2,
      shape: 2,
      dtype: [
        ["x", "|u1"],
        ["y", "<i2"],
      ],
    });
    await set(a, null, [-1, -2], { field: "y" });
    const { data } = await a.get();
    assert.deepEqual(
      [Array.from(data.x), Array.from(data.y)],
      [
        [0, 0],
        [-1, -2],
      ],
    );
  },
  "Array.resize": async () => {
    const a = await resize(await resize(await numbers(), [1, 4]), [2, 4]);
    assert.deepEqual(await bytes(a), [0, 1, 2, 3, 0, 0, 0, 0]);
  },
  "Array.append": async () => {
    const a = await append(await numbers(), [7, 8, 9], { dimension: 1 });
    assert.deepEqual(await bytes(a), [0, 1, 2, 3, 7, 4, 5, 6, 7, 8, 8, 9, 10, 11, 9]);
  },
  "Array.view": async () => {
    const a = await createArray(place(), { shape: 1, dtype: "uint16", fillValue: 65535 });
    assert.deepEqual(await bytes(a.view("int16")), [-1]);
  },

  group: async () => assert.equal((await createGroup(new Map())).kind, "group"),
  open_group: async () => {
    const store = new Map();
    await assert.rejects(open(store, group), NotFoundError);
    assert.equal((await requireGroup(store)).path, (await open(store, group)).path);
  },
  "Group.__len__": async () => assert.equal((await (await family()).members()).length, 2),
  "Group.__contains__": async () => {
    const g = await family();
    assert.equal((await g.open("a")).path, "/a");
    await assert.rejects(g.open("none"), NotFoundError);
  },
  "Group.__getitem__": async () => assert.deepEqual((await (await family()).open("g/b")).shape, [4]),
  "Group.group_keys": async () => assert.deepEqual([...(await (await family()).groups()).keys()], ["g"]),
  "Group.array_keys": async () => assert.deepEqual([...(await (await family()).arrays()).keys()], ["a"]),
  "Group.visit": async () => {
    const visited = [];
    const visit = (node) => {
      visited.push(node.name);
      for (const child of node.children ?? []) visit(child);
    };
    visit(await (await family()).tree());
    assert.deepEqual(visited.slice(1), ["a", "g", "b"]);
  },
  "Group.create_group": async () => {
    const g = await family();
    assert.equal((await createGroup(g.resolve("x/y"))).path, "/x/y");
    assert.equal((await g.open("x")).kind, "group");
  },
  "Group.require_group": async () => assert.equal((await requireGroup((await family()).resolve("g"))).path, "/g"),
  "Group.create_dataset": async () => {
    const g = await family();
    await createArray(g.resolve("c"), small);
    assert.deepEqual([...(await g.arrays()).keys()].sort(), ["a", "c"]);
  },
  "Group.require_dataset": async () => {
    const a = await requireArray((await family()).resolve("a"), { shape: [3, 4], dtype: "uint8" });
    assert.equal(await a.get([2, 3]), 11);
  },
  "Group.move": async () => {
    const g = await family();
    await move(g.resolve("a"), "g/moved");
    assert.equal(await (await g.open("g/moved", array)).get([2, 3]), 11);
    await assert.rejects(g.open("a"), NotFoundError);
  },
  "Group.__delitem__": async () => {
    const g = await family();
    await deleteNode(g.resolve("g"));
    await assert.rejects(g.open("g/b"), NotFoundError);
  },
  "Group.tree": async () =>
    assert.equal(String(await (await family()).tree()), "/\n├── a (3, 4) uint8\n└── g\n    └── b (4) uint8"),

  DictStore: async () => {
    const store = new Map();
    await numbers(store);
    assert.ok(store.has("/.zarray") && store.has("/0.0"));
  },
  DirectoryStore: async () => {
    const path = fresh();
    await numbers(new DirectoryStore(path));
    assert.ok(existsSync(join(path, "1.1")));
    assert.equal(await (await open(new DirectoryStore(path), array)).get([2, 3]), 11);
  },
  NestedDirectoryStore: async () => {
    const path = fresh();
    await numbers(new DirectoryStore(path), { dimension_separator: "/" });
    assert.ok(existsSync(join(path, "1", "1")));
  },
  ZipStore: async () => {
    const zip = new ZipWriter();
    await numbers(zip);
    assert.equal(await (await open(new ZipStore(await zip.blob()), array)).get([2, 3]), 11);
  },
  FSStore: async () => {
    const objects = new Map();
    const server = await listen(async (request, response) => {
      const { method, url } = request;
      const found = objects.get(url);
      if (method === "PUT") objects.set(url, Buffer.concat(await request.toArray()));
      else if (method === "DELETE") objects.delete(url);
      else if (!found) response.statusCode = 404;
      response.end(method === "GET" ? found : undefined);
    });
    try {
      const url = `${server.url}data.zarr`;
      await numbers(new FetchStore(url));
      assert.ok(objects.has("/data.zarr/1.1"));
      assert.equal(await (await open(url, array)).get([2, 3]), 11);
    } finally {
      server.close();
    }
  },
  LRUStoreCache: async () => {
    const written = new Map();
    await numbers(written);
    // Small reads of a Map decode its chunks each time.
    const a = await open({ get: (key) => written.get(key) }, array);
    await a.get();
    const { hits } = (await caches()).decoded;
    await a.get();
    assert.ok((await caches()).decoded.hits > hits);
  },
  contains_array: async () => {
    const g = await family();
    assert.equal((await open(g.resolve("a"))).kind, "array");
    await assert.rejects(open(g.resolve("g"), array), /group/);
  },
  listdir: async () => {
    const store = new DirectoryStore(fresh());
    await numbers(root(store).resolve("a"));
    assert.deepEqual((await store.listFolder("a")).sort(), [".zarray", "0.0", "0.1", "1.0", "1.1"]);
  },
  rmdir: async () => {
    const store = new DirectoryStore(fresh());
    await numbers(root(store).resolve("a"));
    await store.deleteFolder("a");
    assert.equal(await store.get("/a/.zarray"), undefined);
  },
  rename: async () => {
    const g = await family();
    assert.equal((await rename(g.resolve("a"), "z")).path, "/z");
    assert.equal(await (await g.open("z", array)).get([2, 3]), 11);
  },
  migrate_1to2: async () => {
    const json = { zarr_format: 1, shape: [2], chunks: [2], dtype: "|u1", compression: null, compression_opts: null };
    const meta = JSON.stringify({ ...json, fill_value: 0, order: "C" });
    const text = (value) => new TextEncoder().encode(value);
    const store = new Map([
      ["/meta", text(meta)],
      ["/attrs", text("{}")],
      ["/0", Uint8Array.of(1, 2)],
    ]);
    const a = await migrate(store, 2);
    assert.deepEqual([a.format, await bytes(a)], [2, [1, 2]]);
  },

  open: async () => assert.equal((await open((await numbers()).resolve("."))).kind, "array"),
  save: async () => {
    const at = place();
    await numbers(at);
    await set(await createArray(at, { ...small, overwrite: true }), null, [1, 2, 3, 4]);
    assert.deepEqual(await bytes(await open(at, array)), [1, 2, 3, 4]);
  },
  load: async () => assert.deepEqual(Array.from((await (await numbers()).get()).data), upTo(12)),
  copy: async () => {
    const at = place("copy");
    await copy(await numbers(), at, { format: 3, array: { chunks: [3, 1] } });
    const a = await open(at, array);
    assert.deepEqual([a.format, a.chunks, await bytes(a)], [3, [3, 1], upTo(12)]);
  },
  copy_all: async () => {
    const to = await createGroup(new Map());
    await copyAll(await family(), to);
    assert.equal(await (await to.open("a", array)).get([2, 3]), 11);
  },
  copy_store: async () => {
    const [from, to] = [new Map(), new Map()];
    await family(from);
    await copyStore(from, root(to).resolve("all"));
    assert.deepEqual(to.get("/all/a/1.1"), from.get("/a/1.1"));
  },
  consolidate_metadata: async () => {
    const store = new Map();
    await family(store);
    assert.ok((await consolidateMetadata(store)).consolidated);
  },
  open_consolidated: async () => {
    const store = new Map();
    await family(store);
    await consolidateMetadata(store);
    const [{ how }] = await (await open(new Map(store), group)).members();
    assert.equal(how, "consolidated");
  },

  codec_registry: async () => assert.ok(registry.has("blosc")),
  Blosc: async () => {
    const a = await numbers(place(), { compressor: { id: "blosc", cname: "zstd", clevel: 1, shuffle: 1 } });
    assert.equal(a.metadata[".zarray"].compressor.cname, "zstd");
  },
  register_codec: async () => {
    const a = await numbers(place(), { compressor: null });
    const document = { ...a.metadata[".zarray"], compressor: { id: "turned" } };
    a.store.set("/b/.zarray", new TextEncoder().encode(JSON.stringify(document)));
    a.store.set("/b/0.0", Uint8Array.of(3, 2, 1, 0));
    registry.set("turned", () => ({ fromConfig: () => ({ decode: (data) => data.slice().reverse() }) }));
    try {
      assert.deepEqual(await bytes(await open(a.resolve("/b"), array), [0, slice(2)]), [0, 1]);
    } finally {
      registry.delete("turned");
    }
  },
  "Attributes.__getitem__": async () => assert.equal((await createGroup(place(), { attributes: { x: 1 } })).attrs.x, 1),
  "Attributes.__setitem__": async () => {
    const g = await createGroup(place(), { attributes: { x: 1 } });
    assert.deepEqual((await updateAttributes(g, { x: 2, y: 3 })).attrs, { x: 2, y: 3 });
  },
  "Attributes.__delitem__": async () => {
    const g = await createGroup(place(), { attributes: { x: 1, y: 2 } });
    assert.deepEqual((await deleteAttributes(g, ["x"])).attrs, { y: 2 });
  },
  "Attributes.put": async () => {
    const g = await createGroup(place(), { attributes: { x: 1 } });
    assert.deepEqual((await setAttributes(g, { y: 2 })).attrs, { y: 2 });
  },
  "Attributes.refresh": async () => {
    const g = await createGroup(place(), { attributes: { x: 1 } });
    await updateAttributes(g, { x: 2 });
    assert.deepEqual([g.attrs, (await open(g.resolve("."))).attrs], [{ x: 1 }, { x: 2 }]);
  },
  ThreadSynchronizer: async () => ordered(await numbers()),
  ProcessSynchronizer: async () => {
    const store = new DirectoryStore(fresh());
    const order = [];
    const locked = (n) => store.lock("a", async () => void order.push(n, n));
    await Promise.all(upTo(5).map(locked));
    assert.deepEqual(
      order.filter((n, i) => n !== order[i ^ 1]),
      [],
    );
    await ordered(await numbers(store));
  },
};

const page = readFileSync(join(top, "docs/start/migrating.md"), "utf8");
const told = [...page.matchAll(/^\| `([^`]+)` \| .+? \| (.+?) \|.*\|$/gm)].map(([, name, here]) => ({ name, here }));

test("exactly the rows with a JavaScript equivalent are run", () => {
  assert.ok(told.length > 80, `${told.length} rows`);
  const has = told.filter(({ here }) => !here.startsWith("–")).map(({ name }) => name);
  assert.deepEqual(Object.keys(rows).sort(), has.sort());
});

/** The names of a row's code: `set(array, …)`, `array.get`, `DirectoryStore.lock`, the options in `{ field }`. */
function namesIn(here) {
  const calls = [...here.matchAll(/`([\w.]+)/g)].map(([, name]) => name);
  const options = [...here.matchAll(/`\{ ([\w, ]+) \}`/g)].flatMap(([, names]) => names.split(", "));
  return { calls, options };
}

test("the names in the rows exist", async () => {
  const entries = { ...main, ...writing, ...printing, ...zipping, Map };
  const things = { array: await numbers(), group: await family() };
  for (const { name, here } of told) {
    for (const call of namesIn(here).calls) {
      const [first, ...members] = call.split(".");
      let at =
        things[first] ?? entries[first] ?? (first in DirectoryStore.prototype && DirectoryStore.prototype[first]);
      assert.ok(at, `${name}: ${call}`);
      for (const member of members) {
        at = at[member] ?? at.prototype?.[member];
        assert.notEqual(at, undefined, `${name}: ${call}`);
      }
    }
  }
});

for (const { name, here } of told.filter(({ name }) => rows[name])) {
  test(name, async () => {
    await rows[name]();
    // The names in the row are those that were called.
    const { calls, options } = namesIn(here);
    for (const one of [...calls.map((call) => call.split(".").at(-1)), ...options]) {
      assert.match(String(rows[name]), new RegExp(`\\b${one}\\b`), one);
    }
  });
}
