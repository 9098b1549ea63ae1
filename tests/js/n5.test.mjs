// Containers of N5 through the package: over HTTP, from a directory, below other stores.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import * as zarr from "../../dist/node.js";
import { serve, top } from "../lib/serve.mjs";

const fixtures = `${top}build/fixtures/public/`;
const cases = JSON.parse(readFileSync(`${fixtures}containers.json`, "utf8")).cases.filter((c) => c.class === "n5");
const java = "saalfeldlab+n5/src/test/resources/backward/data-1.5.0.n5";
const dir = `${top}build/test/n5/`;

rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
const [server, faulty] = await Promise.all([serve("build/fixtures/public"), serve("build/fixtures/public", "-faults")]);
after(() => {
  server.close();
  faulty.close();
  zarr.terminate();
});

const values = async (array) => Array.from((await array.get()).data);

test("a dataset is an array, by its store, a composition, and a path", async () => {
  const with_values = cases.filter((c) => c.values);
  assert.ok(with_values.length > 3);
  for (const c of with_values) {
    for (const target of [
      new zarr.N5Store(server.url + c.store),
      { n5: server.url + c.store },
      { n5: fixtures + c.store },
      { n5: new zarr.DirectoryStore(fixtures + c.store) },
      { n5: { prefix: fixtures, path: c.store } },
    ]) {
      const array = await zarr.open(target, { kind: "array" });
      assert.deepEqual(array.shape, c.shape, c.id);
      assert.deepEqual(array.chunks, c.chunks, c.id);
      for (let time = 0; time < 2; time++) assert.deepEqual(await values(array), c.values, c.id);
    }
  }
});

test("a container's groups and datasets, listed where the store below lists", async () => {
  const group = await zarr.open({ n5: `${fixtures}${java}` }, { kind: "group" });
  assert.deepEqual(group.attrs, { n5: "1.5.0" });
  assert.deepEqual(
    (await group.members()).map(({ name, kind }) => `${name} ${kind}`),
    ["raw array"],
  );
  const array = await group.open("raw", { kind: "array" });
  assert.equal(await array.get([-1, -1]), 3);
  assert.equal(String(group), `<Group / store=n5:${fixtures}${java}>`);
  await assert.rejects(group.open("raw/0"), { name: "NotFoundError" });
  await assert.rejects(group.open("none"), { name: "NotFoundError" });
});

test("every way to read a block gives the same", async () => {
  const { store, values: want, shape } = cases.find(({ id }) => id === "n5.java.3.1.3");
  const array = await zarr.open({ n5: server.url + store }, { kind: "array" });
  const at = (i, j) => want[i * shape[1] + j];
  assert.equal(await array.get([4, 6]), at(4, 6));
  assert.deepEqual(Array.from((await array.getChunk([1, 1])).data.slice(0, 2)), [at(4, 5), at(4, 6)]);
  assert.deepEqual(
    Array.from(
      (
        await array.vindex([
          [0, 4],
          [6, 0],
        ])
      ).data,
    ),
    [at(0, 6), at(4, 0)],
  );
  assert.deepEqual(
    Array.from(
      (
        await array.get([
          [0, 4],
          [0, 6],
        ])
      ).data,
    ),
    [at(0, 0), at(0, 6), at(4, 0), at(4, 6)],
  );
  let seen = 0;
  for await (const { data } of array.chunksIn()) seen += data.length;
  assert.ok(seen >= want.length);
  assert.equal(await array.nchunksInitialized(), 4);
});

test("opening and reading request N5's documents and blocks once", async () => {
  const control = (method, body) => fetch(`${faulty.url}-/faults`, { method, body: body && JSON.stringify(body) });
  await control("DELETE");
  const array = await zarr.open(zarr.root({ n5: faulty.url + java }).resolve("raw"), { kind: "array" });
  await array.get([0, 0]);
  await array.get([0, 0]);
  const { requests } = await (await control("GET")).json();
  const paths = requests.map(({ path }) => path.split("data-1.5.0.n5/")[1]);
  assert.deepEqual(paths, ["raw/attributes.json", "raw/0/0"]);
});

