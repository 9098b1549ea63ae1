// Tests the decoding worker in Node. tests/conventions compares its results, and
// tests/browser/decode.mjs runs it in Chromium.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import * as xarray from "../../dist/xarray.js";
import { alone, packed } from "../conventions/cf-properties.mjs";
import { top } from "../lib/serve.mjs";

after(() => {
  xarray.terminate();
  zarr.terminate();
});

for (const { id, run } of alone) test(id, () => run({ zarr, xarray }));

test("ending a worker twice, or without a worker, does nothing", async () => {
  xarray.terminate();
  xarray.terminate();
  const { missing } = await xarray.decodeArray(await packed(zarr));
  assert.ok(missing > 0);
});

test("errors are of the package's classes", async () => {
  assert.throws(() => xarray.parseUnits("days"), zarr.InvalidMetadataError);
  assert.throws(() => xarray.parseUnits("days since 2000-01-01", "tai"), zarr.UnsupportedError);
  const promise = xarray.decodeArray(await packed(zarr), null, { onProgress: () => xarray.terminate() });
  await assert.rejects(promise, zarr.EngineError);
});

test("a process ends by itself when it has decoded", { timeout: 60_000 }, async () => {
  const script = `
    import * as zarr from "./dist/node.js";
    import { decodeArray } from "./dist/xarray.js";
    import { packed } from "./tests/conventions/cf-properties.mjs";
    const { masked } = await decodeArray(await packed(zarr));
    console.log(masked > 0);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: top });
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  const code = await new Promise((resolve) => child.on("exit", resolve));
  assert.deepEqual([code, said], [0, "true\n"]);
});
