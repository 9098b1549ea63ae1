// The cost of reading in requests, round trips and time, compared with zarrita. It runs in
// Chromium, against a server that delays every answer by 50 ms, from another origin and from the
// page's own. The server counts the requests.
//
//   ./build.sh bench requests [--case WORD] [--rounds N] [--latency 50ms] [--cache HEADER]
//                             [--json FILE] [--markdown docs/reports/benchmarks.md] [--log]
//                             [--quick]
//
// --log lists our requests of the last round, with the milliseconds since the first.
import { cpSync } from "node:fs";
import { build } from "esbuild";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";
import { write } from "../tools/requests/write.mjs";
import { finish, machine, median, optionsOf, spread } from "./bench.mjs";
import { section } from "./requests-report.mjs";

const option = optionsOf({
  case: { type: "string", default: "" },
  rounds: { type: "string" },
  latency: { type: "string", default: "50ms" },
  cache: { type: "string", default: "no-cache" },
  log: { type: "boolean" },
});
const rounds = Number(option.rounds ?? (option.quick ? 2 : 7));
const data = "build/bench/requests/";

/**
 * Our goals: the most requests for chunks, the most round trips, and the largest share of the time
 * of zarrita's best. `fewest` demands no more requests than any other reader, or than the named
 * ones.
 */
const goals = {
  "open v3": { trips: 1, time: 0.8 },
  "open v2": { trips: 1, time: 0.8 },
  "group v3": { trips: 1, time: 0.8 },
  "group v2": { trips: 1, time: 0.8 },
  "open.v2": { trips: 1, time: 1, fewest: true },
  "open.v3": { trips: 1, time: 1.1, fewest: true },
  // Among readers without hints, compare those that look for consolidated metadata, as ours does.
  "OME 0.4": { trips: 2, time: 0.8, fewest: ["merging", "suffix"] },
  "OME 0.5": { trips: 2, time: 0.8, fewest: ["merging", "suffix"] },
  "OME 0.4, told": { trips: 2, time: 1, fewest: true },
  "OME 0.5, told": { trips: 2, time: 1.1, fewest: true },
  "absent chunks": { time: 1.1, fewest: true },
  "one shard": { requests: 2, trips: 3, time: 0.8 },
  "four shards, together": { requests: 8, trips: 3, time: 0.8 },
  "four shards, apart": { requests: 12, trips: 3, time: 0.8 },
  // From another origin the size needs a request first. The first bytes may be requested again, as
  // part of the archive or before a chunk.
  "zip, 16 chunks": { requests: 3, trips: 2, time: 0.8, "cross-origin": { requests: 4, trips: 3 }, twice: 80e3 },
  "zip, again": { requests: 0, trips: 0, time: 0.1 },
  again: { requests: 0, trips: 0, time: 0.1 },
  neighbour: { requests: 1, trips: 1, time: 0.8 },
  "three callers": { time: 0.8 },
  scrub: { requests: 1, time: 0.1 },
  tiles: { time: 0.8 },
  icechunk: { requests: 6, trips: 4, fewest: true },
  // Chromium has six connections to a server: 16 manifests, or 16 chunks, take three trips.
  "icechunk, split": { requests: 35, trips: 8, fewest: true },
  references: { requests: 2, trips: 1, time: 0.3, fewest: true },
};

/**
 * The number of dependent requests: the longest chain in which each began after the previous one
 * had ended.
 */
function trips(requests) {
  const chain = [];
  for (const request of [...requests].sort((a, b) => a.began - b.began)) {
    const before = chain.filter(({ ended }) => ended <= request.began);
    chain.push({ ended: request.ended, depth: 1 + Math.max(0, ...before.map(({ depth }) => depth)) });
  }
  return Math.max(0, ...chain.map(({ depth }) => depth));
}