/** A container in a directory, with one dataset of uint16 that a block fills. */
function write(name, attributes, block) {
  const at = `${dir}${name}`;
  mkdirSync(`${at}/0`, { recursive: true });
  writeFileSync(`${at}/attributes.json`, typeof attributes === "string" ? attributes : JSON.stringify(attributes));
  if (block) writeFileSync(`${at}/0/0`, block);
  return { n5: at };
}
const dataset = {
  dimensions: [2, 1],
  blockSize: [2, 1],
  dataType: "uint16",
  compression: { type: "gzip" },
  unit: "nm",
};
const header = (mode, ...numbers) => {
  const bytes = Buffer.alloc(2 + (mode === 2 ? 0 : 2) + 4 * numbers.length);
  let at = bytes.writeUInt16BE(mode);
  if (mode !== 2) at = bytes.writeUInt16BE(2, at);
  for (const n of numbers) at = bytes.writeUInt32BE(n, at);
  return bytes;
};
const elements = gzipSync(Buffer.of(1, 2, 3, 4));

test("blocks of each mode are read, invalid ones are named errors, and later reads work", async () => {
  const good = write("good", dataset, Buffer.concat([header(0, 2, 1), elements]));
  const check = async () => {
    const array = await zarr.open(good, { kind: "array" });
    assert.deepEqual(await values(array), [0x0102, 0x0304]);
    assert.deepEqual(array.attrs, { unit: "nm" });
  };
  await check();
  for (const [name, block] of Object.entries({
    varlength: Buffer.concat([header(1, 2, 1, 2), elements]),
    object: Buffer.concat([header(2, 2), elements]),
  })) {
    assert.deepEqual(await values(await zarr.open(write(name, dataset, block))), [0x0102, 0x0304], name);
  }
  for (const [name, attributes, block, error] of [
    ["cut", dataset, header(0, 2, 1), "CodecPipelineError"],
    ["mode3", dataset, Buffer.concat([header(3, 2, 1), elements]), "CodecPipelineError"],
    ["large", dataset, Buffer.concat([header(0, 2 ** 32 - 1, 2 ** 32 - 1), elements]), "CodecPipelineError"],
    ["more", dataset, Buffer.concat([header(1, 2, 1, 7), elements]), "UnsupportedError"],
    ["json", "{", undefined, "InvalidMetadataError"],
    ["type", { ...dataset, dataType: "uint7" }, undefined, "UnsupportedError InvalidMetadataError"],
    ["compression", { ...dataset, compression: { type: "jpeg" } }, undefined, "UnknownCodecError"],
    ["rank", { ...dataset, blockSize: [2] }, undefined, "InvalidMetadataError"],
    ["values", `{"a":[${"0,".repeat(3e6)}0]}`, undefined, "LimitError"],
  ]) {
    const target = write(name, attributes, block);
    for (let time = 0; time < 2; time++) {
      const read = async () => (await zarr.open(target, { kind: "array" })).get();
      await assert.rejects(read(), (e) => error.split(" ").includes(e.name), `${name}`);
    }
    await check();
  }
  await assert.rejects(zarr.open({ n5: `${dir}none` }), { name: "NotFoundError" });
});

test("a replaced array is read when opened again", async () => {
  const at = write("replaced", dataset, Buffer.concat([header(0, 2, 1), elements]));
  const array = await zarr.open(at, { kind: "array" });
  await values(array);
  write("replaced", dataset, Buffer.concat([header(0, 2, 1), gzipSync(Buffer.of(9, 9, 9, 9, 9, 9).subarray(2))]));
  assert.deepEqual(await values(await zarr.open({ n5: `${dir}replaced/` }, { kind: "array" })), [0x0909, 0x0909]);
  cpSync(`${dir}good`, `${dir}again`, { recursive: true });
  assert.deepEqual(await values(await zarr.open({ n5: `${dir}again` })), [0x0102, 0x0304]);
});
