// Reads from faulty servers through the package, in Chromium or the browser that ENGINE names. The
// engine sends the requests, or a fetch function on the page. The result equals that of native Go,
// or the one that tests/tools/faults/faults.json lists for browsers.
//
//   node --test tests/browser/faults.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { after, before, test } from "node:test";
import { serveReplaced } from "../chaos/replaced.mjs";
import { chosen, openEngine } from "../lib/browsers.mjs";
import { arrayV2, arrayV3, groupV3 } from "../lib/documents.mjs";
import { serve, top } from "../lib/serve.mjs";

const data = "build/faults";
/** Any document of an origin that serves the project. */
const blank = "tests/browser/blank.html";
const trials = JSON.parse(readFileSync(`${top}tests/tools/faults/faults.json`, "utf8"));

let browser;
let page;
let words; // the native outcome of each trial
let site; // serves the package
let wrong; // serves the data from another origin, with faults
let other; // the target of redirects

before(async () => {
  execFileSync("go", ["run", "./tests/tools/faults", "-data", data], { cwd: top, stdio: "inherit" });
  words = JSON.parse(readFileSync(`${top}${data}/words.json`, "utf8"));
  [browser, site, wrong, other] = await Promise.all([
    openEngine(chosen),
    serve(top),
    serve(data, "-faults", "-cache", "no-store"),
    serve(data, "-faults", "-cache", "no-store"),
  ]);
  page = await browser.newTab(`${site.url}${blank}`);
});

after(async () => {
  await browser?.close();
  for (const server of [site, wrong, other]) server?.close();
});

