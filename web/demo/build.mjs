// Builds the viewer into one folder that works on any static host, under any path:
//
//   node web/demo/build.mjs [--out DIR] [NAME=TREE …]
//
// Each NAME=TREE is copied to sample/NAME; without any, the two samples that the
// page's buttons open are taken from the unpacked fixtures. dist/ must have been
// built: the viewer is bundled with the package as its users get it.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const top = resolve(here, "../..");
const dist = join(top, "dist");

let out = join(top, "build", "demo");
const samples = [];
const args = process.argv.slice(2);
while (args.length > 0) {
  const arg = args.shift();
  const at = arg.indexOf("=");
  if (arg === "--out") out = resolve(args.shift() ?? ".");
  else if (at > 0) samples.push([arg.slice(0, at), resolve(arg.slice(at + 1))]);
  else fail(`"${arg}" is neither --out DIR nor NAME=TREE`);
}
if (samples.length === 0) {
  const fixtures = join(top, "build", "fixtures");
  samples.push(["climate.zarr", join(fixtures, "xarray", "climate_v3.zarr")]);
  samples.push(["image.zarr", join(fixtures, "ome", "image_v04.zarr")]);
}

for (const file of ["index.js", "worker.js", "zarr.wasm", "zarr-full.wasm"]) {
  if (!existsSync(join(dist, file))) fail(`dist/${file} is missing: build the package first`);
}
for (const [name, tree] of samples) {
  if (!/^[\w.-]+$/.test(name) || name.startsWith(".")) fail(`"${name}" is not a plain file name`);
  if (!existsSync(tree)) fail(`the sample ${tree} is missing`);
}

// Emptied, not removed: a server that runs on the folder goes on with the new files.
mkdirSync(out, { recursive: true });
for (const name of readdirSync(out)) rmSync(join(out, name), { recursive: true, force: true });
mkdirSync(join(out, "sample"));
await build({
  absWorkingDir: top,
  entryPoints: { main: join(here, "main.ts") },
  outdir: out,
  bundle: true,
  format: "esm",
  platform: "browser",
  target: ["es2022"],
  // The package by its public entry, as a bundler would find it in node_modules.
  alias: { "zarr-wasm": join(dist, "index.js") },
  minify: true,
  sourcemap: true,
  legalComments: "inline",
  logLevel: "warning",
});
for (const file of ["index.html", "style.css"]) copyFileSync(join(here, file), join(out, file));
// Beside main.js, where new URL("./worker.js", import.meta.url) looks for them.
for (const file of ["worker.js", "zarr.wasm", "zarr-full.wasm"]) copyFileSync(join(dist, file), join(out, file));
for (const [name, tree] of samples) cpSync(tree, join(out, "sample", name), { recursive: true });
console.log(`the viewer is in ${out}`);

function fail(message) {
  console.error(`web/demo/build.mjs: ${message}`);
  process.exit(1);
}
