// Errors never hold user names, passwords, signatures or header values from an address or an
// option. The tests make random addresses fail in every way that a read can.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { inspect } from "node:util";
import * as zarr from "../../dist/node.js";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";
import { listen } from "../lib/serve.mjs";

const secret = "S3CRET";

const server = await listen(({ url }, response) => {
  const status = Number(/\/status-(\d+)/.exec(url)?.[1] ?? 404);
  if (status === 302) response.setHeader("Location", `http://other.invalid/x?sig=${secret}`);
  if (url.includes("/html")) response.setHeader("Content-Type", "text/html");
  response.writeHead(url.includes("/json") || url.includes("/html") ? 200 : status);
  response.end(url.includes("/json") ? `{"zarr_format": 3` : "<!doctype html><p>no");
});
const host = new URL(server.url).host;
after(() => {
  server.close();
});

/** Everything that a log of an error shows, including causes and hidden properties. */
const logged = (error) =>
  [String(error), error.stack, inspect(error, { depth: 8, showHidden: true }), JSON.stringify(error)].join("\n");

test("no error holds the secrets of an address, for random addresses through every entry", {
  timeout: 240_000,
}, async () => {
  const pick = random(1);
  const one = pick.of;
  const retry = { attempts: 1 };
  const ways = {
    open: (url) => zarr.open(url),
    "open.v3": (url) => zarr.open.v3(url, { kind: "array" }),
    root: (url) => zarr.open(zarr.root(url).resolve("a")),
    FetchStore: (url) => zarr.open(new zarr.FetchStore(url, { retry }), { kind: "group" }),
    get: (url) => new zarr.FetchStore(url, { retry }).get("/zarr.json"),
    getRange: (url) => new zarr.FetchStore(url, { retry }).getRange("/c/0", { offset: 0, length: 4 }),
    origins: (url) => zarr.open(new zarr.ReferenceStore({ "zarr.json": [url] }, { origins: ["https://allowed.test"] })),
    references: (url) => zarr.open(new zarr.ReferenceStore(url)),
    zip: (url) => zarr.open(new zarr.ZipStore(url)),
  };
  const failed = {};
  for (let i = 0; i < Number(process.env.COUNT ?? rounds(300)); i++) {
    const user = one(["", `${secret}:${secret}@`, `u:${secret}@`, `${secret}@`]);
    const where = one([host, host, "127.0.0.1:1", "[::1", "127.0.0.1:99999", ""]);
    const path = one(["status-404", "status-403", "status-500", "status-302", "json", "html", "a%2fb/status-401"]);
    const query = one([`?sig=${secret}`, `?X-Amz-Signature=${secret}&a=b`, "", `#${secret}`]);
    const tail = one(["", "", "", "|zip:a/b", "|zarr3:", "|unknown:x"]);
    const address = `${one(["http", "http", "HTTP", "ftp"])}://${user}${where}/${path}/a.zarr${query}${tail}`;
    const [name, way] = one(Object.entries(ways));
    const error = await Promise.resolve()
      .then(() => way(address))
      .then(
        () => undefined,
        (e) => e,
      );
    if (!error) continue;
    failed[name] = (failed[name] ?? 0) + 1;
    assert.ok(!logged(error).includes(secret), `${name} of ${address}: ${logged(error)}`);
  }
  assert.deepEqual(Object.keys(failed).sort(), Object.keys(ways).sort());
});

test("no error holds the value of a header", async () => {
  const bad = { Authorization: `Bearer ${secret}\u0000` };
  for (const make of [
    () => new zarr.FetchStore(`http://${host}/`, { headers: bad }),
    () => new zarr.FetchStore(`http://${host}/`, { headers: () => bad }).get("/a"),
    () => new zarr.FetchStore(`http://${host}/`).get("/a", { headers: bad }),
  ]) {
    await assert.rejects(
      async () => make(),
      (error) => /^(Store|Http)Error$/.test(error.name) && !logged(error).includes(secret),
    );
  }
});
