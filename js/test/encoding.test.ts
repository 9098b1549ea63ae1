// Tests chunks that helpers encode. The stored bytes equal those of the engine alone, even if
// helpers end early.
import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { random } from "../../tests/lib/random.mjs";
import { root } from "../api/location.js";
import { open } from "../api/open.js";
import { init, terminate } from "../engine/engine.js";
import type { NodeSpec, WireNode } from "../engine/protocol/wire.js";
import { callWriting, type WritingOptions } from "../engine/writing.js";
import type { Readable } from "../stores/readable.js";

const dist = (name: string) => pathToFileURL(`dist/${name}`);

/**
 * The engine's worker script, in a worker that watches its helpers. It counts the chunks that they
 * receive to encode. With `deadly`, it ends the helper of every chunk of that number right after
 * the chunk was sent.
 */
const watched = `
  import threads from "node:worker_threads";
  import { syncBuiltinESMExports } from "node:module";
  const counts = new Int32Array(threads.workerData.counts);
  threads.Worker = class extends threads.Worker {
    postMessage(message, transfer) {
      super.postMessage(message, transfer);
      if (message.op !== "encode") return;
      const deadly = Atomics.load(counts, 1);
      if (deadly && (Atomics.add(counts, 0, 1) + 1) % deadly === 0) this.terminate();
      else if (!deadly) Atomics.add(counts, 0, 1);
    }
  };
  syncBuiltinESMExports();
  await import(threads.workerData.script);
`;

const counts = new Int32Array(new SharedArrayBuffer(8));

/** Returns the number of chunks that helpers have received. */
const given = () => Atomics.load(counts, 0);

/** Starts the engine of dist/ with at most `workers` helpers; 0 runs it in place. */
async function start(workers: number, deadly = 0): Promise<void> {
  terminate();
  counts.set([0, deadly]);
  await init({
    url: dist("zarr.wasm"),
    writeUrl: dist("zarr-write.wasm"),
    workers,
    worker: () =>
      new Worker(new URL(`data:text/javascript,${encodeURIComponent(watched)}`), {
        workerData: { counts: counts.buffer, script: dist("worker-node.js").href },
      }) as unknown as globalThis.Worker,
  });
}

afterEach(() => terminate());
after(() => terminate());

const create = (store: Readable, path: string, spec: NodeSpec) =>
  callWriting(store, { op: "create", path, kind: "array", spec: JSON.stringify(spec) });

const write = (store: Readable, node: WireNode, data: Int32Array, options: WritingOptions = {}) =>
  callWriting(
    store,
    { op: "write", node: node.ref, values: { buffer: data.slice().buffer, shape: node.array?.shape as number[] } },
    options,
  );

const read = async (store: Readable, path: string) =>
  (await (await open(root(store).resolve(path), { kind: "array" })).get()).data;

/** Returns compressible elements. */
function values(n: number, seed: number): Int32Array {
  const pick = random(seed);
  let last = 0;
  return Int32Array.from({ length: n }, (_, i) => {
    if (i % 7 === 0) last += pick(100) - 50;
    return last;
  });
}

const little = { name: "bytes", configuration: { endian: "little" } };
const crc = { name: "crc32c" };
const compressors = [
  { name: "zstd", configuration: { level: 1, checksum: false } },
  { name: "zstd", configuration: { level: 5, checksum: true } },
  { name: "gzip", configuration: { level: 1 } },
  { name: "gzip", configuration: { level: 6 } },
  ...["zstd", "lz4", "zlib", "blosclz"].flatMap((cname) =>
    ["shuffle", "bitshuffle", "noshuffle"].map((shuffle) => ({
      name: "blosc",
      configuration: { cname, clevel: 5, shuffle, typesize: 4, blocksize: 0 },
    })),
  ),
];

/** Returns an array whose chunks are slow to encode, and its elements. */
function arrayOf(seed: number): { spec: NodeSpec; data: Int32Array } {
  const pick = random(seed);
  const compressor = compressors[seed % compressors.length] as object;
  const chunk = [64 << pick(2), 512];
  const shape = [64 * (2 + pick(5)) + pick(9), 700 + pick(400)];
  const chain: object[] = [little, compressor];
  if (pick(3) === 0) chain.unshift({ name: "transpose", configuration: { order: [1, 0] } });
  if (pick(3) === 0) chain.push(crc);
  const spec: NodeSpec = { shape, dtype: "int32", chunks: chunk, codecs: chain as never, fill: 0 };
  if (pick(3) === 0) Object.assign(spec, { shards: [2 * (chunk[0] as number), 512] });
  return { spec, data: values((shape[0] as number) * (shape[1] as number), seed) };
}

