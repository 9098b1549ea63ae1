// Builds the viewer's own files into dist/viewer, which are part of the package, and with those of the package and samples a folder that
// works on any static host, under any path:
//
//   node web/demo/build.mjs [--out DIR] [NAME=TREE …]
//
// Each NAME=TREE is copied to sample/NAME; without any, the samples that the page's buttons open are taken: what web/samples makes, and two
// of the unpacked fixtures. dist/ must have been built: the viewer imports the package's files as they are published.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { viewerFiles } from "../../bin/viewerfiles.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const top = resolve(here, "../..");
const dist = join(top, "dist");
const viewer = join(dist, "viewer");

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
if (!existsSync(join(dist, "view.js"))) fail("dist/view.js is missing: build the package first");
for (const [name, tree] of samples) {
  if (!/^[\w.-]+$/.test(name) || name.startsWith(".")) fail(`"${name}" is not a plain file name`);
  if (!existsSync(tree)) fail(`the sample ${tree} is missing`);
}

/** The pages, and the script of each. */
const pages = { "index.html": "main", "hostcheck.html": "hostcheck" };
/** What most first pictures need: it is asked for with the page, and not when it is found out. */
const first = { main: ["describe-groups.js", "view-worker.js"], hostcheck: [] };

rmSync(viewer, { recursive: true, force: true });
await build({
  absWorkingDir: top,
  entryPoints: [...Object.values(pages).map((name) => join(here, `${name}.ts`)), join(here, "style.css")],
  outdir: viewer,
  bundle: true,
  format: "esm",
  platform: "browser",
  target: ["es2022"],
  minify: true,
  legalComments: "inline",
  logLevel: "warning",
  plugins: [
    {
      name: "the package, by its public entries",
      setup: ({ onResolve }) =>
        onResolve({ filter: /^zarr-wasm(\/\w+)?$/ }, ({ path }) => {
          const [, subpath = "index"] = path.split("/");
          return { path: `./${subpath}.js`, external: true };
        }),
    },
  ],
});

/** The scripts that a script imports before it runs, and those that these import. */
function importsOf(script, found = new Set()) {
  const file = [viewer, dist].map((dir) => join(dir, script)).find((file) => existsSync(file));
  for (const [, name] of readFileSync(file, "utf8").matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    importsOf(name, found);
  }
  return [...found];
}

for (const [page, script] of Object.entries(pages)) {
  const names = [...importsOf(`${script}.js`), ...first[script]];
  const links = names.map((name) => `<link rel="modulepreload" href="./${name}" />\n  `);
  const text = readFileSync(join(here, page), "utf8").replace("</head>", () => `${links.join("  ")}</head>`);
  // In the package there are no samples beside it.
  writeFileSync(join(viewer, page), text.replace("<html ", '<html data-samples="none" '));
}

// Emptied, not removed: a server that runs on the folder goes on with the new files.
mkdirSync(join(out, "sample"), { recursive: true });
for (const name of readdirSync(out)) if (name !== "sample") rmSync(join(out, name), { recursive: true, force: true });
for (const [name, bytes] of viewerFiles({ viewer, dist }))
  writeFileSync(join(out, name), name.endsWith(".html") ? String(bytes).replace(' data-samples="none"', "") : bytes);
for (const name of readdirSync(join(out, "sample"))) rmSync(join(out, "sample", basename(name)), { recursive: true });
for (const [name, tree] of samples) cpSync(tree, join(out, "sample", name), { recursive: true });
console.log(`the viewer is in ${out}`);

function fail(message) {
  console.error(`web/demo/build.mjs: ${message}`);
  process.exit(1);
}
