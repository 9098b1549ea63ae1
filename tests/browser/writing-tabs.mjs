// Directories that pages write in Chromium: locks between tabs, and a full quota.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { hosting } from "../lib/hosting.mjs";

const rounds = Number(process.env.ROUNDS ?? 60);
const slow = { timeout: 180_000 };

const host = hosting({ playwright: true });
let context;
before(async () => {
  await host.start();
  context = await host.browser.newContext();
});

/** A tab of the common origin. */
async function tab() {
  const page = await context.newPage();
  await page.goto(`${host.server.url}tests/browser/directories.html`);
  await page.waitForFunction(() => window.ready === true, undefined, { timeout: 60_000 });
  return page;
}

test("two tabs and a worker that change parts of one chunk under its lock lose no change", slow, async () => {
  const [one, two] = [await tab(), await tab()];
  await one.evaluate(async () => {
    const store = new window.zarr.DirectoryStore(await window.folder("shared/a", true));
    await store.set("/c/0", new Uint8Array(new Uint32Array(1000).buffer));
  });
  /** Increments an element of the chunk, by a store on a folder or an outer folder. */
  const count = async ([element, rounds]) => {
    const zarr = await import("/dist/index.js");
    let folder = await navigator.storage.getDirectory();
    for (const name of ["shared", "a"]) folder = await folder.getDirectoryHandle(name);
    const store = new zarr.DirectoryStore(folder);
    for (let i = 0; i < rounds; i++) {
      await store.lock("c/0", async () => {
        const chunk = new Uint32Array((await store.get("/c/0")).slice().buffer);
        chunk[element]++;
        await store.set("/c/0", new Uint8Array(chunk.buffer));
      });
    }
  };
  const worker = ([text, origin, given]) =>
    new Promise((done, fail) => {
      const script = `(${text.replaceAll('import("/', `import("${origin}/`)})(${JSON.stringify(given)}).then(() => postMessage(1))`;
      const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
      const thread = new Worker(url, { type: "module" });
      thread.onmessage = () => done(thread.terminate());
      thread.onerror = (event) => fail(new Error(event.message));
    });
  await Promise.all([
    one.evaluate(count, [1, rounds]),
    two.evaluate(count, [2, rounds]),
    two.evaluate(worker, [String(count), host.server.url.slice(0, -1), [3, rounds]]),
  ]);
  const found = await one.evaluate(async () => {
    const store = new window.zarr.DirectoryStore(await window.folder("shared/a"));
    return [...new Uint32Array((await store.get("/c/0")).slice().buffer).subarray(0, 4)];
  });
  assert.deepEqual(found, [0, rounds, rounds, rounds]);
  await Promise.all([one.close(), two.close()]);
});

test("the lock of a tab that is closed is free", slow, async () => {
  const [one, two] = [await tab(), await tab()];
  await one.evaluate(async () => {
    const store = new window.zarr.DirectoryStore(await window.folder("held", true));
    await new Promise((held) => {
      store.lock("a", () => {
        held();
        return new Promise(() => {});
      });
    });
  });
  const taken = two.evaluate(async () => {
    const store = new window.zarr.DirectoryStore(await window.folder("held"));
    const { pending } = await new Promise((told) => {
      window.taken = store.lock("a", async () => {});
      const look = async () => {
        const state = await navigator.locks.query();
        if (state.pending.length > 0) told(state);
        else setTimeout(look, 5);
      };
      look();
    });
    return pending.map(({ name }) => name);
  });
  assert.deepEqual(await taken, ["zarr-wasm:private/held/a"]);
  await one.close();
  await two.evaluate(() => window.taken);
  await two.close();
});

test("a full disk is a StoreError, and old bytes stay", slow, async () => {
  const page = await tab();
  const session = await context.newCDPSession(page);
  const origin = host.server.url.slice(0, -1);
  await page.evaluate(async () => {
    const store = new window.zarr.DirectoryStore(await window.folder("full", true));
    await store.set("/a", new Uint8Array(1000).fill(1));
  });
  const { usage } = await session.send("Storage.getUsageAndQuota", { origin });
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: usage + 100_000 });
  const found = await page.evaluate(async () => {
    const store = new window.zarr.DirectoryStore(await window.folder("full"));
    const told = [];
    for (const key of ["/a", "/b/new", "/a"]) {
      const error = await store.set(key, new Uint8Array(5_000_000).fill(2)).catch((e) => e);
      const known = ["QuotaExceededError", "AbortError"].includes(error?.cause?.name);
      told.push([error?.name, known, /no space left/.test(error?.message)]);
    }
    const kept = await store.get("/a");
    return { told, kept: [kept.length, kept[0]], names: await store.listFolder("") };
  });
  await session.send("Storage.overrideQuotaForOrigin", { origin });
  const error = ["StoreError", true, true];
  assert.deepEqual(found, { told: [error, error, error], kept: [1000, 1], names: ["a"] });
  const after = await page.evaluate(async () => {
    const store = new window.zarr.DirectoryStore(await window.folder("full"));
    await store.set("/b/new", new Uint8Array(5_000_000).fill(2));
    return (await store.get("/b/new")).length;
  });
  assert.equal(after, 5_000_000);
  await page.close();
});
