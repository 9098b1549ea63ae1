// Runs third-party web servers with the configuration in docs/guides/hosting.md: nginx, Apache,
// Caddy and lighttpd. `./build.sh test servers` installs them.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import * as zarr from "../../dist/node.js";
import * as write from "../../dist/write-node.js";
import { writeProgram } from "../js/write-program.mjs";
import { openEngine, until } from "../lib/browsers.mjs";
import { random } from "../lib/random.mjs";
import { serve, top } from "../lib/serve.mjs";
import { cache, caches, host, names, writable } from "./hosts.mjs";

const slow = { timeout: 600_000 };
const dirs = [];
let browser;
let site;

before(async () => {
  [browser, site] = await Promise.all([openEngine("chromium"), serve(".")]);
});
after(async () => {
  await browser?.close();
  site?.close();
  zarr.terminate();
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

/** A new folder that any server may write. */
function folder() {
  const dir = mkdtempSync(join(tmpdir(), "zarr-served-"));
  chmodSync(dir, 0o777);
  dirs.push(dir);
  return `${dir}/`;
}

/** Performs an action while a server runs. */
async function served(name, data, options, run) {
  const server = await host(name, data, options);
  try {
    await run(server.url);
  } finally {
    await server.close();
  }
}

/** Reads all fixtures of an address in a page of another origin. */
async function readFixtures(url) {
  const page = await browser.newTab(`${site.url}tests/browser/conformance.html?data=${encodeURIComponent(url)}`);
  await until(page, "a page that is ready", () => globalThis.ready === true);
  const { passed, failed, messages } = await page.evaluate(() => globalThis.conformance());
  assert.deepEqual([failed, messages.filter((text) => text.startsWith("not ok")), page.errors], [0, [], []]);
  assert.ok(passed > 1000, `${passed} passed`);
  await page.close();
}

for (const name of names) {
  test(`${name}: a page of another origin reads all fixtures`, slow, async () => {
    await served(name, `${top}build/fixtures/`, {}, readFixtures);
  });
}

for (const name of caches) {
  test(`${name}, a cache: a page reads all fixtures`, slow, async () => {
    await served("nginx", `${top}build/fixtures/`, {}, async (origin) => {
      const { url, close } = await cache(name, origin);
      await readFixtures(url).finally(close);
    });
  });

  test(`${name}, a cache: each object of a replaced array is read in its old or its new version`, slow, async () => {
    const dir = folder();
    const r = random(name.length);
    const array = replaced(dir);
    await array.replace();
    await served("nginx", dir, {}, async (origin) => {
      const { url, close } = await cache(name, origin);
      try {
        let opened = await zarr.open(url, { kind: "array" });
        for (let step = 0; step < 100; step++) {
          if (r(5) === 0) await array.replace();
          if (r(3) === 0) await sleep(r(700));
          if (r(4) === 0) opened = await zarr.open(new zarr.FetchStore(url), { kind: "array" });
          const [from, to] = array.rows(r);
          const { data } = await opened.get([zarr.slice(from, to), null]);
          // The cache may hold shards from different times.
          for (const [first, end] of [
            [from, Math.min(to, 20)],
            [Math.max(from, 20), to],
          ]) {
            const values = new Set(data.subarray((first - from) * 8, (end - from) * 8));
            assert.ok(
              first >= end || (values.size === 1 && !values.has(0)),
              `rows ${first} to ${end} are ${[...values]}`,
            );
          }
        }
        await sleep(2500);
        const { data } = await (await zarr.open(new zarr.FetchStore(url), { kind: "array" })).get();
        assert.deepEqual([...new Set(data)], [array.now]);
      } finally {
        await close();
      }
    });
  });
}

/**
 * An array in a folder whose elements are all the number of its version; `replace` writes the next.
 */
function replaced(dir) {
  const array = {
    now: 0,
    /** Like a program that copies files: two seconds later, a difference that servers notice. */
    async replace() {
      array.now++;
      const store = new Map();
      const shape = { shape: [40, 8], chunks: [5, 4], shards: [20, 8] };
      await write.set(await write.createArray(store, { ...shape, dtype: "int32", codecs: [] }), null, array.now);
      for (const [key, bytes] of store) {
        const file = join(dir, key);
        mkdirSync(join(file, ".."), { recursive: true });
        writeFileSync(`${file}.new`, bytes);
        utimesSync(`${file}.new`, 1.7e9 + 2 * array.now, 1.7e9 + 2 * array.now);
        renameSync(`${file}.new`, file);
      }
    },
    /** The boundaries of random rows. */
    rows(r) {
      const from = r(39);
      return [from, from + 1 + r(40 - from)];
    },
  };
  return array;
}

/** Names of nodes that addresses, pages and servers may treat specially. */
const strange = [
  ...[
    "plain",
    "a b",
    "a  b",
    " lead",
    "trail ",
    "ümlaut",
    "日本",
    "e\u0301",
    "café",
    "a#b",
    "a?b",
    "a%20b",
    "%",
    "%zz",
  ],
  ...[
    "a&b",
    "a&amp;b",
    "a+b",
    "a:b",
    "C:",
    "http:",
    "<x>",
    "it's",
    'q"q',
    "`e",
    "a=b;c",
    "a,b",
    "~t",
    "a@b",
    "(p)",
    "[q]",
  ],
  ...["{c}", "^d", "a|b", "a\\b", "a..b", "a.zarr", "-", "_", "0", "x".repeat(120)],
];
const arrays = {
  2: [
    ".zarray",
    '{"zarr_format":2,"shape":[2],"chunks":[1],"dtype":"|u1","compressor":null,"fill_value":7,"order":"C","filters":null}',
  ],
  3: [
    "zarr.json",
    '{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},' +
      '"chunk_key_encoding":{"name":"default"},"fill_value":7,"codecs":[{"name":"bytes"}]}',
  ],
};
const groups = { 2: [".zgroup", '{"zarr_format":2}'], 3: ["zarr.json", '{"zarr_format":3,"node_type":"group"}'] };

for (const name of names) {
  test(`${name}: members of strange names are listed and read`, slow, async () => {
    const dir = folder();
    const put = (path, [file, text]) => {
      mkdirSync(join(dir, path), { recursive: true });
      writeFileSync(join(dir, path, file), text);
    };
    for (const format of [2, 3]) {
      put(`${format}`, groups[format]);
      for (const [i, one] of strange.entries()) put(`${format}/${one}`, (i % 2 ? groups : arrays)[format]);
    }
    await served(name, dir, {}, async (url) => {
      for (const format of [2, 3]) {
        const group = await zarr.open(`${url}${format}`, { kind: "group" });
        const members = await group.members();
        assert.deepEqual(
          members.map((one) => `${one.name} ${one.kind}`).sort(),
          strange.map((one, i) => `${one} ${i % 2 ? "group" : "array"}`).sort(),
        );
        for (const member of members) {
          assert.equal(member.how, "listed");
          const node = await zarr.open(member, { kind: member.kind });
          if (member.kind === "array") assert.deepEqual([...(await node.get()).data], [7, 7], member.name);
        }
      }
    });
  });

  test(`${name}: a replaced array is read in its old or its new version`, slow, async () => {
    const dir = folder();
    const r = random(name.length);
    const array = replaced(dir);
    await array.replace();
    await served(name, dir, {}, async (url) => {
      const opened = await zarr.open(url, { kind: "array" });
      for (let step = 0; step < 60; step++) {
        if (r(4) === 0) await array.replace();
        const [from, to] = array.rows(r);
        const { data } = await opened.get([zarr.slice(from, to), null]);
        for (const value of new Set(data)) assert.ok(value > 0 && value <= array.now, `${value} of ${array.now}`);
        const fresh = await zarr.open(new zarr.FetchStore(url), { kind: "array" });
        assert.deepEqual([...new Set((await fresh.get()).data)], [array.now]);
      }
    });
  });
}

for (const name of writable) {
  test(`${name}: random programs of writes`, slow, async () => {
    await served(name, folder(), { writes: true }, async (url) => {
      for (let seed = 0; seed < 60; seed++) {
        const options = seed % 3 ? {} : { fetch: (request) => fetch(request) };
        const store = new zarr.FetchStore(`${url}${seed}${seed % 2 ? "/deep er/" : ""}`, options);
        await writeProgram({ zarr, write, store }, seed).catch((error) => {
          throw new Error(`seed ${seed}`, { cause: error });
        });
      }
    });
  });
}

// lighttpd 1.4.69 does not answer Chromium's concurrent requests with bodies to another origin,
// even with a bare fetch.
for (const name of writable.filter((one) => one !== "lighttpd")) {
  test(`${name}: random programs of writes by a page of another origin`, slow, async () => {
    await served(name, folder(), { writes: true }, async (url) => {
      const page = await browser.newTab(`${site.url}tests/browser/blank.html`);
      const done = await page.evaluate(
        async (site, url) => {
          const zarr = await import(`${site}dist/index.js`);
          const write = await import(`${site}dist/write.js`);
          const { writeProgram } = await import(`${site}tests/js/write-program.mjs`);
          for (let seed = 100; seed < 120; seed++) {
            const options = seed % 3 ? {} : { fetch: (request) => fetch(request) };
            const store = new zarr.FetchStore(`${url}${seed}`, options);
            await writeProgram({ zarr, write, store }, seed).catch((error) => {
              throw new Error(`seed ${seed}: ${error.stack}`);
            });
          }
          return true;
        },
        site.url,
        url,
      );
      assert.deepEqual([done, page.errors], [true, []]);
      await page.close();
    });
  });
}

for (const name of writable) {
  test(`${name}: a node can be created where another was deleted`, slow, async () => {
    await served(name, folder(), { writes: true }, async (url) => {
      const place = (path) => zarr.root(new zarr.FetchStore(`${url}data`)).resolve(path);
      await write.createGroup(place(""), {});
      // Each shape's chunks have names that the next shape's folders use, or the other way round.
      for (const shape of [[8, 8], [8], [8, 8, 2], [8], []]) {
        const chunks = shape.map(() => 4);
        const array = await write.createArray(place("a/b"), { shape, chunks, dtype: "int32", fillValue: 7 });
        const size = shape.reduce((product, n) => product * n, 1);
        const { data } = shape.length > 0 ? await array.get() : { data: [await array.get()] };
        assert.deepEqual([...data], Array(size).fill(7));
        await write.set(array, null, 5);
        const again = await zarr.open(place("a/b"), { kind: "array" });
        const all = shape.length > 0 ? (await again.get()).data : [await again.get()];
        assert.deepEqual([...all], Array(size).fill(5));
        await write.deleteNode(place("a"));
        const members = await (await zarr.open(place(""), { kind: "group" })).members();
        assert.deepEqual(members, []);
      }
    });
  });
}

test("lighttpd: concurrent appends of many clients lose nothing", slow, async () => {
  await served("lighttpd", folder(), { writes: true }, async (url) => {
    for (let round = 0; round < 10; round++) {
      // Each has its own store, like independent clients.
      const store = (i) => new zarr.FetchStore(`${url}${round}`, { headers: { "X-Client": String(i) } });
      await write.createArray(store(0), { shape: [0], chunks: [4], dtype: "int32", fillValue: -1 });
      const clients = Array.from({ length: 6 }, async (_, i) => {
        await write.append(await zarr.open(store(i), { kind: "array" }), Int32Array.of(i, i));
      });
      await Promise.all(clients);
      const { data } = await (await zarr.open(store(7), { kind: "array" })).get();
      assert.deepEqual([...data].sort(), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }
  });
});
