// Reads from servers that do wrong, in Chromium, through the package: by the
// engine's own requests and by a fetch function of the page's. What comes of it must be
// what comes of it natively, or what tests/tools/faults/faults.json says of browsers.
//
//   node --test tests/browser/faults.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { serve, top } from "../js/serve.mjs";
import { launch } from "./browser.mjs";

const data = "build/faults";
const trials = JSON.parse(readFileSync(`${top}tests/tools/faults/faults.json`, "utf8"));

let browser;
let page;
let words; // what came of each trial natively
let site; // serves the package
let wrong; // serves the data from another origin, wrongly
let other; // what redirects lead to

before(async () => {
  execFileSync("go", ["run", "./tests/tools/faults", "-data", data], { cwd: top, stdio: "inherit" });
  words = JSON.parse(readFileSync(`${top}${data}/words.json`, "utf8"));
  [browser, site, wrong, other] = await Promise.all([
    launch(),
    serve(top),
    serve(data, "-faults", "-cache", "no-store"),
    serve(data, "-faults", "-cache", "no-store"),
  ]);
  page = await browser.newPage();
  await page.goto(`${site.url}package.json`); // any document of that origin
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

/** Reads in the page: "right", "WRONG", or the error's name and, where it has one, its status. */
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
      // An address of its own: a browser keeps a 410 for ever.
      const url = `${wrong.url}${trial.read}${trial.query ?? "?"}&trial=${i}-${own}`;
      const { word, message, events, stats } = await readInPage({ url, read: trial.read, options: trial.options, own });
      assert.equal(word, (own && trial.own) || (trial.chromium ?? words[i]), message);
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

test("events tell of every request", async () => {
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

test("headers by a function go on every request, and what it throws is told", async () => {
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

test("the browser's cache is passed by where the server lets it keep nothing, and only there", async () => {
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
