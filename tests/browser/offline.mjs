// Starts an engine while no server is reachable, in Chromium or in the browser that ENGINE names.
// Unavailable files fail with a named error. Once the servers are reachable, everything works on
// the same page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen } from "../lib/browsers.mjs";
import { openGate } from "../lib/gate.mjs";
import { hosting } from "../lib/hosting.mjs";

const host = hosting({ flags: ["-cors", "-dotfiles", "-cache", "no-store"] });

/** A page whose own server and data server can be shut off, without an engine yet. */
async function open(t) {
  const [site, data] = await Promise.all([openGate(host.server.url), openGate(host.server.url)]);
  const page = await host.tab("tests/browser/blank.html", site);
  await page.evaluate(async () => {
    globalThis.zarr = await import("/dist/index.js");
    globalThis.cases = await import("/tests/js/engine-cases.mjs");
    await globalThis.zarr.init({ workers: 3 });
    globalThis.zarr.terminate();
  });
  t.after(async () => {
    await page.close();
    await Promise.all([site.shut(), data.shut()]);
  });
  return { page, site, data };
}

/** Reads numbers and texts by the engine, and returns each result or the name of its error. */
const reads = (page, url) =>
  page.evaluate(async (url) => {
    const { zarr } = globalThis;
    const one = async (path) => {
      try {
        const array = await zarr.open(`${url}build/fixtures/${path}`, { kind: "array" });
        const { shape } = await array.get();
        return shape.join() === array.shape.join();
      } catch (error) {
        return zarr.isZarrError(error) ? `${error.name}` : `${error?.name}: ${error?.message}`;
      }
    };
    return { numbers: await one("v3/shard_hand.zarr/gaps_end"), texts: await one("xarray/climate_v3.zarr/station") };
  }, url);

/** Whether helpers start to decode large chunks in the page's memory. */
const helped = (page) =>
  page.evaluate(async () => {
    const { zarr, cases } = globalThis;
    const array = await zarr.open(await cases.arrayInMemory(), { kind: "array" });
    for (let i = 0; i < 30; i++) {
      await array.get();
      if ((await zarr.memory()).helpers.length > 0) return true;
    }
    return false;
  });

/** The same, once they come: failed starts are retried after a delay. */
async function helpedSoon(page) {
  for (const end = Date.now() + 120_000; Date.now() < end; ) if (await helped(page)) return true;
  return false;
}

const slow = { timeout: 180_000 };

const refused = { numbers: "HttpError", texts: "HttpError" };
const ended = { numbers: "EngineError", texts: "EngineError" };
const right = { numbers: true, texts: true };

test("an engine that starts while nothing can be reached", slow, async (t) => {
  const { page, site, data } = await open(t);
  await Promise.all([site.shut(), data.shut()]);
  for (let twice = 0; twice < 2; twice++) assert.deepEqual(await reads(page, data.url), ended);
  await site.open();
  assert.deepEqual(await reads(page, data.url), refused);
  await data.open();
  for (let twice = 0; twice < 2; twice++) assert.deepEqual(await reads(page, data.url), right);
  assert.ok(await helpedSoon(page), "it is without helpers");
});

test("an engine that starts while the data cannot be reached", slow, async (t) => {
  const { page, data } = await open(t);
  await data.shut();
  assert.deepEqual(await reads(page, data.url), refused);
  await data.open();
  assert.deepEqual(await reads(page, data.url), right);
});

test("an engine that starts again, with its wasm at hand, while nothing can be reached", slow, async (t) => {
  const { page, site, data } = await open(t);
  assert.deepEqual(await reads(page, data.url), right);
  await page.evaluate(() => globalThis.zarr.terminate());
  await Promise.all([site.shut(), data.shut()]);
  for (let twice = 0; twice < 2; twice++) assert.deepEqual(await reads(page, data.url), ended);
  await Promise.all([site.open(), data.open()]);
  assert.deepEqual(await reads(page, data.url), right);
  assert.ok(await helpedSoon(page), "it is without helpers");
});

test("helpers that cannot be loaded for a while", slow, async (t) => {
  const { page, site, data } = await open(t);
  assert.deepEqual(await reads(page, data.url), right);
  await site.shut();
  assert.equal(await helped(page), false);
  await site.open();
  assert.ok(await helpedSoon(page), "it is without helpers");
  // WebKit's driver does not report a worker's console.
  const said = page.said.filter((line) => /^zarr-wasm: a helper worker/.test(line)).length;
  assert.equal(said, chosen === "webkit" ? 0 : 1);
});
