// Random programs of writes through faults in Chromium, or in the browser that ENGINE names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hosting } from "../lib/hosting.mjs";
import { rounds } from "../lib/rounds.mjs";

const host = hosting({ flags: ["-faults"] });
const page = await host.tab("tests/browser/directories.html");

test("each chunk and document is old or new", { timeout: 300_000 }, async () => {
  const run = async (first, count) => {
    const zarr = await import("/dist/index.js");
    const write = await import("/dist/write.js");
    const { runFaultyWrites } = await import("/tests/js/faulty-writes.mjs");
    const server = new URL("/", location.href).href;
    return runFaultyWrites({ zarr, write, server, first, count });
  };
  const first = 100 + Number(process.env.SEED ?? 0);
  const count = Number(process.env.WRITE_COUNT ?? rounds(24));
  const { failures, done } = await page.evaluate(run, first, count);
  assert.ok(count < 6 || failures > done / 20, `${failures} of ${done} steps failed`);
});
