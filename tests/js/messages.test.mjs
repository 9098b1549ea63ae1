// How many messages go between the page and the engine's worker: each wakes a thread.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import * as zarr from "../../dist/node.js";

after(() => zarr.terminate());

test("a small read of a Map takes two messages each way", async () => {
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
  zarr.init({ worker, workers: 1 });
  const side = 128;
  for (const dtype of ["<f4", "<i2"]) {
    const meta = { zarr_format: 2, shape: [10 * side, side], chunks: [side, side], dtype, order: "C" };
    const store = new Map();
    const size = dtype === "<f4" ? 4 : 2;
    for (let i = 0; i < 10; i++) store.set(`/${i}.0`, new Uint8Array(side * side * size).fill(i));
    const text = JSON.stringify({ ...meta, compressor: null, filters: null, fill_value: 0 });
    const array = await zarr.open(store.set("/.zarray", new TextEncoder().encode(text)), { kind: "array" });
    await array.get([zarr.slice(0, side)]);
    Object.assign(count, { to: 0, from: 0 });
    for (let i = 1; i < 10; i++) {
      const { data } = await array.get([zarr.slice(i * side, (i + 1) * side)]);
      assert.equal(
        new Uint8Array(data.buffer).every((byte) => byte === i),
        true,
      );
    }
    // The read and the bytes; the question and the answer.
    assert.deepEqual(count, { to: 18, from: 18 }, dtype);
  }
});
