// Prints what the wasm and the JavaScript weigh, and which packages the wasm's
// code is of. Reads dist/, build/named.wasm (zarr.wasm with its names) and
// build/wasm-deps.txt (go list -deps ./wasm).
//
// With --check only compares what a visitor downloads with the budget.
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const kb = (n) => (n / 1000).toFixed(n < 100_000 ? 1 : 0).padStart(9);
const line = (name, ...numbers) => console.log(name.padEnd(40), ...numbers.map(kb));

function weigh(path) {
  const raw = readFileSync(path);
  const br = brotliCompressSync(raw, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
      [constants.BROTLI_PARAM_LGWIN]: 24,
    },
  });
  return [raw.length, gzipSync(raw, { level: 9 }).length, br.length];
}

// The budget in KB. The goal for zarr.wasm is 600, of which the bare runtime of Go takes 250.
const budget = [
  ["dist/zarr.wasm", "brotli 11", 748], // archives 14, references 20, lists and addresses 11
  ["dist/index.js", "gzip 9", 16.1], // stores of other stores: 1.2
  // Only pages that import them load these.
  ["dist/xarray.js", "gzip 9", 28.5],
  ["dist/decode-worker.js", "gzip 9", 2.3],
  ["dist/ome.js", "gzip 9", 16.5],
  ["dist/geo.js", "gzip 9", 14],
  ["dist/anndata.js", "gzip 9", 13],
  ["dist/model.js", "gzip 9", 10.3],
  ["dist/print.js", "gzip 9", 4.2],
  ["dist/describe.js", "gzip 9", 12],
  ["dist/describe-groups.js", "gzip 9", 17], // loaded by the one before it
  ["dist/view.js", "gzip 9", 53], // with index.js and describe.js at most 80
  ["dist/view-coast.js", "gzip 9", 15], // loaded for pictures with coastlines
  ["dist/view-panels.js", "gzip 9", 33], // lines, tables, plates, points: loaded for nodes of these kinds
  ["dist/view-take.js", "gzip 9", 18], // loaded when something is taken away
  ["dist/view-worker.js", "gzip 9", 2.5],
];

/** What the viewer's page loads before it knows what it shows, and all that it may load: the scripts that its pages refer to, and their parts. */
function viewer() {
  const scripts = readdirSync("build/demo").filter((name) => name.endsWith(".js"));
  const page = readFileSync("build/demo/index.html", "utf8");
  const weight = (names) => names.reduce((sum, name) => sum + weigh(`build/demo/${name}`)[1], 0) / 1000;
  // Of what is loaded when it is needed, no visit needs all: each convention has a part of its own.
  return { first: weight(scripts.filter((name) => page.includes(name))), all: weight(scripts) };
}
const viewerBudget = { first: 115, all: 310 };

if (process.argv.includes("--check")) {
  for (const [path, how, most] of budget) {
    const [, gz, br] = weigh(path);
    const n = (how === "gzip 9" ? gz : br) / 1000;
    console.log(`${path}: ${n.toFixed(1)} KB with ${how}; the budget is ${most}`);
    if (n > most) process.exitCode = 1;
  }
  for (const [which, n] of Object.entries(viewer())) {
    const most = viewerBudget[which];
    console.log(`build/demo, ${which}: ${n.toFixed(1)} KB with gzip 9; the budget is ${most}`);
    if (n > most) process.exitCode = 1;
  }
  process.exit();
}

console.log("KB (1000 bytes)".padEnd(40), "      raw    gzip 9 brotli 11");
const files = readdirSync("dist").filter((f) => f.endsWith(".wasm") || f.endsWith(".js"));
for (const f of files.sort()) line(`dist/${f}`, ...weigh(`dist/${f}`));

// ---- the wasm's sections and functions -----------------------------------------

const bytes = readFileSync("build/named.wasm");
let at = 8; // after the magic and the version

function leb() {
  let value = 0;
  let scale = 1;
  for (;;) {
    const b = bytes[at++];
    value += (b & 0x7f) * scale;
    if (b < 0x80) return value;
    scale *= 128;
  }
}

function text() {
  const n = leb();
  at += n;
  return bytes.toString("utf8", at - n, at);
}

const sectionNames = { 2: "imports", 10: "code", 11: "data", 3: "functions", 9: "table" };
const sections = new Map();
let imported = 0;
const sizes = []; // of the functions that are not imported
const names = new Map(); // by function index

while (at < bytes.length) {
  const id = bytes[at++];
  const length = leb();
  const end = at + length;
  if (id === 0) {
    const name = text();
    if (name === "name") {
      while (at < end) {
        const kind = bytes[at++];
        const subEnd = leb() + at;
        if (kind === 1) {
          for (let n = leb(); n > 0; n--) {
            const index = leb();
            names.set(index, text());
          }
        }
        at = subEnd;
      }
    }
  } else {
    sections.set(sectionNames[id] ?? "other", (sections.get(sectionNames[id] ?? "other") ?? 0) + length);
    if (id === 2) {
      for (let n = leb(); n > 0; n--) {
        text();
        text();
        const kind = bytes[at++];
        if (kind !== 0) throw new Error("an import that is not a function");
        leb();
        imported++;
      }
    } else if (id === 10) {
      for (let n = leb(); n > 0; n--) {
        const size = leb();
        sizes.push(size);
        at += size;
      }
    }
  }
  at = end;
}

console.log("\nsections of zarr.wasm (raw)");
for (const [name, n] of [...sections].sort((a, b) => b[1] - a[1])) line(`  ${name}`, n);

// The linker writes a symbol as the package's path, with all but letters, digits, dots and
// underscores made underscores, a dot, and the rest.
const deps = readFileSync("build/wasm-deps.txt", "utf8").trim().split("\n");
const prefixes = deps.map((path) => ({ path, prefix: `${path.replace(/[^\w.]/g, "_")}.` }));
const command = deps.at(-1); // what the others are dependencies of
const ours = command.replace(/\/wasm$/, "");
prefixes.push({ path: command, prefix: "main." });
prefixes.sort((x, y) => y.prefix.length - x.prefix.length);

function packageOf(symbol) {
  return prefixes.find(({ prefix }) => symbol.startsWith(prefix))?.path ?? "(generated by the compiler)";
}

const packages = new Map();
sizes.forEach((size, i) => {
  const p = packageOf(names.get(imported + i) ?? "");
  packages.set(p, (packages.get(p) ?? 0) + size);
});
const sorted = [...packages].sort((a, b) => b[1] - a[1]);
console.log("\nlargest packages (raw code)");
for (const [name, n] of sorted.slice(0, 15)) line(`  ${name}`, n);
const modules = new Map();
for (const [name, n] of sorted) {
  const [host, ...rest] = name.split("/");
  const m = name.startsWith(`${ours}/`)
    ? ours
    : host.includes(".")
      ? [host, ...rest.slice(0, 2)].join("/")
      : "Go and its standard library";
  modules.set(m, (modules.get(m) ?? 0) + n);
}
console.log("\nby module (raw code)");
for (const [name, n] of [...modules].sort((a, b) => b[1] - a[1])) line(`  ${name}`, n);

const banned = deps.filter((d) => d === "net/http" || d.startsWith("net/http/"));
console.log(
  `\n${deps.length} packages are linked; ${banned.length === 0 ? "net/http is not one of them" : `THESE MUST NOT BE: ${banned}`}`,
);
if (banned.length > 0) process.exitCode = 1;
