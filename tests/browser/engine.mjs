// The engine in Chromium, or in the browser that ENGINE names. It runs on pages, isolated or not,
// in workers and in service workers. Its script may come from elsewhere, and workers may be
// forbidden.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { hosting } from "../lib/hosting.mjs";
import { serve } from "../lib/serve.mjs";

const host = hosting();
const [isolated, { server: plain }] = await Promise.all([serve(".", "-isolate"), host.start()]);
after(() => isolated.close());

const open = (server, query = "") => host.tab(`tests/browser/engine.html${query}`, server);

function passed(results) {
  assert.ok(results.length > 0);
  assert.deepEqual(
    results.filter(({ error }) => error).map(({ name, error }) => `${name}: ${error}`),
    [],
  );
}

const slow = { timeout: 300_000 };

test("on a page that is cross-origin isolated", slow, async () => {
  const page = await open(isolated);
  // WebKit has isolated pages, but on some systems no shared memory.
  passed(
    await page.evaluate(() =>
      window.onPage("cases", { helpers: true, shared: typeof SharedArrayBuffer === "function" }, { workers: 3 }),
    ),
  );
  assert.ok(await page.evaluate(() => crossOriginIsolated));
  assert.deepEqual(page.said, []);
  await page.close();
});

test("when its parts die", slow, async () => {
  const page = await open(isolated);
  passed(await page.evaluate(() => window.onPage("failures", {}, { workers: 1 }, true)));
  await page.close();
});

test("on any page; shared memory is refused there by name", slow, async () => {
  const page = await open(plain);
  passed(await page.evaluate(() => window.onPage("cases", { helpers: true, brief: true }, { workers: 3 })));
  assert.deepEqual(page.said, []);
  await page.close();
});

test("in a dedicated worker", slow, async () => {
  const page = await open(plain);
  const { results, helpers } = await page.evaluate(() =>
    window.inWorker({ helpers: true, brief: true }, { workers: 3 }),
  );
  passed(results);
  assert.ok(helpers > 0);
  assert.deepEqual(page.said, []);
  await page.close();
});

test("in a service worker, in place", slow, async () => {
  const page = await open(plain);
  const { results, helpers } = await page.evaluate(() => window.inServiceWorker({ brief: true }));
  passed(results);
  assert.equal(helpers, 0);
  assert.deepEqual(page.said, []);
  await page.close();
});

test("from another origin, helpers too", slow, async () => {
  const page = await open(plain, `?from=${isolated.url}dist/`);
  passed(await page.evaluate(() => window.onPage("cases", { helpers: true, brief: true }, { workers: 3 })));
  assert.deepEqual(page.said, []);
  await page.close();
});

for (const entry of ["index.js", "inline.js"]) {
  test(
    `${entry} from another origin keeps one address of its worker's script, however often it is started`,
    slow,
    async () => {
      const page = await open(plain, `?from=${isolated.url}dist/&entry=${entry}`);
      const kept = await page.evaluate(async () => {
        const kept = new Set();
        const { createObjectURL, revokeObjectURL } = URL;
        URL.createObjectURL = (blob) => {
          const url = createObjectURL(blob);
          kept.add(url);
          return url;
        };
        URL.revokeObjectURL = (url) => {
          kept.delete(url);
          revokeObjectURL(url);
        };
        for (let i = 0; i < 5; i++) await window.restart();
        return kept.size;
      });
      assert.equal(kept, 1);
      await page.close();
    },
  );
}

test("in place on a page, by option", slow, async () => {
  const page = await open(plain);
  passed(await page.evaluate(() => window.onPage("cases", { brief: true }, { workers: 0 })));
  assert.deepEqual(page.said, []);
  await page.close();
});

test("in place where workers are forbidden, with one line on the console", slow, async (t) => {
  const strict = await serveStrict(t, "worker-src 'none'");
  const page = await open(strict);
  passed(await page.evaluate(() => window.onPage("cases", { brief: true }, {})));
  const ours = page.said.filter((line) => line.startsWith("zarr-wasm:"));
  assert.equal(ours.length, 1, page.said.join("\n"));
  assert.match(ours[0], /worker could not be started/);
  await page.close();
});

/**
 * A server that sends this policy with every answer, pages and workers' scripts alike, until the
 * test ends.
 */
async function serveStrict(t, policy) {
  const strict = await serve(".", "-faults");
  t.after(() => strict.close());
  const fault = { key: "*", faults: [{ header: { "Content-Security-Policy": policy } }] };
  await fetch(`${strict.url}-/faults`, { method: "POST", body: JSON.stringify(fault) });
  return strict;
}

for (const [what, query] of Object.entries({
  "the page's origin": () => "",
  "another origin": () => `?from=${isolated.url}dist/`,
  "one file": () => "?entry=inline.js",
})) {
  test(`from ${what} where pages and workers require trusted types, helpers too`, slow, async (t) => {
    const strict = await serveStrict(t, "require-trusted-types-for 'script'; trusted-types zarr-wasm");
    const page = await open(strict, query());
    passed(await page.evaluate(() => window.onPage("cases", { helpers: true, brief: true }, { workers: 3 })));
    const ours = page.said.filter((line) => line.startsWith("zarr-wasm:"));
    assert.deepEqual(ours, []);
    await page.close();
  });
}

test("the wasm and a node's metadata are requested in parallel, once", slow, async () => {
  const faulty = await serve(".", "-faults");
  const control = (method, body) => fetch(`${faulty.url}-/faults`, { method, body: body && JSON.stringify(body) });
  /** The paths of requests, once the condition holds for them. */
  const paths = async (condition = () => true) => {
    for (let after = -1; ; ) {
      const { requests, version } = await (await fetch(`${faulty.url}-/faults?after=${after}`)).json();
      const found = requests.map(({ path }) => path);
      if (condition(found)) return found;
      after = version;
    }
  };
  const page = await open(faulty);
  const sample = "/build/fixtures/xarray/climate_v3.zarr/";
  const documents = ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"].map((name) => sample + name).sort();
  const both = (found) => found.filter((path) => path.startsWith(sample) || path.endsWith(".wasm")).sort();
  try {
    await control("POST", { key: "dist/zarr.wasm", faults: [{ hang: true }] });
    await page.evaluate(async (url) => {
      window.zarr = await import("/dist/index.js");
      window.zarr.open(url).catch(() => {});
    }, sample);
    await paths((found) => both(found).length >= 6);
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
