// The suite of stores in Node.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { serve, top } from "../lib/serve.mjs";
import { references, run, zip } from "./storesuite.mjs";

const dir = `${top}build/test/stores/`;
let number = 0;

rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
const server = await serve(dir);
after(() => {
  server.close();
  zarr.terminate();
});

/** Writes files into a directory of their own, and gives its name. */
function write(files) {
  const name = String(++number);
  for (const [key, bytes] of files instanceof Map ? files : Object.entries(files)) {
    mkdirSync(dirname(`${dir}${name}/${key}`), { recursive: true });
    writeFileSync(`${dir}${name}/${key}`, bytes);
  }
  return name;
}

const map = (all) => new Map([...all].map(([key, bytes]) => [`/${key}`, bytes]));
const bytesOf = async (blob) => new Uint8Array(await blob.arrayBuffer());

/** @type {Record<string, (all: Map<string, Uint8Array>) => unknown>} */
const kinds = {
  Map: map,
  "an object with get": (all) => ({ get: async (key) => map(all).get(key) }),
  "an object with get and getRange": (all) => ({
    get: async (key) => map(all).get(key),
    getRange: async (key, { suffixLength, offset, length }) => {
      const bytes = map(all).get(key);
      return suffixLength === undefined
        ? bytes?.subarray(offset, offset + length)
        : bytes?.subarray(-suffixLength || bytes.length);
    },
  }),
  FetchStore: (all) => new zarr.FetchStore(server.url + write(all)),
  "FetchStore with a fetch of the page's": (all) =>
    new zarr.FetchStore(server.url + write(all), { fetch: (r) => fetch(r) }),
  FileStore: (all) => new zarr.FileStore(dir + write(all)),
  "what lies below a path": (all) =>
    new zarr.ComposedStore({ prefix: new Map([...all].map(([key, bytes]) => [`/x/y/${key}`, bytes])), path: "x/y" }),
  "two that lie over each other": (all) => {
    const [over, under] = [0, 1].map((odd) => new Map([...map(all)].filter((_, i) => i % 2 === odd)));
    return new zarr.ComposedStore({
      overlay: [over, server.url + write(new Map([...under].map(([k, b]) => [k.slice(1), b])))],
    });
  },
  "a zip archive at hand": async (all) => new zarr.ZipStore(await zip(all)),
  "a deflated zip archive at hand": async (all) => zarr.ZipStore.fromBlob(await zip(all, true)),
  "a zip archive at a URL": async (all) => {
    const name = write({ "a b.zip": await bytesOf(await zip(all)) });
    return zarr.ZipStore.fromUrl(`${server.url}${name}/a%20b.zip`);
  },
  "a zip archive in a directory": async (all) =>
    new zarr.ZipStore(`${dir}${write({ "a.zip": await bytesOf(await zip(all, true)) })}/a.zip`),
  "a zip archive in a zip archive": async (all) => {
    const inner = await bytesOf(await zip(all));
    return new zarr.ZipStore({ zip: await zip(new Map([["in/a.zip", inner]])) }, { key: "in/a.zip" });
  },
  "a zip archive in a deflated one": async (all) => {
    const inner = await bytesOf(await zip(all));
    return new zarr.ZipStore({ zip: await zip(new Map([["in/a.zip", inner]]), true) }, { key: "in/a.zip" });
  },
  "references in place": async (all) => new zarr.ReferenceStore(await references(all)),
  "references at a URL": (all) =>
    references(all, (files) => new zarr.ReferenceStore(`${server.url}${write(files)}/refs.json`)),
};

for (const [kind, make] of Object.entries(kinds)) {
  test(kind, async () => {
    const results = await run(zarr, make, kind.length);
    assert.ok(results.length > 5);
    assert.deepEqual(
      results.filter(({ error }) => error).map(({ name, error }) => `${name}: ${error}`),
      [],
    );
  });
}
