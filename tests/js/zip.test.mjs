// Zip archives over HTTP and in memory, beyond the suite of stores: their requests, and failures.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { arrayV3, groupV3, json, sharding, shardOf } from "../lib/documents.mjs";
import { listen, send, serve, top } from "../lib/serve.mjs";
import { together } from "./rounds.mjs";
import { zip } from "./storesuite.mjs";

const bytesOf = async (blob) => new Uint8Array(await blob.arrayBuffer());

const document = (shape, chunks, codecs) => json(arrayV3(shape, "uint8", { chunks, ...(codecs && { codecs }) }));

/**
 * An array of 4 by 4 chunks, whose elements are their chunk's number plus `more`. Each member is
 * followed by another of `spare` bytes.
 */
function objects({ more = 0, spare = 0 } = {}) {
  const all = new Map([["zarr.json", document([256, 256], [64, 64])]]);
  for (let i = 0; i < 16; i++) all.set(`c/${i >> 2}/${i & 3}`, new Uint8Array(64 * 64).fill(i + more));
  for (let left = spare; left > 0; left -= 1 << 20)
    all.set(`other/${left}`, new Uint8Array(Math.min(left, 1 << 20)).fill(3));
  return all;
}

const right = (data, more = 0) => data.every((v, i) => v === (i >> 14) * 4 + ((i >> 6) & 3) + more);

/** A server of one object that can change, delay or fail, and records its requests. */
async function host(bytes) {
  const state = { bytes, etag: '"1"', status: 0, delay: 0, asked: [] };
  const held = together();
  const server = await listen(async (request, response) => {
    const { method, headers } = request;
    const entry = { method, range: headers.range, began: performance.now() };
    state.asked.push(entry);
    state.arrived?.();
    const { bytes: all, etag, status, delay } = state;
    if (delay) await held(delay);
    entry.ended = performance.now();
    if (status) return response.writeHead(status).end();
    response.setHeader("ETag", etag);
    return send(request, response, all);
  });
  after(server.close);
  return Object.assign(state, {
    url: `${server.url}a.zip`,
    /** Waits for the next request. */
    arrives: () => new Promise((resolve) => (state.arrived = resolve)),
    /** The requests since the last call, and their round trips. */
    take() {
      const list = state.asked.splice(0);
      let trips = 0;
      let until = -1;
      for (const { began, ended } of list) {
        if (began < until) continue;
        trips++;
        until = ended;
      }
      return { list: list.map(({ method, range }) => `${method} ${range}`), trips };
    },
  });
}

const fixtures = await serve(`${top}build/fixtures`);
after(() => {
  fixtures.close();
  zarr.terminate();
});

test("opening and reading 16 chunks that lie together takes 3 requests and 2 trips, and then none", async () => {
  for (const deflate of [false, true]) {
    const at = await host(await bytesOf(await zip(objects({ spare: 4 << 20 }), deflate)));
    // When deflated, the spare members are small and everything fits into the first piece.
    at.delay = 150;
    const store = new zarr.ZipStore(new zarr.FetchStore(at.url.slice(0, -5), { useSuffixRequest: true }), {
      key: "a.zip",
    });
    const array = await zarr.open(store, { kind: "array" });
    assert.ok(right((await array.get()).data));
    const { list, trips } = at.take();
    assert.ok(list.length <= 3 && trips <= 2, `${trips} trips: ${list}`);
    assert.ok(right((await (await zarr.open(store, { kind: "array" })).get()).data));
    assert.deepEqual(at.take().list, []);
  }
});

test("archives of the static server are read and described", async () => {
  const group = await zarr.open({ zip: `${fixtures.url}zip/v3_zip64.zip` }, { kind: "group" });
  assert.deepEqual((await group.members()).map(({ name }) => name).sort(), ["a", "g"]);
  const store = zarr.ZipStore.fromUrl(`${fixtures.url}zip/v3_prefix.zip`, { headers: { "X-Mine": "1" } });
  assert.deepEqual(await store.info(), { comment: "", root: "data.zarr" });
  const paths = ["a", "data.zarr/a"];
  const [one, two] = await Promise.all(
    paths.map((path) => zarr.open(zarr.root(store).resolve(path), { kind: "array" })),
  );
  assert.deepEqual((await one.get()).data, (await two.get()).data);
  const inner = new zarr.ZipStore(`${fixtures.url}zip/v3_prefix.zip`, { path: "data.zarr/g" });
  assert.deepEqual((await zarr.open(zarr.root(inner).resolve("b"), { kind: "array" })).shape, [9, 7]);
  assert.deepEqual(await inner.info(), { comment: "", root: "data.zarr/g" });
});

test("the comment of an OME-Zarr archive is a property of the store", async () => {
  const about = { version: "0.5", zipFile: { centralDirectory: { jsonFirst: true } } };
  for (const [comment, ome] of [
    [JSON.stringify({ ome: about }), about],
    [`${JSON.stringify({ ome: about })}\0`, about],
    ["made by hand", undefined],
    ["null", undefined],
  ]) {
    const archive = await bytesOf(await zip(objects()));
    const end = new TextEncoder().encode(comment);
    new DataView(archive.buffer).setUint16(archive.length - 2, end.length, true);
    const store = new zarr.ZipStore(new File([archive, end], "image.ozx"));
    const info = await store.info();
    assert.equal(info.comment, comment.replaceAll("\0", ""));
    assert.deepEqual(info.ome, ome);
    assert.ok(right((await (await zarr.open(store, { kind: "array" })).get()).data));
  }
});

