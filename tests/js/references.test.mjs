// kerchunk references through the package: from an address and in memory, to other origins, merged,
// refused.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { arrayV2 } from "../lib/documents.mjs";
import { listen, send, serve, top } from "../lib/serve.mjs";

const chunks = 100;
const length = 1000;
const file = Uint8Array.from({ length: 64 + chunks * length }, (_, i) => (i < 64 ? 0 : (i - 64) % 251));
const zarray = arrayV2([chunks * length], "|u1", { chunks: [length] });
/** References to all chunks of the file at a URL. */
const refsTo = (url) => {
  const refs = {
    ".zgroup": { zarr_format: 2 },
    "a b/.zarray": JSON.stringify(zarray),
    "i/.zarray": { ...zarray, shape: [3], chunks: [3] },
  };
  for (let i = 0; i < chunks; i++) refs[`a b/${i}`] = [url, 64 + i * length, length];
  refs["i/0"] = "base64:AQID";
  return refs;
};

/** A server that answers by `answer` and records its requests. */
async function start(answer) {
  const requests = [];
  const server = await listen((request, response) => {
    requests.push({ url: request.url, range: request.headers.range, key: request.headers["x-key"] });
    return send(request, response, answer(request.url));
  });
  return { ...server, taken: () => requests.splice(0) };
}

const documents = new Map();
const data = await start((url) => (/^\/([de]\/)?f%20g\.nc(\?|$)/.test(url) ? file : undefined));
const docs = await start((url) => {
  const [path] = url.split("?");
  return path.endsWith(".nc")
    ? file
    : documents.has(path)
      ? Buffer.from(JSON.stringify(documents.get(path)))
      : undefined;
});
after(() => {
  data.close();
  docs.close();
  zarr.terminate();
});

const read = async (target, path = "a b", selection = null) => {
  const array = await zarr.open(zarr.root(target).resolve(path), { kind: "array" });
  return (await array.get(selection)).data;
};
const want = file.subarray(64);

test("the chunks of a file are a few requests, whatever document refers to them", async () => {
  documents.set("/one.json", refsTo(`${data.url}d/f g.nc`));
  documents.set("/two.json", { version: 1, templates: { u: data.url }, refs: refsTo("{{u}}d/f%20g.nc") });
  const one = new zarr.ReferenceStore(`${docs.url}one.json`);
  assert.deepEqual(await read(one), want);
  assert.equal(docs.taken().length, 1);
  const requests = data.taken();
  assert.ok(requests.length <= 2, `${requests.length} requests for ${chunks} chunks`);
  assert.ok(requests.every(({ url, key }) => url === "/d/f%20g.nc" && key === undefined));
  assert.deepEqual(await read(await zarr.ReferenceStore.fromUrl(`${docs.url}two.json`)), want);
  assert.deepEqual(await read({ reference: `${docs.url}two.json` }, "i"), Uint8Array.of(1, 2, 3));
  assert.equal(data.taken().length, 0, "what another document referred to is known");
  assert.match(String(zarr.root(one)), /reference:http/);
});

test("references in memory, as an object, a text or a Blob", async () => {
  const refs = refsTo(`${data.url}f g.nc?X-Amz-Signature=a%2Bb/c`);
  const text = JSON.stringify({ version: 1, refs });
  for (const store of [
    new zarr.ReferenceStore(refs),
    new zarr.ReferenceStore({ version: 1, refs }),
    new zarr.ReferenceStore(text),
    zarr.ReferenceStore.fromSpec({ version: 1, refs }),
    new zarr.ReferenceStore(new Blob([text])),
    new zarr.ReferenceStore(new Map([["/x.json", new TextEncoder().encode(text)]]), { key: "x.json" }),
    { reference: { version: 1, refs } },
  ]) {
    assert.deepEqual(await read(store, "a b", [zarr.slice(10, 20)]), want.subarray(10, 20));
    assert.deepEqual(await read(store, "i"), Uint8Array.of(1, 2, 3));
  }
  for (const { url } of data.taken()) assert.equal(url, "/f%20g.nc?X-Amz-Signature=a%2Bb/c");
});

test("headers go to the document's origin only, relative targets keep its query", async () => {
  documents.set("/s/refs.json", {
    ...refsTo("../s/own.nc"),
    "o/.zarray": zarray,
    "o/0": [`${data.url}f g.nc`, 64, length],
  });
  const store = zarr.ReferenceStore.fromUrl(`${docs.url}s/refs.json?sig=1`, { headers: { "X-Key": "secret" } });
  docs.taken();
  assert.deepEqual(await read(store), want);
  assert.deepEqual(await read(store, "o", [zarr.slice(0, length)]), want.subarray(0, length));
  const asked = docs.taken();
  assert.deepEqual(
    asked.map(({ url, key }) => [url, key]),
    asked.map(({ url }) => [url.includes("own") ? "/s/own.nc?sig=1" : "/s/refs.json?sig=1", "secret"]),
  );
  assert.ok(asked.some(({ url }) => url.includes("own")));
  assert.deepEqual(
    data.taken().map(({ key }) => key),
    [undefined],
  );
});

