// Members of groups without consolidated metadata: from servers' lists, or else from attributes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { bucket } from "../lib/bucket.mjs";
import { arrayV2, groupV3 } from "../lib/documents.mjs";
import { listen, serve, serveBy, top } from "../lib/serve.mjs";

const group = (attributes) => JSON.stringify(groupV3(attributes));
const files = {
  "zarr.json": group({ multiscales: [{ datasets: [{ path: "a" }, { path: "gone" }] }] }),
  "a/.zarray": JSON.stringify(arrayV2([2], "|u1")),
  "a/0": "ab",
  "sub dir/.zgroup": '{"zarr_format":2}',
  "sub dir/50%/zarr.json": group({}),
  "pictures/1.png": "x",
  "labels/zarr.json": group({ labels: [] }),
};

const dir = `${top}build/test/listing`;
const closers = [];
rmSync(dir, { recursive: true, force: true });
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(`${dir}/x.zarr/${name}`), { recursive: true });
  writeFileSync(`${dir}/x.zarr/${name}`, text);
}
after(() => {
  for (const close of closers) close();
  zarr.terminate();
});

const all = "a:array:listed labels:group:listed sub dir:group:listed";

/** The members of the group at a URL, as text. */
async function members(target) {
  const root = await zarr.open(target, { kind: "group" });
  return (await root.members()).map(({ name, kind, how }) => `${name}:${kind}:${how}`).join(" ");
}

/** Serves until the tests end. */
async function served(server) {
  const { url, close } = await server;
  closers.push(close);
  return url;
}

/** The bucket with the files below x.zarr. */
const data = Object.fromEntries(Object.entries(files).map(([name, text]) => [`x.zarr/${name}`, Buffer.from(text)]));

test("a folder of the static server", async () => {
  const url = await served(serve(dir, "-list"));
  for (let i = 0; i < 2; i++) assert.equal(await members(`${url}x.zarr`), all);
  const root = await zarr.open(`${url}x.zarr`, { kind: "group" });
  assert.equal(
    String(await root.tree()),
    ["/", "├── a (2) uint8", "├── labels", "└── sub dir", "    └── 50%"].join("\n"),
  );
  assert.deepEqual([...(await root.groups()).keys()], ["labels", "sub dir"]);
  const { data } = await (await root.arrays()).get("a").get();
  assert.deepEqual([...data], [97, 98]);
});

test("a folder of Python's server", async (t) => {
  if (spawnSync("python3", ["--version"]).status !== 0) {
    return t.skip(
      "there is no python3; what its server lists is among the recorded lists of store/httpstore/internal/listing",
    );
  }
  const url = await served(
    serveBy("python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", dir, "0"),
  );
  assert.equal(await members(`${url}x.zarr`), all);
});

test("a bucket is listed page by page, and its form is detected once", async () => {
  const asked = [];
  const url = await served(listen(bucket({ name: "b", objects: data, pageSize: 2, asked })));
  const root = await zarr.open(`${url}b/x.zarr`, { kind: "group" });
  assert.ok(!asked.some((request) => /list-type|\/$/.test(request)), `opening asked ${asked}`);
  assert.equal(await members(root), all);
  const lists = () => asked.filter((request) => /list-type/.test(request)).length;
  assert.equal(lists(), 3);
  const sub = await root.open("sub dir", { kind: "group" });
  assert.deepEqual(
    (await sub.members()).map(({ name }) => name),
    ["50%"],
  );
  assert.equal(lists(), 4);
  assert.equal(asked.filter((request) => /^[^?]*\/$/.test(request)).length, 1);
});

test("a FetchStore reports the requests for lists", async () => {
  const url = await served(listen(bucket({ name: "b", objects: data })));
  const keys = [];
  const store = new zarr.FetchStore(`${url}b/x.zarr`, {
    onRequest: ({ key, status }) => keys.push(`${key} ${status}`),
  });
  assert.equal(await members(store), all);
  assert.ok(keys.includes("/ 200"), String(keys));
});

test("after a refused listing, members come from attributes, otherwise the call rejects", async () => {
  for (const refuse of [403, 401, 404]) {
    const url = await served(listen(bucket({ name: "b", objects: data, refuse })));
    assert.equal(await members(`${url}b/x.zarr`), "a:array:named labels:group:probed");
    const sub = await zarr.open(`${url}b/x.zarr/sub dir`, { kind: "group" });
    await assert.rejects(sub.members(), (error) => zarr.isZarrError(error, "UnsupportedError"));
  }
});

test("a page that is not a list lists nothing", async () => {
  const objects = bucket({ name: "b", objects: data });
  const handler = (request, response) => {
    if (request.url.endsWith("/") || request.url.includes("?")) {
      response.setHeader("content-type", "text/html");
      response.end(`<a href="../">Up</a><a href="https://other.example/b/x.zarr/a/">a</a><a href="about/">about</a>`);
    } else objects(request, response);
  };
  const url = await served(listen(handler));
  assert.equal(await members(`${url}b/x.zarr`), "a:array:named labels:group:probed");
});

test("a Map", async () => {
  const map = new Map(Object.entries(data).map(([name, bytes]) => [`/${name.slice(7)}`, bytes]));
  map.set("/../x", Buffer.from("")).set("//y", Buffer.from("")).set("/pictures//x", Buffer.from(""));
  // In a store that lists everything, a folder without nodes is not a node.
  assert.equal(await members(map), all.replace("sub dir", "pictures:implicit:listed sub dir"));
  assert.equal(
    await (await zarr.open(new Map([...map, ["/x/zarr.json", data["x.zarr/a/.zarray"]]])))
      .members()
      .then((m) => m.find(({ name }) => name === "x").error.name),
    "InvalidMetadataError",
  );
});

test("consolidated metadata say so", async () => {
  const url = await served(serve("build/fixtures"));
  const root = await zarr.open(`${url}xarray/climate_v3.zarr`, { kind: "group" });
  for (const { how } of await root.members()) assert.equal(how, "consolidated");
});

test("a list that does not end, and one that fails, reject, and later calls work", async () => {
  let way = "";
  let page = 0;
  const objects = bucket({ name: "b", objects: data });
  const handler = (request, response) => {
    if (way === "" || !request.url.includes("?")) return objects(request, response);
    response.statusCode = way === "fails" ? 500 : 200;
    response.end(
      `<ListBucketResult><Prefix>x.zarr/</Prefix><NextContinuationToken>${page++}</NextContinuationToken></ListBucketResult>`,
    );
  };
  const url = await served(listen(handler));
  const store = new zarr.FetchStore(`${url}b/x.zarr`, { retry: { attempts: 1 } });
  for (const [next, name] of Object.entries({ fails: "HttpError", "does not end": "StoreError" })) {
    way = next;
    await assert.rejects(members(store), (error) => zarr.isZarrError(error, name), way);
    way = "";
    assert.equal(await members(store), all);
  }
});
