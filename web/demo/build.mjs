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

/** What the package looks for beside itself, by new URL("./worker.js", import.meta.url). */
const assets = ["worker.js", "decode-worker.js", "view-worker.js", "zarr.wasm", "zarr-full.wasm"].filter(
  (file) => file !== "view-worker.js" || existsSync(join(dist, file)),
);
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

/** The name of each file that a page or a script refers to, as it is served. */
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
    onLoad({ filter: /\/dist\/[\w-]+\.js$/ }, ({ path }) => ({ contents: rename(readFileSync(path, "utf8"), assets) })),
};
/** The pages, and the script and the style of each. */
const pages = { "index.html": "main", "hostcheck.html": "hostcheck" };
const { metafile } = await build({
  absWorkingDir: top,
  entryPoints: [...Object.values(pages).map((name) => join(here, `${name}.ts`)), join(here, "style.css")],
  outdir: out,
  entryNames: "[name].[hash]",
  chunkNames: "part.[hash]",
  // What is imported when it is needed is a file of its own.
  splitting: true,
  metafile: true,
  plugins: [renamed],
  bundle: true,
  format: "esm",
  platform: "browser",
  target: ["es2022"],
  // The package by its public entries, as a bundler would find them in node_modules.
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
const entries = new Map();
/** The part that each module is which is imported when it is needed. */
const loaded = new Map();
for (const [path, { entryPoint, imports }] of Object.entries(metafile.outputs)) {
  if (path.endsWith(".map") || !entryPoint) continue;
  const name = basename(entryPoint).replace(/\.ts$/, ".js");
  if (dirname(resolve(top, entryPoint)) === here) served.set(name, basename(path));
  entries.set(name, imports);
  loaded.set(name, basename(path));
}
/** What most first pictures need besides: it is asked for with the page, and not when it is found out. */
const first = ["describe-groups.js"];
for (const [page, script] of Object.entries(pages)) {
  const text = readFileSync(join(here, page), "utf8");
  const names = [`${script}.js`, "style.css", "worker.js", "zarr.wasm"].filter((name) => text.includes(`"./${name}"`));
  // Parts that a script imports at once are asked for together with it.
  const parts = entries
    .get(`${script}.js`)
    .filter(({ kind }) => kind === "import-statement")
    .map(({ path }) => basename(path));
  if (script === "main") parts.push(...first.map((name) => loaded.get(name)), "view-worker.js");
  const links = parts.map((name) => `<link rel="modulepreload" href="./${served.get(name) ?? name}" />\n  `);
  writeFileSync(
    join(out, page),
    rename(text, names).replace("</head>", () => `${links.join("  ")}</head>`),
  );
}
for (const [name, tree] of samples) cpSync(tree, join(out, "sample", name), { recursive: true });
console.log(`the viewer is in ${out}`);

/** Names in quotes, as they are served. */
function rename(text, names) {
  return names.reduce((text, name) => text.replaceAll(`"./${name}"`, `"./${served.get(name)}"`), text);
}

function fail(message) {
  console.error(`web/demo/build.mjs: ${message}`);
  process.exit(1);
}
