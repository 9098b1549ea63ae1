// The suite that every store of the package passes: the counterpart of store/storetest for
// JavaScript. It runs in Node (stores.test.mjs) and in a page (tests/browser/stores.mjs). The
// engine reads all stores.
import { arrayV2, arrayV3, groupV3, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { demand, pattern, rejected, same } from "./suite.mjs";

const text = (value) => (typeof value === "string" ? new TextEncoder().encode(value) : json(value));

const array = (length, chunk, codecs = []) =>
  json(arrayV3([length], "uint8", { chunks: [chunk], codecs: [{ name: "bytes" }, ...codecs], fill_value: 7 }));

/** The objects in the suite's stores, by key without its slash. */
export function objects() {
  const all = new Map([
    ["zarr.json", json(groupV3({ title: "suite" }))],
    ["a/zarr.json", array(1000, 300)],
    ["a/c/0", pattern(300, 1)],
    ["a/c/1", pattern(300, 2)],
    ["a/c/3", pattern(300, 3)],
    ["old/.zarray", json(arrayV2([4], "|u1", { chunks: [2], fill_value: 9 }))],
    ["old/0", Uint8Array.of(1, 2)],
    ["empty", new Uint8Array(0)],
    ["one", Uint8Array.of(42)],
    ["large", pattern(300_000)],
    ["name with spaces/ä+%20&#?", pattern(50)],
  ]);
  return all;
}

/** The elements of the array "a". */
function elements(all) {
  const want = new Uint8Array(1200).fill(7);
  for (const i of [0, 1, 3]) want.set(all.get(`a/c/${i}`), 300 * i);
  return want.subarray(0, 1000);
}

/** A store's answer to a range: the bytes, or undefined if the object is shorter. */
function cut(bytes, range) {
  const from = "suffixLength" in range ? bytes.length - range.suffixLength : range.offset;
  const to = "suffixLength" in range ? bytes.length : range.offset + range.length;
  return from < 0 || to > bytes.length ? undefined : bytes.subarray(from, to);
}

const cases = {
  async "all bytes of each key, repeatedly, concurrently, and owned by the caller"({ store, all }) {
    for (let i = 0; i < 2; i++) {
      const got = await Promise.all([...all.keys()].flatMap((key) => [store.get(`/${key}`), store.get(`/${key}`)]));
      [...all].forEach(([key, bytes], k) => {
        demand(same(got[2 * k], bytes) && same(got[2 * k + 1], bytes), `${key}: ${got[2 * k]?.subarray(0, 16)}`);
        got[2 * k].fill(255);
      });
    }
  },

  async "absent keys are undefined by every method, and others stay readable"({ store, all }) {
    for (const key of ["none", "a/none", "a", "a/c", "a/c/2", "one/none", "name"]) {
      demand((await store.get(`/${key}`)) === undefined, `${key} is there`);
      demand((await store.getRange(`/${key}`, { offset: 0, length: 1 })) === undefined, `a range of ${key}`);
      demand((await store.getRange(`/${key}`, { suffixLength: 1 })) === undefined, `the end of ${key}`);
      demand(same(await store.get("/one"), all.get("one")), "one");
    }
  },

  async "ranges, and an error beyond the end"({ zarr, store, all, seed }) {
    const next = random(seed);
    const keys = ["large", "one", "empty", "a/c/1"];
    for (let i = 0; i < 60; i++) {
      const key = keys[next(keys.length)];
      const bytes = all.get(key);
      const length = next(3) === 0 ? next(bytes.length + 3) : next(Math.min(bytes.length, 100) + 1);
      const range = next(3) === 0 ? { suffixLength: length } : { offset: next(bytes.length + 2), length };
      const want = cut(bytes, range);
      const about = `${key} ${JSON.stringify(range)}`;
      if (want) demand(same(await store.getRange(`/${key}`, range), want), about);
      else {
        // a page's store may return nothing for an empty range
        if (range.length === 0) continue;
        const error = await rejected(store.getRange(`/${key}`, range), about);
        demand(zarr.isZarrError(error, "StoreError", "HttpError"), `${about}: ${error}`);
      }
    }
  },

  async "an invalid key is a named error"({ zarr, store, all }) {
    for (const key of ["", "/", "//", "/a/", "/a//c", "/..", "/a/../one", "/./one"]) {
      const error = await rejected(store.get(key), JSON.stringify(key));
      demand(zarr.isZarrError(error, "StoreError"), `${JSON.stringify(key)}: ${error}`);
    }
    for (const key of [7, null, undefined, {}]) {
      demand((await rejected(store.get(key), String(key))) instanceof TypeError, String(key));
    }
    demand(same(await store.get("/one"), all.get("one")), "one");
  },

  async "an aborted read rejects with the reason, and the next one succeeds"({ store, all }) {
    const aborted = AbortSignal.abort(new Error("before"));
    demand((await rejected(store.get("/large", { signal: aborted }), "aborted")).message === "before", "before");
    for (let i = 0; i < 5; i++) {
      const control = new AbortController();
      const reads = ["large", "a/c/0", "none"].map((key) => store.get(`/${key}`, { signal: control.signal }));
      if (i > 0) await new Promise((resolve) => setTimeout(resolve, i));
      control.abort(new Error("stop"));
      for (const { status, reason } of await Promise.allSettled(reads)) {
        demand(status === "fulfilled" || reason.message === "stop", String(reason));
      }
      demand(same(await store.get("/large"), all.get("large")), "large");
    }
  },

  async "arrays of both versions, twice and in any order"({ zarr, store, all }) {
    const want = elements(all);
    for (let i = 0; i < 2; i++) {
      const [a, old] = await Promise.all([
        zarr.open.v3(zarr.root(store).resolve("a"), { kind: "array" }),
        zarr.open.v2(zarr.root(store).resolve("old"), { kind: "array" }),
      ]);
      const [whole, part, two] = await Promise.all([a.get(), a.get([zarr.slice(250, 950)]), old.get()]);
      demand(same(whole.data, want) && same(part.data, want.subarray(250, 950)), "a");
      demand(same(two.data, [1, 2, 9, 9]), `old: ${two.data}`);
      const group = await zarr.open(store, { kind: "group" });
      demand(group.attrs.title === "suite", "the title");
      const error = await rejected(zarr.open(zarr.root(store).resolve("none")), "none");
      demand(zarr.isZarrError(error, "NotFoundError"), String(error));
    }
  },

  async "reads at random, many at once, some aborted"({ store, all, seed }) {
    const next = random(seed + 1);
    const keys = [...all.keys(), "none", "a/c/2"];
    const read = async () => {
      const key = keys[next(keys.length)];
      const bytes = all.get(key);
      const control = new AbortController();
      const abort = next(5) === 0;
      const offset = next((bytes?.length ?? 0) + 1);
      const range = next(2) === 0 ? { offset, length: next((bytes?.length ?? 1) - offset + 1) } : undefined;
      const options = { signal: control.signal };
      const reading = range ? store.getRange(`/${key}`, range, options) : store.get(`/${key}`, options);
      if (abort) setTimeout(() => control.abort(new Error("stop")), next(4));
      let got;
      try {
        got = await reading;
      } catch (error) {
        demand(abort && error.message === "stop", `${key} ${JSON.stringify(range)}: ${error}`);
        return;
      }
      const want = bytes && (range ? cut(bytes, range) : bytes);
      demand(want ? same(got, want) : got === undefined, `${key} ${JSON.stringify(range)}`);
    };
    for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 40 }, read));
  },
};

