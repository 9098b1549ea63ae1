import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeUrl } from "../data/documents.js";
import { describe, engineSideOf } from "../engine/description.js";
import { answerForStore } from "../engine/hoststore.js";
import type { WireFetch } from "../engine/protocol/wire.js";
import { StoreError } from "../errors.js";
import { FetchStore, type FetchStoreOptions } from "../stores/fetchstore.js";

const bytes = Uint8Array.from({ length: 100 }, (_, i) => i);

/** Returns a store whose server is the test's function, and the requests to it. */
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

test("descriptions of stores for the engine", () => {
  const own = new FetchStore("https://example.org/d", {
    headers: { "X-A": "1" },
    credentials: "include",
    missingStatus: [403],
    retry: { attempts: 1, delay: 50 },
    concurrency: 4,
    timeout: Number.POSITIVE_INFINITY,
    cache: "reload",
  });
  assert.deepEqual(described(own), {
    url: "https://example.org/d",
    options: {
      headers: { "x-a": "1" },
      credentials: "include",
      missingStatus: [403],
      concurrency: 4,
      attempts: 1,
      retryDelay: 50,
      timeout: -1,
      cache: "reload",
    },
    host: 7,
  });
  const options = (more: FetchStoreOptions) => described(new FetchStore("https://example.org/d", more)).options;
  assert.deepEqual(options({ overrides: { headers: { a: "b" } } }), { headers: { a: "b" } });
  assert.deepEqual(options({ overrides: { mode: "cors" } }), { hostFetch: true });
  assert.deepEqual(options({ fetch: globalThis.fetch }), {});
  assert.deepEqual(options({ headers: () => ({}) }), { hostHeaders: true });
  assert.deepEqual(options({ retry: { attempts: 3 }, timeout: 10 }), { attempts: 3, timeout: 10 });
  assert.ok(described(serve(ranged).store).options.hostFetch);
  assert.ok(engineSideOf(new FetchStore("https://example.org/d", { onRequest: () => {} }))?.tell);
});

/** Returns the engine's description of a store with the number 7. */
function described(store: FetchStore) {
  const description = describe(store, () => 7);
  assert.ok("http" in description);
  return description.http;
}

test("options that mean nothing are refused", () => {
  for (const [options, error] of [
    [{ headers: { "a b": "c" } }, StoreError],
    [{ fetch: "x" }, TypeError],
    [{ onRequest: 1 }, TypeError],
  ] as const) {
    assert.throws(
      () => new FetchStore("https://example.org/d", options as unknown as FetchStoreOptions),
      error,
      JSON.stringify(options),
    );
  }
});

test("headers by a function", async () => {
  let n = 0;
  const { store } = serve(ranged, {
    headers: async () => ({ "X-Token": `t${++n}` }),
  });
  const signal = new AbortController().signal;
  for (const token of ["t1", "t2"])
    assert.deepEqual(await answerForStore(store, engineSideOf(store), { headers: true }, { signal }), {
      headers: { "x-token": token },
    });
});

test("requests are sent for the engine", async () => {
  const { store, asked } = serve(ranged, { credentials: "include" });
  const request = {
    limits: [1000, 2],
    method: "GET",
    url: "https://example.org/d/c?x",
    headers: { range: "bytes=3-4" },
    redirect: "manual",
  } as WireFetch;
  const signal = new AbortController().signal;
  const found = await answerForStore(store, engineSideOf(store), { fetch: request }, { signal });
  assert.deepEqual(asked, ["GET https://example.org/d/c?x bytes=3-4"]);
  assert.deepEqual(found, { status: 206, type: "default", headers: {}, bytes: bytes.slice(3, 5) });
  const large = await answerForStore(
    store,
    engineSideOf(store),
    { fetch: { ...request, limits: [1000, 1] } },
    { signal },
  );
  assert.deepEqual(large, { status: 206, type: "default", headers: {}, large: -1 });
  const told = serve(() => new Response(bytes, { headers: { "Content-Length": "100" } })).store;
  assert.equal(
    (await answerForStore(told, engineSideOf(told), { fetch: { ...request, limits: [99, 2] } }, { signal })).large,
    100,
  );
  const refused = serve(() => new Response("no", { status: 500 })).store;
  assert.deepEqual(await answerForStore(refused, engineSideOf(refused), { fetch: request }, { signal }), {
    status: 500,
    type: "default",
    headers: { "content-type": "text/plain;charset=UTF-8" },
  });
});

test("URLs", () => {
  const cut = (url: string) => nodeUrl(new URL(url)).href;
  assert.equal(cut("https://e.org/a.zarr/zarr.json?x=1"), "https://e.org/a.zarr/?x=1");
  assert.equal(cut("https://e.org/a.zarr/.zmetadata"), "https://e.org/a.zarr/");
  assert.equal(cut("https://e.org/zarr.json"), "https://e.org/");
  assert.equal(cut("https://e.org/my-zarr.json"), "https://e.org/my-zarr.json");
  assert.throws(
    () => described(new FetchStore("./data.zarr")),
    /"\.\/data\.zarr" is not a URL: .*files.*FileSystemStore/,
  );
});
