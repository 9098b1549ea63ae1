// Tests changes of stores by the engine, with the wasm, in a worker and in place.
import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { root } from "../api/location.js";
import { open } from "../api/open.js";
import { init, terminate } from "../engine/engine.js";
import type { NodeSpec, WireNode, WireTarget, WireValues, WireWriteOptions } from "../engine/protocol/wire.js";
import { callWriting, type WritingOptions } from "../engine/writing.js";
import { EngineError, type ZarrError } from "../errors.js";
import type { Readable } from "../stores/readable.js";

const dist = (name: string) => pathToFileURL(`dist/${name}`);

/** Starts the engine of dist/ with `workers` workers; 0 runs it in place. */
const start = (workers: number) =>
  init({
    url: dist("zarr.wasm"),
    fullUrl: dist("zarr-full.wasm"),
    writeUrl: dist("zarr-write.wasm"),
    workers,
    worker: () => new Worker(dist("worker-node.js")) as unknown as globalThis.Worker,
  });

afterEach(() => terminate());
after(() => terminate());

const create = (store: Readable, path: string, spec: NodeSpec) =>
  callWriting(store, { op: "create", path, kind: "array", spec: JSON.stringify(spec) });

const valuesOf = (data: ArrayBufferView<ArrayBuffer>, shape: number[]): WireValues => ({
  buffer: data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength),
  shape,
});

const write = (
  store: Readable,
  node: WireNode,
  data: ArrayBufferView<ArrayBuffer>,
  shape: number[],
  more: WireTarget & Partial<WireWriteOptions> = {},
  options: WritingOptions = {},
) => callWriting(store, { op: "write", node: node.ref, values: valuesOf(data, shape), ...more }, options);

const read = async (store: Readable, path = "") =>
  (await (await open(root(store).resolve(path), { kind: "array" })).get()).data;

const numbers = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i);

for (const workers of [0, 2]) {
  const where = workers ? "in a worker" : "in place";

  test(`an array is made, written, read, resized and appended to, ${where}`, async () => {
    await start(workers);
    const store = new Map<string, Uint8Array>();
    const node = await create(store, "", { shape: [4, 6], dtype: "int32", chunks: [2, 4], fill: 7 });
    assert.deepEqual(node.array?.shape, [4, 6]);
    assert.equal(await write(store, node, numbers(24), [4, 6]), null);
    assert.deepEqual(await read(store), numbers(24));
    await write(store, node, Int32Array.of(-1), [], { selection: [1, { start: null, stop: null, step: 2 }] });
    const wanted = numbers(24);
    for (const at of [6, 8, 10]) wanted[at] = -1;
    assert.deepEqual(await read(store), wanted);
    const smaller = await callWriting(store, { op: "resize", node: node.ref, shape: [2, 6] });
    assert.deepEqual(await read(store), wanted.slice(0, 12));
    const longer = await callWriting(store, {
      op: "append",
      node: smaller.ref,
      dimension: 0,
      values: valuesOf(numbers(6, 100), [1, 6]),
    });
    assert.deepEqual(longer.array?.shape, [3, 6]);
    assert.deepEqual(await read(store), Int32Array.of(...wanted.slice(0, 12), ...numbers(6, 100)));
  });
}

/** A store of bytes whose `set` first calls the test's function. */
class Watched {
  readonly map = new Map<string, Uint8Array>();
  sets = 0;
  before: (count: number, key: string, signal: AbortSignal | undefined) => unknown = () => {};

  get(key: string): Uint8Array | undefined {
    return this.map.get(key);
  }

  async set(key: string, bytes: Uint8Array, options?: { signal?: AbortSignal }): Promise<void> {
    this.sets++;
    await this.before(this.sets, key, options?.signal);
    this.map.set(key, bytes);
  }

  delete(key: string): void {
    this.map.delete(key);
  }

