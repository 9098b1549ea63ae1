// Tests how open interprets addresses. They name a plain hierarchy, which takes the usual requests,
// a container known by its name or its content, pipelines, prefixes, and object stores.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { bucket } from "../lib/bucket.mjs";
import { listen, top } from "../lib/serve.mjs";

const fixtures = `${top}build/fixtures/`;
const icechunk = "public/earth-mover+icechunk/icechunk-python/tests/data";

const objects = {};
const asked = [];
const serve = bucket({ name: "b", objects, asked });
/** If set, answers in place of the bucket. */
let instead;

/** Adds a file, or all files below a folder, to the bucket. */
function put(key, path) {
  if (statSync(fixtures + path).isFile()) objects[key] = readFileSync(fixtures + path);
  else for (const name of readdirSync(fixtures + path)) put(`${key}/${name}`, `${path}/${name}`);
}

put("plain.zarr", "v3/hierarchy.zarr");
put("old.zarr", "xarray/climate_v2.zarr");
put("a.zip", "zip/v3_stored.zip");
put("signed", "zip/v3_stored.zip");
put("deep/x.ozx", "zip/v3_stored.zip");
put("ref/v1", "ref/v1.json");
for (const name of readdirSync(`${fixtures}ref`)) put(`ref/${name}`, `ref/${name}`);
put("ice1", `${icechunk}/test-repo-v1`);
put("ice2", `${icechunk}/test-repo-v2`);
put("n5", "public/clbarnes+zarrs_n5/data/single_chunk.n5");
put("folder.zip", "v3/hierarchy.zarr");
put("refs.parq", "public/lqh2307+gdal/autotest/gdrivers/data/zarr/kerchunk_parquet/parquet_ref_min");
put("refs", "public/lqh2307+gdal/autotest/gdrivers/data/zarr/kerchunk_parquet/parquet_ref_min");
put("outer", "zip/v2_prefix.zip");
const server = await listen((request, response) => (instead ?? serve)(request, response));
const url = `${server.url}b/`;
after(() => {
  server.close();
  zarr.terminate();
});

