// Redirects in a page of Chromium, or of the browser that ENGINE names: which are followed, and
// with which headers.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { model, randomTrials, startChains } from "../js/redirectchains.mjs";
import { chosen } from "../lib/browsers.mjs";
import { hosting } from "../lib/hosting.mjs";

const host = hosting();
const servers = await startChains(5);
const page = await host.tab("tests/browser/blank.html");
after(() => servers.close());

/** Reads along chains in the page, one after the other. */
const readAll = (trials) =>
  page.evaluate(
    async ([trials, urls]) => {
      const [zarr, { readTrial }] = await Promise.all([
        import("/dist/index.js"),
        import("/tests/js/redirectreads.mjs"),
      ]);
      const found = [];
      for (const trial of trials) found.push(await readTrial(zarr, urls, trial));
      return found;
    },
    [trials, servers.urls],
  );

test("random chains of redirects keep to the origins that may be read from, and headers to theirs", {
  timeout: 300_000,
}, async (t) => {
  const outcomes = {};
  const trials = randomTrials(14, 300, 5);
  for (const trial of trials) servers.add(trial);
  for (let at = 0; at < trials.length; at += 50) {
    const some = trials.slice(at, at + 50);
    for (const [i, found] of (await readAll(some)).entries()) {
      const trial = some[i];
      const { seen, asked, outcome } = model(servers.urls, trial, chosen);
      const of = `trial ${JSON.stringify(trial)}: ${found.message}`;
      assert.equal(found.outcome, outcome, of);
      assert.deepEqual(servers.seen(trial.number), seen, of);
      assert.deepEqual(found.asked, asked, of);
      assert.doesNotMatch(found.message, /secret/);
      if (outcome === "StoreError" && seen.length > 0)
        assert.match(found.message, /use the address that it redirects to/);
      const kind = `${trial.rule}, ${outcome}`;
      outcomes[kind] = (outcomes[kind] ?? 0) + 1;
    }
  }
  t.diagnostic(JSON.stringify(outcomes));
  assert.equal(Object.keys(outcomes).length, 6);
});

test("a redirect of a request with credentials is an error, because the browser would send them along", async () => {
  const trial = { chain: [0, 1], ways: [0, 0] };
  for (const number of [1, 2]) servers.add({ number, ...trial });
  const found = await page.evaluate(async (url) => {
    const zarr = await import("/dist/index.js");
    const read = (number, options) =>
      new zarr.FetchStore(`${url}/t${number}`, { credentials: "include", ...options }).get("/s0").then(
        (bytes) => [...bytes].join(),
        ({ name, status, hint }) => `${name} ${status}: ${hint}`,
      );
    return [await read(1), await read(2, { fetch: (request) => fetch(request) })];
  }, servers.urls[0]);
  for (const outcome of found) assert.match(outcome, /^HttpError 0: the server redirects/);
  for (const number of [1, 2]) assert.deepEqual(servers.seen(number), ["0/s0"]);
});

test("a custom fetch that follows redirects is detected if origins are restricted", async () => {
  for (const number of [3, 4]) servers.add({ number, chain: [0, 0, 1], ways: [0, 0, 0] });
  const found = await page.evaluate(async (url) => {
    const zarr = await import("/dist/index.js");
    const outcomes = [];
    for (const [number, origins] of [
      [3, "any"],
      [4, "same"],
    ]) {
      const of = new zarr.FetchStore(`${url}/t${number}`, { fetch: ({ url }) => fetch(url) });
      const store = new zarr.ReferenceStore(of, { key: "refs.json", origins });
      const array = await zarr.open(zarr.root(store).resolve("a"), { kind: "array" });
      outcomes.push(
        await array.get().then(
          ({ data }) => [...data].join(),
          ({ name, message }) => `${name}: ${message}`,
        ),
      );
    }
    return outcomes;
  }, servers.urls[0]);
  assert.equal(found[0], "1,2,3,4");
  assert.match(found[1], /^StoreError: .*the origin of a redirect, http:\S+ is not allowed/);
});
