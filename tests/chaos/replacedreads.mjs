// Reads arrays whose objects tests/chaos/replaced replaces meanwhile, in Node and in pages. Each
// element holds its index and the version of its object, so every result can be checked by itself.
import { random } from "../lib/random.mjs";

const numberBits = 21;

/** The fault of elements at positions: undefined, "mixed" or "wrong". */
function judge({ shape, object }, data, position) {
  const versions = new Map();
  for (let i = 0; i < data.length; i++) {
    const [y, x] = position(i);
    const element = data[i] >>> 0;
    if ((element & (2 ** numberBits - 1)) !== y * shape[1] + x) return "wrong";
    const version = element >>> numberBits;
    const id = `${Math.floor(y / object[0])},${Math.floor(x / object[1])}`;
    if ((versions.get(id) ?? version) !== version) return "mixed";
    versions.set(id, version);
  }
  return undefined;
}

/** The ways to read; each makes and checks a random read. */
const entries = {
  async get(_, array, about, pick) {
    const axes = about.shape.map((n) => axis(n, pick));
    const { data } = await array.get(axes.map(({ item }) => item));
    return judge(about, data, place(axes));
  },
  async view(_, array, about, pick) {
    const axes = about.shape.map((n) => axis(n, pick));
    const { data } = await array.view("int32").get(axes.map(({ item }) => item));
    return judge(about, data, place(axes));
  },
  async vindex(_, array, about, pick) {
    const count = 1 + pick(20);
    const coords = about.shape.map((n) => Array.from({ length: count }, () => pick(n)));
    const { data } = await array.vindex(coords);
    return judge(about, data, (i) => [coords[0][i], coords[1][i]]);
  },
  async getChunk(_, array, about, pick) {
    const chunk = array.chunks;
    const at = about.shape.map((n, d) => pick(Math.floor(n / chunk[d])));
    const { data } = await array.getChunk(at);
    return judge(about, data, (i) => [at[0] * chunk[0] + Math.floor(i / chunk[1]), at[1] * chunk[1] + (i % chunk[1])]);
  },
  async chunksIn(zarr, array, about, pick) {
    const chunk = array.chunks;
    const from = about.shape.map((n) => pick(n));
    const to = from.map((first, d) => Math.min(about.shape[d], first + 1 + pick(chunk[d])));
    // Each chunk is a separate read.
    for await (const { data, selection } of array.chunksIn(from.map((first, d) => zarr.slice(first, to[d])))) {
      const [rows, columns] = selection.map((item, d) =>
        typeof item === "object" && item ? item : { start: 0, stop: about.shape[d] },
      );
      const width = columns.stop - columns.start;
      const wrong = judge(about, data, (i) => [rows.start + Math.floor(i / width), columns.start + (i % width)]);
      if (wrong) return wrong;
    }
    return undefined;
  },
};

/** A random selection of one dimension, with steps, so that it touches many chunks. */
function axis(n, pick) {
  const count = 1 + pick(12);
  const step = 1 + pick(Math.max(1, Math.floor(n / count)));
  const start = pick(n - (count - 1) * step);
  return { item: { start, stop: start + (count - 1) * step + 1, step }, at: (i) => start + i * step, count };
}

function place([rows, columns]) {
  return (i) => [rows.at(Math.floor(i / columns.count)), columns.at(i % columns.count)];
}

/** The errors that a replaced object may cause. */
const named = new Set(["HttpError", "StoreError", "CodecPipelineError"]);

const caching = ["-", "no-store", "max-age=600", "no-cache"];

/** Opens an array of the server's in a session. */
async function open(zarr, url, { kind, store: at, path = "", name }, told, cache, odds, session) {
  const address = `${url}${told}/${cache}/${odds}/${session}/${at}`;
  const store = kind ? { [kind]: address } : address;
  for (let again = 0; ; again++) {
    try {
      const location = zarr.root(kind ? await storeOf(zarr, store) : new zarr.FetchStore(store)).resolve(path);
      return await (name === "v1" ? (zarr.open.v1 ?? zarr.open) : zarr.open)(location, { kind: "array" });
    } catch (error) {
      // An archive that was replaced during opening is another one the next time.
      if (again > 20 || !named.has(error.name)) throw error;
    }
  }
}

async function storeOf(zarr, description) {
  const { ZipStore, ReferenceStore, N5Store } = zarr;
  if ("zip" in description) return new ZipStore(description.zip);
  return "n5" in description ? new N5Store(description.n5) : new ReferenceStore(description.reference);
}

/**
 * Reads `count` times from arrays with a kind of validators, concurrently, in sessions of 48 reads
 * of one array. After each session its objects no longer change, and reads must be right: `again`.
 * @returns {Promise<{ reads: number, right: number, errors: number, mixed: number, wrong: number,
 * again: number, failed: number, messages: string[] }>}
 */
export async function replacedReads({ zarr, url, kind, count, seed, only = "" }) {
  const found = { reads: 0, right: 0, errors: 0, mixed: 0, wrong: 0, again: 0, failed: 0, messages: [] };
  const all = await (await fetch(`${url}-/arrays`)).json();
  const arrays = all.filter(({ sized, name }) => (sized || kind !== "size") && name.includes(only));
  const pick = random(seed);
  const names = Object.keys(entries);
  const note = (what) => found.messages.length < 20 && found.messages.push(what);
  for (let session = 0; found.reads < count; session++) {
    const about = arrays[session % arrays.length];
    // Its chunk has 8 MiB, which is sent often.
    if (about.name === "blosc" && arrays.length > 1 && Math.floor(session / arrays.length) % 4 > 0) continue;
    const id = `${kind}-${seed}-${session}`;
    const cache = caching[pick(caching.length)];
    const array = await open(zarr, url, about, kind, cache, 2 + pick(25), id);
    const small = pick(2) === 0;
    await zarr.caches(
      small
        ? { indexes: 0, decoded: 0, encoded: 200_000 }
        : { indexes: 32 << 20, decoded: 128 << 20, encoded: 64 << 20 },
    );
    const one = async (entry, still) => {
      const what = `${kind}, ${about.name}, ${cache}, session ${session}, ${entry}`;
      try {
        return [await entries[entry](zarr, array, about, random(pick(2 ** 31))), what];
      } catch (error) {
        if (still || !named.has(error.name)) note(`${what}: ${error.name}: ${error.message}`);
        return [named.has(error.name) ? "errors" : "failed", what];
      }
    };
    for (let batch = 0; batch < 3; batch++) {
      const batchOf = Array.from({ length: 16 }, () => one(names[pick(names.length)]));
      for (const [outcome, what] of await Promise.all(batchOf)) {
        found.reads++;
        found[outcome ?? "right"]++;
        if (outcome === "wrong" || (outcome === "mixed" && kind !== "none")) note(`${what}: ${outcome}`);
      }
    }
    await fetch(`${url}-/still/${id}`, { method: "POST" });
    for (let i = 0; i < 2; i++) {
      const [outcome, what] = await one(names[pick(names.length)], true);
      found.again++;
      if (outcome === undefined || kind === "none") continue;
      found.failed++;
      note(`${what}, when nothing changes any more: ${outcome}`);
    }
    await fetch(`${url}-/still/${id}`, { method: "DELETE" });
  }
  return found;
}

/** The subject of the scenario, in Node or on a page. */
export const make = ({ zarr }) => ({ reads: (settings) => replacedReads({ zarr, ...settings }) });
