// The code in the README works: its blocks of JavaScript, one after the other, are one script.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import * as zarr from "../../dist/node.js";
import { serve, top } from "./serve.mjs";
import { addressesAt, blocksOf, writeScripts } from "./snippets.mjs";

test("the code of the README runs", async () => {
  const blocks = blocksOf("README.md").filter(({ words }) => words[0] === "js");
  const code = blocks.map((block) => block.code).join("\n");
  assert.ok(code.includes('from "zarr-wasm"') && code.includes("chunksIn"));
  const server = await serve(".");
  try {
    const quiet = code.replaceAll("console.log(", "void (");
    const whole = { code: `${quiet}\nexport { data, shape, stride, last, south, points };\n` };
    const dir = `${top}build/cookbook/readme`;
    const dist = pathToFileURL(`${top}dist/`).href;
    const [{ file }] = writeScripts([whole], dir, { dist, main: "node.js", addresses: addressesAt(server.url) });
    const got = await import(pathToFileURL(`${dir}/${file}`).href);
    assert.deepEqual(got.shape, [8, 36]);
    assert.deepEqual(got.stride, [36, 1]);
    assert.ok(got.data instanceof Int16Array);
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
