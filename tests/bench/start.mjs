// How long a visitor waits: from navigation to the first decoded slice, with an
// empty cache and with a warm one, in Chromium, from a server on loopback. With
// --data DIR, a directory of arrays, also how fast each is read as a whole.
//
//   ./build.sh bench start [--data DIR] [--json FILE] [--quick]
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { launch } from "../browser/browser.mjs";
import { serve, top } from "../js/serve.mjs";

const { values: option } = parseArgs({
  options: { data: { type: "string" }, json: { type: "string" }, quick: { type: "boolean" } },
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

const server = await serve(top);
const browser = await launch();
const rows = [];

async function visit(context, url, reads) {
  const page = await context.newPage();
  const query = new URLSearchParams({ url, reads: String(reads) });
  await page.goto(`${server.url}tests/bench/start.html?${query}`);
  const handle = await page.waitForFunction(() => globalThis.result, null, { timeout: 120_000 });
  const result = await handle.jsonValue();
  await page.close();
  return result;
}

function row(name, ms, unit = "ms") {
  rows.push({ case: name, ours: median(ms), peer: null, unit, ratio: null, spread: spread(ms) });
  console.log(`${name.padEnd(44)} ${median(ms).toFixed(0).padStart(7)} ${unit.padEnd(5)} ${spread(ms)}`);
}

const cold = [];
const warm = [];
for (let i = 0; i < rounds; i++) {
  const context = await browser.newContext();
  cold.push(await visit(context, server.url + sample, 0));
  warm.push(await visit(context, server.url + sample, 0));
  await context.close();
}
for (const [name, runs] of [
  ["empty cache", cold],
  ["warm cache", warm],
]) {
  row(
    `${name}: package imported`,
    runs.map((r) => r.imported),
  );
  row(
    `${name}: array open`,
    runs.map((r) => r.opened),
  );
  row(
    `${name}: first slice`,
    runs.map((r) => r.first),
  );
}

if (option.data) {
  const data = await serve(option.data);
  const context = await browser.newContext();
  for (const dir of arrays(option.data)) {
    const name = relative(option.data, dir);
    const { reads, bytes } = await visit(context, data.url + name, rounds + 1);
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
server.close();
