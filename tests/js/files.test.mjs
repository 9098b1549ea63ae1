// Hierarchies on disk, opened by paths and file: URLs, read the same as through HTTP.
import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { relative } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as zarr from "../../dist/node.js";
import { arrayV3, sharding, shardOf } from "../lib/documents.mjs";
import { serve, top } from "../lib/serve.mjs";

const fixtures = `${top}build/fixtures/`;
const dir = `${top}build/test/files`;
const at = (path) => pathToFileURL(`${fixtures}${path}`).href;

rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
const server = await serve("build/fixtures");
after(() => {
  server.close();
  zarr.terminate();
});

/** An array's metadata and elements. */
async function all(array) {
  const { data, shape } = await array.get();
  return { data, shape, attrs: array.attrs, dtype: array.dtype, chunks: array.chunks, shards: array.shards };
}

/** The ways to name a node on disk. */
const ways = {
  "an absolute path": (path) => `${fixtures}${path}`,
  "a relative path": (path) => relative(process.cwd(), `${fixtures}${path}`),
  "a path that begins with a dot": (path) => `./${relative(process.cwd(), `${fixtures}${path}`)}`,
  "the text of a URL": at,
  "a URL": (path) => new URL(`../../build/fixtures/${path}`, import.meta.url),
  "a path with a slash at its end": (path) => `${fixtures}${path}/`,
};

const arrays = [
  "xarray/climate_v2.zarr/t2m",
  "xarray/climate_v3.zarr/t2m",
  "v3/sharding.zarr/plain",
  "v3/sharding.zarr/nested_end_start",
  "v3/sharding.zarr/wide",
  "v3/hierarchy.zarr/with space",
];

for (const [name, way] of Object.entries(ways)) {
  test(`arrays and groups are opened by ${name}, twice, and read as through HTTP`, async () => {
    for (const path of arrays) {
      const there = await zarr.open(server.url + path);
      for (let i = 0; i < 2; i++) {
        const here = await zarr.open(way(path));
        assert.ok(here.store instanceof zarr.DirectoryStore);
        assert.equal(zarr.FileStore, zarr.DirectoryStore);
        assert.equal(here.kind, there.kind, path);
        if (there.kind === "array") assert.deepEqual(await all(here), await all(there), path);
        else assert.deepEqual(here.attrs, there.attrs, path);
      }
    }
  });
}

test("the document of a node names the node, and root takes what open takes", async () => {
  const there = await all(await zarr.open(`${server.url}v3/sharding.zarr/plain`, { kind: "array" }));
  const path = `${fixtures}v3/sharding.zarr/plain`;
  for (const target of [`${path}/zarr.json`, `${at("v3/sharding.zarr/plain")}/zarr.json`, zarr.root(path)]) {
    assert.deepEqual(await all(await zarr.open.v3(target, { kind: "array" })), there);
  }
  await assert.rejects(zarr.open.v2(path), { name: "NotFoundError" });
  const place = zarr.root(`${fixtures}v3`).resolve("sharding.zarr/plain");
  assert.deepEqual(await all(await zarr.open(place, { kind: "array" })), there);
  assert.equal(String(place), `<Location /sharding.zarr/plain store=${fixtures}v3>`);
  zarr.preload(path);
});

test("a group's nodes are reached from it", async () => {
  for (const version of ["v2", "v3"]) {
    const [here, there] = await Promise.all(
      [fixtures, server.url].map((base) => zarr.open(`${base}xarray/climate_${version}.zarr`, { kind: "group" })),
    );
    const names = async (group) => (await group.members()).map(({ name, kind }) => `${name} ${kind}`);
    assert.deepEqual(await names(here), await names(there));
    for (const { name } of await there.members()) {
      const [a, b] = await Promise.all([here, there].map((group) => group.open(name, { kind: "array" })));
      assert.deepEqual(await all(a), await all(b), name);
    }
  }
});

test("an absent node is a NotFoundError, twice, and is found once it exists", async () => {
  const path = `${dir}/later.zarr`;
  for (const target of [path, path, pathToFileURL(path), `${fixtures}v3/sharding.zarr/plain/zarr.json/x`]) {
    await assert.rejects(zarr.open(target), { name: "NotFoundError" });
  }
  const group = await zarr.open(`${fixtures}v3/sharding.zarr`, { kind: "group" });
  await assert.rejects(group.open("none"), { name: "NotFoundError", path: "none" });
  cpSync(`${fixtures}v3/sharding.zarr/plain`, path, { recursive: true });
  const [here, there] = await Promise.all(
    [path, `${server.url}v3/sharding.zarr/plain`].map((target) => zarr.open(target, { kind: "array" })),
  );
  assert.deepEqual(await all(here), await all(there));
});

/** An array of one shard of 4 MiB, in chunks of 64 KiB. */
function writeShard(path) {
  const [inner, count] = [65536, 64];
  const bytes = Uint8Array.from({ length: inner * count }, (_, i) => (i * 31 + (i >> 8)) & 255);
  mkdirSync(`${path}/c`, { recursive: true });
  writeFileSync(`${path}/c/0`, shardOf(bytes, inner));
  const document = arrayV3([inner * count], "uint8", { codecs: [sharding([inner])] });
  writeFileSync(`${path}/zarr.json`, JSON.stringify(document));
  return bytes;
}

