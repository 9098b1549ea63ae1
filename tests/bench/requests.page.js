// The page of the request benchmark: reads by ours and by zarrita. tests/bench/requests.mjs calls
// globalThis.bench.
import * as zarrita from "/build/bench/zarrita.js";
import * as ours from "/dist/index.js";
import { archived, arrays, levels, members, referencesTo, right, value } from "/tests/tools/requests/values.mjs";

const names = Array.from({ length: members }, (_, i) => `a${i}`);

function zarritaWith(store, { consolidated = false, told = false } = {}) {
  const opener = (format) => (told ? zarrita.open[`v${format}`] : zarrita.open);
  const options = (format) => (told ? { format: `v${format}` } : {});
  return {
    open: (url, format) => opener(format)(store(url), { kind: "array" }),
    async openZip(url) {
      const archive = zarrita.ZipFileStore.fromUrl(url);
      return zarrita.open.v3(told ? zarrita.withByteCaching(archive) : archive, { kind: "array" });
    },
    async openAll(url, format) {
      const plain = store(url);
      const inner = consolidated ? await zarrita.withConsolidatedMetadata(plain, options(format)) : plain;
      const group = await opener(format)(inner, { kind: "group" });
      return Promise.all(names.map((name) => opener(format)(group.resolve(name), { kind: "array" })));
    },
    openTold: (url, format) => zarrita.open[`v${format}`](store(url), { kind: "array" }),
    openReferences: (document) => opener(2)(zarrita.ReferenceStore.fromSpec(document), { kind: "array" }),
    async openLevels(url, format) {
      const plain = store(url);
      // A caller that knows the version also knows that these have no consolidated metadata.
      const inner = consolidated && !format ? await zarrita.withMaybeConsolidatedMetadata(plain) : plain;
      const open = format ? zarrita.open[`v${format}`] : zarrita.open;
      const group = await open(inner, { kind: "group" });
      return Promise.all(levels.map((name) => open(group.resolve(name), { kind: "array" })));
    },
    get: (array, selection, signal) => zarrita.get(array, selection, { signal }),
  };
}

const merging = (url, options) => zarrita.withRangeCoalescing(new zarrita.FetchStore(url, options));
const suffix = (url) => merging(url, { useSuffixRequest: true });

/** The readers, by name. */
const clients = {
  ours: {
    open: (url) => ours.open(url, { kind: "array" }),
    openZip: (url) => ours.open({ zip: url }, { kind: "array" }),
    async openAll(url) {
      const group = await ours.open(url, { kind: "group" });
      return Promise.all(names.map((name) => group.open(name, { kind: "array" })));
    },
    openTold: (url, format) => ours.open[`v${format}`](url, { kind: "array" }),
    openReferences: (document) => ours.open({ reference: document }, { kind: "array" }),
    async openLevels(url, format) {
      const group = await (format
        ? ours.open[`v${format}`](url, { kind: "group", consolidated: false })
        : ours.open(url, { kind: "group" }));
      return Promise.all(levels.map((name) => group.open(name, { kind: "array" })));
    },
    openIcechunk: (url, path) =>
      ours.open(ours.root({ icechunk: url, branch: "main" }).resolve(path), { kind: "array" }),
    get: (array, selection, signal) => array.get(selection, { signal }),
  },
  // As its manual introduces it.
  zarrita: zarritaWith((url) => new zarrita.FetchStore(url)),
  // With its extensions for merged ranges and consolidated metadata.
  merging: zarritaWith(merging, { consolidated: true }),
  // And with bytes=-n in place of HEAD.
  suffix: zarritaWith(suffix, { consolidated: true }),
  // With all possible hints: the version, and a cache of every byte.
  told: zarritaWith((url) => zarrita.withByteCaching(suffix(url)), { consolidated: true, told: true }),
};

const selector = ([start, stop]) => ({ start, stop, step: null });

/** Reads regions of an array, all at once. */
const read = (client, array, ...regions) =>
  Promise.all(regions.map(async (region) => ({ region, data: (await client.get(array, region.map(selector))).data })));

const shapes = (all) => all.length === members && all.every((array, i) => array.shape.join() === `${i + 1},10`);
const values = (name) => (found) => found.every(({ region, data }) => right(arrays[name].shape, region, data));

const opening = (name) => ({
  data: name,
  run: (client, url) => client.open(url, arrays[name].format),
  right: (array) => array.shape.join() === arrays[name].shape.join(),
});
const group = (format) => ({
  data: `group${format}.zarr`,
  run: (client, url) => client.openAll(url, format),
  right: shapes,
});
const told = (name) => ({ ...opening(name), run: (client, url) => client.openTold(url, arrays[name].format) });
const multiscale = (data, format) => ({
  data,
  run: (client, url) => client.openLevels(url, format),
  right: (all) => all.length === levels.length && all.every(({ shape }, i) => shape[0] === 64 >> i),
});
const opened = (...regions) => ({
  data: "shards.zarr",
  run: async (client, url) => read(client, await client.open(url, 3), ...regions),
  right: values("shards.zarr"),
});

