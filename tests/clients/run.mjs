// Runs programs that are built on zarrita with this package in its place, in
// Chromium: they must read of the OME fixtures what they read with zarrita.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { launch } from "../browser/browser.mjs";
import { serve, top } from "../js/serve.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const server = await serve(".");
const browser = await launch();
const clients = ["viv", "ome-zarr"];
const packages = { "zarr-wasm": { zarrita: "/dist/index.js" }, zarrita: {} };
let failed = 0;

async function run(client, name, alias) {
  const file = `build/clients/${client}-${name}.js`;
  await build({
    absWorkingDir: here,
    entryPoints: [`${client}.js`],
    bundle: true,
    format: "esm",
    outfile: join(top, file),
    alias,
    external: Object.values(alias),
    logLevel: "error",
  });
  const page = await browser.newPage();
  try {
    await page.goto(`${server.url}tests/clients/page.html`);
    return await page.evaluate(
      async ([script, base]) => (await import(script)).run(base),
      [`/${file}`, `${server.url}build/fixtures/ome/`],
    );
  } finally {
    await page.close();
  }
}

try {
  for (const client of clients) {
    try {
      const results = [];
      for (const [name, alias] of Object.entries(packages)) results.push(await run(client, name, alias));
      assert.ok(results[1].length > 5);
      assert.deepEqual(results[0], results[1]);
      console.log(`ok ${client}: ${results[1].length} results are the same`);
    } catch (error) {
      failed++;
      console.log(`not ok ${client}: ${error.stack}`);
    }
  }
} finally {
  await browser.close();
  server.close();
}
console.log(`${clients.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
