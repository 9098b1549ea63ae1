// Measures how long a visitor waits from navigation to the first decoded slice, and the share of
// each step. The cache is empty or warm. It compares with zarrita and fizarrita in Chromium. The
// server is on this machine, or behind a line of 20 Mbit/s with 40 ms of latency. The data has
// another origin than the page. With --data DIR, a directory of arrays, it also measures whole
// reads of each.
//
//   ./build.sh bench start [--data DIR] [--latency 40ms] [--rate MBIT] [--json FILE] [--quick]
//       [--markdown docs/reports/benchmarks.md]
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { unwatched } from "../browser/unwatched.mjs";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";
import { finish, machine, median, optionsOf, spread, untilQuiet } from "./bench.mjs";
import { buildPeers } from "./peers/build.mjs";
import { markdown } from "./start-report.mjs";

const option = optionsOf({ data: { type: "string" }, latency: { type: "string" }, rate: { type: "string" } });
const rounds = option.quick ? 3 : 9;
const sample = "build/demo/sample/climate.zarr/t2m";
const dir = join(top, "build/bench/start");

function arrays(dir, found = []) {
  const names = readdirSync(dir);
  if (names.includes(".zarray") || names.includes("zarr.json")) return found.concat(dir);
  for (const name of names) {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) found = arrays(path, found);
  }
  return found;
}

/** All packages as on a host: minified, and also compressed. */
async function packages() {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const own = readdirSync(join(top, "dist")).filter(
    (name) => /\.(js|wasm)$/.test(name) && !/node|inline|full/.test(name),
  );
  for (const name of own) cpSync(join(top, "dist", name), join(dir, "ours", name));
  const page = readFileSync(join(top, "tests/bench/start.html"), "utf8");
  writeFileSync(join(dir, "start.html"), page);
  writeFileSync(join(dir, "linked.html"), page.replace("<script", `${links}<script`));
  await buildPeers(dir);
  const kept = join(top, "build/bench/compressed"); // Brotli takes its time
  mkdirSync(kept, { recursive: true });
  for (const name of readdirSync(dir, { recursive: true })) {
    if (!/\.(js|wasm)$/.test(name)) continue;
    const bytes = readFileSync(join(dir, name));
    const copy = join(kept, `${createHash("sha256").update(bytes).digest("hex")}.br`);
    if (!existsSync(copy)) writeFileSync(copy, brotliCompressSync(bytes));
    cpSync(copy, join(dir, `${name}.br`));
  }
}

const browser = await launch();
const open = await unwatched(browser);
/** Each client's package, its parameters of start.html, and its page. */
const clients = {
  ours: { from: "ours" },
  "ours, preload()": { from: "ours", query: { preload: "" } },
  "ours, preload() and links": { from: "ours", query: { preload: "" }, page: "linked.html" },
  zarrita: { from: "zarrita", query: { peer: "" } },
  fizarrita: { from: "fizarrita", query: { peer: "" } },
};
/** The links that docs/start/install.md recommends for a page's HTML. */
const links = `<link rel="modulepreload" href="/ours/index.js">
<link rel="modulepreload" href="/ours/worker.js">
<link rel="preload" href="/ours/zarr.wasm" as="fetch" crossorigin>
`;

await packages();

async function visit(url) {
  const page = await open(url);
  try {
    return await page.until(() => globalThis.result, { timeout: 120_000, every: 100 });
  } finally {
    await page.close();
  }
}

async function forget(url) {
  const page = await open(url);
  await page.send("Network.clearBrowserCache");
  await page.close();
}

// A step ends with the first of these events that it has, and begins where the previous one ended.
const steps = [
  ["page", "script"],
  ["package", "imported"],
  ["wasm", "wasm"],
  ["engine", "engine"],
  ["metadata", "opened"],
  ["slice", "first"],
];

/** The duration of each step. Concurrent work counts for the step that ended first. */
function stepsOf(result) {
  let before = 0;
  return steps.map(([, end]) => {
    const at = Math.max(before, result[end] ?? before);
    const took = at - before;
    before = at;
    return took;
  });
}

const lines =
  option.latency || option.rate
    ? [[option.latency ?? "0ms", option.rate ?? "0"]]
    : [
        ["0ms", "0"],
        ["40ms", "20"],
      ];
const rows = [];
for (const [latency, rate] of lines) {
  const line = ["-latency", latency, "-rate", rate];
  const name =
    latency === "0ms" && rate === "0" ? "this machine" : `${rate === "0" ? "" : `${rate} Mbit/s, `}${latency}`;
  // The browser may cache the package; data is requested again each time.
  const site = await serve(dir, ...line, "-cache", "public, max-age=3600");
  const far = await serve(top, ...line);
  const none = () => Object.fromEntries(Object.keys(clients).map((who) => [who, []]));
  const runs = { empty: none(), warm: none() };
  for (let i = 0; i < rounds; i++) {
    for (const [who, { from, query, page = "start.html" }] of Object.entries(clients)) {
      const parameters = { url: far.url + sample, package: `/${from}/index.js`, ...query };
      const url = `${site.url}${page}?${new URLSearchParams(parameters)}`;
      await forget(`${site.url}nothing`);
      await untilQuiet(0.15, 5000);
      runs.empty[who].push(await visit(url));
      // The browser caches optimised code from the second visit on.
      await visit(url);
      await untilQuiet(0.15, 5000);
      runs.warm[who].push(await visit(url));
    }
  }
  for (const [cache, visits] of Object.entries(runs)) {
    for (const [who, results] of Object.entries(visits)) {
      const shares = results.map(stepsOf);
      rows.push({
        line: name,
        cache,
        who,
        total: median(results.map((r) => r.first)),
        spread: spread(results.map((r) => r.first)),
        steps: Object.fromEntries(steps.map(([step], k) => [step, median(shares.map((share) => share[k]))])),
      });
    }
  }
  site.close();
  far.close();
}
const cells = (list) => list.map((cell) => String(cell).padStart(9)).join("");
console.log(`${"".padEnd(46)}${cells(["first", "spread", ...steps.map(([step]) => step)])}   (ms)`);
for (const { line, cache, who, total, spread: range, steps: took } of rows) {
  const shares = Object.values(took).map((ms) => ms.toFixed(0));
  console.log(`${`${line}, ${cache}: ${who}`.padEnd(48)}${cells([total.toFixed(0), range, ...shares])}`);
}

if (option.data) {
  const data = await serve(option.data);
  const site = await serve(dir);
  for (const path of arrays(option.data)) {
    const name = relative(option.data, path);
    const query = { url: data.url + name, package: "/ours/index.js", reads: String(rounds + 1) };
    const { reads, bytes } = await visit(`${site.url}start.html?${new URLSearchParams(query)}`);
    // The first read runs code that the browser has not optimised yet.
    const rates = reads.slice(1).map((ms) => bytes / 1e3 / ms);
    rows.push({ read: name, rate: median(rates), spread: spread(rates) });
    console.log(`whole read, ${name.padEnd(24)} ${median(rates).toFixed(0).padStart(7)} MB/s ${spread(rates)}`);
  }
  data.close();
  site.close();
}
finish("start", option, rows, () => markdown(rows, `${machine()}, in Chromium ${browser.version()}`));
await browser.close();