const top = [
  [0, 256],
  [0, 1024],
];
const after = (before, ...regions) => ({
  data: "shards.zarr",
  async prepare(client, url) {
    const array = await client.open(url, 3);
    if (before) await read(client, array, before);
    return array;
  },
  run: (client, array) => read(client, array, ...regions),
  right: values("shards.zarr"),
});
const rows = (from, to) => [
  [from, to],
  [0, 1024],
];

/** Opens a repository of Icechunk at its branch main, and reads. Only our reader supports it. */
const repository = (data, path, selection, [length, each]) => ({
  data: `icechunk/${data}`,
  async run(client, url) {
    if (!client.openIcechunk) throw new Error("reads no Icechunk");
    return client.get(await client.openIcechunk(url, path), selection);
  },
  right: ({ data }) => data.length === length && data.every((value) => value === each),
});

// 16 adjacent chunks.
const block = [
  [0, 256],
  [0, 1024],
];

/** The cases by name. `prepare` is neither timed nor counted. */
const cases = {
  "open v3": opening("v3.zarr"),
  "open v2": opening("v2.zarr"),
  "group v3": group(3),
  "group v2": group(2),
  "open.v2": told("v2.zarr"),
  "open.v3": told("v3.zarr"),
  "OME 0.4": multiscale("ome4.zarr"),
  "OME 0.5": multiscale("ome5.zarr"),
  "OME 0.4, told": multiscale("ome4.zarr", 2),
  "OME 0.5, told": multiscale("ome5.zarr", 3),
  "absent chunks": {
    data: "absent.zarr",
    prepare: (client, url) => client.openTold(url, 2),
    run: (client, array) => client.get(array, null),
    right: ({ data }) => data.length === 10_000 && data.every((value) => value === 0),
  },
  "one shard": opened(rows(0, 1024)),
  "four shards, together": opened([
    [768, 1280],
    [0, 2048],
  ]),
  "four shards, apart": opened([
    [512, 1536],
    [512, 1536],
  ]),
  "zip, 16 chunks": {
    data: `${archived}.zip`,
    run: async (client, url) => read(client, await client.openZip(url), block),
    right: values(archived),
  },
  "zip, again": {
    data: `${archived}.zip`,
    async prepare(client, url) {
      const array = await client.openZip(url);
      await read(client, array, block);
      return array;
    },
    run: (client, array) => read(client, array, block),
    right: values(archived),
  },
  again: after(top, top),
  neighbour: after(top, rows(256, 512)),
  "three callers": after(undefined, rows(0, 600), rows(300, 900), rows(200, 1024)),
  scrub: {
    data: "cube.zarr",
    prepare: (client, url) => client.open(url, 3),
    async run(client, array) {
      const found = [];
      for (let i = 0; i < 64; i++) {
        const { data } = await client.get(array, [i, null, null]);
        found.push({
          region: [
            [i, i + 1],
            [0, 128],
            [0, 128],
          ],
          data,
        });
      }
      return found;
    },
    right: values("cube.zarr"),
  },
  tiles: {
    data: "tiles.zarr",
    prepare: (client, url) => client.open(url, 3),
    async run(client, array) {
      const tiles = Array.from({ length: 100 }, (_, i) => {
        const [y, x] = [128 * Math.floor(i / 10), 128 * (i % 10)];
        const region = [
          [y, y + 128],
          [x, x + 128],
        ];
        const control = new AbortController();
        return { region, control, answer: client.get(array, region.map(selector), control.signal) };
      });
      const wanted = tiles.filter((_, i) => i % 10 === 9);
      const others = tiles.filter((_, i) => i % 10 !== 9);
      for (const { answer } of others) answer.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 10)); // the requests have been sent
      for (const { control } of others) control.abort();
      return Promise.all(wanted.map(async ({ region, answer }) => ({ region, data: (await answer).data })));
    },
    right: values("tiles.zarr"),
  },
  icechunk: repository("test-repo-v2", "group1/big_chunks", [{ start: 5, stop: 10, step: null }, null], [50, 42]),
  "icechunk, split": repository("split-repo-v2", "group1/split", null, [100, 14]),
  references: {
    data: "file.nc",
    run: async (client, url) => client.get(await client.openReferences(referencesTo(url)), null),
    right: ({ data }) => data.length === 100 * 16_384 && data.every((byte, i) => byte === (value(0, i) & 255)),
  },
};

/** Asks the server for its requests, after the last one. */
async function log(control) {
  for (;;) {
    const { requests, busy } = await (await fetch(control)).json();
    if (busy === 0) return requests;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

globalThis.bench = async (name, who, base, run) => {
  const { data, prepare, run: body, right: isRight } = cases[name];
  const client = clients[who];
  const url = new URL(`${data}?run=${run}`, base).href; // unknown to every cache
  const control = new URL("/-/faults", base);
  const prepared = prepare ? await prepare(client, url) : url;
  await log(control);
  await fetch(control, { method: "PUT" });
  const began = performance.now();
  const result = await body(client, prepared);
  const ms = performance.now() - began;
  return { ms, right: isRight(result), requests: await log(control) };
};
await ours.init();
globalThis.ready = { cases: Object.keys(cases), clients: Object.keys(clients) };
