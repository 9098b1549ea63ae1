// The suite of stores in Chromium, or in the browser that ENGINE names, with the stores that only a
// page has.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { after, test } from "node:test";
import { objects, references, zip } from "../js/storesuite.mjs";
import { hosting } from "../lib/hosting.mjs";
import { rounds } from "../lib/rounds.mjs";
import { serve, top } from "../lib/serve.mjs";

const dir = `${top}build/test/stores-page/`;
const host = hosting();

rmSync(dir, { recursive: true, force: true });
const write = (name, bytes) => {
  mkdirSync(dirname(dir + name), { recursive: true });
  writeFileSync(dir + name, bytes);
};
const all = objects();
for (const [key, bytes] of all) write(`plain/${key}`, bytes);
write("a.zip", new Uint8Array(await (await zip(all)).arrayBuffer()));
await references(all, (files) => {
  for (const [name, bytes] of Object.entries(files)) write(name, bytes);
});
const other = await serve(dir);
const page = await host.tab("tests/browser/directories.html");
after(() => other.close());

/** Functions that run in the page, by kind. Each returns a store of the objects. */
const kinds = {
  Map: (_, all) => new Map([...all].map(([key, bytes]) => [`/${key}`, bytes])),
  "FetchStore, own origin": ({ zarr }) => new zarr.FetchStore("/build/test/stores-page/plain"),
  "FetchStore, another origin": ({ zarr, other }) => new zarr.FetchStore(`${other}plain`),
  "a zip archive at hand": async ({ zarr, zip }, all) => new zarr.ZipStore(await zip(all)),
  "a deflated zip archive that is a file": async ({ zarr, zip }, all) =>
    new zarr.ZipStore(new File([await zip(all, true)], "a.zip")),
  "a zip archive, own origin": ({ zarr }) => new zarr.ZipStore("/build/test/stores-page/a.zip"),
  "a zip archive, another origin": ({ zarr, other }) => new zarr.ZipStore(`${other}a.zip`),
  "references in place": async ({ zarr, references }, all) => new zarr.ReferenceStore(await references(all)),
  "references, another origin": ({ zarr, other }) => new zarr.ReferenceStore(`${other}refs.json`),
  "the origin's private file system": async ({ zarr, folder, keep, number }, all) => {
    const name = `suite/${number()}`;
    await keep(name, all);
    return new zarr.DirectoryStore(await folder(name));
  },
  "files of a folder that was picked": ({ zarr }, all) => {
    const files = [...all].map(([key, bytes]) => {
      const file = new File([bytes], key.split("/").at(-1));
      Object.defineProperty(file, "webkitRelativePath", { value: `picked/${key}` });
      return file;
    });
    return new zarr.DirectoryStore(files);
  },
  "a zip archive in the origin's private file system": async ({ zarr, zip, folder, keep, number }, all) => {
    const name = `suite/${number()}`;
    await keep(name, new Map([["a.zip", await (await zip(all)).arrayBuffer()]]));
    return new zarr.ZipStore(new zarr.DirectoryStore(await folder(name)), { key: "a.zip" });
  },
};

for (const [kind, make] of Object.entries(kinds)) {
  test(`${kind}, in a page`, { timeout: 120_000 }, async (t) => {
    const there = await page.evaluate(() => navigator.storage !== undefined);
    if (!there && /private file system/.test(kind)) return t.skip("this browser has no private file system");
    const results = await page.evaluate(
      async ([make, other, seed]) => {
        const suite = await import("/tests/js/storesuite.mjs");
        let last = 0;
        const keep = async (path, files) => {
          for (const [key, bytes] of files) {
            const names = key.split("/");
            const file = names.pop();
            const folder = await window.folder([path, ...names].join("/"), true);
            const out = await (await folder.getFileHandle(file, { create: true })).createWritable();
            await out.write(bytes);
            await out.close();
          }
        };
        const has = {
          ...suite,
          zarr: window.zarr,
          folder: window.folder,
          other,
          keep,
          number: () => `${seed}-${++last}`,
        };
        // biome-ignore lint/security/noGlobalEval: a function of this file, that runs in the page
        const made = globalThis.eval(`(${make})`);
        return suite.run(window.zarr, (all) => made(has, all), seed);
      },
      [String(make), other.url, kind.length],
    );
    assert.ok(results.length > 5);
    assert.deepEqual(
      results.filter(({ error }) => error).map(({ name, error }) => `${name}: ${error}`),
      [],
    );
  });
}