test("a shard in an archive is read by ranges", async () => {
  const shard = shardOf(
    Uint8Array.from({ length: 1024 * 1024 }, (_, i) => i >> 10),
    1024,
  );
  const at = await host(
    await bytesOf(
      await zip(
        new Map([
          ["zarr.json", document([1024, 1024], [1024, 1024], [sharding([32, 32])])],
          ["c/0/0", shard],
        ]),
      ),
    ),
  );
  const array = await zarr.open({ zip: at.url }, { kind: "array" });
  at.take();
  assert.equal(await array.get([40, 100]), (32 + 3) & 255);
  for (const request of at.take().list) {
    const [from, to] = request.match(/\d+/g).map(Number);
    assert.ok(to - from < 200_000, request);
  }
});

test("an archive that is replaced is read again", async () => {
  const at = await host(await bytesOf(await zip(objects({ spare: 1 << 20 }))));
  const array = await zarr.open({ zip: at.url }, { kind: "array" });
  assert.equal(await array.get([0, 64]), 1);
  at.bytes = await bytesOf(await zip(objects({ more: 100, spare: 2 << 20 })));
  at.etag = '"2"';
  await zarr.caches({ encoded: 0, decoded: 0 });
  const { data } = await array.get();
  assert.ok(right(data, 100), "all of the new one");
  await zarr.caches({ encoded: 64 << 20, decoded: 128 << 20 });
});

test("a failure leaves no trace", async () => {
  const good = await bytesOf(await zip(objects()));
  const at = await host(good);
  const store = new zarr.ZipStore(new zarr.FetchStore(at.url.slice(0, -5), { retry: { attempts: 1 } }), {
    key: "a.zip",
  });
  for (const [change, name, says] of [
    [{ status: 500 }, "HttpError", /500/],
    [{ status: 404 }, "StoreError", /a\.zip.*is absent/],
    [{ status: 0, bytes: good.subarray(0, 5000) }, "StoreError", /no end record/],
    [{ bytes: new TextEncoder().encode("<html>".repeat(1000)) }, "StoreError", /no end record/],
  ]) {
    Object.assign(at, change);
    for (let twice = 0; twice < 2; twice++) {
      const failed = await zarr.open(store, { kind: "array" }).then(
        () => undefined,
        (error) => error,
      );
      assert.equal(failed?.name, name, `${failed}`);
      assert.match(failed.message, says);
    }
    await zarr.caches({ encoded: 0 }); // from the old bytes, and its absence
    await zarr.caches({ encoded: 64 << 20 });
  }
  at.bytes = good;
  at.etag = '"2"';
  const fresh = new zarr.ZipStore(at.url);
  assert.ok(right((await (await zarr.open(fresh, { kind: "array" })).get()).data));
});

test("a call that is given up leaves the next one alone", async () => {
  const at = await host(await bytesOf(await zip(objects({ spare: 1 << 20 }))));
  at.delay = 200;
  const store = new zarr.ZipStore(at.url);
  const controller = new AbortController();
  const asked = at.arrives();
  const first = zarr.open(store, { kind: "array", signal: controller.signal });
  asked.then(() => controller.abort());
  await assert.rejects(first, { name: "AbortError" });
  at.delay = 0;
  const array = await zarr.open(store, { kind: "array" });
  at.delay = 200;
  const reading = new AbortController();
  const again = at.arrives();
  const read = array.get(null, { signal: reading.signal });
  again.then(() => reading.abort());
  await assert.rejects(read, { name: "AbortError" });
  assert.ok(right((await array.get()).data));
});

test("a damaged member is an error with its name, and the others are read", async () => {
  const archive = await bytesOf(await zip(objects()));
  const at = 30 + "zarr.json".length + document([256, 256], [64, 64]).length + 30 + "c/0/0".length + 100;
  archive[at] ^= 1;
  const array = await zarr.open({ zip: new Blob([archive]) }, { kind: "array" });
  for (let twice = 0; twice < 2; twice++) {
    await assert.rejects(array.get(), { name: "StoreError", message: /member "c\/0\/0": its CRC-32/ });
    assert.equal(await array.get([0, 64]), 1);
  }
});

test("members that only the complete build decodes make it take over", async () => {
  const archive = await bytesOf(await zip(new Map([["zarr.json", json(groupV3())]])));
  for (const header of [8, archive.length - 22 - 46 - "zarr.json".length + 10])
    new DataView(archive.buffer).setUint16(header, 12, true);
  const failed = await zarr.open({ zip: new Blob([archive]) }).then(
    () => undefined,
    (error) => error,
  );
  // no bzip2 stream, which only that build can check
  assert.equal(failed?.name, "StoreError", `${failed}`);
  assert.match(failed.message, /bzip2|bz2/i);
});
