// Composed stores through the package: as plain data, as classes, nested, replaced in part.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { arrayV3, json } from "../lib/documents.mjs";
import { serve, top } from "../lib/serve.mjs";

const dir = `${top}build/test/composed`;
const array = (attributes) => arrayV3([4], "uint8", { attributes });
const data = async (target, path = "/") => [...(await (await zarr.open(zarr.root(target).resolve(path))).get()).data];

rmSync(dir, { recursive: true, force: true });
mkdirSync(`${dir}/a/c`, { recursive: true });
writeFileSync(`${dir}/a/zarr.json`, json(array({ from: "server" })));
writeFileSync(`${dir}/a/c/0`, Uint8Array.of(1, 2, 3, 4));
const server = await serve(dir);
after(() => {
  server.close();
  zarr.terminate();
});

test("the first store of an overlay that has a key counts, whatever each of them is", async () => {
  const top = new Map([["/a/c/0", Uint8Array.of(9, 9, 9, 9)]]);
  for (const below of [
    server.url,
    new URL(server.url),
    new zarr.FetchStore(server.url),
    dir,
    new zarr.FileStore(dir),
  ]) {
    assert.deepEqual(await data({ overlay: [top, below] }, "a"), [9, 9, 9, 9]);
    assert.deepEqual(await data({ overlay: [new Map(), below] }, "a"), [1, 2, 3, 4]);
    assert.deepEqual(await data({ prefix: { overlay: [below, top] }, path: "a" }), [1, 2, 3, 4]);
    const opened = await zarr.open({ prefix: below, path: "/a/" }, { kind: "array" });
    assert.deepEqual(opened.attrs, { from: "server" });
    assert.ok(opened.store instanceof zarr.ComposedStore);
  }
});

test("a composed store can be read by its keys", async () => {
  const store = new zarr.ComposedStore({ prefix: server.url, path: "a" });
  assert.deepEqual(await store.get("/c/0"), Uint8Array.of(1, 2, 3, 4));
  assert.deepEqual(await store.getRange("/c/0", { offset: 1, length: 2 }), Uint8Array.of(2, 3));
  assert.deepEqual(await store.getRange("/c/0", { suffixLength: 1 }), Uint8Array.of(4));
  assert.equal(await store.get("/none"), undefined);
  assert.ok((await store.stats()).requests > 0);
  assert.match(String(zarr.root(store)), /store=prefix:http/);
});

test("the listeners of underlying stores receive their requests", async () => {
  const heard = [];
  const below = new zarr.FetchStore(server.url, { onRequest: (event) => heard.push(event) });
  assert.deepEqual(await data({ prefix: below, path: "a" }), [1, 2, 3, 4]);
  assert.ok(heard.length > 0);
});

test("a store whose ways to read were replaced by functions that call the old ones is read by these", async () => {
  const heard = [];
  const logging = (Store) =>
    class extends Store {
      async get(key, options) {
        heard.push(key);
        return super.get(key, options);
      }
      async getRange(key, range, options) {
        heard.push(key);
        return super.getRange(key, range, options);
      }
    };
  for (const make of [
    () => new (logging(zarr.FetchStore))(`${server.url}a`),
    () => new (logging(zarr.ComposedStore))({ prefix: server.url, path: "a" }),
  ]) {
    for (const target of [make(), { overlay: [make()] }]) {
      heard.length = 0;
      assert.deepEqual(await data(target), [1, 2, 3, 4]);
      assert.ok(heard.includes("/zarr.json") && heard.includes("/c/0"), String(heard));
    }
  }
});

test("an invalid composition is a named error", async () => {
  for (const [composition, expected] of [
    [{ zip: 7 }, /zip: key/],
    [{ zip: new Map() }, /zip: key/],
    [{ overlay: new Map() }, /overlay: expected a list of stores/],
    [{ overlay: [7] }, /a store: expected an address/],
    [{ prefix: null, path: "a" }, /a store: expected an address/],
    [{ nothing: 1 }, /an object with one of zip, /],
    [{}, /an object with one of zip, /],
  ]) {
    assert.throws(() => new zarr.ComposedStore(composition), expected);
    await assert.rejects(async () => zarr.open(composition), TypeError);
  }
  for (const composition of [{ overlay: [] }, { prefix: new Map() }, { prefix: new Map(), path: 7 }]) {
    await assert.rejects(
      zarr.open(composition),
      (error) => zarr.isZarrError(error, "StoreError") && /of kind/.test(error),
    );
  }
  let deep = new Map();
  for (let i = 0; i < 20; i++) deep = { overlay: [deep] };
  await assert.rejects(zarr.open(deep), (error) => zarr.isZarrError(error, "StoreError"));
  assert.deepEqual(await data({ prefix: server.url, path: "a" }), [1, 2, 3, 4]);
});