/**
 * Runs the suite on a kind of store. `make` returns a store of the objects.
 * @returns {Promise<{name: string, error?: string}[]>}
 */
export async function run(zarr, make, seed = 1) {
  const results = [];
  for (const [name, one] of Object.entries(cases)) {
    const all = objects();
    try {
      const made = await make(all);
      // Read by the engine, for its own stores and the page's.
      const store = new zarr.ComposedStore({ overlay: [made] });
      await one({ zarr, store, all, seed });
      if (made instanceof zarr.FetchStore || made instanceof zarr.ComposedStore)
        await one({ zarr, store: made, all, seed });
      results.push({ name });
    } catch (error) {
      results.push({ name, error: `${error?.stack ?? error}` });
    }
  }
  return results;
}

// ---- containers for the suite -----------------------------------------------------------

/** CRC-32, as zip archives have it. */
function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** Node 20.3 has no "deflate-raw": this removes zlib's header of 2 bytes and checksum of 4. */
async function deflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer()).slice(2, -4);
}

/** A zip archive of the objects. */
export async function zip(all, deflate = false) {
  const parts = [];
  const directory = [];
  let offset = 0;
  const put = (list, ...fields) => {
    for (const [size, value] of fields) {
      const bytes = new Uint8Array(size);
      new DataView(bytes.buffer)[size === 2 ? "setUint16" : "setUint32"](0, value, true);
      list.push(bytes);
    }
  };
  for (const [key, bytes] of all) {
    const name = text(key);
    const stored = deflate ? await deflated(bytes) : bytes;
    const about = [
      [2, 20],
      [2, 0x800], // names are UTF-8
      [2, deflate ? 8 : 0],
      [4, 0],
      [4, crc32(bytes)],
      [4, stored.length],
      [4, bytes.length],
      [2, name.length],
      [2, 0],
    ];
    put(parts, [4, 0x04034b50], ...about);
    parts.push(name, stored);
    put(directory, [4, 0x02014b50], [2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    directory.push(name);
    offset += 30 + name.length + stored.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  put(directory, [4, 0x06054b50], [2, 0], [2, 0], [2, all.size], [2, all.size], [4, size], [4, offset], [2, 0]);
  return new Blob([...parts, ...directory]);
}

/**
 * References to the objects: small ones inline, the others as parts of one file at a URL from
 * `pack`.
 */
export async function references(all, pack) {
  const refs = {};
  const parts = [];
  let offset = 0;
  for (const [key, bytes] of all) {
    if (bytes.length < 20 || !pack) {
      refs[key] = `base64:${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
      continue;
    }
    refs[key] = ["pack.bin", offset, bytes.length];
    parts.push(bytes);
    offset += bytes.length;
  }
  const document = text({ version: 1, refs });
  if (!pack) return new Blob([document]);
  return pack({ "refs.json": document, "pack.bin": new Uint8Array(await new Blob(parts).arrayBuffer()) });
}
