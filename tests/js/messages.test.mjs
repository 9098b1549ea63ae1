// Counts the messages between the page and the engine's worker: each wakes a thread.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { deflateSync } from "node:zlib";
import Lz4 from "numcodecs/lz4";
import * as zarr from "../../dist/node.js";
import { arrayV2, arrayV3, groupV3, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";

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
  const codec = Lz4.fromConfig({});
  for (let i = 0; i < length; i++) store.set(`/${i}`, await codec.encode(new Uint8Array(chunk).fill(i)));
  const document = arrayV2([length * chunk], "|u1", { chunks: [chunk], compressor: { id: "lz4", acceleration: 1 } });
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

test("nodes of consolidated metadata opened in one turn take a message each way for 256", async () => {
  const count = counting();
  const metadata = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a${i}`, arrayV3([i], "int8")]));
  const consolidated_metadata = { kind: "inline", must_understand: false, metadata };
  const store = new Map([["/zarr.json", json({ ...groupV3(), consolidated_metadata })]]);
  const group = await zarr.open(store, { kind: "group" });
  Object.assign(count, { to: 0, from: 0 });
  const arrays = await Promise.all(
    Object.keys(metadata).map((name, i) =>
      i % 2 ? group.open(name) : zarr.open(group.resolve(name), { kind: "array" }),
    ),
  );
  assert.deepEqual(count, { to: 2, from: 2 });
  assert.ok(arrays.every(({ shape, path }, i) => shape[0] === i && path === `/a${i}`));
  // They have handles: a read by the engine takes as many messages as one of a node opened alone.
  const messagesOf = async (array) => {
    Object.assign(count, { to: 0, from: 0 });
    assert.deepEqual((await array.get(null, { onProgress() {} })).data, new Int8Array(...array.shape));
    return { ...count };
  };
  assert.deepEqual(await messagesOf(arrays[3]), await messagesOf(await group.open("a4")));
});

test("opens of one turn have the outcomes of opens one by one, in any store and with any options", async () => {
  const names = ["a", "b", "g", "g/a", "g/none", "i", "i/x", "none", "own", "wrong", "../a", "a/", ""];
  for (let round = 0; round < rounds(200); round++) {
    const rng = random(30_1, round);
    const format = rng.of([2, 3]);
    const documents = {};
    const consolidated = {};
    const add = (path, array, describe) => {
      const document = array
        ? format === 3
          ? arrayV3([rng(9)], array, rng.chance(0.5) ? { attributes: { round } } : {})
          : arrayV2([rng(9)], array)
        : format === 3
          ? groupV3()
          : { zarr_format: 2 };
      const name = format === 3 ? "zarr.json" : array ? ".zarray" : ".zgroup";
      if (describe !== false) consolidated[format === 3 ? path : `${path}/${name}`] = document;
      if (describe !== true) documents[`/${path}/${name}`] = document;
    };
    const types = format === 3 ? ["int8", "float32"] : ["|i1", "<f4"];
    // Described, stored, or both.
    for (const path of ["a", "b", "g/a", "i/x"]) add(path, rng.of(types), rng.of([true, false, undefined]));
    add("g", undefined, rng.of([true, undefined]));
    add("own", rng.of(types), false);
    add("wrong", format === 3 ? "no type" : "|x9", true);
    if (format === 3)
      documents["/zarr.json"] = { ...groupV3(), consolidated_metadata: { kind: "inline", metadata: consolidated } };
    else {
      documents["/.zgroup"] = { zarr_format: 2 };
      documents["/.zmetadata"] = { metadata: { ...consolidated, ".zgroup": { zarr_format: 2 } } };
    }
    const make = () => new Map(Object.entries(documents).map(([key, document]) => [key, json(document)]));
    const asked = Array.from({ length: rng.int(1, 12) }, () => {
      const kind = rng.of([undefined, "array", "group"]);
      const signal = rng.chance(0.2) ? new AbortController().signal : undefined;
      const consolidated = rng.chance(0.1) ? false : undefined;
      return [rng.of(names), { kind, signal, consolidated }];
    });
    const outcome = async (root, [name, options]) => {
      try {
        const node = await zarr.open(root.resolve(name), options);
        const { path, kind, format, attrs, shape, dtype, documents } = node;
        return { path, kind, format, attrs, shape, dtype, documents: Object.keys(documents) };
      } catch ({ name, message }) {
        return { name, message: message.replace(/ \(tried .*/, "") };
      }
    };
    const together = await zarr.open(make(), { kind: "group" });
    const each = await zarr.open(make(), { kind: "group" });
    const expected = [];
    for (const one of asked) expected.push(await outcome(each, one));
    assert.deepEqual(await Promise.all(asked.map((one) => outcome(together, one))), expected, `round ${round}`);
  }
});
