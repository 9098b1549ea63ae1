// The cost of CF decoding in Chromium and in Node: packed int16 with scale, offset and missing
// values, read and decoded to float64. The baseline is a read of float64 with as many result bytes.
// It also measures how long the page is blocked.
//
//   ./build.sh bench decoded [--quick] [--json FILE] [--in chromium|node]
//       [--markdown docs/reports/benchmarks.md]
//
// A ratio is of rates of result bytes: above 1 is better. The chunks are not compressed, so that
// nothing hides the cost of decoding. A server on this machine reads them from disk.
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unwatched } from "../browser/unwatched.mjs";
import { launch } from "../lib/browsers.mjs";
import { arrayV3 } from "../lib/documents.mjs";
import { serve, top } from "../lib/serve.mjs";
import { finish, machine, median, optionsOf, spread, untilQuiet } from "./bench.mjs";
import { measure } from "./decoded/measure.mjs";

const option = optionsOf({ in: { type: "string" } });
const rounds = option.quick ? 3 : 9;
const layers = option.quick ? 16 : 64; // of 1 Mi elements each
const chunk = [1, 1024, 1024];
const dir = join(top, "build/bench/decoded");

/** An array in which all chunks are the same file. */
function write(name, dataType, data, attributes) {
  const at = join(dir, name);
  rmSync(at, { recursive: true, force: true });
  mkdirSync(join(at, "c"), { recursive: true });
  const shape = [layers, ...chunk.slice(1)];
  writeFileSync(join(at, "zarr.json"), JSON.stringify(arrayV3(shape, dataType, { chunks: chunk, attributes })));
  const first = join(at, "chunk");
  writeFileSync(first, new Uint8Array(data.buffer));
  for (let i = 0; i < layers; i++) {
    mkdirSync(join(at, "c", String(i), "0"), { recursive: true });
    linkSync(first, join(at, "c", String(i), "0", "0"));
  }
}

const count = chunk.reduce((a, b) => a * b);
const packed = new Int16Array(count);
let state = 1;
for (let i = 0; i < count; i++) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  // A field that changes slowly, with a twentieth missing.
  packed[i] = state % 20 === 0 ? -32767 : Math.round(8000 * Math.sin(i / 5000)) + (state >>> 22);
}
if (!existsSync(dir)) mkdirSync(dir, { recursive: true });
write("packed", "int16", packed, { scale_factor: 0.01, add_offset: 273.15, _FillValue: -32767 });
write(
  "plain",
  "float64",
  Float64Array.from(packed, (v) => v * 0.01 + 273.15),
  {},
);

const server = await serve(top);
const base = `${server.url}build/bench/decoded/`;

async function inChromium() {
  const browser = await launch();
  const open = await unwatched(browser);
  const run = async (settings) => {
    const url = `${server.url}tests/bench/decoded.html?${new URLSearchParams(settings)}`;
    const page = await open(url);
    try {
      return await page.until(() => globalThis.result, { timeout: 300_000, every: 200 });
    } finally {
      await page.close();
    }
  };
  return { name: `Chromium ${browser.version()}`, run, close: () => browser.close() };
}

async function inNode() {
  const [zarr, xarray] = await Promise.all([import(`${top}dist/node.js`), import(`${top}dist/xarray.js`)]);
  const close = () => {
    xarray.terminate();
    zarr.terminate();
  };
  return { name: `Node ${process.version}`, run: (settings) => measure({ zarr, xarray }, settings), close };
}

const elements = layers * count;
/** A row of the table: rates of result bytes, and how long the page is blocked. */
function summary({ times, blocks }, bytes) {
  const rates = times.map((ms) => (elements * bytes) / 1e3 / ms);
  return {
    ms: median(times),
    rate: median(rates),
    spread: spread(rates),
    block: median(blocks),
    blocks: spread(blocks),
  };
}

const rows = [];
for (const [name, start] of [
  ["chromium", inChromium],
  ["node", inNode],
]) {
  if (option.in && option.in !== name) continue;
  const environment = await start();
  console.log(`\n${environment.name}: ${(elements * 2) >> 20} MiB of int16, ${(elements * 8) >> 20} MiB of float64`);
  await untilQuiet(0.15, 10_000);
  const { decoded, float32, plain } = await environment.run({ base, rounds: String(rounds) });
  const results = {
    "int16, decoded to float64": summary(decoded, 8),
    "int16, decoded to float32": summary(float32, 4),
    "float64, not decoded": summary(plain, 8),
  };
  const [ours, , peer] = Object.values(results);
  for (const [label, { ms, rate, spread, block, blocks }] of Object.entries(results)) {
    const numbers = `${ms.toFixed(0).padStart(7)} ms ${rate.toFixed(0).padStart(7)} MB/s  ${spread.padEnd(12)}`;
    console.log(`  ${label.padEnd(28)}${numbers} longest block ${block.toFixed(1)} ms (${blocks})`);
  }
  const ratio = ours.rate / peer.rate;
  console.log(`  ratio of rates ${ratio.toFixed(2)}`);
  rows.push({
    case: "read and decode",
    data: "int16 to float64",
    environment: environment.name,
    ours: ours.rate,
    peer: peer.rate,
    unit: "MB/s that come out, above 1 is better",
    ratio,
    spread: [ours.spread, peer.spread],
    results,
  });
  await environment.close();
}

/** The section of docs/reports/benchmarks.md. */
function section() {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const table = rows.flatMap(({ environment, results }) =>
    Object.entries(results).map(([label, { ms, rate, spread, block, blocks }]) =>
      line([environment, label, ms.toFixed(0), rate.toFixed(0), spread, block.toFixed(1), blocks]),
    ),
  );
  return [
    "## Decoding by the CF conventions",
    `${machine()}.`,
    `\`decodeArray\` reads and decodes ${(elements * 2) >> 20} MiB of int16 with \`scale_factor\`, \`add_offset\` and 5 % of \`_FillValue\`; a plain read of as many
float64 is the comparison. The chunks are uncompressed, from a local static server. *MB/s* counts decoded bytes; *block* is the longest pause of the
page. Medians of ${rounds} interleaved reads.`,
    [
      line(["", "", "ms", "MB/s", "reads", "block, ms", "blocks"]),
      line(["---", "---", "--:", "--:", "--:", "--:", "--:"]),
      ...table,
    ].join("\n"),
    rows
      .map(({ environment, ratio }) => `${environment}: ${ratio.toFixed(2)} times the rate of the undecoded read.`)
      .join(" "),
  ].join("\n\n");
}

server.close();
finish("decoded", option, rows, section);
process.exit(0);