async function control(server, method, body) {
  const answer = await fetch(`${server.url}-/faults`, { method, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return text && JSON.parse(text);
}

function keysOf({ key, read }) {
  if (key === "" || key === "*") return key ? [key] : [];
  if (key === "shard") return ["shard/c/0/0"];
  if (!key.startsWith("!")) return [`${read}/${key}`];
  const documents = ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"];
  return documents.filter((name) => name !== key.slice(1)).map((name) => `${read}/${name}`);
}

function locate(fault, { read }) {
  const to = fault.header?.Location;
  if (to === undefined || to === "/moved") return fault;
  const Location = to === "OTHER" ? `${other.url}moved` : `/${read}${to}`;
  return { ...fault, header: { ...fault.header, Location } };
}

/** Reads in the page. Returns "right", "WRONG", or the error's name and status, if it has one. */
function readInPage({ url, read, options, own }) {
  return page.evaluate(
    async ({ url, read, options, own }) => {
      const zarr = await import("/dist/index.js");
      const events = [];
      const store = new zarr.FetchStore(url, {
        ...options,
        retry: { delay: 1 },
        onRequest: (event) => events.push(event),
        ...(own ? { fetch: (request) => fetch(request) } : {}),
      });
      const element = (row, column) => (row * 31 + column * 7 + (column >> 8)) & 255;
      try {
        const array = await zarr.open(store, { kind: "array" });
        const [first, last, columns] = read === "shard" ? [5, 7, 128 << 10] : [0, 4, 1000];
        const { data } = await array.get([zarr.slice(first, last), null]);
        const right = data.every((value, i) => {
          const row = first + Math.floor(i / columns);
          return value === (read === "plain" && row === 3 ? 7 : element(row, i % columns));
        });
        const word = right && data.length === (last - first) * columns ? "right" : "WRONG";
        return { word, events, stats: await store.stats() };
      } catch (error) {
        const word = error.status === undefined ? error.name : `${error.name} ${error.status}`;
        return { word, message: error.message, events, stats: await store.stats() };
      }
    },
    { url, read, options, own },
  );
}

for (const own of [false, true]) {
  for (const [i, trial] of trials.entries()) {
    test(`${own ? "own fetch" : "engine"}: ${trial.fault} (${i})`, async () => {
      await control(wrong, "DELETE");
      await control(other, "DELETE");
      for (const key of keysOf(trial)) {
        await control(wrong, "POST", { key, faults: trial.faults.map((fault) => locate(fault, trial)) });
      }
      // Each trial has its own address: a browser caches a 410 for ever.
      const url = `${wrong.url}${trial.read}${trial.query ?? "?"}&trial=${i}-${own}`;
      const { word, message, events, stats } = await readInPage({ url, read: trial.read, options: trial.options, own });
      assert.equal(word, trial[chosen] ?? ((own && trial.own) || (trial.browser ?? words[i])), message);
      const logs = [...(await control(wrong, "GET")).requests, ...(await control(other, "GET")).requests];
      const asked = logs.map(({ method, path, status }) => `${method} ${path} ${status}`);
      const answered = events.filter(({ source, status }) => source === "request" && status > 0).length;
      assert.ok(answered <= logs.length, `${answered} requests of ${asked.join(", ")}`);
      assert.ok(stats.requests > 0 && stats.requests >= answered);
      for (const request of (await control(other, "GET")).requests) {
        assert.equal(request.header["X-Key"], undefined, "a header went to another origin");
      }
    });
  }
}

test("events report every request", async () => {
  await control(wrong, "DELETE");
  await control(wrong, "POST", { key: "plain/c/1/0", faults: [{ status: 500, times: 1 }] });
  const { word, events, stats } = await readInPage({ url: `${wrong.url}plain?events`, read: "plain" });
  assert.equal(word, "right");
  const sent = events.filter(({ source }) => source === "request");
  const { requests } = await control(wrong, "GET");
  const name = ({ method, path }) => `${method} ${path}`;
  assert.deepEqual(
    sent.map(({ method, key }) => `${method} /plain${key}`).sort(),
    requests
      .filter(({ method }) => method !== "OPTIONS")
      .map(name)
      .sort(),
  );
  assert.equal(stats.requests, sent.length);
  assert.equal(
    stats.bytes,
    sent.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  assert.deepEqual([stats.retries, stats.failed], [1, 1]);
  const again = sent.filter(({ key }) => key === "/c/1/0");
  assert.deepEqual(
    again.map(({ status, attempt, bytes }) => [status, attempt, bytes]),
    [
      [500, 0, 0],
      [200, 1, 1000],
    ],
  );
  assert.ok(again.every(({ ms, start, merged }) => ms >= 0 && start > 1e12 && merged === 1));
});

test("a header function applies to every request, and its error is reported", async () => {
  await control(wrong, "DELETE");
  await control(wrong, "POST", { key: "*", faults: [{ status: 401, without: { "X-Token": "t" } }] });
  const found = await page.evaluate(async (url) => {
    const zarr = await import("/dist/index.js");
    let calls = 0;
    const store = new zarr.FetchStore(url, {
      async headers() {
        calls++;
        return { "X-Token": "t" };
      },
    });
    const { data } = await (await zarr.open(store, { kind: "array" })).get([0, zarr.slice(3)]);
    const broken = new zarr.FetchStore(url, {
      headers() {
        throw new Error("no token today");
      },
    });
    const error = await zarr.open(broken).catch((e) => e);
    return { calls, data: [...data], sent: (await store.stats()).requests, name: error.name, message: error.message };
  }, `${wrong.url}plain?headers`);
  assert.deepEqual(found.data, [0, 7, 14]);
  assert.equal(found.calls, found.sent);
  assert.equal(found.name, "HttpError");
  assert.match(found.message, /no token today/);
});

test("the browser's cache is bypassed only if the server forbids caching", async () => {
  for (const [keep, bypasses] of [
    ["no-store", true],
    ["private, No-Store", true],
    ["max-age=0", false],
  ]) {
    await control(wrong, "DELETE");
    await control(wrong, "POST", { key: "*", faults: [{ header: { "Cache-Control": keep } }] });
    await page.evaluate(
      async (url) => {
        const zarr = await import("/dist/index.js");
        await zarr.caches({ encoded: 0, decoded: 0 });
        const array = await zarr.open(url, { kind: "array" });
        for (let i = 0; i < 24; i++) {
          const { data } = await array.get([0, zarr.slice(3)]);
          if (String(data) !== "0,7,14") throw new Error(`read ${i}: ${data}`);
        }
        await zarr.caches({ encoded: 64 << 20, decoded: 128 << 20 });
      },
      `${wrong.url}plain?cache=${encodeURIComponent(keep)}`,
    );
    const { requests } = await control(wrong, "GET");
    const chunks = requests.filter(({ path }) => path.endsWith("/c/0/0"));
    assert.equal(chunks.length, 24);
    const passed = chunks.map(({ header }) => header["Cache-Control"] === "no-cache");
    assert.deepEqual([passed.indexOf(true) >= 8, passed.at(-1)], bypasses ? [true, true] : [false, false], keep);
  }
});

// Hosts with CORS headers on data but not on 404, which the browser hides from the page.
const group2 = { zarr_format: 2 };
const array2 = arrayV2([4], "|u1", { chunks: [2], fill_value: 9 });
const array1 = { ...array2, zarr_format: 1, compression: "none", compression_opts: null };
const array3 = arrayV3([4], "uint8", { chunks: [2], fill_value: 9 });
const closed = {
  "two/.zgroup": group2,
  "two/.zattrs": { title: "two" },
  "two/a/.zarray": array2,
  "two/a/0": "AB",
  "two/a/1": "CD",
  "two/sparse/.zarray": array2,
  "two/sparse/0": "AB",
  "consolidated/.zmetadata": { metadata: { ".zgroup": group2, "g/a/.zarray": array2, "g/a/.zattrs": { k: 1 } } },
  "consolidated/g/a/0": "AB",
  "consolidated/g/a/1": "CD",
  "three/zarr.json": groupV3(),
  "three/a/zarr.json": array3,
  "three/a/c/0": "AB",
  "three/a/c/1": "CD",
  "one/meta": array1,
  "one/attrs": { k: 1 },
  "one/0": "AB",
  "one/1": "CD",
};

async function withClosedHost(run) {
  const dir = `${top}build/test/closed`;
  for (const [key, value] of Object.entries(closed)) {
    mkdirSync(dirname(`${dir}/${key}`), { recursive: true });
    writeFileSync(`${dir}/${key}`, typeof value === "string" ? value : JSON.stringify(value));
  }
  const host = await serve(dir, "-faults", "-cache", "no-store");
  try {
    await control(host, "POST", { key: "*", faults: [{ status: 404, noCORS: true }] });
    for (const key of Object.keys(closed)) await control(host, "POST", { key, faults: [{}] });
    await run(host);
  } finally {
    host.close();
  }
}

/** Opens and reads in the page, with the default retries. */
const openInPage = (url, { path = "", format, kind, read, options, own, early } = {}) =>
  page.evaluate(
    async ({ url, path, format, kind, read, options, own, early }) => {
      const zarr = await import("/dist/index.js");
      if (early)
        zarr.terminate(); // requests sent before the engine runs
      else await zarr.init().catch(() => {});
      const events = [];
      const onRequest = (event) => events.push([event.key, event.status]);
      const fetch = own ? (request) => globalThis.fetch(request) : undefined;
      const store = new zarr.FetchStore(url, { ...options, fetch, onRequest });
      try {
        const open = format ? zarr.open[`v${format}`] : zarr.open;
        const node = await open(zarr.root(store).resolve(path), { kind });
        const data = read ? [...(await node.get()).data] : undefined;
        return { attrs: node.attrs, format: node.format, data, events };
      } catch (error) {
        return { name: error.name, status: error.status, message: error.message, hint: error.hint, events };
      }
    },
    { url, path, format, kind, read, options, own, early },
  );

test("a host whose 404 has no CORS headers", async () => {
  await withClosedHost(async (host) => {
    for (const own of [false, true]) {
      for (const early of [true, false]) {
        for (const [name, at, ask, want] of [
          ["v2 group", "two", {}, { attrs: { title: "two" }, format: 2 }],
          ["v2 group, told", "two", { format: 2, kind: "group" }, { attrs: { title: "two" }, format: 2 }],
          ["v2 array", "two/a", { read: true }, { attrs: {}, format: 2, data: [65, 66, 67, 68] }],
          ["v2 array, told", "two/a", { format: 2, kind: "array", read: true }, { attrs: {}, data: [65, 66, 67, 68] }],
          ["v2 array by its path", "two", { path: "a", read: true }, { attrs: {}, data: [65, 66, 67, 68] }],
          ["consolidated", "consolidated", {}, { attrs: {}, format: 2 }],
          ["in it", "consolidated", { path: "g/a", read: true }, { attrs: { k: 1 }, data: [65, 66, 67, 68] }],
          ["v3 group", "three", {}, { attrs: {}, format: 3 }],
          ["v3 array", "three/a", { read: true }, { attrs: {}, format: 3, data: [65, 66, 67, 68] }],
          ["v1", "one", { read: true }, { attrs: { k: 1 }, format: 1, data: [65, 66, 67, 68] }],
        ]) {
          const found = await openInPage(`${host.url}${at}`, { ...ask, own, early });
          for (const [key, value] of Object.entries(want))
            assert.deepEqual(found[key], value, `${name}: ${found.message}`);
          // A blocked object is requested at most once more, where it may still be: the usual
          // retries are not made.
          const keys = found.events.map(([key]) => key);
          const often = keys.filter((key) => keys.filter((other) => other === key).length > 2);
          if (!early && !ask.path) assert.deepEqual(often, [], name);
        }
      }
      // Nothing answers: the error names the blocked object and possible reasons.
      const none = await openInPage(`${host.url}nothing?sig=secret`, { own });
      assert.deepEqual([none.name, none.status], ["HttpError", 0]);
      for (const name of ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata", "meta"]) {
        assert.ok(none.message.includes(`${host.url}nothing/${name}`), none.message);
      }
      assert.match(none.hint, /CORS.*404/);
      assert.doesNotMatch(none.message, /secret/);
      // A blocked chunk is not missing, and the hint suggests a remedy.
      const blocked = await openInPage(`${host.url}two/sparse`, { own, read: true });
      assert.deepEqual([blocked.name, blocked.status], ["HttpError", 0], blocked.message);
      assert.match(blocked.hint, /missingStatus: \[0\]/);
      const missing = await openInPage(`${host.url}two/sparse`, { own, read: true, options: { missingStatus: [0] } });
      assert.deepEqual(missing.data, [65, 66, 9, 9], missing.message);
    }
  });
});

test("members and containers at another origin: a blocked listing proves no absence", async () => {
  /** The members of a group, and the kind of data at an address. */
  const inPage = (url) =>
    page.evaluate(async (url) => {
      const zarr = await import("/dist/index.js");
      try {
        const node = await zarr.open(url);
        if (node.kind === "array") return node.shape.join();
        return (await node.members()).map(({ name, kind, how }) => `${name}:${kind}:${how}`).join(" ");
      } catch (error) {
        return error.name;
      }
    }, url);
  closed["named/zarr.json"] = groupV3({ multiscales: [{ datasets: [{ path: "0" }, { path: "1" }] }] });
  closed["named/0/zarr.json"] = array3;
  await withClosedHost(async (host) => {
    assert.equal(await inPage(`${host.url}three`), "UnsupportedError");
    assert.equal(await inPage(`${host.url}two`), "UnsupportedError");
    assert.equal(await inPage(`${host.url}named`), "0:array:named");
  });
  const lists = await serve("build/test/closed", "-list");
  const archives = await serve("build/fixtures");
  try {
    assert.equal(await inPage(`${lists.url}three`), "a:array:listed");
    assert.equal(await inPage(`${lists.url}two/`), "a:array:listed sparse:array:listed");
    assert.equal(await inPage(`${archives.url}zip/v3_stored.zip|zip:a`), "9,7");
    assert.equal(await inPage(`${archives.url}zip/v3_stored.zip/g/b`), "9,7");
    const repository = "public/earth-mover+icechunk/icechunk-python/tests/data/test-repo-v2";
    assert.match(await inPage(archives.url + repository), /group1:group:listed/);
  } finally {
    lists.close();
    archives.close();
  }
});

test("a transient failure beside blocked requests is retried", async () => {
  await withClosedHost(async (host) => {
    for (const key of ["two/.zattrs", "two/.zgroup"]) {
      await control(host, "POST", { key, faults: [{ drop: true, times: 1 }, {}] });
      const found = await openInPage(`${host.url}two`);
      assert.deepEqual(found.attrs, { title: "two" }, `${key}: ${found.message}`);
    }
  });
});

test("get and getRange of a FetchStore across origins", async () => {
  await control(wrong, "DELETE");
  await control(other, "DELETE");
  await control(wrong, "POST", {
    key: "plain/c/1/0",
    faults: [{ status: 302, header: { Location: `${other.url}moved` } }],
  });
  await control(wrong, "POST", { key: "plain/c/2/0", faults: [{ noCORS: true }] });
  for (const own of [false, true]) {
    const found = await page.evaluate(
      async ({ url, own }) => {
        const zarr = await import("/dist/index.js");
        const fetch = own ? (request) => globalThis.fetch(request) : undefined;
        const store = new zarr.FetchStore(url, { fetch, retry: { delay: 1 } });
        const secret = new zarr.FetchStore(url, { fetch, headers: { "X-Key": "k" }, retry: { delay: 1 } });
        const word = (promise) =>
          promise.then(
            (bytes) => (bytes === undefined ? "undefined" : [...bytes].join()),
            (error) => `${error.name} ${error.status}`,
          );
        return Promise.all(
          [
            store.getRange("/plain/c/0/0", { offset: 1, length: 3 }),
            store.getRange("/plain/c/0/0", { suffixLength: 2 }),
            store.get("/plain/c/9/9"),
            store.get("/plain/c/2/0"),
            secret.get("/plain/c/1/0"),
            store.getRange("/plain/c/0/0", { offset: 999, length: 2 }),
          ].map(word),
        );
      },
      { url: wrong.url, own },
    );
    assert.deepEqual(found.slice(0, 5), ["7,14,21", "77,84", "undefined", "HttpError 0", "HttpError 0"]);
    assert.match(found[5], /^(HttpError 206|StoreError undefined)$/);
  }
  assert.deepEqual((await control(other, "GET")).requests, []);
});

test("headers stay behind where a redirect leads to another origin, by whatever way is read", async () => {
  await control(other, "DELETE");
  for (const status of [301, 302, 303, 307, 308]) {
    await control(wrong, "DELETE");
    await control(wrong, "POST", {
      key: "plain/c/1/0",
      faults: [{ status, header: { Location: `${other.url}moved?redirected=${status}` } }],
    });
    const found = await page.evaluate(async (url) => {
      const zarr = await import("/dist/index.js");
      const outcomes = {};
      class Own extends zarr.FetchStore {
        async get(key, options) {
          return super.get(key, options);
        }
        async getRange(key, range, options) {
          return super.getRange(key, range, options);
        }
      }
      const logged = zarr.defineStoreExtension((store) => ({
        get: (key, options) => store.get(key, options),
        getRange: (key, range, options) => store.getRange(key, range, options),
      }));
      const secret = { "X-Key": "secret" };
      for (const [name, options] of Object.entries({
        headers: { headers: secret },
        "a function": { headers: async () => secret },
        "own fetch": { headers: secret, fetch: (request) => fetch(request) },
        overrides: { overrides: { headers: secret } },
      })) {
        const stores = {
          plain: new zarr.FetchStore(url, { ...options, retry: { attempts: 1 } }),
          subclass: new Own(url, { ...options, retry: { attempts: 1 } }),
        };
        stores.extended = await zarr.extendStore(stores.plain, logged);
        stores["extended subclass"] = await zarr.extendStore(stores.subclass, (store) =>
          zarr.withRangeCoalescing(store),
        );
        for (const [of, store] of Object.entries(stores)) {
          const ways = {
            get: () => store.get("/c/1/0"),
            getRange: () => store.getRange("/c/1/0", { offset: 1, length: 3 }),
            end: () => store.getRange("/c/1/0", { suffixLength: 3 }),
            array: async () => (await zarr.open.v3(store, { kind: "array" })).get([1, zarr.slice(9)]),
            chunk: async () => (await zarr.open.v3(store, { kind: "array" })).getChunk([1, 0]),
          };
          for (const [way, read] of Object.entries(ways)) {
            outcomes[`${name}, ${of}, ${way}`] = await read().then(
              () => "bytes",
              (error) => `${error.name} ${error.status}`,
            );
          }
        }
      }
      return outcomes;
    }, `${wrong.url}plain?redirect=${status}`);
    for (const [way, outcome] of Object.entries(found))
      assert.match(outcome, /^(HttpError 0|StoreError undefined)$/, `${status}, ${way}`);
    assert.equal(Object.keys(found).length, 80);
  }
  assert.deepEqual((await control(other, "GET")).requests, []);
});

test("objects that are replaced while they are read", async () => {
  const replaced = await serveReplaced(3);
  try {
    for (const [seed, kind] of ["strong", "size", "hidden"].entries()) {
      const only = ["nested", "references", "shards"][seed];
      const found = await page.evaluate(
        async (settings) => {
          const [zarr, { replacedReads }] = await Promise.all([
            import("/dist/index.js"),
            import("/tests/chaos/replacedreads.mjs"),
          ]);
          const found = await replacedReads({ zarr, ...settings });
          await zarr.caches({ indexes: 32 << 20, decoded: 128 << 20, encoded: 64 << 20 });
          return found;
        },
        { url: replaced.url, kind, count: 48, seed, only },
      );
      assert.deepEqual([found.messages, found.mixed, found.wrong, found.failed], [[], 0, 0, 0], kind);
    }
  } finally {
    replaced.close();
  }
});

test("an empty address is the page's folder", async () => {
  await control(wrong, "DELETE");
  copyFileSync(`${top}${blank}`, `${top}${data}/plain/blank.html`);
  const watched = page;
  page = await browser.newTab(`${site.url}${data}/plain/blank.html?page=1#here`);
  const found = await openInPage("", { read: true });
  await page.close();
  page = watched;
  assert.deepEqual([found.message, found.data?.length], [undefined, 4000]);
  assert.ok(found.events.some(([key]) => key === "/c/0/0"));
});

test("a refusal by the page's policy is not reported as CORS", async () => {
  const strict = await serve(top, "-faults", "-cache", "no-store");
  try {
    for (const [policy, own, early] of [
      ["connect-src 'self'", false, false],
      ["connect-src 'self'", false, true],
      ["connect-src 'self'", true, false],
      ["default-src 'self'; script-src 'self' 'wasm-unsafe-eval'", false, false],
    ]) {
      await control(strict, "POST", { key: "*", faults: [{ header: { "Content-Security-Policy": policy } }] });
      const watched = page;
      page = await browser.newTab(`${strict.url}${blank}`);
      try {
        const found = await openInPage(`${wrong.url}plain?sig=secret`, { own, early });
        assert.deepEqual([found.name, found.status], ["HttpError", 0], found.message);
        // WebKit does not report a policy's refusals to a worker.
        if (chosen === "webkit" && !own) continue;
        assert.match(found.message, /Content-Security-Policy.*connect-src/, policy);
        assert.ok(found.message.includes(new URL(wrong.url).origin), found.message);
        assert.doesNotMatch(found.message + found.hint, /CORS|secret/);
        // A refused request is not repeated.
        assert.ok(
          found.events.every(([, status]) => status === 0),
          JSON.stringify(found.events),
        );
        assert.equal(new Set(found.events.map(([key]) => key)).size, found.events.length, JSON.stringify(found.events));
      } finally {
        await page.close();
        page = watched;
      }
    }
    // Without permission for WebAssembly, the engine cannot start, and names the missing source.
    await control(strict, "POST", {
      key: "*",
      faults: [{ header: { "Content-Security-Policy": "script-src 'self'" } }],
    });
    const watched = page;
    page = await browser.newTab(`${strict.url}${blank}`);
    const found = await openInPage(`${strict.url}plain`);
    await page.close();
    page = watched;
    assert.equal(found.name, "EngineError");
    assert.match(found.message, /script-src 'wasm-unsafe-eval'/);
  } finally {
    strict.close();
  }
});