const seeds = Array.from({ length: compressors.length }, (_, i) => i);

/** Returns the stored objects of the arrays of all seeds, written concurrently in groups. */
async function storedOf(size: number): Promise<Map<string, Uint8Array>> {
  const store = new Map<string, Uint8Array>();
  for (let from = 0; from < seeds.length; from += size) {
    await Promise.all(
      seeds.slice(from, from + size).map(async (seed) => {
        const { spec, data } = arrayOf(seed);
        await write(store, await create(store, `a${seed}`, spec), data);
      }),
    );
  }
  return store;
}

/** Writes until helpers receive chunks. */
async function helped(): Promise<void> {
  const { spec, data } = arrayOf(0);
  const store = new Map<string, Uint8Array>();
  const node = await create(store, "", spec);
  for (let i = 0; i < 1000 && given() === 0; i++) await write(store, node, data);
  assert.ok(given() > 0, "no helper was given a chunk in 1000 writes");
}

let alone: Promise<Map<string, Uint8Array>> | undefined;

/** Returns the stored objects of an engine without helpers. */
function inPlace(): Promise<Map<string, Uint8Array>> {
  alone ??= start(0).then(() => storedOf(1));
  return alone;
}

function same(found: Map<string, Uint8Array>, wanted: Map<string, Uint8Array>): void {
  assert.deepEqual([...found.keys()].sort(), [...wanted.keys()].sort());
  for (const [key, bytes] of wanted) assert.ok(Buffer.compare(bytes, found.get(key) as Uint8Array) === 0, key);
}

for (const workers of [1, 2, 3]) {
  test(`helpers encode the same bytes, array after array and many at once, ${workers} of them`, async () => {
    const wanted = await inPlace();
    await start(workers);
    await helped();
    for (const size of [1, seeds.length]) {
      const before = given();
      same(await storedOf(size), wanted);
      assert.ok(given() > before, "helpers were given chunks");
    }
  });
}

for (const deadly of [1, 3]) {
  test(`a chunk whose helper ends is encoded in place, each ${deadly}. chunk of a helper ends it`, async () => {
    const wanted = await inPlace();
    await start(2, deadly);
    await helped();
    const before = given();
    for (let i = 0; i < 20 && given() < before + 2 * deadly; i++) same(await storedOf(seeds.length), wanted);
    assert.ok(given() >= before + 2 * deadly, `${given() - before} chunks were given to helpers`);
  });
}

test("an aborted write gives out no more chunks, and the next one stores all", async () => {
  await start(2);
  await helped();
  const spec: NodeSpec = {
    shape: [300, 16384],
    dtype: "int32",
    chunks: [1, 16384],
    codecs: [little, compressors[2]] as never,
  };
  const data = values(300 * 16384, 1);
  class Stopping extends Map<string, Uint8Array> {
    stop: (() => void) | undefined;
    override set(key: string, bytes: Uint8Array): this {
      if (key.startsWith("/c/")) this.stop?.();
      return super.set(key, bytes);
    }
  }
  const store = new Stopping();
  const node = await create(store, "", spec);
  const controller = new AbortController();
  const reason = new Error("enough");
  store.stop = () => controller.abort(reason);
  await assert.rejects(write(store, node, data, { signal: controller.signal }), (error) => error === reason);
  store.stop = undefined;
  const after = given();
  const { size } = store;
  // The engine sends at most 128 chunks before the store has taken them. It receives the abort
  // before it sends more.
  assert.ok(size < 200, `${size} objects were written`);
  // The engine has answered a later call. Any chunk that it had started would have been counted by
  // now.
  const small = await create(new Map(), "", { shape: [1], dtype: "int32", chunks: [1] });
  assert.equal(small.kind, "array");
  assert.equal(given(), after);
  assert.equal(store.size, size);
  await write(store, node, data);
  assert.equal(store.size, 301);
  assert.deepEqual(await read(store, ""), data);
});

test("small chunks, and those that need no work, are encoded in place", async () => {
  await start(2);
  await helped();
  const before = given();
  const store = new Map<string, Uint8Array>();
  const small = await create(store, "small", { shape: [40_000], dtype: "int32", chunks: [1000] });
  await write(store, small, values(40_000, 1));
  const plain = await create(store, "plain", {
    shape: [400_000],
    dtype: "int32",
    chunks: [100_000],
    codecs: [little, crc] as never,
  });
  await write(store, plain, values(400_000, 1));
  assert.equal(given(), before);
  assert.deepEqual(await read(store, "small"), values(40_000, 1));
  assert.deepEqual(await read(store, "plain"), values(400_000, 1));
});
