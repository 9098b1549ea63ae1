// Random programs of writes through faults in Chromium, or in the browser that ENGINE names.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chosen, openEngine, until } from "../lib/browsers.mjs";
import { serve } from "../lib/serve.mjs";

let browser;
let server;
let page;

before(async () => {
  [browser, server] = await Promise.all([openEngine(chosen), serve(".", "-faults")]);
  page = await browser.newTab(`${server.url}tests/browser/directories.html`);
  await until(page, "a page that is ready", () => globalThis.ready === true);
});
after(async () => {
  await browser?.close();
  server?.close();
});

test("each chunk and document is old or new", { timeout: 300_000 }, async () => {
  const run = async (first, count) => {
    const zarr = await import("/dist/index.js");
    const write = await import("/dist/write.js");
    const { runFaultyWrites } = await import("/tests/js/faulty-writes.mjs");
    const server = new URL("/", location.href).href;
    return runFaultyWrites({ zarr, write, server, first, count });
  };
  const first = 100 + Number(process.env.SEED ?? 0);
  const count = Number(process.env.WRITE_COUNT ?? 12);
  const { failures, done } = await page.evaluate(run, first, count);
  assert.ok(count < 12 || failures > done / 20, `${failures} of ${done} steps failed`);
});
