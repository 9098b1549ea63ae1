// Rare codecs are in zarr-full.wasm, which replaces zarr.wasm when the first of them is needed.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, afterEach, test } from "node:test";
import { Worker } from "node:worker_threads";
import { init, isZarrError, memory, open, preload, terminate } from "../../dist/node.js";
import { arrayV2, arrayV3, json } from "../lib/documents.mjs";
import { serve } from "../lib/serve.mjs";

const server = await serve("build/fixtures");
after(() => server.close());
afterEach(() => terminate());

const rare = () => open(`${server.url}v2/compressor.zarr/bz2_1`, { kind: "array" });
const common = () => open(`${server.url}v2/compressor.zarr/zlib_1`, { kind: "array" });

/** An array of bytes in a store that answers for its only chunk on command. */
function slow() {
  let give;
  let asked;
  const chunk = new Promise((resolve) => {
    give = () => resolve(Uint8Array.of(1, 2, 3));
  });
  const begun = new Promise((resolve) => {
    asked = resolve;
  });
  const meta = arrayV3([3], "uint8");
  const store = {
    async get(key) {
      if (key === "/zarr.json") return json(meta);
      if (key !== "/c/0") return undefined;
      asked();
      return chunk;
    },
  };
  return { store, give, begun };
}

test("reads that are under way go on while zarr-full.wasm takes over", async () => {
  await init({});
  const { store, give, begun } = slow();
  const opened = await open(store, { kind: "array" });
  const reading = opened.get();
  await begun;
  const [one, two, three] = await Promise.all([rare(), rare(), common()]);
  const [a, b, c] = await Promise.all([one.get(), two.get(), three.get()]);
  assert.deepEqual(a.data, b.data);
  assert.deepEqual(a.shape, c.shape);
  give();
  assert.deepEqual([...(await reading).data], [1, 2, 3]);
  // The new engine reads arrays that were opened before.
  assert.deepEqual([...(await opened.get()).data], [1, 2, 3]);
});

test("without zarr-full.wasm the error says so, and other arrays are read", async () => {
  await init({ fullUrl: `${server.url}nowhere/zarr-full.wasm` });
  const failed = (error) => {
    assert.ok(isZarrError(error, "UnknownCodecError"), String(error));
    assert.equal(error.codec, "bz2");
    assert.match(error.hint, /fullUrl/);
    assert.ok(isZarrError(error.cause, "EngineError"));
    assert.match(error.cause.message, /nowhere/);
    return true;
  };
  for (let i = 0; i < 2; i++) await assert.rejects(async () => (await rare()).get(), failed);
  assert.ok((await (await common()).get()).data.length > 0);
});

test("a store of a rare kind starts zarr-full.wasm alone, below others and in advance too", async () => {
  const n5 = { n5: `${server.url}public/saalfeldlab+n5/src/test/resources/backward/data-1.5.0.n5` };
  const url = `${server.url}nowhere/zarr.wasm`;
  const early = { prefix: n5, path: "" };
  for (const store of [n5, { overlay: [new Map(), n5] }, early]) {
    await assert.rejects(init({ url }), { name: "EngineError" });
    if (store === early) preload(store);
    assert.equal((await open(store, { kind: "group" })).kind, "group");
    terminate();
  }
});

test("a rare store's start is a start: init() refuses other options, and terminate() ends it for good", async () => {
  const hanging = createServer().listen(0, "127.0.0.1");
  await once(hanging, "listening");
  const at = `http://127.0.0.1:${hanging.address().port}/`;
  try {
    await assert.rejects(init({ url: `${server.url}nowhere/zarr.wasm`, fullUrl: `${at}zarr-full.wasm` }), {
      name: "EngineError",
    });
    const asked = once(hanging, "request");
    const opened = assert.rejects(open({ n5: server.url }), { name: "EngineError", code: "TERMINATED" });
    await asked;
    await assert.rejects(init({}), /already been started/);
    terminate();
    await opened;
    assert.equal((await memory()).engine, 0);
  } finally {
    hanging.close();
    hanging.closeAllConnections();
  }
});

test("after the end of an engine that replaced another, init() takes options", async () => {
  let last;
  const worker = () => {
    last = new Worker(new URL("../../dist/worker-node.js", import.meta.url));
    return last;
  };
  await init({ worker, workers: 1, fullUrl: new URL("../../build/zarr-crash.wasm", import.meta.url) });
  await assert.rejects(async () => (await rare()).get(), { name: "UnknownCodecError" });
  const ended = once(last, "exit");
  last.postMessage({ op: "crash", id: 0, why: "a test" });
  await ended;
  await init({});
});

test("a codec that no build has is not looked for in zarr-full.wasm", async () => {
  await init({ fullUrl: `${server.url}nowhere/zarr-full.wasm` });
  const { store } = slow();
  const get = async (key) => {
    const bytes = await store.get(key);
    if (key !== "/zarr.json") return bytes;
    const meta = JSON.parse(new TextDecoder().decode(bytes));
    return json({ ...meta, codecs: [{ name: "bytes" }, { name: "example.unheard" }] });
  };
  await assert.rejects(
    async () => (await open({ get }, { kind: "array" })).get(),
    (error) => isZarrError(error, "UnknownCodecError") && error.rare === undefined && error.cause === undefined,
  );
});

test("zarr-full.wasm has the codecs of images, which build tags keep out of zarr.wasm", async () => {
  await init({});
  for (const codec of ["imagecodecs_jpeg", "imagecodecs_lerc", "hdf5_bitshuffle"]) {
    const meta = arrayV2([3], "|u1", { compressor: { id: codec, compression: "lz4" } });
    const store = {
      async get(key) {
        return { "/.zarray": json(meta), "/0": Uint8Array.of(1, 2, 3) }[key];
      },
    };
    const array = await open(store, { kind: "array" });
    await assert.rejects(array.get(), (error) => isZarrError(error, "CodecPipelineError") && error.codec === codec);
  }
});
