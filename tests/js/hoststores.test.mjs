// Optional answers of a store on the page: the versions of its objects, its folders' contents, its
// address, and reasons of failures.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { arrayV3, groupV3, json, sharding, shardOf } from "../lib/documents.mjs";

after(() => zarr.terminate());

const versionKey = Symbol.for("zarr-wasm.version");

/** The document of an array of uint8 in chunks, or in shards of several. */
const document = (length, chunk = 4, shard = 0) =>
  json(
    arrayV3([length], "uint8", { chunks: [shard || chunk], codecs: [shard ? sharding([chunk]) : { name: "bytes" }] }),
  );
const group = json(groupV3());

const chunk = 1 << 18;
const chunks = 64;
/** One element of some chunks, far from each other. */
const wanted = Array.from({ length: 4 }, (_, i) => 16 * i * chunk);

/** The document of an array of one shard. */
const sharded = () => document(chunks * chunk, chunk, chunks * chunk);

/** The shard, filled with a value. */
const shardWith = (value) => shardOf(new Uint8Array(chunk * chunks).fill(value), chunk);

/** A store of objects that reports their versions, `{ bytes, modified }` by key. */
class Versioned {
  asked = 0;
  constructor(objects) {
    this.objects = objects;
  }
  async get(key) {
    return this.#answer(key, (bytes) => bytes.slice());
  }
  async getRange(key, range) {
    return this.#answer(key, (bytes) =>
      range.suffixLength === undefined
        ? bytes.slice(range.offset, range.offset + range.length)
        : bytes.slice(bytes.length - range.suffixLength),
    );
  }
  #answer(key, part) {
    this.asked++;
    this.onAsk?.(key);
    const object = this.objects.get(key);
    if (!object) return undefined;
    const bytes = part(object.bytes);
    bytes[versionKey] = { size: object.bytes.length, modified: object.modified };
    return bytes;
  }
}

test("a read takes one version of an object, if the store reports versions", async () => {
  for (const at of [2, 3, 4]) {
    const objects = new Map([
      ["/zarr.json", { bytes: sharded(), modified: 1 }],
      ["/c/0", { bytes: shardWith(1), modified: 1 }],
    ]);
    const store = new Versioned(objects);
    // The object is replaced during the read by one of the same layout.
    let asked = 0;
    store.onAsk = (key) => {
      if (key === "/c/0" && ++asked === at) objects.set(key, { bytes: shardWith(2), modified: 1.5 });
    };
    const array = await zarr.open(store, { kind: "array" });
    const { data } = await array.get([wanted]);
    assert.ok(asked > at, `it was read by ${asked} questions, and replaced at ${at}`);
    assert.deepEqual(
      [...data],
      wanted.map(() => 2),
    );
    assert.deepEqual(
      [...(await array.get([wanted])).data],
      wanted.map(() => 2),
    );
  }
});

test("merged ranges tell the version of their object", async () => {
  const objects = new Map([
    ["/zarr.json", { bytes: sharded(), modified: 1 }],
    ["/c/0", { bytes: shardWith(1), modified: 1 }],
  ]);
  const store = new Versioned(objects);
  let asked = 0;
  store.onAsk = (key) => {
    if (key === "/c/0" && ++asked === 3) objects.set(key, { bytes: shardWith(2), modified: 2 });
  };
  const array = await zarr.open(zarr.withRangeCoalescing(store), { kind: "array" });
  const { data } = await array.get([wanted]);
  assert.ok(asked > 3);
  assert.deepEqual(
    [...data],
    wanted.map(() => 2),
  );
});

test("invalid versions are ignored", async () => {
  for (const modified of [Number.NaN, "x", undefined, null, Number.POSITIVE_INFINITY, 0, -1, 2 ** 60, 1e-300]) {
    const objects = new Map([
      ["/zarr.json", { bytes: sharded(), modified }],
      ["/c/0", { bytes: shardWith(3), modified }],
    ]);
    const array = await zarr.open(new Versioned(objects), { kind: "array" });
    assert.deepEqual(
      [...(await array.get([wanted])).data],
      wanted.map(() => 3),
    );
  }
});

test("an object that is replaced all the time is a named error, and is read once it is not", async () => {
  const objects = new Map([["/zarr.json", { bytes: sharded(), modified: 1 }]]);
  const store = new Versioned(objects);
  let version = 1;
  let restless = true;
  store.onAsk = (key) => {
    if (key === "/c/0" && restless) objects.set(key, { bytes: shardWith(version & 127), modified: ++version });
  };
  const array = await zarr.open(store, { kind: "array" });
  for (let time = 0; time < 2; time++) {
    const changed = (error) => zarr.isZarrError(error, "StoreError") && /changed/.test(error.message);
    await assert.rejects(array.get([wanted]), changed);
  }
  restless = false;
  assert.equal(new Set((await array.get([wanted])).data).size, 1);
});

