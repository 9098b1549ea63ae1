// Compares layouts for this reader: one field in many chunkings and compressions, read by Node
// through links of several latencies and rates. It then simulates a million visits through an edge
// cache.
//
//   ./build.sh bench hosting [--quick] [--json FILE] [--markdown docs/reports/layouts.md]
import { readFileSync } from "node:fs";
import * as zarr from "../../dist/node.js";
import { random } from "../lib/random.mjs";
import { top } from "../lib/serve.mjs";
import { finish, median, optionsOf } from "./bench.mjs";
import { serveLink } from "./hosting/link.mjs";
import { accesses, section } from "./hosting/report.mjs";
import { aligned, edges, visit } from "./hosting/visits.mjs";

const option = optionsOf();
const data = `${top}build/bench/layouts/`;
const layouts = JSON.parse(readFileSync(`${data}layouts.json`, "utf8"));
const all = [10, 50, 200].flatMap((latency) => [20, 100].map((rate) => ({ latency, rate })));
const links = option.quick ? all.filter(({ latency, rate }) => latency === 50 && rate === 100) : all;
/** A read that takes longer than this, in ms, is not repeated for a median. */
const long = 1500;
const rounds = option.quick ? 1 : 3;
const slices = option.quick ? 100 : 300;
const visits = option.quick ? 100_000 : 1_000_000;
/** The number of variables in the visited data set. */
const variables = 40;

let number = 0;

/** Reads a selection like a visitor with empty caches. */
async function read(url, layout, selection) {
  const requests = [];
  // No two reads share an address, so none finds another's bytes in a cache.
  const onRequest = (event) => event.source === "request" && requests.push(event);
  const store = new zarr.FetchStore(`${url}${layout.name}?read=${number++}`, { onRequest });
  const began = performance.now();
  const array = await zarr.open.v3(store, { kind: "array" });
  const { data } = await zarr.get(array, selection);
  return { time: performance.now() - began, requests, elements: data.length };
}

async function measure() {
  const rows = [];
  for (const link of links) {
    const server = await serveLink(data, { latency: link.latency, rate: link.rate * 1e6 });
    for (const layout of layouts) {
      for (const { name, selection } of accesses) {
        const times = [];
        const before = { ...server.sent };
        while (times.length < rounds && !(times[0] > long))
          times.push((await read(server.url, layout, selection(times.length))).time);
        const requests = Math.round((server.sent.requests - before.requests) / times.length);
        const bytes = (server.sent.bytes - before.bytes) / times.length;
        rows.push({ ...link, layout: layout.name, access: name, time: median(times), requests, bytes });
      }
      console.error(`${link.latency} ms, ${link.rate} Mbit/s: ${layout.name}`);
    }
    await server.close();
  }
  return rows;
}

/** The requests of a visit to each of many slices: half of them map tiles, half series. */
async function traces(layout, url) {
  const { next } = random(7);
  const [tile, series] = ["map tile", "series"].map((wanted) => accesses.find(({ name }) => name === wanted));
  const out = [];
  for (let i = 0; i < slices; i++) {
    const { requests } = await read(url, layout, (i % 2 ? series : tile).selection(Math.floor(next() * 1e6)));
    out.push(
      requests
        .filter(({ status }) => status === 200 || status === 206)
        .map(({ key, range, bytes }) => {
          const size = objectSize(layout, key);
          const from = range ? (range.offset ?? Math.max(0, size - range.suffixLength)) : 0;
          return { object: key, from, to: from + bytes, size };
        }),
    );
  }
  return out;
}

/** Whether its objects are shards or large chunks that are read in parts. */
const inParts = ({ chunk, shard }) => shard !== undefined || 4 * chunk.reduce((a, b) => a * b) > 2 ** 22;

const sizes = new Map();
function objectSize({ name }, key) {
  const path = `${name}/${key.replace(/^\//, "")}`;
  if (!sizes.has(path)) sizes.set(path, readFileSync(data + path).length);
  return sizes.get(path);
}

async function simulate() {
  // The link determines which ranges of a shard merge; requests for whole objects are the same on
  // every link.
  const [server, fast] = [
    await serveLink(data, { latency: 20, rate: 100e6 }),
    await serveLink(data, { latency: 0, rate: 1e10 }),
  ];
  const rows = [];
  for (const layout of layouts.filter(({ codec }) => codec === "blosc-zstd")) {
    const asked = await traces(layout, (inParts(layout) ? server : fast).url);
    const variants = { "as planned": asked };
    if (layout.shard)
      for (const block of [64, 256])
        variants[`aligned to ${block} KiB`] = asked.map((list) => aligned(list, block * 1024));
    for (const [planned, list] of Object.entries(variants))
      for (const [edge, keeps] of Object.entries(edges))
        rows.push({
          layout: layout.name,
          planned,
          edge,
          visits,
          ...visit(list, variables, visits, keeps, (variables * layout.bytes) / 4),
        });
    console.error(`${visits} visits: ${layout.name}`);
  }
  await Promise.all([server.close(), fast.close()]);
  return rows;
}

const found = { layouts, measured: await measure(), simulated: await simulate() };
zarr.terminate();
const text = section(found, { links, slices, variables, visits });
console.log(text);
finish("hosting", option, found, () => text);