test("the platform's fetch is recognised, and a replacement sends the requests", async () => {
  const counts = await page.evaluate(async () => {
    const { zarr } = window;
    const platform = window.fetch;
    const url = new URL("/build/test/stores-page/plain/", location.href).href;
    let sent = 0;
    const read = async (replacement, options) => {
      window.fetch = replacement;
      sent = 0;
      performance.clearResourceTimings();
      const began = performance.now();
      try {
        const store = new zarr.FetchStore(url, options);
        await zarr.open(store, { kind: "group" });
        const { requests } = await store.stats();
        // The worker's requests are not among the page's. Entries of the read before may come late.
        const entries = performance.getEntriesByType("resource").filter(({ startTime }) => startTime >= began);
        const seen = entries.filter(({ name }) => name.startsWith(url));
        return { requests, sent, seen: seen.length };
      } finally {
        window.fetch = platform;
      }
    };
    const count = (request) => {
      sent++;
      return platform(request);
    };
    return [await read(platform), await read(count), await read(count, { fetch: false })];
  });
  const [own, replaced, kept] = counts;
  for (const { requests } of counts) assert.ok(requests > 0);
  assert.deepEqual([own.sent, own.seen], [0, 0]);
  assert.equal(replaced.sent, replaced.requests);
  assert.ok(replaced.seen > 0, "the page's timings show what the page requests");
  assert.deepEqual([kept.sent, kept.seen], [0, 0]);
});

const many = rounds(10_000);
test(`${many} stores opened in one page read their own elements, and leave nothing behind`, {
  timeout: 300_000,
}, async () => {
  const { wrong, stores, bytes } = await page.evaluate(async (many) => {
    const { zarr } = window;
    const { arrayV3, groupV3, json } = await import("/tests/lib/documents.mjs");
    const store = (i) =>
      new Map([
        ["/zarr.json", json(groupV3({ i }))],
        ["/a/zarr.json", json(arrayV3([2], "int32"))],
        ["/a/c/0", new Uint8Array(Int32Array.of(i, -i).buffer)],
      ]);
    const wrong = [];
    const held = [];
    const bytes = [];
    for (let i = 0; i < many; i += 50) {
      const results = await Promise.all(
        Array.from({ length: 50 }, async (_, k) => {
          const group = await zarr.open(store(i + k), { kind: "group" });
          const array = await group.open("a");
          return { array, attribute: group.attrs.i, data: (await array.get()).data };
        }),
      );
      for (const [k, { array, attribute, data }] of results.entries()) {
        if (attribute !== i + k || data[0] !== i + k || data[1] !== -(i + k)) wrong.push(i + k);
        if ((i + k) % (many / 20) === 0) held.push({ array, first: i + k });
      }
      if ((i + 50) % (many / 4) < 50) bytes.push((await zarr.memory()).engine);
    }
    // Arrays that the page holds remain readable after the engine has seen thousands of others.
    for (const { array, first } of held) {
      const { data } = await array.get();
      if (data[0] !== first) wrong.push(`held ${first}`);
    }
    return { wrong, stores: held.length, bytes };
  }, many);
  assert.deepEqual(wrong, []);
  assert.equal(stores, 20);
  // The engine's memory is bounded by its caches: it stops growing.
  assert.ok(
    bytes.every((size) => size > 0 && size < 128 * 2 ** 20),
    `${bytes}`,
  );
});
