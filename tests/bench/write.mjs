// Measures how fast chunks are encoded and arrays are written. Native writing is compared with
// zarr-python 2 and the same codecs in the same run. Writing from JavaScript, in Node and in
// Chromium, is compared with zarrita. It also measures the memory of a copy of a gigabyte that
// changes the chunks.
//
//   ./build.sh bench write [--quick] [--json FILE] [--markdown docs/reports/benchmarks.md]
//
// A ratio is of rates: above 1 is better. zarr-python is Debian's (./build.sh setup), in one
// process; without it there are no ratios.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";
import { finish, machine, median, optionsOf, python, run } from "./bench.mjs";
import { copied, section, told } from "./write/report.mjs";

const option = optionsOf();
const rounds = option.quick ? 3 : 7;
const least = option.quick ? 0.1 : 0.4;
const work = mkdtempSync(`${tmpdir()}/zarr-bench-`);
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
execFileSync("go", ["build", "-o", `${work}/`, "./tests/bench/write", "./cmd/zarr"], { cwd: top, stdio: "inherit" });

/** A process that answers a line with a line. */
function partner(program, args) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], cwd: work });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${program} has ended`);
    return JSON.parse(value);
  };
  const ask = (question) => {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    return next();
  };
  return { ask, next, end: () => child.stdin.end() };
}

const ours = partner(`${work}/write`, ["serve"]);
const interpreter = python();
const peer = interpreter && partner(interpreter, [`${top}tests/bench/write/peer.py`]);
const versions = peer && (await peer.next());

const codecs = {
  none: null,
  "blosc, lz4": { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 },
  "blosc, zstd": { id: "blosc", cname: "zstd", clevel: 3, shuffle: 1, blocksize: 0 },
  "zstd 1": { id: "zstd", level: 1 },
  "zstd 3": { id: "zstd", level: 3 },
  lz4: { id: "lz4", acceleration: 1 },
  "zlib 1": { id: "zlib", level: 1 },
  "gzip 5": { id: "gzip", level: 5 },
};

/** The measurements: chunks of 4 MiB, and arrays of 64 MiB in chunks of 1 MiB, of float32. */
function* questions() {
  for (const name of Object.keys(codecs)) {
    if (name !== "none") yield { kind: "encode", name, rows: 1024, chunk: 1024 };
  }
  for (const kind of ["memory", "directory"]) {
    for (const name of ["none", "blosc, lz4", "zstd 1"]) yield { kind, name, rows: 16384, chunk: 256 };
  }
}

const rows = [];
for (const { name, ...q } of questions()) {
  const sides = peer ? [ours, peer] : [ours];
  const times = sides.map(() => []);
  const stored = [];
  for (let round = 0; round < rounds; round++) {
    for (const [i, side] of sides.entries()) {
      const answer = await side.ask({ ...q, codec: codecs[name], dir: `${work}/side${i}`, least });
      times[i].push(answer.seconds);
      stored[i] = answer.stored;
    }
  }
  const bytes = q.rows * 4096;
  const [mine, its] = times.map((list) => bytes / median(list) / 1e6);
  const share = stored.map((n) => n / bytes);
  rows.push({ where: "natively", kind: q.kind, codec: name, ours: mine, peer: its, share });
  console.log(told(rows.at(-1)));
}
ours.end();
peer?.end();

const json = (codec) => JSON.stringify([codec]);
const zstd = json({ name: "zstd", configuration: { level: 1 } });
const copies = [
  { from: "slices", to: "3: cubes", options: ["--format", "3", "--chunks", "64,128,128", "--codecs", zstd] },
  { from: "cubes", to: "3: shards", options: ["--chunks", "32,64,64", "--shards", "128,128,256", "--codecs", zstd] },
  { from: "shards", to: "2: slices", options: ["--format", "2", "--chunks", "1,1024,1024", "--codecs", json("zlib")] },
].slice(0, option.quick ? 1 : 3);
const gigabytes = [];
for (const { from, to, options } of copies) {
  execFileSync(`${work}/write`, ["make", `${work}/made`, from], { stdio: "inherit" });
  const took = await run(`${work}/zarr`, ["copy", `${work}/made/${from}`, `${work}/copy`, ...options]);
  gigabytes.push({ from, to, options: options.join(" "), ...took });
  console.log(copied(gigabytes.at(-1)));
  for (const dir of ["made", "copy"]) rmSync(`${work}/${dir}`, { recursive: true });
}
await build({
  absWorkingDir: top,
  entryPoints: ["tests/bench/write/js.mjs"],
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["es2022"],
  outdir: "build/bench/write",
  logLevel: "warning",
});
/** Arrays of 16 MiB in chunks of 1 MiB, in JavaScript. */
const [tall, chunk, times] = [4096, 256, option.quick ? 3 : 9];

async function inNode() {
  const { names, measure } = await import(`${top}build/bench/write/js.js`);
  const ours = { ...(await import(`${top}dist/node.js`)), ...(await import(`${top}dist/write-node.js`)) };
  return { where: `Node ${process.version}`, names, measure: (name) => measure(ours, name, tall, chunk, times) };
}

async function inChromium() {
  const { names } = await import(`${top}build/bench/write/js.js`);
  const server = await serve(top);
  const browser = await launch();
  const page = await browser.newPage();
  await page.goto(`${server.url}tests/bench/start.html`);
  const one = async ([name, ...rest]) => {
    const { measure } = await import("/build/bench/write/js.js");
    const ours = { ...(await import("/dist/index.js")), ...(await import("/dist/write.js")) };
    return measure(ours, name, ...rest);
  };
  const close = async () => {
    await browser.close();
    server.close();
  };
  const measure = (name) => page.evaluate(one, [name, tall, chunk, times]);
  return { where: `Chromium ${browser.version()}`, names, measure, close };
}

/** Failed measurements, which do not stop the report of the others. */
const failed = [];
const writes = existsSync(`${top}dist/write.js`);
if (!writes) console.error("without JavaScript: this build has no zarr-wasm/write");
for (const start of writes ? [inNode, inChromium] : []) {
  const { where, names, measure, close } = await start();
  for (const name of names) {
    try {
      const [mine, its] = (await measure(name)).map((list) => (tall * 4096) / median(list) / 1e6);
      rows.push({ where, kind: "Map", codec: name, ours: mine, peer: its, share: [] });
      console.log(told(rows.at(-1)));
    } catch (error) {
      failed.push(error);
      console.error(`${where}, ${name}:`, error);
    }
  }
  await close?.();
}
const results = { versions, rows, copies: gigabytes };
finish("write", option, results, () => section(results, machine()));
const large = gigabytes.filter(({ peak }) => peak > 256e6);
if (large.length > 0) throw new Error(`copies took more than 256 MB: ${large.map(copied).join("; ")}`);
process.exit(failed.length > 0 ? 1 : 0);
