// Counts the messages between the page and the engine's worker: each wakes a thread.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { deflateSync } from "node:zlib";
import * as zarr from "../../dist/node.js";
import { arrayV2, groupV3, json } from "../lib/documents.mjs";

after(() => zarr.terminate());

/** Starts an engine, and counts the messages to its worker and from it. */
function counting() {
  const count = { to: 0, from: 0 };
  const worker = () => {
    const made = new Worker(new URL("../../dist/worker-node.js", import.meta.url));
    const post = made.postMessage.bind(made);
    made.postMessage = (message, transfer) => {
      count.to++;
      post(message, transfer);
    };
    made.on("message", () => count.from++);
    return made;
  };
  zarr.terminate();
  zarr.init({ worker, workers: 1 });
  return count;
}

test("a small read of compressed chunks of a Map takes one message each way, of others none", async () => {
  const count = counting();
  const side = 128;
  for (const [compressor, messages] of [
    [null, 0],
    [{ id: "zlib", level: 1 }, 9],
  ]) {
    const store = new Map();
    const bytesOf = (i) => new Uint8Array(side * side * 4).fill(i);
    for (let i = 0; i < 10; i++)
      store.set(`/${i}.0`, compressor ? new Uint8Array(deflateSync(bytesOf(i))) : bytesOf(i));
    const document = arrayV2([10 * side, side], "<f4", { chunks: [side, side], compressor });
    store.set("/.zarray", json(document));
    const array = await zarr.open(store, { kind: "array" });
    await array.get([zarr.slice(0, side)]);
    Object.assign(count, { to: 0, from: 0 });
    for (let i = 1; i < 10; i++) {
      const { data } = await array.get([zarr.slice(i * side, (i + 1) * side)]);
      assert.deepEqual(new Uint8Array(data.buffer), bytesOf(i));
    }
    assert.deepEqual(count, { to: messages, from: messages });
  }
});

test("a read of many small chunks of a Map takes a message each way for 256 KB", async () => {
  const count = counting();
  const [length, chunk] = [100, 4096];
  const store = new Map();
  for (let i = 0; i < length; i++) store.set(`/${i}`, new Uint8Array(deflateSync(new Uint8Array(chunk).fill(i))));
  const document = arrayV2([length * chunk], "|u1", { chunks: [chunk], compressor: { id: "zlib", level: 1 } });
  store.set("/.zarray", json(document));
  const array = await zarr.open(store, { kind: "array" });
  Object.assign(count, { to: 0, from: 0 });
  const { data } = await array.get();
  assert.deepEqual(count, { to: 2, from: 2 });
  assert.ok(data.every((byte, i) => byte === Math.floor(i / chunk)));
});

test("a tree of consolidated metadata takes one message each way", async () => {
  const count = counting();
  const group = groupV3();
  const metadata = {};
  for (let i = 0; i < 50; i++) for (const path of [`g${i}`, `g${i}/below`, `implied/${i}/x`]) metadata[path] = group;
  const consolidated_metadata = { kind: "inline", must_understand: false, metadata };
  const root = await zarr.open(new Map([["/zarr.json", json({ ...group, consolidated_metadata })]]), { kind: "group" });
  for (const [maxDepth, nodes] of [
    [undefined, 202],
    [2, 152],
    [1, 52],
  ]) {
    Object.assign(count, { to: 0, from: 0 });
    const tree = await root.tree({ maxDepth });
    assert.deepEqual(count, { to: 1, from: 1 });
    assert.equal(String(tree).split("\n").length, nodes);
  }
});
