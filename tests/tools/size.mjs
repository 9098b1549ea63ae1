// Prints what the wasm and the JavaScript weigh, and which packages the wasm's
// code is of. Reads dist/, build/named.wasm (the same build with its names) and
// build/wasm-deps.txt (go list -deps ./wasm).
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const kb = (n) => (n / 1000).toFixed(n < 100_000 ? 1 : 0).padStart(9);
const line = (name, ...numbers) => console.log(name.padEnd(40), ...numbers.map(kb));

function weigh(path) {
  const raw = readFileSync(path);
  const br = brotliCompressSync(raw, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  return [raw.length, gzipSync(raw, { level: 9 }).length, br.length];
}

console.log("KB (1000 bytes)".padEnd(40), "      raw    gzip 9 brotli 11");
const files = readdirSync("dist").filter((f) => f === "zarr.wasm" || f.endsWith(".js"));
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

// A symbol is "path/to/package.Func" with the path's own dots and special characters escaped.
function packageOf(symbol) {
  const bare = symbol.replace(/\[.*$/, "");
  const slash = bare.lastIndexOf("/") + 1;
  const dot = bare.indexOf(".", slash);
  if (dot < 0 || bare.startsWith("type:") || bare.startsWith("go:")) return "(runtime and generated)";
  return bare.slice(0, dot).replace(/%2e/g, ".");
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
  const m = host.includes(".") ? [host, ...rest.slice(0, 2)].join("/") : host === "zarr-wasm" ? "zarr-wasm" : "Go and its standard library";
  modules.set(m, (modules.get(m) ?? 0) + n);
}
console.log("\nby module (raw code)");
for (const [name, n] of [...modules].sort((a, b) => b[1] - a[1])) line(`  ${name}`, n);

const deps = readFileSync("build/wasm-deps.txt", "utf8").trim().split("\n");
const banned = deps.filter((d) => d === "net/http" || d.startsWith("net/http/"));
console.log(`\n${deps.length} packages are linked; ${banned.length === 0 ? "net/http is not one of them" : `THESE MUST NOT BE: ${banned}`}`);
if (banned.length > 0) process.exitCode = 1;