  listFolder(path: string): string[] {
    const prefix = path ? `/${path}/` : "/";
    const below = [...this.map.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    return [...new Set(below.map((key) => key.replace(/\/.*/, "/")))];
  }
}

const spec: NodeSpec = {
  shape: [8],
  dtype: "int32",
  chunks: [2],
  codecs: [{ name: "zstd", configuration: { level: 1 } }],
};

for (const workers of [0, 2]) {
  test(`a store that fails at any write: reported chunks are new, all others old, and the next write succeeds, ${workers} workers`, async () => {
    await start(workers);
    for (let n = 1; n <= 4; n++) {
      const store = new Watched();
      const node = await create(store, "", spec);
      await write(store, node, numbers(8), [8]);
      const reason = new Error("the disk is full");
      store.sets = 0;
      store.before = (count) => {
        if (count === n) throw reason;
      };
      const failed = (await write(store, node, numbers(8, 100), [8]).catch((error: unknown) => error)) as ZarrError;
      assert.ok(failed instanceof Error, "the write fails");
      assert.equal(failed.name, "WriteError");
      assert.equal(failed.cause, reason);
      store.before = () => {};
      const [, said = ""] = /\(written: (.*)\)/.exec(failed.message) ?? [];
      const written = said.split(", ");
      const found = [...((await read(store)) as Int32Array)];
      for (let chunk = 0; chunk < 4; chunk++) {
        const both = found.slice(2 * chunk, 2 * chunk + 2);
        const old = [2 * chunk, 2 * chunk + 1];
        const now = old.map((value) => value + 100);
        assert.deepEqual(both, written.includes(`c/${chunk}`) ? now : old, `chunk ${chunk}, ${failed.message}`);
      }
      await write(store, node, numbers(8, 200), [8]);
      assert.deepEqual(await read(store), numbers(8, 200));
    }
  });

  test(`writes to parts of one chunk at once are all there, ${workers} workers`, async () => {
    await start(workers);
    const store = new Watched();
    const node = await create(store, "", { ...spec, chunks: [8] });
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => write(store, node, Int32Array.of(i + 1), [], { selection: [i] })),
    );
    assert.deepEqual(await read(store), numbers(8, 1));
  });

  test(`after an aborted write has rejected, nothing more is asked of the store, ${workers} workers`, async () => {
    await start(workers);
    const store = new Watched();
    const node = await create(store, "", { ...spec, shape: [2000] });
    const controller = new AbortController();
    const reason = new Error("enough");
    store.before = () => controller.abort(reason);
    const writing = write(store, node, numbers(2000), [2000], {}, { signal: controller.signal });
    await assert.rejects(writing, (error) => error === reason);
    const { sets } = store;
    store.before = () => {};
    await write(store, node, numbers(2000, 1), [2000]);
    assert.equal(store.sets, sets + 1000);
    assert.deepEqual(await read(store), numbers(2000, 1));
  });

  test(`terminate() ends a write, and the next one starts the engine again, ${workers} workers`, async () => {
    await start(workers);
    const store = new Watched();
    const node = await create(store, "", spec);
    store.before = (count) => count === 2 && terminate();
    await assert.rejects(write(store, node, numbers(8), [8]), (error) => error instanceof EngineError);
    store.before = () => {};
    await write(store, node, numbers(8, 5), [8]);
    assert.deepEqual(await read(store), numbers(8, 5));
  });

  test(`reads go on while the engine that writes takes over, ${workers} workers`, async () => {
    await start(workers);
    const store = new Watched();
    const made = await create(store, "", spec);
    await write(store, made, numbers(8), [8]);
    terminate();
    const array = await open(store, { kind: "array" });
    const reads = Array.from({ length: 50 }, () => array.get());
    const other = create(new Map(), "", spec);
    const more = Array.from({ length: 50 }, async (_, i) => {
      for (let k = 0; k < i % 7; k++) await array.get([k]);
      return array.get();
    });
    for (const { data } of await Promise.all([...reads, ...more])) assert.deepEqual(data, numbers(8));
    await other;
    await write(store, made, Int32Array.of(-1), [], { selection: [3] });
    assert.equal(await array.get([3]), -1);
    assert.deepEqual((await array.getChunk([1])).data, Int32Array.of(2, -1));
  });
}

