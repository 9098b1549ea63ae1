// Builds the viewer into one folder that works on any static host, under any path:
//
//   node web/demo/build.mjs [--out DIR] [NAME=TREE …]
//
// Each NAME=TREE is copied to sample/NAME; without any, the samples that the
// page's buttons open are taken: what web/samples makes, and two of the unpacked fixtures. dist/ must have been
// built: the viewer is bundled with the package as its users get it.
//
// All files but index.html have a hash of what is in them in their names: what is
// served under such a name never changes, and browsers may keep it.
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
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
  for (const name of ["earth", "cells", "table"])
    samples.push([`${name}.zarr`, join(top, "build", "samples", `${name}.zarr`)]);
}

// What main.js looks for beside itself, by new URL("./worker.js", import.meta.url).
const assets = ["worker.js", "zarr.wasm", "zarr-full.wasm"];
for (const file of ["index.js", ...assets]) {
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

/** The name of each file that index.html or main.js refers to, as it is served. */
const served = new Map();
for (const file of assets) {
  const hash = createHash("sha256")
    .update(readFileSync(join(dist, file)))
    .digest("hex")
    .slice(0, 8)
    .toUpperCase();
  served.set(file, file.replace(".", `.${hash}.`));
  copyFileSync(join(dist, file), join(out, served.get(file)));
}
/** In the package, refers to its files by the names that they are served under. */
const renamed = {
  name: "renamed",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/dist\/index\.js$/ }, ({ path }) => ({
      contents: rename(readFileSync(path, "utf8"), assets),
    })),
};
const { metafile } = await build({
  absWorkingDir: top,
  entryPoints: [join(here, "main.ts"), join(here, "style.css")],
  outdir: out,
  entryNames: "[name].[hash]",
  metafile: true,
  plugins: [renamed],
  bundle: true,
  format: "esm",
  platform: "browser",
  target: ["es2022"],
  // The package by its public entry, as a bundler would find it in node_modules.
  alias: {
    "zarr-wasm": join(dist, "index.js"),
    ...Object.fromEntries(
      ["xarray", "describe", "view"].map((name) => [`zarr-wasm/${name}`, join(dist, `${name}.js`)]),
    ),
  },
  minify: true,
  sourcemap: true,
  legalComments: "inline",
  logLevel: "warning",
});
for (const path of Object.keys(metafile.outputs)) {
  if (!path.endsWith(".map")) served.set(basename(path).replace(/\.\w+/, ""), basename(path));
}
const page = readFileSync(join(here, "index.html"), "utf8");
writeFileSync(join(out, "index.html"), rename(page, ["main.js", "style.css", "worker.js", "zarr.wasm"]));
for (const [name, tree] of samples) cpSync(tree, join(out, "sample", name), { recursive: true });
console.log(`the viewer is in ${out}`);

/** Each of the names must be there, in quotes. */
function rename(text, names) {
  return names.reduce((text, name) => {
    if (!text.includes(`"./${name}"`)) fail(`nothing refers to ./${name}`);
    return text.replaceAll(`"./${name}"`, `"./${served.get(name)}"`);
  }, text);
}

function fail(message) {
  console.error(`web/demo/build.mjs: ${message}`);
  process.exit(1);
}
