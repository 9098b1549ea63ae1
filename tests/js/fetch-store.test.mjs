// FetchStore.get and getRange against a real, faulty server, with every way to send requests. These
// are the engine, the caller's fetch, and headers by a function.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import * as zarrita from "zarrita";
import * as zarr from "../../dist/node.js";
import { arrayV3 } from "../lib/documents.mjs";
import { serve, top } from "../lib/serve.mjs";

const dir = `${top}build/test/fetch-store`;
const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 7) & 255);
const range = { offset: 100, length: 50 };
const whole = (got) => assert.deepEqual(got, bytes);
const part = (got) => assert.deepEqual(got, bytes.subarray(100, 150));
const end = (got) => assert.deepEqual(got, bytes.subarray(950));
const none = (got) => assert.equal(got, undefined);
const http = (status) => (error) =>
  zarr.isZarrError(error, "HttpError") && error.status === status && error.key === "a";
const beyond = (error) => zarr.isZarrError(error, "HttpError", "StoreError") && /beyond the end/.test(error.message);

const array = arrayV3([1000], "uint8");

mkdirSync(`${dir}/c`, { recursive: true });
mkdirSync(`${dir}/t é`, { recursive: true });
for (const name of ["a", "t é/x#?", "c/0"]) writeFileSync(`${dir}/${name}`, bytes);
writeFileSync(`${dir}/empty`, "");
writeFileSync(`${dir}/zarr.json`, JSON.stringify(array));
const [server, other] = await Promise.all([serve(dir, "-faults"), serve(dir, "-faults")]);
after(() => {
  server.close();
  other.close();
  zarr.terminate();
});