test("only the needed parts of a shard are read", async () => {
  const path = `${dir}/shard.zarr`;
  const bytes = writeShard(path);
  const taken = [];
  class Watched extends zarr.FileStore {
    async get(key, options) {
      taken.push([key, (await super.get(key, options))?.length]);
      return super.get(key, options);
    }
    async getRange(key, range, options) {
      const part = await super.getRange(key, range, options);
      taken.push([key, part?.length]);
      return part;
    }
  }
  for (const target of [path, new Watched(path)]) {
    const array = await zarr.open(target, { kind: "array" });
    const { data } = await array.get([zarr.slice(1_000_000, 1_000_100)]);
    assert.deepEqual(data, bytes.slice(1_000_000, 1_000_100));
  }
  const ofShard = taken.filter(([key]) => key === "/c/0").map(([, length]) => length);
  assert.ok(ofShard.length > 0);
  const sum = ofShard.reduce((a, b) => a + b, 0);
  assert.ok(sum < 200_000, `${sum} of ${statSync(`${path}/c/0`).size} bytes were read`);
  const whole = await (await zarr.open(path, { kind: "array" })).get();
  assert.deepEqual(whole.data, bytes);
});

test("a file that is replaced while it is read is read again", async () => {
  const chunk = 1 << 18;
  const chunks = 64;
  const shard = (value) => shardOf(new Uint8Array(chunk * chunks).fill(value), chunk);
  const document = arrayV3([chunk * chunks], "uint8", { codecs: [sharding([chunk])] });
  const path = `${dir}/replaced.zarr`;
  mkdirSync(`${path}/c`, { recursive: true });
  writeFileSync(`${path}/zarr.json`, JSON.stringify(document));
  writeFileSync(`${path}/c/0`, shard(1));
  let asked = 0;
  class Watched extends zarr.DirectoryStore {
    async getRange(key, range, options) {
      if (++asked === 3) {
        writeFileSync(`${path}/c/next`, shard(2));
        renameSync(`${path}/c/next`, `${path}/c/0`);
      }
      return super.getRange(key, range, options);
    }
  }
  const array = await zarr.open(new Watched(path), { kind: "array" });
  const wanted = [0, 16, 32, 48].map((i) => i * chunk);
  for (let time = 0; time < 2; time++) assert.deepEqual([...(await array.get([wanted])).data], [2, 2, 2, 2]);
  assert.ok(asked > 3);
});

test("a group's members without consolidated metadata are those that its folder has", async () => {
  for (const path of ["v2/hierarchy.zarr", "v3/hierarchy.zarr"]) {
    const group = await zarr.open(`${fixtures}${path}`, { kind: "group", consolidated: false });
    for (let time = 0; time < 2; time++) {
      const names = readdirSync(`${fixtures}${path}`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
      const members = await group.members();
      assert.deepEqual(
        members.map(({ name }) => name),
        names.map(({ name }) => name).sort(),
      );
      assert.ok(members.some(({ kind }) => kind === "array" || kind === "group"));
    }
  }
});

test("a NotFoundError names the path", async () => {
  await assert.rejects(zarr.open(`${dir}/nothing.zarr`), (error) => {
    assert.equal(error.name, "NotFoundError");
    assert.ok(error.tried.includes(`${dir}/nothing.zarr/zarr.json`), `${error.tried}`);
    assert.ok(error.message.includes(`${dir}/nothing.zarr`));
    return true;
  });
});

test("the cause says why a file cannot be read, down to the system's error", async () => {
  mkdirSync(`${dir}/round.zarr`);
  symlinkSync("zarr.json", `${dir}/round.zarr/zarr.json`);
  await assert.rejects(zarr.open(`${dir}/round.zarr`), (error) => {
    assert.deepEqual([error.name, error.cause.name, error.cause.cause.code], ["StoreError", "StoreError", "ELOOP"]);
    assert.ok(error.message.includes(`${dir}/round.zarr/zarr.json`), error.message);
    return true;
  });
});

test("a shard that is cut short is a named error, and an absent one is fill", async () => {
  const path = `${dir}/cut.zarr`;
  writeShard(path);
  truncateSync(`${path}/c/0`, 100);
  const array = await zarr.open(path, { kind: "array" });
  for (let i = 0; i < 2; i++) {
    await assert.rejects(array.get([zarr.slice(0, 10)]), (error) => {
      assert.ok(zarr.isZarrError(error, "CodecPipelineError", "StoreError"), error);
      assert.equal(error.key, "c/0");
      return true;
    });
  }
  unlinkSync(`${path}/c/0`);
  const { data } = await (await zarr.open(path, { kind: "array" })).get([zarr.slice(0, 10)]);
  assert.deepEqual(data, new Uint8Array(10));
});

test("a URL that is neither file nor http is a StoreError", async () => {
  for (const target of ["", "file://host/x.zarr", "ftp://host/x.zarr", "file:///a%2Fb.zarr"]) {
    await assert.rejects(async () => zarr.open(target), { name: "StoreError" }, target);
  }
});

test("the builds for pages have no store of files, and say where files open", async () => {
  const inline = await import("../../dist/inline.js");
  try {
    assert.equal("FileStore" in inline, false);
    assert.doesNotMatch(readFileSync(`${top}dist/index.js`, "utf8"), /\bFileStore|"node:/);
    for (let i = 0; i < 2; i++) {
      await assert.rejects(inline.open(at("v3/sharding.zarr")), {
        name: "StoreError",
        message: /scheme "file".*only Node can open files/,
      });
    }
  } finally {
    inline.terminate();
  }
});
