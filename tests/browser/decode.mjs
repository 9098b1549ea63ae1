// The decoding worker in Chromium: its death, its absence, and its effect on the page's thread.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { hosting } from "../lib/hosting.mjs";
import { serve } from "../lib/serve.mjs";

const host = hosting({ playwright: true });
const other = await serve(".");
after(() => other.close());

const slow = { timeout: 120_000 };

/** A page with the package, and in it `packed`: 3 million packed numbers. */
async function open({ from = host.server.url, before, headers } = {}) {
  const page = await host.browser.newPage();
  const failed = [];
  page.on("pageerror", (error) => failed.push(error.message));
  if (before) await before(page);
  if (headers) {
    await page.route("**/engine.html*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), ...headers } });
    });
  }
  await page.goto(`${host.server.url}tests/browser/engine.html?from=${from}dist/`);
  await page.waitForFunction(() => window.ready === true, undefined, { timeout: 60_000 });
  await page.evaluate(async (from) => {
    window.zarr = await import(`${from}dist/index.js`);
    window.xarray = await import(`${from}dist/xarray.js`);
    const { alone, packed } = await import("/tests/conventions/cf-properties.mjs");
    Object.assign(window, { alone, packed });
    // The sum is the same wherever the array was decoded.
    window.decode = async (options) => {
      const { data, masked } = await xarray.decodeArray(await packed(zarr), null, options);
      let sum = 0;
      for (const v of data) if (!Number.isNaN(v)) sum += v;
      return [data.length, masked, sum.toFixed(3)];
    };
  }, from);
  return { page, failed };
}

let expected;
const right = async (page) => {
  const got = await page.evaluate(() => window.decode());
  expected ??= got;
  assert.deepEqual(got, expected);
  assert.equal(got[0], 50 * 250 * 241);
  assert.ok(got[1] > 0);
};

test("a worker that ends rejects what it decodes, and the next region has another", slow, async () => {
  const { page, failed } = await open();
  await right(page);
  await page.evaluate(async () => {
    for (const { run } of window.alone) await run({ zarr: window.zarr, xarray: window.xarray });
  });
  await right(page);
  assert.deepEqual(failed, []);
  await page.close();
});

test("a worker that crashes is an EngineError, and the next region has another", slow, async () => {
  let crashing = true;
  const { page, failed } = await open({
    before: (page) =>
      page.route("**/decode-worker.js", async (route) => {
        if (!crashing) return route.continue();
        crashing = false;
        // The worker starts, and fails at its first message.
        const body = "postMessage({ ready: true }); onmessage = () => { throw new Error('crashed on purpose'); };";
        return route.fulfill({ body, contentType: "text/javascript" });
      }),
  });
  const error = await page.evaluate(() =>
    window.decode().then(
      () => "none",
      (error) => `${error.name}: ${error.message}`,
    ),
  );
  assert.match(error, /^EngineError: the worker that decodes has stopped: .*crashed on purpose/);
  await right(page);
  assert.deepEqual(failed, []);
  await page.close();
});

test("without workers, the page decodes in short tasks", slow, async () => {
  for (const before of [
    (page) => page.addInitScript("delete globalThis.Worker"),
    (page) => page.route("**/decode-worker.js", (route) => route.abort()),
    (page) => page.route("**/decode-worker.js", (route) => route.fulfill({ status: 404, body: "" })),
  ]) {
    const { page, failed } = await open({ before });
    await right(page);
    assert.deepEqual(failed, []);
    await page.close();
  }
  const { page } = await open({ headers: { "content-security-policy": "worker-src 'none'" } });
  await right(page);
  await page.close();
});

test("from another origin", slow, async () => {
  const { page, failed } = await open({ from: other.url });
  const [started] = await Promise.all([
    page.waitForEvent("worker", (worker) => worker.url().startsWith("blob:")),
    right(page),
  ]);
  assert.ok(started);
  assert.deepEqual(failed, []);
  await page.close();
});

test("the page is not blocked while the worker decodes", slow, async (t) => {
  const { page } = await open();
  await right(page);
  // The longest time between two turns of the page, the best of several runs, because the machine
  // may be busy. Decoding in one task leaves the page no turn at all.
  const blocks = await page.evaluate(async () => {
    const longest = [];
    const array = await window.packed(window.zarr);
    for (let i = 0; i < 7; i++) {
      const { port1, port2 } = new MessageChannel();
      let [most, last, going] = [0, performance.now(), true];
      port1.onmessage = () => {
        const now = performance.now();
        most = Math.max(most, now - last);
        last = now;
        if (going) port2.postMessage(0);
      };
      port2.postMessage(0);
      const began = last;
      await window.xarray.decodeArray(array);
      going = false;
      longest.push([most, performance.now() - began]);
    }
    return longest;
  });
  const told = blocks.map(([ms, of]) => `${ms.toFixed(1)} of ${of.toFixed(0)}`).join(", ");
  t.diagnostic(`blocked for ${told} ms`);
  assert.ok(
    blocks.some(([ms, of]) => ms < Math.max(50, of / 2)),
    `blocked for ${told} ms`,
  );
  await page.close();
});
