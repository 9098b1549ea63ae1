// Redirects through the package in Node: which are followed, which headers are sent along, and
// which are checked.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { listen, send, top } from "../lib/serve.mjs";
import { model, randomTrials, startChains } from "./redirectchains.mjs";
import { readTrial } from "./redirectreads.mjs";

const fixtures = `${top}build/fixtures/public/`;

const servers = await startChains(5);
after(() => {
  servers.close();
  zarr.terminate();
});

test("random chains of redirects keep to the origins that may be read from, and headers to theirs", async (t) => {
  const outcomes = {};
  for (const trial of randomTrials(26, 600, 5)) {
    servers.add(trial);
    const found = await readTrial(zarr, servers.urls, trial);
    const { seen, asked, outcome } = model(servers.urls, trial);
    const of = `trial ${JSON.stringify(trial)}: ${found.message}`;
    assert.equal(found.outcome, outcome, of);
    assert.deepEqual(servers.seen(trial.number), seen, of);
    assert.deepEqual(found.asked, asked, of);
    assert.doesNotMatch(found.message, /secret/);
    const kind = `${trial.rule}, ${outcome}`;
    outcomes[kind] = (outcomes[kind] ?? 0) + 1;
  }
  t.diagnostic(JSON.stringify(outcomes));
  assert.equal(Object.keys(outcomes).length, 5);
});

/**
 * Serves what `bytesOf` gives for a path, and redirects the paths for which `elsewhere` gives an
 * address.
 */
async function start(bytesOf, elsewhere = () => undefined) {
  const asked = [];
  const server = await listen(async (request, response) => {
    const path = decodeURIComponent(request.url.slice(1));
    asked.push(path);
    const to = elsewhere(path);
    if (to) return response.writeHead(302, { Location: to }).end();
    const bytes = await bytesOf(path).catch(() => undefined);
    return send(request, response, bytes);
  });
  return { ...server, asked };
}

const { cases } = JSON.parse(await readFile(`${fixtures}containers.json`, "utf8"));
const parquet = `${fixtures}lqh2307+gdal/autotest/gdrivers/data/zarr/kerchunk_parquet/parquet_ref_2_dim/`;
const virtual = cases.find(({ virtual_objects }) => virtual_objects);
const [[address, { hex }]] = Object.entries(virtual.virtual_objects);

/**
 * Documents whose chunks redirect: their server, the redirected paths, and the store and array at
 * an origin.
 */
const kinds = {
  "references in Parquet files": {
    bytesOf: (path) => readFile(parquet + path),
    redirected: /\.bin$/,
    store: (origin, options) => new zarr.ReferenceStore(new zarr.FetchStore(origin), options),
    array: "ar",
  },
  "virtual chunks of Icechunk": {
    bytesOf: async (path) =>
      path.startsWith("bucket/") ? Buffer.from(hex, "hex") : readFile(`${fixtures}${virtual.store}/${path}`),
    redirected: /^bucket\//,
    store: (origin, options) =>
      new zarr.IcechunkStore(origin, {
        ...virtual.ref,
        endpoints: { [new URL("/", address).href]: `${origin}/bucket/` },
        ...options,
      }),
    array: virtual.array,
  },
};

for (const [kind, { bytesOf, redirected, store, array }] of Object.entries(kinds))
  test(`${kind}: a redirect leads to no origin that may not be read from`, async () => {
    const other = await start(bytesOf);
    const own = await start(bytesOf, (path) => redirected.test(path) && `${other.origin}/${encodeURI(path)}`);
    try {
      const read = async (options) => {
        other.asked.length = 0;
        const location = zarr.root(store(own.origin, options)).resolve(array);
        return (await zarr.open(location, { kind: "array" })).get();
      };
      const rejected = {
        name: "StoreError",
        message: /the origin of a redirect, http:.* (is not allowed|not confirmed)/,
      };
      await assert.rejects(read({ origins: "same" }), rejected);
      await assert.rejects(read({ origins: ["https://example.org"] }), rejected);
      assert.deepEqual(other.asked, []);
      const asked = [];
      const confirm = (answer) => (origin) => {
        asked.push(origin);
        return answer;
      };
      await assert.rejects(read({ confirm: confirm(false) }), rejected);
      assert.deepEqual(other.asked, []);
      const { data } = await read({ origins: [other.origin] });
      assert.ok(other.asked.length > 0);
      assert.deepEqual((await read({ confirm: confirm(true) })).data, data);
      assert.deepEqual((await read({})).data, data);
      assert.deepEqual(asked, [other.origin, other.origin]);
    } finally {
      own.close();
      other.close();
    }
  });
