// Writes of an engine without workers, which runs on the page's own thread and must keep it
// responsive.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import * as write from "../../dist/write-node.js";

after(() => zarr.terminate());

test("a long write in place lets timers run, and can be stopped", { timeout: 120_000 }, async () => {
  zarr.init({ workers: 0 });
  const store = new Map();
  const shape = [256, 256, 256]; // large, so that it takes many times as long as an abort
  const array = await write.createArray(store, { shape, chunks: [1, 256, 256], dtype: "uint16" });
  const data = Uint16Array.from({ length: 256 ** 3 }, (_, i) => (i * 7919) >> 3);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await write.set(array, null, data);
  clearInterval(timer);
  assert.ok(ticks > 0, "no timer ran while the array was written");
  assert.deepEqual((await array.get()).data, data);

  const control = new AbortController();
  const reason = new Error("enough");
  for (const key of store.keys()) if (key.includes("/c/")) store.delete(key);
  const written = write.set(array, null, data, { signal: control.signal });
  setTimeout(() => control.abort(reason), 1);
  await assert.rejects(written, (error) => error === reason);
  assert.ok(store.size < 1 + shape[0], "all was written when it was to end");
  await write.set(array, null, data);
  assert.deepEqual((await array.get()).data, data);
});
