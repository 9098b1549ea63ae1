// Repositories of Icechunk, as its own library wrote them, through the package and over HTTP.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { listen, send, top } from "../lib/serve.mjs";
import { together } from "./rounds.mjs";

const fixtures = `${top}build/fixtures/public/`;
const data = `${fixtures}earth-mover+icechunk/icechunk-python/tests/data/`;
const { repositories, cases } = JSON.parse(readFileSync(`${fixtures}containers.json`, "utf8"));
const work = `${top}build/test/icechunk/`;

/** A static server that records the times of requests, and counts round trips. */
async function serve(root, { delay = 0 } = {}) {
  const requests = [];
  let arrived;
  const held = together();
  const server = await listen(async (request, response) => {
    const entry = { path: decodeURIComponent(request.url.slice(1)), headers: request.headers, from: performance.now() };
    requests.push(entry);
    arrived?.();
    if (delay) await held(delay);
    entry.to = performance.now();
    const file = root + entry.path;
    response.setHeader("Access-Control-Allow-Origin", "*");
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    const bytes = readFileSync(file);
    response.setHeader("Last-Modified", statSync(file).mtime.toUTCString());
    return send(request, response, bytes);
  });
  return {
    ...server,
    /** Waits for the next request. */
    arrives: () => new Promise((resolve) => (arrived = resolve)),
    /**
     * The requests since the last call, and their round trips: a request after an answer begins
     * another.
     */
    take() {
      const list = requests.splice(0).sort((a, b) => a.from - b.from);
      let trips = 0;
      let until = -1;
      for (const { from, to } of list) {
        if (from < until) continue;
        trips++;
        until = to;
      }
      return { paths: list.map(({ path }) => path), list, trips };
    },
  };
}

let server;
let slow;
let elsewhere;
before(async () => {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(`${work}elsewhere/can_read_old`, { recursive: true });
  server = await serve(data);
  slow = await serve(data, { delay: 150 });
  elsewhere = await serve(`${work}elsewhere/`);
});
after(() => {
  for (const one of [server, slow, elsewhere]) one?.close();
  zarr.terminate();
});

const values = async (store, path) => [...(await (await zarr.open(zarr.root(store).resolve(path))).get()).data];
const split = (options) => new zarr.IcechunkStore(`${server.url}split-repo-v2`, options);