test("each chunk takes its part of the values: any strides, repeated shapes, edges", async () => {
  await start(0);
  const store = new Map<string, Uint8Array>();
  const shape = [70, 90, 61];
  const all = numbers(70 * 90 * 61);
  const node = await create(store, "", { shape, dtype: "int32", chunks: [32, 40, 61], codecs: [] });
  await write(store, node, all, shape);
  assert.deepEqual(await read(store), all);
  // Backwards, by steps, and one row for all.
  const flipped = [{ start: null, stop: null, step: -1 }, null, null];
  await write(store, node, all, shape, { selection: flipped });
  const rows = 90 * 61;
  const wanted = new Int32Array(all.length);
  for (let i = 0; i < 70; i++) wanted.set(all.subarray(i * rows, (i + 1) * rows), (69 - i) * rows);
  assert.deepEqual(await read(store), wanted);
});

test("errors are those of the operation, and name the request", async () => {
  await start(0);
  const store = new Map<string, Uint8Array>();
  const node = await create(store, "a", spec);
  const rejects = (promise: Promise<unknown>, code: string) =>
    assert.rejects(promise, (error) => (error as { name: string }).name === code);
  await rejects(create(store, "a", spec), "ExistsError");
  await rejects(create(store, "b", { ...spec, dtype: 5 }), "InvalidMetadataError");
  await rejects(create(store, "b", { ...spec, codecs: [{ name: "example.unheard" }] }), "UnknownCodecError");
  await rejects(write(store, node, numbers(3), [3]), "InvalidValueError");
  await rejects(write(store, node, new Uint8Array(9), [8]), "InvalidValueError");
  await rejects(write(store, node, numbers(1), [], { selection: [9] }), "InvalidSelectionError");
  await rejects(callWriting(store, { op: "delete", path: "nothing" }), "NotFoundError");
  await rejects(callWriting(store, { op: "migrate", path: "nothing", format: 3 }), "NotFoundError");
  await rejects(create({ get: () => undefined }, "", spec), "UnsupportedError");
  await write(store, node, numbers(8), [8]);
  assert.deepEqual(await read(store, "a"), numbers(8));
});

test("attributes, deleting, moving, copying, consolidating and migrating", async () => {
  await start(0);
  const store = new Map<string, Uint8Array>();
  const made = await create(store, "g/a", { ...spec, codecs: [], format: 2, attributes: { b: 1 } });
  await write(store, made, numbers(8), [8]);
  const node = await callWriting(store, {
    op: "attributes",
    node: made.ref,
    how: "update",
    attributes: '{"c":[2]}',
  });
  const text = (key: string) => new TextDecoder().decode(store.get(key));
  assert.deepEqual(JSON.parse(text("/g/a/.zattrs")), { b: 1, c: [2] });
  const other = new Map<string, Uint8Array>();
  const report = await callWriting(other, {
    op: "copy",
    node: node.ref,
    from: store,
    path: "copied",
    options: JSON.stringify({ format: 3, array: { chunks: [4] } }),
  });
  assert.deepEqual(report, { copied: 1, skipped: 0, bytes: 32 });
  assert.deepEqual(await read(other, "copied"), numbers(8));
  await callWriting(store, { op: "move", path: "g/a", to: "g/b" });
  assert.ok(store.has("/g/b/.zarray") && !store.has("/g/a/.zarray"));
  await callWriting(store, { op: "consolidate", path: "g" });
  const objects = new Map<string, Uint8Array>();
  const stored = await callWriting(objects, {
    op: "copyStore",
    from: store,
    fromPath: "g",
    path: "h",
    options: "{}",
  });
  assert.equal(stored.copied, [...store.keys()].filter((key) => key.startsWith("/g/")).length);
  await callWriting(store, { op: "delete", path: "g" });
  assert.ok(![...store.keys()].some((key) => key.startsWith("/g/")));
});