/** The bytes that were sent more than once, and the number of repeated requests. */
function repeated(requests) {
  const byPath = new Map();
  const seen = new Set();
  let [bytes, same] = [0, 0];
  for (const { method, path, header, bytes: size, aborted } of requests) {
    const key = `${method} ${path} ${header.Range ?? ""}`;
    if (seen.has(key)) same++;
    seen.add(key);
    if (method !== "GET" || aborted) continue;
    const range = /^bytes=(\d+)-(\d+)$/.exec(header.Range ?? "");
    if (/^bytes=-/.test(header.Range ?? "")) continue; // the range is unknown here
    const span = range ? [Number(range[1]), Number(range[2]) + 1] : [0, size];
    const others = byPath.get(path) ?? byPath.set(path, []).get(path);
    for (const [from, to] of others) bytes += Math.max(0, Math.min(to, span[1]) - Math.max(from, span[0]));
    others.push(span);
  }
  return { bytes, same };
}

function summary(runs) {
  const count = (method) => median(runs.map(({ requests }) => requests.filter((r) => r.method === method).length));
  return {
    ms: median(runs.map(({ ms }) => ms)),
    spread: spread(runs.map(({ ms }) => ms)),
    get: count("GET"),
    head: count("HEAD"),
    options: count("OPTIONS"),
    chunks: median(runs.map(({ requests }) => requests.filter((r) => !/\/(zarr\.json|\.z\w+)$/.test(r.path)).length)),
    total: median(runs.map(({ requests }) => requests.length)),
    kb: Math.round(median(runs.map(({ requests }) => requests.reduce((sum, r) => sum + r.bytes, 0))) / 1000),
    aborted: median(runs.map(({ requests }) => requests.filter((r) => r.aborted).length)),
    trips: median(runs.map(({ requests }) => trips(requests))),
    twice: median(runs.map(({ requests }) => repeated(requests).bytes)),
    same: median(runs.map(({ requests }) => repeated(requests).same)),
    right: runs.every(({ right }) => right),
    failed: runs.find(({ failed }) => failed)?.failed,
  };
}

function list(requests) {
  const zero = Math.min(...requests.map(({ began }) => began));
  for (const { method, path, header, status, bytes, began, ended, aborted } of requests) {
    const span = `${(began - zero).toFixed(0)}-${(ended - zero).toFixed(0)}`;
    const end = aborted ? "aborted" : "";
    console.log(`    ${span.padEnd(10)} ${method} ${path} ${header.Range ?? ""} ${status} ${bytes} bytes ${end}`);
  }
}

/**
 * The readers that ours is compared with. The table also shows zarrita with hints that ours finds
 * out itself.
 */
const isPeer = ([who, { failed }]) => who !== "ours" && who !== "told" && !failed;

function missed(name, found, origin) {
  const { requests, trips, time, fewest, twice = 0 } = { ...goals[name], ...goals[name][origin] };
  const own = found.ours;
  const best = Math.min(
    ...Object.entries(found)
      .filter(isPeer)
      .map(([, { ms }]) => ms),
  );
  const words = [];
  if (own.failed) words.push(own.failed);
  if (!own.right) words.push("wrong values");
  if (own.chunks > requests) words.push(`${own.chunks} requests of chunks, not ${requests}`);
  if (own.trips > trips) words.push(`${own.trips} round trips, not ${trips}`);
  if (own.options > 0) words.push(`${own.options} OPTIONS`);
  if (own.head > 0) words.push(`${own.head} HEAD`);
  if (own.same > 0) words.push(`${own.same} requests repeated`);
  if (own.twice > twice) words.push(`${own.twice} bytes sent twice`);
  if (own.ms > time * best) words.push(`${(own.ms / best).toFixed(2)} of the best time, not ${time}`);
  for (const [who, { total, failed }] of Object.entries(found)) {
    const counts = fewest === true || fewest?.includes(who);
    if (counts && !failed && own.total > total) words.push(`${own.total} requests, and ${total} of ${who}`);
  }
  if (!fewest && own.ms > 0.4 * found.zarrita.ms)
    words.push(`${(own.ms / found.zarrita.ms).toFixed(2)} of the default's time, not 0.4`);
  return words;
}

// ---- the run ------------------------------------------------------------------------