/** The requests of a call, as keys. */
async function requests(call) {
  asked.length = 0;
  const value = await call().catch((error) => error);
  return { value, keys: asked.map((request) => request.replace(/^\w+ \/b\//, "").replace(/\?.*/, "")).sort() };
}

const is = (name) => (error) => zarr.isZarrError(error, name) || assert.fail(`${name} expected, not ${error}`);

test("a plain hierarchy takes the requests that it always took", async () => {
  const v2 = [".zarray", ".zattrs", ".zgroup", ".zmetadata"];
  for (const name of ["plain.zarr", "old.zarr"]) {
    const { value, keys } = await requests(() => zarr.open(url + name));
    assert.equal(value.kind, "group", String(value));
    assert.deepEqual(keys, [...v2, "zarr.json"].map((one) => `${name}/${one}`).sort());
  }
  assert.deepEqual((await requests(() => zarr.open.v3(`${url}plain.zarr`))).keys, ["plain.zarr/zarr.json"]);
});

/** The elements of the array at a path of the zip fixtures. */
async function values(node, path = "a") {
  const array = node.kind === "array" ? node : await node.open(path, { kind: "array" });
  assert.deepEqual(array.shape, [9, 7]);
  return [...(await array.get()).data];
}

test("a zip archive, by its name and by its bytes", async () => {
  const want = await values(await zarr.open({ zip: `${url}a.zip` }));
  for (const [target, path] of [
    [`${url}a.zip`],
    [`${url}a.zip?sig=1`],
    [new URL(`${url}a.zip`)],
    [`${url}deep/x.ozx`],
    [`${url}signed`], // no ending
    [`${url}signed?sig=1`],
    [`${url}a.zip/`],
    [`${url}a.zip/a`, ""],
    [`${url}a.zip/a?sig=1`, ""],
    [`${url}a.zip|zip:`],
    [`${url}signed|zip:`],
    [`${url}a.zip|zip:a/|zarr3:`, ""],
    [`${url}a.zip|zip:|zarr3:a`, ""],
    [`zip::${url}signed`],
    [`zip://a::${url}a.zip`, ""],
    [`simplecache::zip://a::${url}a.zip`, ""],
    [`zarr3://${url}a.zip`],
    [`s3+${url}a.zip`],
  ]) {
    for (let i = 0; i < 2; i++) {
      const node = await zarr.open(target);
      assert.ok(node.store instanceof zarr.ComposedStore, String(target));
      assert.deepEqual(await values(node, path), want, String(target));
    }
  }
  assert.equal((await values(await zarr.open(`${url}outer|zip:data.zarr/a`))).length, 63);
  await assert.rejects(zarr.open(`${url}a.zip|zip:nothing/`), is("NotFoundError"));
  await assert.rejects(zarr.open(`${url}a.zip|zarr2:`), is("NotFoundError"));
  await assert.rejects(zarr.open(`${url}a.zip`, { kind: "array" }), is("NotFoundError"));
});

test("a signature is on every request", async () => {
  instead = (request, response) => {
    if (request.url.includes("sig=a%2Fb")) return serve(request, response);
    response.statusCode = 403;
    response.end();
  };
  try {
    for (const target of [`${url}a.zip?sig=a%2Fb`, `${url}signed?sig=a%2Fb`, `${url}plain.zarr?sig=a%2Fb`]) {
      assert.equal((await zarr.open(target)).kind, "group", target);
    }
  } finally {
    instead = undefined;
  }
});

test("references, by their name and by their content", async () => {
  const want = await zarr.open({ reference: `${url}ref/v1.json` });
  for (const target of [
    `${url}ref/v1.json`,
    `${url}ref/v1`,
    `reference::${url}ref/v1`,
    `${url}ref/v1|reference:`,
    `${url}ref/v1|kerchunk:|zarr2:`,
  ]) {
    const group = await zarr.open(target, { kind: "group" });
    assert.deepEqual(group.metadata, want.metadata, target);
  }
});

test("a repository of Icechunk, of both versions", async () => {
  for (const name of ["ice1", "ice2"]) {
    for (const target of [
      `${url}${name}`,
      `${url}${name}/`,
      `${url}${name}|icechunk:`,
      `${url}${name}|icechunk:@branch.main/|zarr3:`,
    ]) {
      const group = await zarr.open(target, { kind: "group" });
      const array = await group.open("group1/small_chunks", { kind: "array" });
      assert.deepEqual(array.shape, [5], target);
    }
    const array = await zarr.open(`${url}${name}|icechunk:@branch.my-branch/group1/big_chunks`, { kind: "array" });
    assert.deepEqual(array.shape, [10, 10]);
  }
});

test("N5 and references in Parquet files are detected by their files", async () => {
  for (const [name, container] of [
    ["n5", "n5"],
    ["refs", "parquet"],
  ]) {
    const store = new zarr.FetchStore(url + name);
    await assert.rejects(
      zarr.open(store),
      (error) => error.name === "UnsupportedError" && error.container === container,
    );
  }
});

test("without a node, one more round requests all containers", async () => {
  for (let i = 0; i < 2; i++) {
    const { value, keys } = await requests(() => zarr.open(`${url}nothing${i}`));
    assert.ok(zarr.isZarrError(value, "NotFoundError"), String(value));
    const more = [
      `nothing${i}`,
      ...["attributes.json", "refs/branch.main/ref.json", "repo"].map((k) => `nothing${i}/${k}`),
    ];
    assert.deepEqual(
      more.filter((key) => !keys.includes(key)),
      [],
    );
    assert.equal(keys.length, 5 + 2 + 4, String(keys)); // v1 has two documents
  }
});

test("a failure during detection is reported, and the next call succeeds", async () => {
  instead = (request, response) => {
    if (!/signed$/.test(request.url)) return serve(request, response);
    response.statusCode = 501;
    response.end();
  };
  await assert.rejects(zarr.open(`${url}signed`), is("HttpError"));
  instead = undefined;
  assert.equal((await zarr.open(`${url}signed`)).kind, "group");
  const controller = new AbortController();
  controller.abort(new Error("enough"));
  for (const target of [`${url}signed`, `${url}a.zip`, `${url}plain.zarr`]) {
    await assert.rejects(zarr.open(target, { signal: controller.signal }), /enough/);
  }
});

test("a folder named like a container is opened as a folder", async () => {
  const group = await zarr.open(`${url}folder.zip`);
  assert.equal(group.kind, "group");
  assert.ok(group.store instanceof zarr.FetchStore);
  await assert.rejects(zarr.open(`${url}absent.zip`), (error) => error instanceof zarr.ZarrError);
});

test("a page that is not a hierarchy stays none", async () => {
  instead = (_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>an application</title>");
  };
  try {
    for (const target of [`${url}x`, `${url}x.zip`, `${url}x.json`]) {
      await assert.rejects(
        zarr.open(target),
        (error) => error instanceof zarr.ZarrError && error.name !== "EngineError",
      );
    }
  } finally {
    instead = undefined;
  }
});

test("without an address, the error names the container and the right call", async () => {
  const { root } = zarr;
  for (const [target, name, container] of [
    [root(`${url}a.zip`), "UnsupportedError", "zip"],
    [root(`${url}a.zip`).resolve("a"), "UnsupportedError", "zip"],
    [root(`${url}a.zip|zip:a`), "UnsupportedError", "zip"],
    [root(`${url}ice1|icechunk:@branch.main`), "UnsupportedError", "icechunk"],
    [root(`${url}ref/v1.json`).resolve("a"), "UnsupportedError", "reference"],
    [root(`${url}signed`), "UnsupportedError", "zip"],
    // These addresses reveal nothing, and the root's documents are requested as always.
    [root(`${url}signed`).resolve("a"), "NotFoundError", "zip"],
    [root(`${url}ref/v1`).resolve("a"), "NotFoundError", "reference"],
    [root(`${url}ice1`).resolve("a"), "NotFoundError", "icechunk"],
    [root(`${url}refs`).resolve("a"), "NotFoundError", "parquet"],
    [new zarr.Location(new zarr.FetchStore(`${url}n5`), "a"), "NotFoundError", "n5"],
  ]) {
    const error = await zarr.open(target).then(assert.fail, (reason) => reason);
    assert.deepEqual([error.name, error.container], [name, container], `${target}: ${error}`);
    assert.match(error.message, new RegExp(container));
    const kind = container === "parquet" ? "reference" : container;
    assert.match(error.hint, new RegExp(`open\\(url\\).*open\\(\\{ ${kind}: store \\}\\)`));
  }
  await assert.rejects(zarr.open(root(`zip::${url}signed`)), /open\(\) reads addresses/);
  const { value, keys } = await requests(() => zarr.open(root(`${url}absent`).resolve("a")));
  assert.deepEqual([value.name, value.container, value.hint, keys.length], ["NotFoundError", undefined, undefined, 18]);
  const folder = await zarr.open(`${url}folder.zip`);
  await assert.rejects(folder.open("absent"), (error) => is("NotFoundError")(error) && error.container === undefined);
});

test("addresses of object stores", async () => {
  const endpoints = { "s3://mine/": url, "gs://": `${url}nothing/`, "gs://other/": url };
  const group = await zarr.open("s3://mine/plain.zarr", { endpoints, kind: "group" });
  assert.equal(String(group.store.url), `${url}plain.zarr`);
  assert.equal((await zarr.open("gs://other/a.zip", { endpoints })).kind, "group");
  assert.equal((await zarr.open("zip://a::s3://mine/a.zip", { endpoints })).kind, "array");
  await assert.rejects(zarr.open("az://container/x.zarr"), is("StoreError"));
  await assert.rejects(zarr.open("ftp://host/x.zarr"), is("StoreError"));
  await assert.rejects(zarr.open(`${url}x|ocdbt:`), is("StoreError"));
  assert.equal((await zarr.open(`s3+${url}plain.zarr`)).kind, "group");
});

test("files of Node's", async () => {
  const dir = `${top}build/test/detect`;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  cpSync(`${fixtures}zip/v3_stored.zip`, `${dir}/a b.zip`);
  cpSync(`${fixtures}v3/hierarchy.zarr`, `${dir}/folder.zip`, { recursive: true });
  cpSync(`${fixtures}${icechunk}/test-repo-v2`, `${dir}/repository`, { recursive: true });
  assert.equal((await values(await zarr.open(`${dir}/a b.zip`))).length, 63);
  assert.equal((await values(await zarr.open(`${dir}/a b.zip|zip:a|zarr3:`))).length, 63);
  assert.equal((await zarr.open(`${dir}/folder.zip`)).kind, "group");
  assert.equal((await zarr.open(`${dir}/repository`)).kind, "group");
});

test("preload requests nothing for other addresses than folders, and root keeps the address", async () => {
  const { keys } = await requests(async () => {
    for (const target of [`${url}a.zip`, `${url}x|zip:`, "s3://bucket/x", `zip::${url}a`]) zarr.preload(target);
    await new Promise((resolve) => setTimeout(resolve, 100));
  });
  assert.deepEqual(keys, []);
  await assert.rejects(zarr.open(zarr.root(`${url}a.zip`)), (error) => error.container === "zip");
});
