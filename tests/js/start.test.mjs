// Metadata is requested while the engine starts: the engine's requests, each once.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { serve, top } from "../lib/serve.mjs";

const v3 = ["zarr.json"];
const v2 = [".zarray", ".zgroup", ".zattrs", ".zmetadata"];
const sample = "build/fixtures/xarray/climate_v3.zarr";

const server = await serve(top, "-faults");
after(() => {
  zarr.terminate();
  server.close();
});
beforeEach(async () => {
  zarr.terminate();
  await fetch(`${server.url}-/faults`, { method: "DELETE" });
});

const fault = (key, ...faults) =>
  fetch(`${server.url}-/faults`, { method: "POST", body: JSON.stringify({ key, faults }) });

/** The requests for data, once the condition holds for them. */
async function requests(condition = () => true) {
  for (let after = -1; ; ) {
    const news = await fetch(`${server.url}-/faults?after=${after}`, { signal: AbortSignal.timeout(30_000) });
    const { requests, version } = await news.json();
    after = version;
    const found = requests.filter(({ path }) => !path.endsWith(".wasm"));
    if (condition(found)) return found;
  }
}

const names = (found) => found.map(({ path }) => path.slice(path.lastIndexOf("/") + 1)).sort();

/** Engines that never start. */
async function withoutEngine() {
  await fault("dist/zarr.wasm", { hang: true });
  zarr.init({ url: `${server.url}dist/zarr.wasm`, workers: 1 }).catch(() => {});
}

/** Engines that start on command. */
async function slowEngine() {
  let letGo;
  const gate = new Promise((resolve) => {
    letGo = resolve;
  });
  const { Worker } = await import("node:worker_threads");
  const worker = () => {
    const made = new Worker(new URL("../../dist/worker-node.js", import.meta.url));
    const post = made.postMessage.bind(made);
    made.postMessage = (message, transfer) => {
      if ("boot" in message) gate.then(() => post(message, transfer));
      else post(message, transfer);
    };
    return made;
  };
  zarr.init({ worker, workers: 1 }).catch(() => {});
  return letGo;
}

test("all documents are requested before the engine runs", async () => {
  await withoutEngine();
  const control = new AbortController();
  const opening = zarr.open(`${server.url}${sample}`, { signal: control.signal });
  assert.deepEqual(names(await requests((found) => found.length === 5)), [...v3, ...v2].sort());
  control.abort();
  await assert.rejects(opening, { name: "AbortError" });
});

test("a call that is aborted ends them", async () => {
  await withoutEngine();
  await fault("*", { hang: true });
  const control = new AbortController();
  const opening = zarr.open(`${server.url}${sample}`, { signal: control.signal });
  await requests((found) => found.length === 5);
  control.abort();
  await assert.rejects(opening, { name: "AbortError" });
  await requests((found) => found.every(({ aborted }) => aborted));
});

for (const [
  what,
  { target, open = zarr.open, options, expected = [...v3, ...v2], later = [], found = zarr.Group },
] of Object.entries({
  "a plain address": { target: sample },
  "one with a slash at its end": { target: `${sample}/` },
  "one with a query": { target: `${sample}?sig=a%2Fb&x=${encodeURIComponent("ü ")}` },
  "one with an empty query": { target: `${sample}?` },
  "one that is not plain": { target: `${sample.slice(0, -5)}%2Ezarr` },
  "one with two slashes at its end": {
    target: `${sample}//`,
    open: zarr.open.v3,
    expected: v3,
    // Documents of other containers, and the address itself, are tried before the error.
    later: ["", "attributes.json", "ref.json", "repo"],
    found: zarr.NotFoundError,
  },
  "one of only v3": { target: sample, open: zarr.open.v3, expected: v3 },
  "one of only v2": { target: "build/fixtures/ome/image_v04.zarr", open: zarr.open.v2, expected: v2 },
  "a group": {
    target: sample,
    options: { kind: "group" },
    expected: ["zarr.json", ".zgroup", ".zattrs", ".zmetadata"],
  },
  "a group of only v2, without consolidated metadata": {
    target: "build/fixtures/ome/image_v04.zarr",
    open: zarr.open.v2,
    options: { kind: "group", consolidated: false },
    expected: [".zgroup", ".zattrs"],
  },
  "an array": {
    target: "build/fixtures/ome/image_v04.zarr/0",
    options: { kind: "array" },
    expected: ["zarr.json", ".zarray", ".zattrs"],
    found: zarr.Array,
  },
})) {
  test(`the engine takes early answers: ${what}`, async () => {
    const letGo = await slowEngine();
    const events = [];
    const store = new zarr.FetchStore(`${server.url}${target}`, { onRequest: (event) => events.push(event) });
    const opening = open(store, options).catch((error) => error);
    await requests((found) => found.length === expected.length);
    letGo();
    const node = await opening;
    assert.ok(node instanceof found, String(node));
    assert.deepEqual(names(await requests()), [...expected, ...later].sort());
    assert.equal((await store.stats()).requests, events.length);
    assert.ok(events.some(({ status }) => status === (found === zarr.NotFoundError ? 404 : 200)));
  });
}

