// How long a visitor waits: from navigation to the first decoded slice, with an
// empty cache and with a warm one, beside zarrita, in Chromium. The page's server and that of the
// data, of another origin, hold every answer back for 50 ms. With
// --data DIR, a directory of arrays, also how fast each is read as a whole.
//
//   ./build.sh bench start [--data DIR] [--latency 50ms] [--json FILE] [--quick]
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { launch } from "../browser/browser.mjs";
import { serve, top } from "../js/serve.mjs";

const { values: option } = parseArgs({
  options: {
    data: { type: "string" },
    latency: { type: "string", default: "50ms" },
    json: { type: "string" },
    quick: { type: "boolean" },
  },
});
const rounds = option.quick ? 3 : 9;
const sample = "build/demo/sample/climate.zarr/t2m";

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const spread = (list) => `${Math.min(...list).toFixed(0)}-${Math.max(...list).toFixed(0)}`;

function arrays(dir, found = []) {
  const names = readdirSync(dir);
  if (names.includes(".zarray") || names.includes("zarr.json")) return found.concat(dir);
  for (const name of names) {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) found = arrays(path, found);
  }
  return found;
}

// The package may be kept by the browser; data is asked for again each time.
const site = await serve(top, "-latency", option.latency, "-cache", "public, max-age=3600");
const far = await serve(top, "-latency", option.latency);
await build({
  absWorkingDir: top,
  stdin: { contents: 'export * from "zarrita";', resolveDir: top },
  bundle: true,
  minify: true,
  format: "esm",
  splitting: true,
  outdir: "build/bench/start",
  entryNames: "zarrita",
  chunkNames: "[name]-[hash]",
  logLevel: "warning",
});
const browser = await launch();
const rows = [];

async function visit(context, site, query) {
  const page = await context.newPage();
  await page.goto(`${site.url}tests/bench/start.html?${new URLSearchParams(query)}`);
  const handle = await page.waitForFunction(() => globalThis.result, null, { timeout: 120_000 });
  const result = await handle.jsonValue();
  await page.close();
  return result;
}

function row(name, ms, unit = "ms", peer = undefined) {
  const ratio = peer ? median(ms) / median(peer) : null;
  rows.push({ case: name, ours: median(ms), peer: peer ? median(peer) : null, unit, ratio, spread: spread(ms) });
  const beside = peer ? `zarrita ${median(peer).toFixed(0).padStart(5)} ${unit} ${spread(peer)}` : "";
  console.log(
    `${name.padEnd(36)} ${median(ms).toFixed(0).padStart(7)} ${unit.padEnd(5)} ${spread(ms).padEnd(9)} ${beside}`,
  );
}

const clients = {
  ours: {},
  zarrita: { package: "/build/bench/start/zarrita.js", peer: "" },
};
const runs = { "empty cache": { ours: [], zarrita: [] }, "warm cache": { ours: [], zarrita: [] } };
for (let i = 0; i < rounds; i++) {
  for (const [name, query] of Object.entries(clients)) {
    const context = await browser.newContext();
    for (const cache of Object.keys(runs)) {
      // The browser keeps code that it has compiled well from the second visit on.
      if (cache === "warm cache") await visit(context, site, { url: far.url + sample, ...query });
      runs[cache][name].push(await visit(context, site, { url: far.url + sample, ...query }));
    }
    await context.close();
  }
}
for (const [cache, { ours, zarrita }] of Object.entries(runs)) {
  for (const [what, key] of [
    ["package imported", "imported"],
    ["array open", "opened"],
    ["first slice", "first"],
  ]) {
    const times = (list) => list.map((r) => r[key]);
    row(`${cache}: ${what}`, times(ours), "ms", times(zarrita));
  }
}

if (option.data) {
  const data = await serve(option.data);
  const context = await browser.newContext();
  for (const dir of arrays(option.data)) {
    const name = relative(option.data, dir);
    const { reads, bytes } = await visit(context, site, { url: data.url + name, reads: String(rounds + 1) });
    // The first read runs code that the browser has not compiled well yet.
    row(
      `whole read, ${name}`,
      reads.slice(1).map((ms) => bytes / 1e3 / ms),
      "MB/s",
    );
  }
  data.close();
}
if (option.json) writeFileSync(option.json, `${JSON.stringify(rows, null, 1)}\n`);
await browser.close();
site.close();
far.close();
