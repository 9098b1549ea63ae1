// Workers that end without an event, in Chromium or in the browser that ENGINE names. They are the
// engine's, its helpers, those that decode and those of views. Every pending call ends, and the
// next one gets new workers.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { test } from "node:test";
import { hosting } from "../lib/hosting.mjs";
import { top } from "../lib/serve.mjs";
import { bundled } from "../lib/viewpage.mjs";

const rounds = Number(process.env.ROUNDS ?? 12);
const seed = Number(process.env.SEED ?? 1);
const slow = { timeout: 300_000 };

const host = hosting();
await bundled("deaths", 'export { ViewWorker } from "./view/worker/viewworker.js";');
copyFileSync(`${top}dist/view-worker.js`, `${top}build/test/view/view-worker.js`);

/** Runs one of the page's functions. */
async function run(name, options, query = "") {
  const page = await host.tab(`tests/browser/deaths.html${query}`);
  const counts = await page.evaluate((name, options) => window[name](options), name, { seed, rounds, ...options });
  assert.deepEqual(page.errors, []);
  await page.close();
  return counts;
}

test("the engine's worker and its helpers end at random moments", slow, async (t) => {
  const { right, ended, messages } = await run("engine", { helpers: 3 });
  t.diagnostic(`${right} right, ${ended} ended`);
  assert.ok(ended > 0);
  for (const message of messages) {
    assert.match(message, /^the (engine's worker|worker that decoded a chunk) failed: the browser has ended it$/);
  }
});

test("without locks, unanswered beats show that a worker ended", slow, async (t) => {
  const { right, ended } = await run("engine", { helpers: 3, rounds: Math.ceil(rounds / 4) }, "?nolocks");
  t.diagnostic(`${right} right, ${ended} ended`);
  assert.ok(ended > 0);
});

test("the worker that decodes ends at random moments", slow, async (t) => {
  const { right, ended, messages } = await run("decoder");
  t.diagnostic(`${right} right, ${ended} ended`);
  assert.ok(right > 0);
  for (const message of messages)
    assert.match(message, /^the worker that decodes has stopped: the browser has ended it$/);
});

test("the worker of views ends at random moments: the page does its work", slow, async (t) => {
  const { right, ended } = await run("viewer");
  t.diagnostic(`${right} right, ${ended} ended`);
  assert.ok(right > 0);
  assert.equal(ended, 0);
});
