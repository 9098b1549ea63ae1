// The engine in Chromium: on pages, isolated or not, in workers, in service workers,
// with its script from elsewhere, and where workers are forbidden.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serve } from "../js/serve.mjs";
import { launch } from "./browser.mjs";

let browser;
let isolated;
let plain;
before(async () => {
  [browser, isolated, plain] = await Promise.all([launch(), serve(".", "-isolate"), serve(".")]);
});
after(async () => {
  await browser?.close();
  isolated?.close();
  plain?.close();
});

async function open(server, { query = "", headers } = {}) {
  const page = await browser.newPage();
  const said = [];
  page.on("console", (message) => {
    if (!message.location().url.endsWith("/favicon.ico")) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(`error of the page: ${error.message}`));
  if (headers) {
    await page.route("**/engine.html*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), ...headers } });
    });
  }
  await page.goto(`${server.url}tests/browser/engine.html${query}`);
  await page.waitForFunction(() => window.ready === true, undefined, { timeout: 60_000 });
  return { page, said };
}

function passed(results) {
  assert.ok(results.length > 0);
  assert.deepEqual(
    results.filter(({ error }) => error).map(({ name, error }) => `${name}: ${error}`),
    [],
  );
}

const slow = { timeout: 300_000 };

test("on a page that is cross-origin isolated", slow, async () => {
  const { page, said } = await open(isolated);
  passed(
    await page.evaluate(() => window.onPage("cases", { helpers: true, shared: crossOriginIsolated }, { workers: 2 })),
  );
  assert.ok(await page.evaluate(() => crossOriginIsolated));
  assert.deepEqual(said, []);
  await page.close();
});

test("a page's console shows what things are", slow, async () => {
  const { page } = await open(plain);
  const session = await page.context().newCDPSession(page);
  const shown = [];
  session.on("Runtime.consoleAPICalled", ({ args }) => shown.push(args[0]));
  await session.send("Runtime.enable");
  await page.evaluate(async () => {
    const zarr = await import("/dist/index.js");
    const store = new zarr.FetchStore("/build/fixtures/v3/layout.zarr?secret=1");
    const group = await zarr.open(store, { kind: "group" });
    const array = await group.open("no_attributes", { kind: "array" });
    for (const thing of [array, group, group.resolve("x"), store, String(array)]) console.log(thing);
  });
  const [array, group, location, store, text] = shown;
  const own = ({ preview }) =>
    Object.fromEntries(preview.properties.flatMap(({ name, value }) => (name.startsWith("#") ? [] : [[name, value]])));
  assert.deepEqual(
    [array, group, location, store].map(({ description }) => description),
    ["ZarrArray", "Group", "Location", "FetchStore"],
  );
  // It shows five properties; kind is in the name.
  assert.deepEqual(own(array), {
    store: "FetchStore",
    path: "/no_attributes",
    dtype: "int32",
    shape: "Array(1)",
    chunks: "Array(1)",
  });
  assert.deepEqual(own(group), { store: "FetchStore", path: "/", kind: "group" });
  assert.deepEqual(own(location), { store: "FetchStore", path: "/x" });
  assert.deepEqual(own(store), { url: "/build/fixtures/v3/layout.zarr?secret=1" });
  assert.match(
    text.value,
    /^<ZarrArray \/no_attributes shape=\(5\) dtype=int32 chunks=\(\d+\) store=[^ ]*layout.zarr>$/,
  );
  await page.close();
});

test("when its parts die", slow, async () => {
  const { page } = await open(isolated);
  passed(await page.evaluate(() => window.onPage("failures", {}, { workers: 1 }, true)));
  await page.close();
});

test("on any page; shared memory is refused there by name", slow, async () => {
  const { page, said } = await open(plain);
  passed(await page.evaluate(() => window.onPage("cases", { helpers: true, brief: true }, { workers: 2 })));
  assert.deepEqual(said, []);
  await page.close();
});

test("in a dedicated worker", slow, async () => {
  const { page, said } = await open(plain);
  const { results, helpers } = await page.evaluate(() =>
    window.inWorker({ helpers: true, brief: true }, { workers: 2 }),
  );
  passed(results);
  assert.ok(helpers > 0);
  assert.deepEqual(said, []);
  await page.close();
});

test("in a service worker, in place", slow, async () => {
  const { page, said } = await open(plain);
  const { results, helpers } = await page.evaluate(() => window.inServiceWorker({ brief: true }));
  passed(results);
  assert.equal(helpers, 0);
  assert.deepEqual(said, []);
  await page.close();
});

test("from another origin, helpers too", slow, async () => {
  const { page, said } = await open(plain, { query: `?from=${isolated.url}dist/` });
  passed(await page.evaluate(() => window.onPage("cases", { helpers: true, brief: true }, { workers: 2 })));
  assert.deepEqual(said, []);
  await page.close();
});

test("in place on a page, where it is told to", slow, async () => {
  const { page, said } = await open(plain);
  passed(await page.evaluate(() => window.onPage("cases", { brief: true }, { workers: 0 })));
  assert.deepEqual(said, []);
  await page.close();
});

test("in place where workers are forbidden, with one line on the console", slow, async () => {
  const { page, said } = await open(plain, { headers: { "Content-Security-Policy": "worker-src 'none'" } });
  passed(await page.evaluate(() => window.onPage("cases", { brief: true }, {})));
  const ours = said.filter((line) => line.startsWith("zarr-wasm:"));
  assert.equal(ours.length, 1, said.join("\n"));
  assert.match(ours[0], /worker could not be started/);
  await page.close();
});

test("the wasm and a node's metadata are asked for at once, and once", slow, async () => {
  const faulty = await serve(".", "-faults");
  const control = (method, body) => fetch(`${faulty.url}-/faults`, { method, body: body && JSON.stringify(body) });
  const paths = async () => (await (await control("GET")).json()).requests.map(({ path }) => path);
  const { page } = await open(faulty);
  const sample = "/build/fixtures/xarray/climate_v3.zarr/";
  const documents = ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"].map((name) => sample + name).sort();
  const both = (found) => found.filter((path) => path.startsWith(sample) || path.endsWith(".wasm")).sort();
  try {
    await control("POST", { key: "dist/zarr.wasm", faults: [{ hang: true }] });
    await page.evaluate(async (url) => {
      window.zarr = await import("/dist/index.js");
      window.zarr.open(url).catch(() => {});
    }, sample);
    while (both(await paths()).length < 6) await page.waitForTimeout(20);
    await page.evaluate(() => window.zarr.terminate());
    await control("DELETE");
    const format = await page.evaluate(async (url) => (await window.zarr.open(url)).format, sample);
    assert.equal(format, 3);
    assert.deepEqual(both(await paths()), [...documents, "/dist/zarr.wasm"].sort());
  } finally {
    await page.close();
    faulty.close();
  }
});