async function control(at, method, body) {
  const answer = await fetch(`${at.url}-/faults`, { method, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return text && JSON.parse(text);
}

/** Sets the faults of answers for a key; none by default. */
async function wrong(faults = [], key = "a") {
  await Promise.all([server, other].map((at) => control(at, "DELETE")));
  if (faults.length > 0) await control(server, "POST", { key, faults });
}

const asked = async (at = server) =>
  (await control(at, "GET")).requests.map(({ method, header }) => `${method} ${header.Range ?? ""}`.trim());

/** The ways to send a request, each with its options. */
const ways = {
  engine: {},
  "own fetch": { fetch: (request) => fetch(request) },
  "headers by a function": { headers: async () => ({ "X-Key": "k" }) },
  overrides: { overrides: { mode: "cors" } },
};

for (const [way, options] of Object.entries(ways)) {
  const open = (more = {}) => new zarr.FetchStore(`${server.url}?sig=1`, { retry: { delay: 1 }, ...options, ...more });

  test(`${way}: present and absent keys`, async () => {
    await wrong();
    const store = open();
    whole(await store.get("/a"));
    whole(await store.get("a"));
    whole(await store.get("//a"));
    whole(await store.get("/t é/x#?"));
    part(await store.getRange("/a", range));
    end(await store.getRange("/a", { suffixLength: 50 }));
    whole(await store.getRange("/a", { suffixLength: 1000 }));
    assert.deepEqual(await store.getRange("/a", { offset: 0, length: 0 }), new Uint8Array());
    assert.deepEqual(await store.getRange("/a", { offset: 1000, length: 0 }), new Uint8Array());
    assert.deepEqual(await store.getRange("/a", { suffixLength: 0 }), new Uint8Array());
    assert.deepEqual(await store.get("/empty"), new Uint8Array());
    assert.equal(await store.get("/none"), undefined);
    assert.equal(await store.getRange("/none", range), undefined);
    assert.equal(await store.getRange("/none", { suffixLength: 5 }), undefined);
    assert.equal(await store.getRange("/none", { offset: 0, length: 0 }), undefined);
    for (const outside of [
      { offset: 990, length: 11 },
      { offset: 1000, length: 1 },
      { offset: 1001, length: 0 },
      { suffixLength: 1001 },
      { offset: -1, length: 5 },
      { offset: 5, length: -1 },
    ]) {
      await assert.rejects(store.getRange("/a", outside), beyond, JSON.stringify(outside));
    }
    for (const nonsense of [{ offset: 0.5, length: 1 }, { offset: 0 }, { suffixLength: Number.NaN }]) {
      await assert.rejects(store.getRange("/a", nonsense), (e) => zarr.isZarrError(e, "StoreError"));
    }
    part(await store.getRange("/a", { offset: 100n, length: 50n }));
    for (const key of ["/", "", "/a/../b", "/./a", "/a//b"]) {
      await assert.rejects(store.get(key), (e) => zarr.isZarrError(e, "StoreError"), key);
    }
    const { requests } = await control(server, "GET");
    assert.ok(requests.every(({ query }) => query === "sig=1"));
  });

  test(`${way}: bytes belong to the caller, and each call sends a request`, async () => {
    await wrong();
    const store = open();
    const first = await store.get("/a");
    first.fill(0);
    whole(await store.get("/a"));
    assert.deepEqual(await asked(), ["GET", "GET"]);
    const all = await Promise.all(Array.from({ length: 40 }, (_, i) => store.getRange("/a", { offset: i, length: 1 })));
    assert.deepEqual(
      all.map(([byte]) => byte),
      [...bytes.subarray(0, 40)],
    );
    assert.equal(new Set(all.map(({ buffer }) => buffer)).size, 40);
  });

  test(`${way}: answers that are not believed`, async () => {
    const store = open();
    for (const [fault, read, check] of [
      [{ status: 206, body: "part" }, "get", http(206)],
      [{ ignoreRange: true }, "getRange", part],
      [{ resize: -1 }, "getRange", http(206)],
      [{ resize: 1 }, "getRange", http(206)],
      [{ header: { "Content-Range": "bytes 0-49/1000" } }, "getRange", http(206)],
      [{ header: { "Content-Range": "bytes=100-149/1000" } }, "getRange", http(206)],
      [{ html: true }, "get", http(200)],
      [{ html: true }, "getRange", http(200)],
      [{ status: 500, times: 2 }, "get", whole],
      [{ status: 503 }, "getRange", http(503)],
      [{ status: 403 }, "get", http(403)],
      [{ status: 404 }, "get", none],
      [{ cut: 10, times: 1 }, "get", whole],
      [{ drop: true, times: 1 }, "get", whole],
    ]) {
      await wrong([fault]);
      const call = () => (read === "get" ? store.get("/a") : store.getRange("/a", range));
      if ([whole, part, none].includes(check)) check(await call());
      else await assert.rejects(call(), check, JSON.stringify(fault));
    }
    await wrong([{ ignoreRange: true }]);
    await assert.rejects(store.getRange("/a", { offset: 990, length: 20 }), beyond);
    await assert.rejects(store.getRange("/a", { offset: 2000, length: 1 }), beyond);
    await wrong([{ status: 403 }]);
    assert.equal(await open({ missingStatus: [403] }).get("/a"), undefined);
    await wrong([{ status: 405, method: "HEAD" }]);
    end(await store.getRange("/a", { suffixLength: 50 }));
    await wrong();
    end(await open({ useSuffixRequest: true }).getRange("/a", { suffixLength: 50 }));
    assert.deepEqual(await asked(), ["GET bytes=-50"]);
  });

  test(`${way}: signals and silence`, async () => {
    const store = open();
    await wrong([{ hang: true }]);
    for (const read of [(signal) => store.get("/a", { signal }), (signal) => store.getRange("/a", range, { signal })]) {
      const controller = new AbortController();
      const { version } = await (await fetch(`${server.url}-/faults?after=-1`)).json();
      const call = read(controller.signal);
      fetch(`${server.url}-/faults?after=${version}`).then(() => controller.abort(new Error("enough")));
      await assert.rejects(call, /enough/);
      await assert.rejects(read(AbortSignal.abort(new Error("before"))), /before/);
    }
    await assert.rejects(open({ timeout: 50, retry: { attempts: 1 } }).get("/a"), http(0));
    // Thirteen times the patience must not end sooner.
    const controller = new AbortController();
    const patient = new zarr.FetchStore(server.url, { timeout: 5200, retry: { attempts: 1 } });
    const later = patient.get("/a", { signal: controller.signal }).catch(() => "later");
    const sooner = open({ timeout: 400, retry: { attempts: 1 } })
      .get("/a")
      .catch((error) => error);
    const silent = await Promise.race([sooner, later]);
    controller.abort();
    assert.match(String(silent.message ?? silent), /nothing arrived for 0.4 seconds \(timeout\)/);
    await later;
    // One caller's abort does not affect others.
    await wrong();
    const own = new AbortController();
    const [one, two] = [store.get("/a", { signal: own.signal }), store.get("/a")];
    own.abort();
    await assert.rejects(one, { name: "AbortError" });
    whole(await two);
  });

  test(`${way}: headers do not follow to another origin`, async () => {
    await wrong([{ status: 302, header: { Location: `${other.url}a` } }]);
    const headers = { Authorization: "Bearer t", "X-Key": "k" };
    await open({ headers })
      .get("/a")
      .catch(() => {});
    for (const { header } of (await control(other, "GET")).requests) {
      assert.deepEqual([header.Authorization, header["X-Key"]], [undefined, undefined]);
    }
  });

  test(`${way}: requests are counted and told`, async () => {
    await wrong([{ status: 500, times: 1 }]);
    const events = [];
    const store = open({ onRequest: (event) => events.push(event) });
    whole(await store.get("/a"));
    part(await store.getRange("/a", range));
    const { requests, bytes: came, retries } = await store.stats();
    assert.deepEqual([requests, came, retries], [3, 1050, 1]);
    assert.deepEqual(
      events.map(({ key, status, attempt, source }) => [key, status, attempt, source]),
      [
        ["/a", 500, 0, "request"],
        ["/a", 200, 1, "request"],
        ["/a", 206, 0, "request"],
      ],
    );
  });
}

test("a FetchStore of ours is a store to zarrita", async () => {
  await wrong();
  const opened = await zarrita.open(new zarr.FetchStore(server.url), { kind: "array" });
  assert.deepEqual((await zarrita.get(opened)).data, bytes);
});

test("a store of the page's that reads through a FetchStore", async () => {
  await wrong();
  const inner = new zarr.FetchStore(server.url);
  const keys = [];
  const store = {
    get: (key, options) => {
      keys.push(key);
      return inner.get(key, options);
    },
    getRange: (key, part, options) => inner.getRange(key, part, options),
  };
  const opened = await zarr.open(store, { kind: "array" });
  assert.deepEqual((await opened.get()).data, bytes);
  assert.ok(keys.includes("/c/0"));
  const logged = zarr.defineStoreExtension((inside) => ({
    get: (key, options) => {
      keys.push(key);
      return inside.get(key, options);
    },
  }))(inner);
  assert.deepEqual(await logged.get("/a"), bytes);
  assert.deepEqual((await (await zarr.open(logged, { kind: "array" })).get()).data, bytes);
});

test("after the engine has ended, the next call starts another", async () => {
  await wrong();
  const store = new zarr.FetchStore(server.url);
  whole(await store.get("/a"));
  zarr.terminate();
  whole(await store.get("/a"));
});

test("a globalThis.fetch in the platform's place sends every request of a store, and the platform's own sends none", async () => {
  await wrong();
  const platform = globalThis.fetch;
  const sent = [];
  const send = (request, init) => {
    sent.push(request.url);
    return platform(request, init);
  };
  const mock = { send };
  const own = { headers: { "x-a": "1" } };
  const ways = {
    "an arrow": [send],
    "a function of the same name": [
      async function fetch(request) {
        return send(request);
      },
    ],
    "a bound function": [mock.send.bind(mock)],
    "a Proxy": [new Proxy(platform, { apply: (_, __, args) => send(...args) })],
    "with other options": [send, own],
    "the platform's own": [platform, {}, true],
    "fetch: false": [send, { fetch: false }, true],
    "the platform's own as the option": [send, { fetch: platform }, true],
  };
  for (const [way, [replacement, options, unused]] of Object.entries(ways)) {
    // The store is created earlier, like a module's constant, and read later.
    const store = new zarr.FetchStore(server.url, options);
    globalThis.fetch = replacement;
    try {
      whole(await store.get("/a"));
      part(await store.getRange("/a", range));
      whole((await (await zarr.open(store, { kind: "array" })).get()).data);
    } finally {
      globalThis.fetch = platform;
    }
    const { requests } = await store.stats();
    assert.ok(requests >= 4, `${way}: ${requests} requests`);
    assert.equal(sent.splice(0).length, unused ? 0 : requests, way);
  }
});

test("an invalid address is an error only when read", async () => {
  for (const address of ["/data.zarr", "data.zarr", "http://[", new URL("file:///data.zarr")]) {
    const store = new zarr.FetchStore(address);
    assert.equal(store.url, address);
    for (const read of [() => zarr.open(store), () => store.get("/a"), () => store.stats()]) {
      await assert.rejects(read(), (e) => zarr.isZarrError(e, "StoreError"), String(address));
    }
  }
});

test("an empty address is an error only when read", async () => {
  const store = new zarr.FetchStore("");
  assert.equal(store.url, "");
  for (const read of [() => zarr.open(store), () => store.get("/a"), () => zarr.open("")]) {
    await assert.rejects(
      read(),
      (e) => zarr.isZarrError(e, "StoreError") && /"" is not a URL: .*files/.test(e.message),
    );
  }
});

test("errors name addresses without secrets, and options by their public names", async () => {
  await wrong([{ status: 403 }]);
  const store = new zarr.FetchStore(`${server.url}none?sig=secret`);
  const missing = await zarr.open(zarr.root(store).resolve("x")).catch((e) => e);
  assert.equal(missing.name, "NotFoundError");
  assert.ok(missing.message.includes(`${server.url}none/x/`), missing.message);
  assert.ok(missing.tried.includes(`${server.url}none/x/zarr.json`) && missing.tried.length === 7);
  const refused = await new zarr.FetchStore(`${server.url}?sig=secret`).get("/a").catch((e) => e);
  assert.match(refused.hint, /\(missingStatus\)/);
  assert.doesNotMatch(JSON.stringify([missing, missing.message, refused, refused.message]), /secret/);
});

test("a request's own cache mode goes before the store's", async () => {
  for (const own of [undefined, "default", "no-store"]) {
    const modes = [];
    const store = new zarr.FetchStore("https://host.example/data", {
      cache: own,
      fetch: async (request) => {
        modes.push(request.cache);
        return new Response("x");
      },
    });
    await store.get("/a", { cache: "reload" });
    await store.getRange("/a", { offset: 0, length: 1 }, { cache: "reload" });
    await store.get("/a");
    assert.deepEqual(modes, ["reload", "reload", own ?? "default"]);
  }
});
