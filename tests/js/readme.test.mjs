// Runs the code in the README: its first block by itself, the others one after the other as one
// script.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import * as zarr from "../../dist/node.js";
import { serve, top } from "../lib/serve.mjs";
import { addressesAt, blocksOf, published, writeScripts } from "./snippets.mjs";

const blocks = blocksOf("README.md").filter(({ words }) => words[0] === "js");

/** Runs a script; gives what it exports. */
async function run(code, name, url) {
  const quiet = code.replaceAll("console.log(", "void (");
  const dir = `${top}build/cookbook/readme-${name}`;
  const dist = pathToFileURL(`${top}dist/`).href;
  const addresses = url === undefined ? {} : addressesAt(url);
  const [{ file }] = writeScripts([{ code: quiet }], dir, { dist, main: "node.js", addresses });
  return import(pathToFileURL(`${dir}/${file}`).href);
}

test("the README's first example can be pasted: it is one script, of public data", async () => {
  const [{ code }] = blocks;
  const addresses = code.match(/https?:[^"]*/g);
  assert.deepEqual(addresses, Object.keys(published));
  const server = await serve(".");
  try {
    const got = await run(`${code}\nexport { data, shape, stride };\n`, "public", server.url);
    // The image that stands for it has no slices: this is a row.
    assert.ok(got.data instanceof Uint16Array);
    assert.deepEqual([got.shape, got.stride], [[160], [1]]);
    const row = await zarr.open(`${server.url}build/fixtures/ome/image_v04.zarr/0`, { kind: "array" });
    assert.deepEqual(got.data, (await row.get([0, 100, null])).data);
  } finally {
    server.close();
    await zarr.terminate();
  }
});

test("the code of the README runs", async () => {
  const code = blocks
    .slice(1)
    .map((block) => block.code)
    .join("\n");
  assert.ok(code.includes('from "zarr-wasm"') && code.includes("chunksIn"));
  const server = await serve(".");
  try {
    const got = await run(`${code}\nexport { week, last, south, points };\n`, "rest", server.url);
    assert.deepEqual(got.week.shape, [8, 36]);
    assert.deepEqual(got.week.stride, [36, 1]);
    assert.ok(got.week.data instanceof Int16Array);
    assert.equal(typeof got.last, "number");
    assert.deepEqual(got.points.shape, [3]);
    assert.deepEqual(got.south.shape, [19, 36]);
    assert.deepEqual([...got.south.data.slice(-36)], [...(await first(server.url))]);
  } finally {
    server.close();
    await zarr.terminate();
  }
});

async function first(url) {
  const array = await zarr.open(`${addressesAt(url)["https://example.org/climate.zarr"]}/t2m`, { kind: "array" });
  return (await array.get([0, 0, null])).data;
}

test("the list of subpaths is the package's, and the Go packages that it names exist", () => {
  const text = readFileSync(`${top}docs/start/install.md`, "utf8");
  const { exports } = JSON.parse(readFileSync(`${top}package.json`, "utf8"));
  const listed = [...text.matchAll(/^\| \[`zarr-wasm\/(\w+)`\]/gm)].map(([, name]) => name);
  const subpaths = Object.keys(exports).filter((entry) => /^\.\/\w+$/.test(entry));
  const others = ["inline", "worker"]; // the package once more, and its script
  assert.deepEqual([...listed, ...others].sort(), subpaths.map((entry) => entry.slice(2)).sort());
  const [, named] = /^In Go, (.*) are packages below `zarr\/convention`/m.exec(text) ?? [];
  const packages = [...named.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  assert.ok(packages.length > 3);
  for (const name of packages) {
    assert.ok(listed.includes(name), name);
    assert.ok(existsSync(`${top}zarr/convention/${name}`), `zarr/convention/${name}`);
  }
});
