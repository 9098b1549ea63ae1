import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpError, StoreError } from "../errors.js";
import { FetchStore, nodeUrl } from "../stores.js";

const bytes = Uint8Array.from({ length: 100 }, (_, i) => i);

/** A store whose server does what the test says, and what it was asked. */
function serve(answer: (request: Request) => Response | Promise<Response>, options = {}) {
  const asked: string[] = [];
  const store = new FetchStore("https://example.org/a b/data.zarr?sig=1#top", {
    fetch: async (request) => {
      asked.push(`${request.method} ${request.url} ${request.headers.get("range") ?? ""}`.trim());
      return answer(request);
    },
    ...options,
  });
  return { store, asked };
}

function ranged(request: Request): Response {
  if (request.method === "HEAD") return new Response(null, { headers: { "Content-Length": "100" } });
  const [, from, to] = /bytes=(\d*)-(\d*)/.exec(request.headers.get("range") ?? "") ?? [];
  if (from === undefined) return new Response(bytes);
  const part = from === "" ? bytes.slice(-Number(to)) : bytes.slice(Number(from), Number(to) + 1);
  return new Response(part, { status: 206 });
}

test("keys are encoded by segment, and the query stays", async () => {
  const { store, asked } = serve(ranged);
  assert.deepEqual(await store.get("/t é/c/0?#"), bytes);
  assert.deepEqual(asked, ["GET https://example.org/a%20b/data.zarr/t%20%C3%A9/c/0%3F%23?sig=1"]);
  await assert.rejects(store.get("/a/../b"), StoreError);
});

test("ranges", async () => {
  const { store, asked } = serve(ranged);
  assert.deepEqual(await store.getRange("/c", { offset: 10, length: 3 }), bytes.slice(10, 13));
  assert.deepEqual(await store.getRange("/c", { suffixLength: 4 }), bytes.slice(96));
  const kinds = asked.map((a) => a.replace(/ https\S+/, ""));
  assert.deepEqual(kinds, ["GET bytes=10-12", "HEAD", "GET bytes=96-99"]);
  const suffix = serve(ranged, { useSuffixRequest: true });
  assert.deepEqual(await suffix.store.getRange("/c", { suffixLength: 4 }), bytes.slice(96));
  assert.equal(suffix.asked.length, 1);
});

test("a server that ignores ranges, or cuts them short", async () => {
  const whole = serve((request) => (request.method === "HEAD" ? new Response(null) : new Response(bytes)));
  assert.deepEqual(await whole.store.getRange("/c", { offset: 10, length: 3 }), bytes.slice(10, 13));
  assert.deepEqual(await whole.store.getRange("/c", { suffixLength: 3 }), bytes.slice(97), "without a length");
  const short = serve(() => new Response(bytes.slice(0, 2), { status: 206 }));
  await assert.rejects(short.store.getRange("/c", { offset: 10, length: 3 }), HttpError);
});

test("statuses", async () => {
  const status = (n: number, options = {}) => serve(() => new Response("", { status: n }), options).store.get("/c");
  assert.equal(await status(404), undefined);
  await assert.rejects(
    status(403),
    (error) => error instanceof HttpError && error.status === 403 && error.key === "/c",
  );
  assert.equal(await status(403, { missingStatus: [403] }), undefined);
  await assert.rejects(status(500), HttpError);
  const page = () => new Response("<!doctype html>", { headers: { "Content-Type": "text/html; charset=utf-8" } });
  await assert.rejects(serve(page).store.get("/c"), /HTML page/);
  const down = () => Promise.reject(new TypeError("Failed to fetch"));
  await assert.rejects(
    serve(down).store.get("/c"),
    (error) => error instanceof HttpError && error.status === 0 && !!error.hint,
  );
});

test("which stores the engine reaches by itself", () => {
  const own = new FetchStore("https://example.org/d", {
    headers: { "X-A": "1" },
    credentials: "include",
    missingStatus: [403],
  });
  assert.deepEqual(own.toWire(), {
    url: "https://example.org/d",
    options: { headers: { "x-a": "1" }, credentials: "include", missingStatus: [403] },
  });
  const overrides = new FetchStore("https://example.org/d", { overrides: { headers: { a: "b" } } });
  assert.deepEqual(overrides.toWire()?.options, { headers: { a: "b" } });
  assert.equal(serve(ranged).store.toWire(), undefined);
  assert.equal(new FetchStore("https://example.org/d", { overrides: { cache: "no-store" } }).toWire(), undefined);
});

test("URLs", () => {
  const cut = (url: string) => nodeUrl(url).href;
  assert.equal(cut("https://e.org/a.zarr/zarr.json?x=1"), "https://e.org/a.zarr/?x=1");
  assert.equal(cut("https://e.org/a.zarr/.zmetadata"), "https://e.org/a.zarr/");
  assert.equal(cut("https://e.org/zarr.json"), "https://e.org/");
  assert.equal(cut("https://e.org/my-zarr.json"), "https://e.org/my-zarr.json");
  assert.throws(() => new FetchStore("data.zarr"), /not a URL/);
});