await write(`${top}${data}`);
const icechunk = "build/fixtures/public/earth-mover+icechunk/icechunk-python/tests/data";
cpSync(`${top}${icechunk}`, `${top}${data}icechunk`, { recursive: true });
await build({
  absWorkingDir: top,
  stdin: {
    contents: `export * from "zarrita";
      export { default as ReferenceStore } from "@zarrita/storage/ref";
      export { default as ZipFileStore } from "@zarrita/storage/zip";`,
    resolveDir: top,
  },
  external: ["worker_threads"], // the archives' reader imports it in Node only
  bundle: true,
  format: "esm",
  splitting: true,
  outdir: "build/bench",
  entryNames: "zarrita",
  chunkNames: "zarrita-[name]-[hash]",
  logLevel: "warning",
});
const near = await serve(top);
const far = await serve(top, "-faults", "-latency", option.latency, "-cache", option.cache);
const browser = await launch();

async function open(site) {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(error.message));
  await page.goto(`${site.url}tests/bench/requests.html`);
  await page.waitForFunction(() => globalThis.ready, null, { timeout: 60_000 });
  return page;
}

let number = 0;
const rows = [];
const all = {};
const misses = [];
let wrong = false;
for (const [origin, site] of [
  ["cross-origin", near],
  ["same-origin", far],
]) {
  // Each reader has its own browser profile, and they take turns.
  const { cases, clients } = await (await open(site)).evaluate(() => globalThis.ready);
  const pages = {};
  for (const who of clients) pages[who] = await open(site);
  console.log(`\n${origin}, ${option.latency} added, ${rounds} rounds; times in ms`);
  const head = ["case", "reader", "GET", "HEAD", "OPTIONS", "aborted", "trips", "twice", "KB", "ms", "spread"];
  console.log(head.map((word, i) => (i < 2 ? word.padEnd([22, 8][i]) : word.padStart(8))).join(" "));
  for (const name of cases.filter((n) => n.includes(option.case))) {
    const runs = Object.fromEntries(clients.map((who) => [who, []]));
    // The first round warms up code and connections, and does not count.
    for (let round = -1; round < rounds; round++) {
      for (const who of clients) {
        const arguments_ = [name, who, far.url + data, `${Date.now()}-${number++}`];
        const run = await pages[who]
          .evaluate((all) => globalThis.bench(...all), arguments_)
          .catch((error) => ({ ms: Number.NaN, right: false, requests: [], failed: error.message.split("\n")[0] }));
        if (round >= 0) runs[who].push(run);
      }
    }
    const found = Object.fromEntries(clients.map((who) => [who, summary(runs[who])]));
    for (const [who, f] of Object.entries(found)) {
      const cells = [f.get, f.head, f.options, f.aborted, f.trips, f.twice, f.kb, f.ms.toFixed(1), f.spread];
      const note = f.failed ?? (f.right ? "" : "WRONG VALUES");
      console.log(`${name.padEnd(22)} ${who.padEnd(8)} ${cells.map((c) => String(c).padStart(8)).join(" ")} ${note}`);
    }
    all[origin] = { ...all[origin], [name]: found };
    if (!found.ours.right) wrong = true;
    if (option.log) list(runs.ours.at(-1).requests);
    for (const word of missed(name, found, origin)) misses.push(`${origin}, ${name}: ${word}`);
    const others = Object.entries(found).filter(isPeer);
    if (others.length === 0) others.push(["none", { ms: Number.NaN, total: Number.NaN, trips: Number.NaN }]);
    const by = (key) => others.reduce((best, [, f]) => (f[key] < best[key] ? f : best), others[0][1]);
    for (const [key, unit] of [
      ["ms", "ms"],
      ["total", "requests"],
      ["trips", "round trips"],
    ]) {
      const [own, peer] = [found.ours[key], by(key)[key]];
      rows.push({
        case: name,
        data: origin,
        ours: own,
        peer,
        unit,
        better: "less",
        ratio: peer > 0 ? own / peer : null,
        spread: key === "ms" ? found.ours.spread : null,
        peerSpread: key === "ms" ? by(key).spread : null,
        peers: Object.fromEntries(Object.entries(found).map(([who, f]) => [who, f[key]])),
      });
    }
  }
  for (const page of Object.values(pages)) await page.context().close();
}
console.log(misses.length === 0 ? "\nevery goal is met" : `\ngoals missed:\n  ${misses.join("\n  ")}`);
finish("requests", option, rows, () => section(all, machine(), { latency: option.latency, rounds, isPeer }));
await browser.close();
near.close();
far.close();
if (wrong) process.exitCode = 1;
