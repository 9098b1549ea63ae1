// Writing over HTTP from a page in Chromium, or in the browser that ENGINE names. The page's own
// fetch sends the requests, with signatures and cookies, to another origin.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { hosting } from "../lib/hosting.mjs";
import { listen } from "../lib/serve.mjs";

const slow = { timeout: 120_000 };

const host = hosting();
const objects = new Map();
let requests = [];

/** A server of objects of another origin that requires a cookie, and a signature for writes. */
async function answer(request, response) {
  const { method, url, headers } = request;
  response.setHeader("Access-Control-Allow-Origin", headers.origin ?? "*");
  response.setHeader("Access-Control-Allow-Credentials", "true");
  response.setHeader("Access-Control-Allow-Methods", "GET, HEAD, PUT, DELETE");
  response.setHeader("Access-Control-Allow-Headers", "x-signature, range, if-match, if-none-match");
  response.setHeader("Access-Control-Expose-Headers", "ETag");
  if (url.startsWith("/login")) response.setHeader("Set-Cookie", "session=1; Path=/; SameSite=Lax");
  if (method === "OPTIONS" || url.startsWith("/login")) return response.writeHead(204).end();
  const body = Buffer.concat(await request.toArray());
  const path = url.split("?")[0];
  const { "if-match": match, "if-none-match": none, "x-signature": signature } = headers;
  requests.push({ method, url, match, none, signature, cookie: headers.cookie, length: body.length });
  if (!headers.cookie?.includes("session=1")) return response.writeHead(401).end();
  const was = objects.get(path);
  if (method === "PUT" || method === "DELETE") {
    if (signature !== `${method} ${path}`) return response.writeHead(403).end();
    if ((match && was?.tag !== match) || (none && was)) return response.writeHead(412).end();
    if (method === "PUT") objects.set(path, { body, tag: `"${requests.length}"` });
    else objects.delete(path);
    return response.writeHead(204).end();
  }
  if (!was) return response.writeHead(404).end();
  response.writeHead(200, { ETag: was.tag, "Content-Length": was.body.length });
  return response.end(method === "HEAD" ? undefined : was.body);
}

const server = await listen(answer);
const address = server.origin;
const page = await host.tab("tests/browser/directories.html");
await page.evaluate((address) => fetch(`${address}/login`, { credentials: "include" }).then(() => {}), address);
after(() => server.close());

test("a fetch of the page's sends bodies, conditions, its own headers and cookies", slow, async () => {
  const found = await page.evaluate(async (address) => {
    const zarr = await import("/dist/index.js");
    const write = await import("/dist/write.js");
    const sign = async (request) => {
      const headers = new Headers(request.headers);
      headers.set("x-signature", `${request.method} ${new URL(request.url).pathname}`);
      return fetch(new Request(request, { headers }));
    };
    const store = () => new zarr.FetchStore(`${address}/own?key=1`, { fetch: sign, credentials: "include" });
    const values = Float32Array.from({ length: 40_000 }, (_, i) => i / 7);
    let array = await write.createArray(store(), {
      shape: [200, 200],
      chunks: [100, 200],
      dtype: "float32",
      codecs: [],
    });
    await write.set(array, null, values);
    await write.set(array, [0, zarr.slice(0, 3)], Float32Array.of(1, 2, 3));
    array = await write.updateAttributes(array, { by: "the page's fetch" });
    const again = await zarr.open(store(), { kind: "array" });
    const { data } = await again.get();
    const node = await write.createGroup(zarr.root(store()).resolve("none")).catch((error) => error);
    await write.deleteNode(again).catch(() => {});
    return {
      first: [...data.subarray(0, 4)],
      rest: data.subarray(4).every((v, i) => v === values[i + 4]),
      by: again.attrs.by,
      node: node.name,
    };
  }, address);
  assert.deepEqual(found, {
    first: [1, 2, 3, Math.fround(3 / 7)],
    rest: true,
    by: "the page's fetch",
    node: "ExistsError",
  });
  const puts = requests.filter(({ method }) => method === "PUT");
  assert.ok(puts.every(({ signature, cookie, url }) => signature && cookie && url.endsWith("?key=1")));
  const chunk = puts.filter(({ url }) => url.startsWith("/own/c/0/0"));
  assert.deepEqual(
    chunk.map(({ length, match }) => [length, match !== undefined]),
    [
      [80_000, false],
      [80_000, true],
    ],
  );
  const documents = puts.filter(({ url }) => url.startsWith("/own/zarr.json"));
  assert.deepEqual(
    documents.map(({ match, none }) => [match !== undefined, none]),
    [
      [false, "*"],
      [true, undefined],
    ],
  );
});

test("two stores with a custom fetch change one chunk, in turn and concurrently, without loss", slow, async () => {
  const lost = await page.evaluate(async (address) => {
    const zarr = await import("/dist/index.js");
    const write = await import("/dist/write.js");
    const sign = (request) => {
      const headers = new Headers(request.headers);
      headers.set("x-signature", `${request.method} ${new URL(request.url).pathname}`);
      return fetch(new Request(request, { headers }));
    };
    const store = () => new zarr.FetchStore(`${address}/two`, { fetch: sign, credentials: "include" });
    await write.createArray(store(), { shape: [80], chunks: [80], dtype: "uint8" });
    const arrays = await Promise.all([0, 1].map(() => zarr.open(store(), { kind: "array" })));
    await Promise.all(
      arrays.map(async (array, w) => {
        for (let i = 0; i < 40; i++) await write.set(array, [2 * i + w], 1 + w);
      }),
    );
    const { data } = await (await zarr.open(store(), { kind: "array" })).get();
    return [...data.keys()].filter((i) => data[i] !== 1 + (i % 2));
  }, address);
  assert.deepEqual(lost, []);
});

test("a refused write by a custom fetch is a named error, and nothing is written", slow, async () => {
  requests = [];
  const before = new Map(objects);
  const found = await page.evaluate(async (address) => {
    const zarr = await import("/dist/index.js");
    const write = await import("/dist/write.js");
    const told = [];
    for (const options of [
      { fetch: (request) => fetch(request), credentials: "include" }, // no signature
      { fetch: (request) => fetch(request) }, // no cookie
      { fetch: () => Promise.reject(new TypeError("no network")), retry: { attempts: 1 } },
    ]) {
      const store = new zarr.FetchStore(`${address}/refused`, options);
      const error = await write.createArray(store, { shape: [4], dtype: "uint8" }).catch((e) => e);
      told.push([error.name, error.status]);
    }
    return told;
  }, address);
  assert.deepEqual(found, [
    ["HttpError", 403],
    ["HttpError", 401],
    ["HttpError", 0],
  ]);
  assert.deepEqual([...objects.keys()], [...before.keys()]);
});