test("the engine sends differing requests itself", async () => {
  await withoutEngine();
  const own = { fetch: (request) => fetch(request) };
  const stores = [
    new zarr.FetchStore(`${server.url}${sample}`, own),
    new zarr.FetchStore(`${server.url}${sample}`, { headers: { "X-Key": "1" } }),
    new zarr.FetchStore(`${server.url}${sample}`, { headers: () => ({}) }),
    new zarr.FetchStore(`${server.url}${sample}`, { concurrency: 2 }),
    new Map(),
  ];
  for (const store of stores) zarr.open(store).catch(() => {});
  zarr.open(zarr.root(`${server.url}${sample}`).resolve("a b")).catch(() => {});
  // Worker messages are delivered in order: these requests would follow any others.
  zarr.open(`${server.url}build/fixtures/v3`).catch(() => {});
  const found = await requests((found) => found.length >= 5);
  assert.ok(
    found.every(({ path }) => path.startsWith("/build/fixtures/v3/")),
    JSON.stringify(found),
  );
});

test("preload: the next call takes its answers", async () => {
  const url = `${server.url}${sample}`;
  zarr.preload(url);
  assert.deepEqual(names(await requests((found) => found.length === 5)), [...v3, ...v2].sort());
  await zarr.init();
  const group = await zarr.open(url);
  assert.ok(group instanceof zarr.Group);
  assert.equal((await requests()).length, 5);
  // Only once: a second open requests again.
  await zarr.open(url);
  assert.ok((await requests()).length > 5);
});

test("preload: of a running engine, of a place, and of nothing", async () => {
  assert.throws(() => zarr.preload("http://[bad"), { name: "StoreError" });
  zarr.preload();
  zarr.preload();
  await zarr.init();
  assert.deepEqual(await requests(), []);
  const place = zarr.root(`${server.url}${sample}`).resolve("t2m");
  zarr.preload(place);
  await requests((found) => found.length === 5);
  const array = await zarr.open(place, { kind: "array" });
  assert.deepEqual(array.shape, [31, 19, 36]);
  assert.equal((await requests()).length, 5);
});

const chunks = (found) => found.map(({ path }) => path).filter((path) => /\/c\//.test(path));

test("preload: the chunks of a selection are requested before the engine runs", async () => {
  await withoutEngine();
  zarr.preload(`${server.url}${sample}/t2m`, [0, null, null]);
  const found = await requests((found) => chunks(found).length > 0);
  assert.ok(
    chunks(found).every((path) => path.includes("/t2m/c/0/")),
    String(chunks(found)),
  );
});

test("preload: the engine takes the chunks of a selection, each once", async () => {
  for (const selection of [[0, null, null], null, ["...", zarr.slice(20, 30)]]) {
    zarr.terminate();
    await fetch(`${server.url}-/faults`, { method: "DELETE" });
    const letGo = await slowEngine();
    const url = `${server.url}${sample}/t2m`;
    zarr.preload(url, selection);
    const early = chunks(await requests((found) => chunks(found).length > 0));
    letGo();
    const array = await zarr.open(url, { kind: "array" });
    const { data } = await array.get(selection);
    const all = chunks(await requests());
    assert.equal(new Set(all).size, all.length, String(all));
    assert.ok(
      early.every((path) => all.includes(path)),
      String(early),
    );
    zarr.terminate();
    zarr.init({ workers: 1 });
    const again = await (await zarr.open(url, { kind: "array" })).get(selection);
    assert.deepEqual(data, again.data);
  }
});

test("preload: a failed or damaged chunk is requested again", async () => {
  const url = `${server.url}${sample}/t2m`;
  const expected = await (await zarr.open(url, { kind: "array" })).get([0, null, null]);
  for (const wrong of [
    { status: 503, times: 1 },
    { cut: 5, times: 1 },
  ]) {
    zarr.terminate();
    await fetch(`${server.url}-/faults`, { method: "DELETE" });
    const letGo = await slowEngine();
    await fault(`${sample}/t2m/c/0/0/0`, wrong);
    zarr.preload(url, [0, null, null]);
    await requests((found) => chunks(found).length > 0);
    letGo();
    const array = await zarr.open(url, { kind: "array" });
    assert.deepEqual((await array.get([0, null, null])).data, expected.data);
    assert.ok(chunks(await requests()).filter((path) => path.endsWith("c/0/0/0")).length > 1);
  }
});

test("preload: invalid selections, and targets that are not arrays", async () => {
  const url = `${server.url}${sample}`;
  assert.throws(() => zarr.preload(url, ["x"]), { name: "InvalidSelectionError" });
  assert.throws(() => zarr.preload(url, 3), { name: "InvalidSelectionError" });
  zarr.preload(url, [0]); // a group
  const group = await zarr.open(url);
  assert.ok(group instanceof zarr.Group);
  assert.deepEqual(chunks(await requests()), []);
});

test("preload: the next call reports an engine that does not start", async () => {
  await assert.rejects(zarr.init({ url: `${server.url}nothing.wasm` }), { name: "EngineError" });
  zarr.preload();
  await assert.rejects(zarr.open(`${server.url}${sample}`), { name: "EngineError" });
  zarr.terminate();
  await assert.rejects(zarr.init({ url: `${server.url}nothing.wasm` }), { name: "EngineError" });
});