/** A store of a map that can list. */
class Listing extends Map {
  listed = [];
  listFolder(path) {
    this.listed.push(path);
    const prefix = path === "" ? "/" : `/${path}/`;
    const names = [...this.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    return [...new Set(names.map((name) => name.replace(/\/.*/, "/")))];
  }
}

function tree() {
  const store = new Listing();
  for (const path of ["", "/b", "/b/c"]) store.set(`${path}/zarr.json`, group);
  for (const path of ["/a", "/b/d"]) store.set(`${path}/zarr.json`, document(4));
  store.set("/a/c/0", Uint8Array.of(1, 2, 3, 4));
  return store;
}

test("a group without consolidated metadata has the members that its store lists", async () => {
  const store = tree();
  const root = await zarr.open(store, { kind: "group" });
  for (let time = 0; time < 2; time++) {
    const members = await root.members();
    assert.deepEqual(
      members.map(({ name, kind }) => `${name} ${kind}`),
      ["a array", "b group"],
    );
  }
  const b = await root.open("b", { kind: "group" });
  assert.deepEqual(
    (await b.members()).map(({ path }) => path),
    ["/b/c", "/b/d"],
  );
  assert.ok(store.listed.includes("") && store.listed.includes("b"));
  const [{ node }] = await root.members();
  assert.deepEqual([...(await node.get()).data], [1, 2, 3, 4]);
});

test("a store without getRange lists as well, and one without listFolder says that it cannot", async () => {
  const map = tree();
  const whole = { get: (key) => map.get(key), listFolder: async (path) => map.listFolder(path) };
  assert.equal((await (await zarr.open(whole, { kind: "group" })).members()).length, 2);
  const none = await zarr.open({ get: (key) => map.get(key) }, { kind: "group" });
  await assert.rejects(none.members(), { name: "UnsupportedError" });
});

test("an invalid listing is a named error, and the next one is read", async () => {
  const map = tree();
  let listing;
  const store = { get: (key) => map.get(key), listFolder: () => listing() };
  const root = await zarr.open(store, { kind: "group" });
  for (const wrong of [undefined, null, "a/", 7, ["a/", ".."], ["../a/"], ["a/b/"], [""], ["/"], [7], [null]]) {
    listing = () => wrong;
    await assert.rejects(root.members(), { name: "StoreError" }, JSON.stringify(wrong));
  }
  listing = () => ["b/", "a/", "a/", "zarr.json"];
  assert.deepEqual(
    (await root.members()).map(({ name }) => name),
    ["a", "b"],
  );
  listing = () => Promise.reject(new TypeError("no disk"));
  await assert.rejects(root.members(), (error) => error.name === "StoreError" && error.cause?.message === "no disk");
  const controller = new AbortController();
  listing = () => new Promise(() => {});
  const waits = root.members({ signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(waits, /enough/);
  listing = () => ["a/"];
  assert.equal((await root.members()).length, 1);
});

test("an extension that reads by other keys lists only by its own", async () => {
  const inner = new Listing([...tree()].map(([key, value]) => [`/sub${key}`, value]));
  const below = zarr.defineStoreExtension((store) => ({ get: (key, options) => store.get(`/sub${key}`, options) }));
  await assert.rejects((await zarr.open(below(inner), { kind: "group" })).members(), { name: "UnsupportedError" });
  const lists = zarr.defineStoreExtension((store) => ({
    get: (key, options) => store.get(`/sub${key}`, options),
    listFolder: (path, options) => store.listFolder(`sub/${path}`.replace(/\/$/, ""), options),
  }));
  assert.equal((await (await zarr.open(lists(inner), { kind: "group" })).members()).length, 2);
  const caching = zarr.withByteCaching(tree());
  assert.equal((await (await zarr.open(caching, { kind: "group" })).members()).length, 2);
});

test("the object that a store rejects with is the cause of the error", async () => {
  const thrown = Object.assign(new Error("no disk"), { code: "EIO" });
  const map = tree();
  const broken = new Set();
  const store = {
    get: async (key) => {
      if (broken.has(key)) throw thrown;
      return map.get(key);
    },
  };
  const same = (error) => error.name === "StoreError" && error.cause === thrown && /no disk/.test(error.message);
  const array = await zarr.open(zarr.root(store).resolve("a"), { kind: "array" });
  broken.add("/a/c/0");
  for (const read of [() => array.get(), () => array.getChunk([0]), () => array.vindex([[1]]), () => array.get([0])]) {
    await assert.rejects(read(), same);
    await Promise.all([read(), read()].map((one) => assert.rejects(one, same)));
  }
  broken.clear();
  assert.deepEqual([...(await array.get()).data], [1, 2, 3, 4]);
  broken.add("/a/zarr.json");
  await assert.rejects(zarr.open(zarr.root({ ...store }).resolve("a")), same);
  const lists = { ...store, listFolder: () => ["a/"] };
  const [member] = await (await zarr.open(lists, { kind: "group" })).members();
  assert.ok(same(member.error), String(member.error));
  const text = { get: () => Promise.reject("a string") };
  await assert.rejects(zarr.open(text), (error) => error.cause === "a string");
});

test("the error of a codec on the page is the cause of the chunk's error", async () => {
  const thrown = new RangeError("too hot");
  const decode = () => {
    throw thrown;
  };
  zarr.registry.set("hot", () => ({ kind: "bytes_to_bytes", fromConfig: () => ({ decode }) }));
  const hot = JSON.parse(new TextDecoder().decode(document(4)));
  hot.codecs.push({ name: "hot", configuration: {} });
  const store = new Map([
    ["/zarr.json", json(hot)],
    ["/c/0", Uint8Array.of(1, 2, 3, 4)],
  ]);
  const array = await zarr.open(store, { kind: "array" });
  await assert.rejects(array.get(), (error) => error.name === "CodecPipelineError" && error.cause === thrown);
  zarr.registry.delete("hot");
});

test("a store that has an address is named where a node is not found", async () => {
  for (const [address, at] of [
    ["/data/a.zarr", "/data/a.zarr/x/zarr.json"],
    ["/", "/x/zarr.json"],
    ["", "zarr.json"],
    [undefined, "zarr.json"],
    [7, "zarr.json"],
  ]) {
    const store = { address, get: () => undefined };
    await assert.rejects(zarr.open(zarr.root(store).resolve("x")), (error) => {
      assert.equal(error.name, "NotFoundError");
      assert.ok(error.tried.includes(at), `${address}: ${error.tried}`);
      return true;
    });
  }
});

/** Objects with bad bytes in a cache: `bad(key)` is returned until a read bypasses the cache. */
class Spoilt {
  asked = [];
  good = new Set();
  constructor(objects, bad) {
    Object.assign(this, { objects, bad });
  }
  async get(key, { cache } = {}) {
    this.asked.push([key, cache]);
    const bytes = this.objects.get(key);
    if (cache === "reload") this.good.add(key);
    return bytes && (this.good.has(key) ? bytes.slice() : this.bad(key, bytes));
  }
}

/** The same with ranges. */
class SpoiltRanges extends Spoilt {
  async getRange(key, range, options) {
    const bytes = await this.get(key, options);
    if (range.suffixLength !== undefined) return bytes?.slice(-range.suffixLength);
    return bytes?.slice(range.offset, range.offset + range.length);
  }
}

test("useless bytes in a store's cache are requested past the cache", async () => {
  const small = [["/zarr.json", document(8)], ...[0, 1].map((i) => [`/c/${i}`, new Uint8Array(4).fill(7)])];
  const shard = [
    ["/zarr.json", sharded()],
    ["/c/0", shardWith(7)],
  ];
  const spoilers = {
    empty: () => new Uint8Array(),
    cut: (_, bytes) => bytes.slice(0, -1),
    throws: () => Promise.reject(new Error("half an answer")),
  };
  for (const [name, bad] of Object.entries(spoilers)) {
    for (const [objects, Kind] of [
      [small, Spoilt],
      [small, SpoiltRanges],
      [shard, SpoiltRanges],
    ]) {
      for (const wrap of [(store) => store, (store) => zarr.withByteCaching(store, { cache: new Map() })]) {
        const store = new Kind(new Map(objects), bad);
        const root = zarr.root(wrap(store));
        // An exception is an error once, and the bad bytes never appear.
        const twice = async (call) => {
          if (name !== "throws") return call();
          await assert.rejects(call, { name: "StoreError" });
          return call();
        };
        const array = await twice(() => zarr.open(root, { kind: "array" }));
        const [from] = wanted;
        const { data } = await twice(() => array.get([zarr.slice(from, from + 4)]));
        assert.deepEqual([...data], [7, 7, 7, 7], name);
        const view = await array.view("int8").get([zarr.slice(from, from + 4)]);
        assert.deepEqual([...view.data], [7, 7, 7, 7], name);
        assert.ok(store.asked.some(([key, cache]) => key.startsWith("/c/0") && cache === "reload"));
      }
    }
  }
});

test("a store whose answers are good is never asked past its cache", async () => {
  const store = new Spoilt(
    new Map([
      ["/zarr.json", document(8)],
      ["/c/0", new Uint8Array(4)],
    ]),
    (_, bytes) => bytes.slice(),
  );
  const array = await zarr.open(zarr.root(store), { kind: "array" });
  for (let i = 0; i < 3; i++) await array.get(); // chunk 1 is absent, which is not a failure
  assert.deepEqual(
    store.asked.filter(([, cache]) => cache !== undefined),
    [],
  );
});