test("each branch, tag and snapshot is one version of all", async () => {
  for (const one of cases.filter((c) => c.store_kind === "icechunk" && c.array === "group1/small_chunks")) {
    const store = new zarr.IcechunkStore(server.url + one.store.split("/").at(-1), one.ref);
    const array = await zarr.open(zarr.root(store).resolve(one.array), { kind: "array" });
    const { data } = await array.get();
    const sha = await crypto.subtle.digest("SHA-256", new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    assert.equal(Buffer.from(sha).toString("hex"), one.expected.sha256, one.id);
    assert.equal((await store.info()).snapshot, one.snapshot, one.id);
  }
});

test("a repository tells its branches, tags and history", async () => {
  for (const one of repositories) {
    const url = server.url + one.store.split("/").at(-1);
    const info = await new zarr.IcechunkStore(url).info();
    assert.equal(info.branch, "main");
    assert.equal(info.snapshot, one.branches.main);
    assert.equal(`v${info.version}`, one.layout);
    assert.equal(info.status, "online");
    assert.ok(info.time instanceof Date && info.time.getFullYear() > 2023);
    // Without a list of its files, a repository of version 1 knows only requested ones.
    assert.deepEqual(info.branches, one.layout === "v2" ? one.branches : undefined);
    assert.deepEqual(info.tags, one.layout === "v2" ? one.tags : undefined);
    for (const [ref, messages] of Object.entries(one.history)) {
      const [kind, name] = ref.split(":");
      const store = new zarr.IcechunkStore(url, { [kind]: name });
      const history = await store.history();
      assert.deepEqual(
        history.map(({ message }) => message),
        messages,
      );
      assert.deepEqual(await store.history({ most: 1 }), history.slice(0, 1));
    }
  }
});

test("groups list their members without consolidated metadata", async () => {
  const store = new zarr.IcechunkStore(`${server.url}test-repo-v2`, { branch: "my-branch" });
  const root = await zarr.open(store, { kind: "group" });
  const paths = [];
  const walk = async (group) => {
    for (const { path, kind } of await group.members()) {
      paths.push(path);
      if (kind === "group") await walk(await zarr.open(zarr.root(store).resolve(path), { kind: "group" }));
    }
  };
  await walk(root);
  const { snapshots, branches } = repositories.find(({ id }) => id === "icechunk.test-repo-v2");
  const want = snapshots[branches["my-branch"]].nodes
    .map((path) => path.replace(" (group)", ""))
    .filter((p) => p !== "/");
  assert.deepEqual(paths.sort(), want.sort());
});

test("a tag is opened and read in three trips, and again in none", async () => {
  for (const [version, most] of [
    ["v2", 5],
    ["v1", 5],
  ]) {
    const store = new zarr.IcechunkStore(`${slow.url}test-repo-${version}`, { tag: "it works!" });
    slow.take();
    const array = await zarr.open(zarr.root(store).resolve("group1/small_chunks"), { kind: "array" });
    assert.deepEqual([...(await array.get()).data], [84, 84, 84, 84, 8]);
    const first = slow.take();
    assert.ok(first.trips <= 3 && first.paths.length <= most, `${first.trips} trips: ${first.paths}`);
    await array.get();
    assert.deepEqual(await values(store, "group1/small_chunks"), [84, 84, 84, 84, 8]);
    assert.deepEqual(slow.take().paths, []);
  }
});

test("the manifests of a read are requested in parallel, and so are its chunks", async () => {
  const store = new zarr.IcechunkStore(`${slow.url}split-repo-v2`);
  const array = await zarr.open(zarr.root(store).resolve("group1/split"), { kind: "array" });
  slow.take();
  await array.get();
  const { list } = slow.take();
  for (const kind of ["manifests", "chunks"]) {
    const some = list.filter(({ path }) => path.includes(`/${kind}/`));
    const most = Math.max(...some.map(({ from }) => some.filter((one) => one.from <= from && one.to > from).length));
    assert.equal(some.length, 16);
    assert.ok(most >= 8, `${most} ${kind} at once`);
  }
});

test("chunks in files of another origin are read there, without the headers of the repository's", async () => {
  const one = cases.find(({ virtual_objects }) => virtual_objects);
  const [[address, { hex }]] = Object.entries(one.virtual_objects);
  const file = `${work}elsewhere/${new URL(address).pathname.slice(1)}`;
  const of = new zarr.FetchStore(`${server.url}${one.store.split("/").at(-1)}`, { headers: { "X-Secret": "1" } });
  const open = async (options) =>
    zarr.open(zarr.root(new zarr.IcechunkStore(of, { ...one.ref, ...options })).resolve(one.array), { kind: "array" });
  const endpoints = { "s3://testbucket/": elsewhere.url };

  const array = await open({ endpoints });
  // A missing file is not a missing chunk.
  await assert.rejects(array.get(), { name: "NotFoundError", message: /chunk-1/ });
  writeFileSync(file, Buffer.from(hex, "hex"));
  elsewhere.take();
  server.take();
  const again = await open({ endpoints });
  const { data } = await again.get();
  const sha = await crypto.subtle.digest("SHA-256", data.buffer);
  assert.equal(Buffer.from(sha).toString("hex"), one.expected.sha256);
  const there = elsewhere.take().list;
  assert.ok(there.length > 0 && there.every(({ headers }) => headers["x-secret"] === undefined));
  assert.ok(server.take().list.every(({ headers }) => headers["x-secret"] === "1"));

  const kept = await open({ endpoints, origins: "same" });
  await assert.rejects(kept.get(), { name: "StoreError" });
  assert.equal(elsewhere.take().list.length, 0);
});

test("a read that was given up can be made again", async () => {
  const store = new zarr.IcechunkStore(`${slow.url}split-repo-v1`);
  const given = new AbortController();
  slow.arrives().then(() => given.abort());
  const first = store.info({ signal: given.signal });
  await assert.rejects(first, { name: "AbortError" });
  const array = await zarr.open(zarr.root(store).resolve("group1/split"), { kind: "array" });
  for (const wait of [1, 30, 70]) {
    const read = new AbortController();
    const data = array.get(null, { signal: read.signal });
    setTimeout(() => read.abort(), wait);
    await data.catch(({ name }) => assert.equal(name, "AbortError"));
  }
  const { data } = await array.get();
  const one = cases.find(({ id }) => id === "icechunk.split-repo-v1.branch.main/group1/split");
  const sha = await crypto.subtle.digest("SHA-256", new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  assert.equal(Buffer.from(sha).toString("hex"), one.expected.sha256);
});

test("absent objects are named errors", async () => {
  const at = (path, options) => new zarr.IcechunkStore(server.url + path, options).info();
  await assert.rejects(at("test-repo-v2", { branch: "none" }), {
    name: "StoreError",
    message: /no branch "none".*"main"/,
  });
  await assert.rejects(at("test-repo-v1", { branch: "none" }), { name: "StoreError", message: /branch "none"/ });
  for (const version of ["v1", "v2", "v2-migrated"]) {
    await assert.rejects(at(`test-repo-${version}`, { snapshot: "1CECHNKREP0F1RSTCMT9" }), { name: "StoreError" });
    await assert.rejects(at(`test-repo-${version}`, { tag: "none" }), { name: "StoreError", message: /tag "none"/ });
  }
  await assert.rejects(at("test-repo-v1", { tag: "deleted" }), { name: "StoreError", message: /deleted/ });
  await assert.rejects(at("test-repo-v2", { tag: "deleted" }), { name: "StoreError", message: /deleted/ });
  await assert.rejects(at("nothing", {}), { name: "StoreError", message: /neither a repo object nor a branch "main"/ });
  await assert.rejects(at("test-repo-v2", { branch: "main", tag: "it works!" }), { name: "StoreError" });
  await assert.rejects(at("test-repo-v2", { snapshot: "main" }), { name: "StoreError", message: /20 digits/ });
  await assert.rejects(zarr.open(zarr.root(split()).resolve("none")), { name: "NotFoundError" });
});

test("a store keeps its snapshot; one of a repository that was replaced says so, and another reads the new one", async () => {
  const moving = await serve(work);
  try {
    const put = (name) => {
      rmSync(`${work}repo`, { recursive: true, force: true });
      cpSync(data + name, `${work}repo`, { recursive: true });
    };
    put("split-repo-v2");
    const before = new zarr.IcechunkStore(`${moving.url}repo`);
    const array = await zarr.open(zarr.root(before).resolve("group1/split"), { kind: "array" });
    await array.get([0, null]);
    const { snapshot } = await before.info();

    put("test-repo-v2");
    await assert.rejects(array.get(), {
      name: "StoreError",
      message: /removed from the repository.*open the repository again/,
    });
    await assert.rejects(array.get(), { name: "StoreError" });
    const now = new zarr.IcechunkStore(`${moving.url}repo`);
    assert.notEqual((await now.info()).snapshot, snapshot);
    assert.deepEqual(await values(now, "group1/small_chunks"), [84, 84, 84, 84, 84]);

    put("split-repo-v2");
    const again = new zarr.IcechunkStore(`${moving.url}repo`);
    assert.equal((await again.info()).snapshot, snapshot);
    assert.ok((await values(again, "group1/split")).length > 0);
  } finally {
    moving.close();
  }
});

test("a repository can be in any store", async () => {
  const files = new Map();
  for (const name of readdirSync(`${data}test-repo-v1`, { recursive: true })) {
    if (statSync(`${data}test-repo-v1/${name}`).isFile()) {
      files.set(`/below/${name}`, new Uint8Array(readFileSync(`${data}test-repo-v1/${name}`)));
    }
  }
  const want = [84, 84, 84, 84, 84];
  assert.deepEqual(await values({ icechunk: { prefix: files, path: "below" } }, "group1/small_chunks"), want);
  assert.deepEqual(await values({ icechunk: `${data}test-repo-v2`, branch: "main" }, "group1/small_chunks"), want);
  assert.deepEqual(await values({ icechunk: new zarr.FileStore(`${data}test-repo-v2`) }, "group1/small_chunks"), want);
});

test("an array of a repository is read again after the engine has ended", async () => {
  const server = await serve(data);
  try {
    const root = zarr.root({ icechunk: `${server.url}test-repo-v1`, endpoints: { "s3://": server.url } });
    const array = await zarr.open(root.resolve("group1/small_chunks"), { kind: "array" });
    const { data: before } = await array.get();
    for (let i = 0; i < 2; i++) {
      zarr.terminate();
      assert.deepEqual((await array.get()).data, before);
    }
  } finally {
    server.close();
  }
});
