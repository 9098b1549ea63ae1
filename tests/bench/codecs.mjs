// Measures how fast chunks decode and arrays in memory are read, in Chromium and in Node. Compares
// with zarrita, and in Chromium with fizarrita, on the same bytes in the same run. The benchmark
// fails unless all sides' values are equal.
//
//   ./build.sh bench codecs [--quick] [--json FILE] [--in chromium|node]
//                           [--markdown docs/reports/benchmarks.md]
//                           [--part decode|read] [--codec NAME] [--data NAME] [--chunk BYTES]
//
// A ratio is of rates: above 1 is better. "decode" goes from a buffer to an existing buffer, in one
// warm thread. "read" is a whole read of an array in memory: plan, decode, scatter, answer.
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { launch } from "../lib/browsers.mjs";
import { arrayV3, bytes } from "../lib/documents.mjs";
import { serve, top } from "../lib/serve.mjs";
import { finish, machine, optionsOf } from "./bench.mjs";
import { markdown, summary, table } from "./codecs/report.mjs";
import { buildPeers } from "./peers/build.mjs";

const option = optionsOf({
  in: { type: "string" },
  part: { type: "string" },
  codec: { type: "string" },
  data: { type: "string" },
  chunk: { type: "string" },
});
const manifest = JSON.parse(readFileSync(`${top}build/bench/data/manifest.json`, "utf8"));
const timing = option.quick ? { rounds: 5, warm: 60, atLeast: 8 } : { rounds: 11, warm: 250, atLeast: 20 };

await build({
  absWorkingDir: top,
  entryPoints: ["tests/bench/codecs/run.mjs"],
  alias: { "#wasm-exec": `${top}build/wasm_exec.js` },
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["es2022"],
  outdir: "build/bench/page",
  logLevel: "warning",
});

await buildPeers(`${top}build/bench/peers`);

/** Yields the measurements: [kind, array, options]. */
function* work() {
  const wanted = (a) =>
    (!option.data || a.data === option.data) && (!option.chunk || a.chunkBytes === Number(option.chunk));
  const arrays = manifest.filter(wanted);
  const named = (name) => !option.codec || name === option.codec;
  if (option.part !== "read") {
    for (const a of arrays) {
      if (a.chunkBytes >= 1 << 20 && a.codec !== "big-endian" && named(a.codec)) yield ["decode", a];
    }
  }
  if (option.part === "decode") return;
  for (const a of arrays) {
    if (a.chunkBytes > 1 << 20) continue;
    if (named(a.codec)) yield ["read", a, { name: a.codec, meta: a.meta, step: 1 }];
    if (a.codec !== "none" || a.chunkBytes < 1 << 20) continue;
    if (named("order-F")) yield ["read", a, { name: "order-F", meta: { ...a.meta, order: "F" }, step: 1 }];
    if (named("step-2")) yield ["read", a, { name: "step-2", meta: a.meta, step: 2 }];
    if (!a.meta.dtype.includes("f")) {
      const delta = { ...a.meta, filters: [{ id: "delta", dtype: a.meta.dtype }] };
      if (named("delta")) yield ["read", a, { name: "delta", meta: delta, step: 1 }];
      const filter = { id: "fixedscaleoffset", scale: 100, offset: 15, dtype: "<f8", astype: a.meta.dtype };
      const scaled = { ...a.meta, dtype: "<f8", filters: [filter] };
      if (named("scaled")) yield ["read", a, { name: "scaled", meta: scaled, step: 1 }];
    }
    if (named("transposed")) yield ["read", a, { name: "transposed", meta: transposed(a), step: 1 }];
  }
}

/** The same bytes as an array of version 3 whose chunks are transposed. */
const transposed = ({ meta: { shape, chunks }, data }) =>
  arrayV3(shape, data, { chunks, codecs: [{ name: "transpose", configuration: { order: [1, 0] } }, bytes] });

async function inNode() {
  const { benchDecode, benchRead, startCore } = await import(`${top}build/bench/page/run.js`);
  const pkg = await import(`${top}dist/node.js`);
  const core = await startCore(readFileSync(`${top}build/bench/decode.wasm`));
  const bench = (kind, array, options) => {
    const bytes = new Uint8Array(readFileSync(`${top}build/bench/data/${array.file}`));
    return kind === "decode"
      ? benchDecode(core, array, bytes, timing)
      : benchRead(core, pkg, array, bytes, options, timing);
  };
  return { name: `Node ${process.version}`, bench, close: () => {} };
}

async function inChromium() {
  const server = await serve(top);
  const browser = await launch();
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(`${server.url}tests/bench/codecs.html`);
  await page.waitForFunction(() => globalThis.bench, null, { timeout: 60_000 });
  const bench = (...args) => page.evaluate((list) => globalThis.bench(...list), [...args, timing]);
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { name: `Chromium ${browser.version()}`, bench: (k, a, o) => bench(k, a, o ?? null), close };
}

const rows = [];
for (const [name, start] of [
  ["chromium", inChromium],
  ["node", inNode],
]) {
  if (option.in && option.in !== name) continue;
  const environment = await start();
  console.log(`\n${environment.name}`);
  for (const [kind, array, options] of work()) {
    for (const r of await environment.bench(kind, array, options)) {
      const full = { ...r, environment: environment.name };
      rows.push(full);
      console.log(table(full));
    }
  }
  await environment.close();
}
console.log(`\n${summary(rows)}`);
finish("codecs", option, rows, () => markdown(rows, machine()));
process.exit(0);
