// The code in the README works: its JavaScript is run as it stands, with the
// package and the address replaced by those at hand.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import * as zarr from "../../dist/node.js";
import { serve, top } from "./serve.mjs";

test("the code of the README runs", async () => {
  const readme = readFileSync(`${top}README.md`, "utf8");
  const code = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, block]) => block).join("\n");
  assert.ok(code.includes('from "zarr-wasm"') && code.includes("chunksIn"));
  const server = await serve("build/fixtures/xarray");
  try {
    const here = code
      .replace('"zarr-wasm"', JSON.stringify(pathToFileURL(`${top}dist/node.js`).href))
      .replace("https://example.org/climate.zarr", `${server.url}climate_v3.zarr`)
      .replaceAll("console.log(", "void (");
    mkdirSync(`${top}build`, { recursive: true });
    const file = `${top}build/readme.mjs`;
    writeFileSync(file, `${here}\nexport { data, shape, stride, last, south, points };\n`);
    const got = await import(pathToFileURL(file).href);
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
  const array = await zarr.open(`${url}climate_v3.zarr/t2m`, { kind: "array" });
  return (await array.get([0, 0, null])).data;
}
