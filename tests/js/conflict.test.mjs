// Independent writers change the same objects over HTTP.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import * as write from "../../dist/write-node.js";
import { rounds } from "../lib/rounds.mjs";
import { listen, serve, top } from "../lib/serve.mjs";

const slow = { timeout: 300_000 };
const server = await serve(".", "-faults");
after(() => {
  server.close();
  zarr.terminate();
});

/** Runs a writer in its own process, with its own engine. */
async function writer(url, number, count) {
  const file = `${top}tests/js/conflict-writer.mjs`;
  const child = spawn(process.execPath, [file, url, number, count], { stdio: ["ignore", "inherit", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const [code] = await once(child, "close");
  assert.equal(code, 0, `writer ${number}: ${said}`);
}

test("two engines change one chunk, one document and one length many times, and nothing is lost", slow, async () => {
  const url = `${server.url}=shared`;
  const [count, rare] = [rounds(500), rounds(25)];
  const options = { shape: [2 * count], chunks: [2 * count], dtype: "uint8" };
  await write.createArray(new zarr.FetchStore(`${url}/a`), options);
  await write.createArray(new zarr.FetchStore(`${url}/log`), { shape: [0], chunks: [16], dtype: "uint16" });
  await Promise.all([0, 1].map((number) => writer(url, number, count)));

  const array = await zarr.open(`${url}/a`, { kind: "array" });
  const { data } = await array.get();
  const lost = [...data.keys()].filter((i) => data[i] !== 1 + (i % 2));
  assert.deepEqual(lost, []);
  const log = await zarr.open(`${url}/log`, { kind: "array" });
  assert.equal(Object.keys(log.attrs).length, 2 * rare);
  const wanted = [1, 2].flatMap((w) => Array.from({ length: rare }, (_, i) => 1000 * w + 20 * i));
  assert.deepEqual([...(await log.get()).data].sort(), wanted.sort());
});

test("without tags one writer after another loses nothing", slow, async () => {
  const url = `${server.url}=untagged`;
  await write.createArray(new zarr.FetchStore(url), { shape: [40], chunks: [40], dtype: "uint8" });
  const arrays = await Promise.all([1, 2].map(() => zarr.open(new zarr.FetchStore(url), { kind: "array" })));
  for (let i = 0; i < 40; i++) await write.set(arrays[i % 2], [i], 1);
  assert.deepEqual(new Set((await arrays[0].get()).data), new Set([1]));
});

test("a server that does not recognise its tags is a ConflictError, and nothing is written", slow, async () => {
  const chunk = Uint8Array.of(1, 2, 3, 4);
  const conditions = [];
  const objects = new Map();
  const stale = await listen(async ({ method, url, headers }, response) => {
    const body = objects.get(url);
    response.setHeader("ETag", '"1"');
    if (method === "PUT") {
      const bytes = [];
      conditions.push(headers["if-match"] ?? headers["if-none-match"]);
      if (body && headers["if-match"]) response.statusCode = 412;
      else objects.set(url, bytes);
    } else if (!body) response.statusCode = 404;
    response.end(method === "GET" ? body : undefined);
  });
  const made = new Map();
  await write.createArray(made, { shape: [4], chunks: [4], dtype: "uint8", codecs: [] });
  objects.set("/zarr.json", made.get("/zarr.json"));
  objects.set("/c/0", chunk);
  try {
    const array = await zarr.open(stale.origin, { kind: "array" });
    const error = await write.set(array, [1], 9).catch((e) => e);
    assert.equal(error.name, "WriteError");
    assert.deepEqual(error.written, []);
    assert.ok(error.cause instanceof write.ConflictError, String(error.cause));
    assert.equal(error.cause.key, "c/0");
    assert.equal(error.cause.cause.status, 412);
    assert.ok(conditions.length < 10 && conditions.every((condition) => condition === '"1"'), String(conditions));
    await assert.rejects(write.updateAttributes(array, { a: 1 }), write.ConflictError);
    assert.deepEqual([...objects.get("/c/0")], [...chunk]);
  } finally {
    stale.close();
  }
});
