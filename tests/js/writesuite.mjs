// The suite that every writable JavaScript store passes: the counterpart of the writing half of
// store/storetest. It runs in Node (writing-stores.test.mjs) and in a page
// (tests/browser/writing.mjs). It calls the stores directly, without an engine.

import { random } from "../lib/random.mjs";
import { demand, pattern, rejected, same } from "./suite.mjs";

/** The names directly below a folder of a model. */
function namesIn(model, folder) {
  const prefix = folder && `${folder}/`;
  const names = [...model.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  return [...new Set(names.map((name) => name.replace(/\/.*/, "/")))].sort();
}

/** A key from a few: a folder's name is never an object's. */
function randomKey(next) {
  let key = "";
  for (let n = next(3); n > 0; n--) key += `d${next(3)}/`;
  return `${key}k${next(4)}`;
}

/** Compares a store with a model: an object, a part of it, and a list. */
async function like({ store, lists = true }, model, key, next, about) {
  const want = model.get(key);
  const got = await store.get(`/${key}`);
  demand(want ? same(got, want) : got === undefined, `${about}: ${key} has ${got?.length} bytes, not ${want?.length}`);
  if (want?.length > 0 && store.getRange) {
    const offset = next(want.length);
    const length = 1 + next(want.length - offset);
    const part = await store.getRange(`/${key}`, { offset, length });
    demand(same(part, want.subarray(offset, offset + length)), `${about}: ${key} from ${offset}, ${length} bytes`);
  }
  if (!store.listFolder || !lists) return;
  const folder = key.slice(0, Math.max(0, key.lastIndexOf("/")));
  const names = [...(await store.listFolder(folder))].sort();
  const wanted = namesIn(model, folder);
  demand(String(names) === String(wanted), `${about}: ${folder || "the root"} has ${names}, not ${wanted}`);
}

/** The size of each version of an object in bytes. */
const size = 100_000;
/** An object whose every byte states its version. */
const version = (n) => new Uint8Array(size + n).fill(n);
const uniform = (bytes) => bytes.length > 0 && bytes.every((byte) => byte === bytes[0]);

const cases = {
  async "set writes objects of any size, over old ones, and changes nothing else"({ store, refuses }) {
    await store.set("/old", Uint8Array.of(1));
    const keys = [
      "zarr.json",
      "a/.zarray",
      "a/0.0",
      "c/0/1/2",
      "deep/er/and/er/0",
      "with spaces/zarr.json",
      "per%cent/0",
    ];
    keys.push("%2e%2e/0", "hash#tag/0", "grüße/日本/🧊", "...", "..a", ".a/.b", "plus+plus/0", "semi;colon", "star!()");
    for (const [i, key] of keys.entries()) {
      if (refuses?.(key)) continue;
      for (const n of i === 0 ? [0, 1, 1000, 7, (5 << 20) + 3, 7] : [1000, 0, 7]) {
        const bytes = pattern(n + i);
        await store.set(`/${key}`, bytes);
        demand(same(await store.get(`/${key}`), bytes), `${key}, ${n} bytes`);
      }
    }
    const part = new Uint8Array(100).fill(9).subarray(40, 50);
    await store.set("/part", part);
    demand(same(await store.get("/part"), part), "a part of a buffer");
    demand(same(await store.get("/old"), [1]), "another key");
  },

  async "an invalid key or value is a named error, and nothing changes"({ zarr, store, any }) {
    await store.set("/a/b", Uint8Array.of(1));
    for (const key of any
      ? []
      : ["", "/", "//", "/a/", "/a//b", "/./a", "/a/./b", "/..", "/../a", "/a/../b", "/a/..", "a"]) {
      for (const write of [(k) => store.set(k, Uint8Array.of(2)), (k) => store.delete(k)]) {
        const error = await rejected(write(key), JSON.stringify(key));
        demand(zarr.isZarrError(error, "StoreError"), `${JSON.stringify(key)}: ${error}`);
      }
    }
    if (!any) {
      for (const path of ["/", "..", "a/..", "a/", "/a"]) {
        const error = await rejected(store.deleteFolder(path), path);
        demand(zarr.isZarrError(error, "StoreError"), `${path}: ${error}`);
      }
      for (const key of [7, null, undefined, {}]) {
        demand((await rejected(store.set(key, new Uint8Array(1)), String(key))) instanceof TypeError, String(key));
      }
      for (const bytes of [undefined, null, "text", [1], new ArrayBuffer(1), new Float32Array(1)]) {
        demand((await rejected(store.set("/a/b", bytes), String(bytes))) instanceof TypeError, String(bytes));
      }
    }
    demand(same(await store.get("/a/b"), [1]), "what was there");
  },

  async "steps in random order, compared with a model after each"(has) {
    const { make, seed } = has;
    for (let run = 0; run < 3; run++) {
      const next = random(100 * seed + run);
      const here = { ...has, ...(await make()) };
      const { store } = here;
      const model = new Map();
      for (let step = 0; step < 40; step++) {
        const key = randomKey(next);
        const what = next(10);
        const folder = key.slice(0, Math.max(0, key.lastIndexOf("/")));
        if (what < 4) {
          const bytes = pattern(next(3000), step);
          await store.set(`/${key}`, bytes);
          model.set(key, bytes);
        } else if (what < 6) {
          await store.delete(`/${key}`);
          model.delete(key);
        } else if (what === 6 && store.deleteFolder && next(3) === 0) {
          await store.deleteFolder(folder);
          for (const k of [...model.keys()]) if (folder === "" || k.startsWith(`${folder}/`)) model.delete(k);
        }
        await like(here, model, key, next, `seed ${seed}, run ${run}, step ${step}`);
      }
      for (const key of model.keys()) await like(here, model, key, next, `seed ${seed}, run ${run}, at the end`);
    }
  },

  async "writes of one key at once: the last one stays; of many keys: each"({ store }) {
    const all = Array.from({ length: 60 }, (_, i) => pattern(500 + i));
    await Promise.all([
      ...all.map((bytes) => store.set("/one", bytes)),
      ...all.map((bytes, i) => store.set(`/many/${i % 7}/${i}`, bytes)),
    ]);
    demand(same(await store.get("/one"), all.at(-1)), "the last one");
    for (const [i, bytes] of all.entries()) demand(same(await store.get(`/many/${i % 7}/${i}`), bytes), `many ${i}`);
    await Promise.all([store.set("/one", all[0]), store.delete("/one"), store.set("/one", all[3])]);
    demand(same(await store.get("/one"), all[3]), "after a deletion");
    await Promise.all([store.set("/one", all[0]), store.delete("/one")]);
    demand((await store.get("/one")) === undefined, "deleted last");
  },

  async "during repeated writes, each read has one whole version, never older than the last"({ store, other }) {
    await store.set("/a/0", version(1));
    let writes = true;
    const reader = async () => {
      for (let last = 0; writes; ) {
        const bytes = await other.get("/a/0");
        demand(bytes && uniform(bytes) && bytes.length === size + bytes[0], `${bytes?.length} bytes of ${bytes?.[0]}`);
        demand(bytes[0] >= last, `version ${bytes[0]} after ${last}`);
        last = bytes[0];
        await new Promise((next) => setTimeout(next));
      }
    };
    const readers = Promise.all([reader(), reader()]);
    readers.catch(() => {});
    for (let n = 2; n < 30; n++) await store.set("/a/0", version(n));
    writes = false;
    await readers;
  },

  async "during creation and deletion, an object is whole or absent, and so is its listing"({ store, other, bare }) {
    let writes = true;
    const reader = async () => {
      while (writes) {
        const bytes = await other.get("/new/0");
        demand(
          bytes === undefined || bytes.length === 50_000 || (bare && bytes.length === 0),
          `${bytes?.length} bytes`,
        );
        const names = (await other.listFolder?.("new")) ?? [];
        demand(names.length === 0 || String(names) === "0", `listed: ${names}`);
        await new Promise((next) => setTimeout(next));
      }
    };
    const readers = Promise.all([reader(), reader()]);
    readers.catch(() => {});
    for (let n = 0; n < 25; n++) {
      await store.set("/new/0", new Uint8Array(50_000).fill(n));
      await store.delete("/new/0");
    }
    writes = false;
    await readers;
    demand((await other.listFolder?.(""))?.length !== 1, "an empty folder stays");
  },

  async "two stores of one place write and delete below the same folders: each last write stays"(has) {
    const next = random(has.seed + 5);
    const models = [new Map(), new Map()];
    await Promise.all(
      [has.store, has.other].map(async (store, w) => {
        for (let step = 0; step < 60; step++) {
          const key = `${randomKey(next)}-${w}`;
          if (next(2) === 0) {
            await store.delete(`/${key}`);
            models[w].delete(key);
          } else {
            const bytes = pattern(next(3000), step);
            await store.set(`/${key}`, bytes);
            models[w].set(key, bytes);
          }
        }
      }),
    );
    const all = new Map([...models[0], ...models[1]]);
    for (const key of all.keys()) await like(has, all, key, next, "two stores");
  },

  async "a write that is aborted ends with the reason, and leaves old bytes or new ones"({ store, aborts = true }) {
    if (!aborts) return;
    const reason = new Error("enough");
    await store.set("/a", version(1));
    const aborted = { signal: AbortSignal.abort(reason) };
    for (const write of [() => store.set("/a", version(2), aborted), () => store.delete("/a", aborted)]) {
      demand((await rejected(write(), "aborted before")) === reason, "another reason");
    }
    demand(same(await store.get("/a"), version(1)), "aborted before");
    for (let i = 0; i < 12; i++) {
      const control = new AbortController();
      const writes = ["/a", "/b/c", "/a"].map((key) => store.set(key, version(2 + i), { signal: control.signal }));
      if (i > 0) await new Promise((next) => setTimeout(next, i % 4));
      control.abort(reason);
      for (const { status, reason: why } of await Promise.allSettled(writes)) {
        demand(status === "fulfilled" || why === reason, String(why));
      }
      for (const key of ["/a", "/b/c"]) {
        const bytes = await store.get(key);
        demand(
          bytes === undefined ? key !== "/a" : uniform(bytes) && bytes.length === size + bytes[0],
          `half of ${key}`,
        );
      }
      await store.set("/a", version(40));
      demand(same(await store.get("/a"), version(40)), "after it");
    }
    const names = (await store.listFolder?.("")) ?? [];
    demand(
      names.every((name) => name === "a" || name === "b/"),
      `left: ${names}`,
    );
  },

  async "under a lock, no update is lost; a waiter can abort, and a failure releases the lock"({
    store,
    other,
    rounds = 40,
  }) {
    if (!store.lock) return;
    await store.set("/count", new TextEncoder().encode("0"));
    const add = (one) =>
      one.lock("count", async () => {
        const n = Number(new TextDecoder().decode(await one.get("/count")));
        await one.set("/count", new TextEncoder().encode(String(n + 1)));
      });
    await Promise.all(Array.from({ length: rounds }, (_, i) => add(i % 2 ? store : other)));
    demand(new TextDecoder().decode(await store.get("/count")) === String(rounds), "an update is lost");
    const reason = new Error("enough");
    const control = new AbortController();
    let ran = 0;
    await store.lock("count", async () => {
      const waits = other.lock("count", async () => void ran++, { signal: control.signal });
      await other.lock("another", async () => {}); // waits for no one
      control.abort(reason);
      demand((await rejected(waits, "a lock that is given up")) === reason && ran === 0, "it did not give up");
    });
    const failed = await rejected(
      store.lock("count", () => Promise.reject(reason)),
      "a function that fails",
    );
    demand(failed === reason, String(failed));
    await other.lock("count", async () => void ran++);
    demand(ran === 1, "it did not let go");
  },
};

/**
 * Runs the suite on a kind of store. `make` returns an empty store, another one at the same place,
 * and the kind's properties. `any`: it accepts any key. `bare`: a new object is empty until it is
 * complete. `aborts: false`: a write completes at once.
 * @returns {Promise<{name: string, error?: string}[]>}
 */
export async function runWriting(zarr, make, seed = 1) {
  const results = [];
  for (const [name, one] of Object.entries(cases)) {
    try {
      await one({ zarr, make, seed, ...(await make()) });
      results.push({ name });
    } catch (error) {
      // In Firefox and WebKit, an error's stack omits its message.
      const { name: kind = "", stack = "", cause } = Object(error);
      results.push({ name, error: `${error} (${kind}, of ${cause})\n${stack}` });
    }
  }
  return results;
}