test("other origins are read from as the page says", async () => {
  documents.set("/o.json", { ...refsTo(`${data.url}f g.nc`), "own/.zarray": zarray, "own/0": ["x.nc", 64, length] });
  const url = `${docs.url}o.json`;
  const part = [zarr.slice(0, 5)];
  const refused = async (options, pattern) => {
    const store = new zarr.ReferenceStore(url, options);
    for (let i = 0; i < 2; i++)
      await assert.rejects(read(store, "a b", part), (error) => {
        assert.equal(error.name, "StoreError");
        assert.match(error.message, pattern);
        return true;
      });
    assert.deepEqual(await read(store, "own", part), want.subarray(0, 5));
  };
  const allowed = async (options) =>
    assert.deepEqual(await read(new zarr.ReferenceStore(url, options), "a b", part), want.subarray(0, 5));
  data.taken();
  await refused({ origins: "same" }, /is not allowed/);
  await refused({ origins: ["https://example.org"] }, /is not allowed/);
  const asked = [];
  const confirm = (answer) => (origin) => {
    asked.push(origin);
    return answer;
  };
  await refused({ confirm: confirm(false) }, /not confirmed/);
  await refused({ confirm: confirm("yes") }, /not confirmed/);
  await refused({ origins: "same", confirm: confirm(Promise.resolve(false)) }, /not confirmed/);
  await refused({ confirm: async () => Promise.reject(new RangeError("no window")) }, /no window/);
  assert.equal(data.taken().length, 0);
  await allowed({});
  await allowed({ origins: "any" });
  await allowed({ origins: [data.origin] });
  await allowed({ confirm: confirm(true) });
  await allowed({ origins: [], confirm: confirm(Promise.resolve(true)) });
  assert.deepEqual(asked, Array(5).fill(data.origin));
  assert.throws(() => new zarr.ReferenceStore(url, { confirm: true }), TypeError);
  await assert.rejects(read(new zarr.ReferenceStore(url, { origins: "none" })), /origins: "same", "any" or a list/);
});

test("URLs of object stores are read from the endpoints that are set", async () => {
  const refs = refsTo("s3://bucket/f g.nc");
  const store = new zarr.ReferenceStore(refs, { endpoints: { "s3://bucket/": `${data.url}e/` } });
  data.taken();
  assert.deepEqual(await read(store, "a b", [zarr.slice(0, 5)]), want.subarray(0, 5));
  assert.equal(data.taken()[0].url, "/e/f%20g.nc");
  const target = new zarr.ReferenceStore(
    { ...refs, "a b/0": [null, 64, length] },
    { target: new URL(`${data.url}f g.nc`) },
  );
  assert.deepEqual(await read(target, "a b", [zarr.slice(0, 5)]), want.subarray(0, 5));
});

test("invalid references are named errors, and the others are read", async () => {
  for (const [url, name, pattern] of [
    ["file:///etc/passwd", "StoreError", /"file"/],
    ["az://container/f", "StoreError", /account/],
    [`${data.url}none.nc`, "NotFoundError", /does not exist/],
  ]) {
    const store = new zarr.ReferenceStore({
      ...refsTo(url),
      "w/.zarray": { ...zarray, shape: [3], chunks: [3] },
      "w/0": [url],
    });
    for (const path of ["a b", "w"])
      for (let i = 0; i < 2; i++)
        await assert.rejects(read(store, path), (error) => {
          assert.equal(error.name, name, error.message);
          assert.match(error.message, pattern);
          return true;
        });
    assert.deepEqual(await read(store, "i"), Uint8Array.of(1, 2, 3));
  }
  const beyond = new zarr.ReferenceStore({
    ...refsTo(`${data.url}f g.nc`),
    "a b/7": [`${data.url}f g.nc`, file.length - 1, length],
  });
  await assert.rejects(read(beyond), { name: "CodecPipelineError", code: "CODEC_TRUNCATED" });
  assert.deepEqual(await read(beyond, "a b", [zarr.slice(0, 5)]), want.subarray(0, 5));
  for (const [document, pattern] of [
    ['{"version":2,"refs":{}}', /version 2 is not supported/],
    ['{"a"', /line 1, column 5/],
    [{ version: 1, gen: [{ key: "{{i}}", url: "x", dimensions: { i: { stop: 1e12 } } }] }, /exceeds the limit/],
  ])
    await assert.rejects(zarr.open(new zarr.ReferenceStore(document)), pattern);
  await assert.rejects(zarr.open(new zarr.ReferenceStore(`${docs.url}none.json`)), /no such document/);
});

test("members of a group are those that are referred to", async () => {
  const group = await zarr.open(new zarr.ReferenceStore(refsTo("x")), { kind: "group" });
  const members = await group.members();
  assert.deepEqual(members.map(({ name }) => name).sort(), ["a b", "i"]);
});

test("references in a directory of Parquet files are read by the complete build", async () => {
  const dir = `${top}build/fixtures/public/lqh2307+gdal/autotest/gdrivers/data/zarr/kerchunk_parquet/parquet_ref_2_dim`;
  const server = await serve(dir);
  const want = Uint8Array.of(0, 1, 2, 0, 3, 4, 5, 3, 0, 1, 2, 0);
  for (const store of [
    new zarr.ReferenceStore(new zarr.FileStore(dir)),
    { reference: server.url },
    new zarr.ReferenceStore(new zarr.FetchStore(server.url), { origins: "same" }),
  ]) {
    assert.deepEqual(await read(store, "ar"), want);
    const members = await (await zarr.open(store, { kind: "group" })).members();
    assert.deepEqual(
      members.map(({ name }) => name),
      ["ar"],
    );
  }
  server.close();
});

test("gen and expressions are read by the complete build", async () => {
  const shape = { ...zarray, shape: [4 * length] };
  const document = {
    version: 1,
    templates: { u: data.url, f: "{{dir}}/f g" },
    gen: [
      {
        key: "g/{{i}}",
        url: "{{u}}{{f(dir='d')}}.nc",
        offset: "{{64 + i * 1000}}",
        length: "1000",
        dimensions: { i: { stop: 4 } },
      },
    ],
    refs: { "g/.zarray": shape },
  };
  assert.deepEqual(await read(new zarr.ReferenceStore(document), "g"), want.subarray(0, 4 * length));
});
