// Random programs of writes through faults, in Node.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import * as write from "../../dist/write-node.js";
import { rounds } from "../lib/rounds.mjs";
import { serve } from "../lib/serve.mjs";
import { runFaultyWrites } from "./faulty-writes.mjs";

const count = Number(process.env.WRITE_COUNT ?? rounds(24));

const server = await serve(".", "-faults");
after(() => {
  server.close();
  zarr.terminate();
});

test("random programs of writes through faults: each chunk and document is old or new", {
  timeout: 300_000,
}, async () => {
  const { failures, done } = await runFaultyWrites({ zarr, write, server: server.url, first: 0, count });
  assert.ok(count < 6 || failures > done / 20, `${failures} of ${done} steps failed`);
});
