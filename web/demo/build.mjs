// Builds the viewer. Its own files go into dist/viewer and are part of the package. Together with
// the package's files and samples they form a folder that works on any static host, under any path:
//
//   node web/demo/build.mjs [--out DIR] [NAME=TREE …]
//
// Each NAME=TREE is copied to sample/NAME. By default it copies the samples of the page's buttons:
// those of web/samples, and two unpacked fixtures. The folder dist/ must exist, because the viewer
// imports the package's published files.
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

/** The pages, and their scripts. */
const pages = { "index.html": "start", "folder.html": "folder", "hostcheck.html": "hostcheck" };
/**
 * Files that most first pictures need, in the order of their use. The page preloads them after the
 * imports of its script.
 */
const first = {
  start: ["worker.js", "zarr.wasm", "main.js", "describe-groups.js", "view-worker.js"],
  folder: ["describe-groups.js"],
  hostcheck: [],
};

rmSync(viewer, { recursive: true, force: true });
await build({
  absWorkingDir: top,
  entryPoints: [...Object.values(pages), "main"]
    .map((name) => join(here, `${name}.ts`))
    .concat(join(here, "style.css")),
  outdir: viewer,
  bundle: true,
  format: "esm",
  platform: "browser",
  target: ["es2022"],
  minify: true,
  sourcemap: "external",
  legalComments: "inline",
  logLevel: "warning",
  plugins: [
    {
      name: "the package, by its public entries, and scripts that are loaded later",
      setup: ({ onResolve }) => {
        onResolve({ filter: /^zarr-wasm(\/\w+)?$/ }, ({ path }) => {
          const [, subpath = "index"] = path.split("/");
          return { path: `./${subpath}.js`, external: true };
        });
        onResolve({ filter: /./ }, ({ path, kind }) =>
          kind === "dynamic-import" ? { path, external: true } : undefined,
        );
      },
    },
  ],
});

/** Returns the scripts that a script imports statically, directly or indirectly. */
function importsOf(script, found = new Set()) {
  const file = [viewer, dist].map((dir) => join(dir, script)).find((file) => existsSync(file));
  for (const [, name] of readFileSync(file, "utf8").matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    importsOf(name, found);
  }
  return [...found];
}

const linkTo = (name) =>
  name.endsWith(".wasm")
    ? `<link rel="preload" href="./${name}" as="fetch" crossorigin />\n  `
    : `<link rel="modulepreload" href="./${name}" />\n  `;

/** The head that all pages have. Each page adds its title and its description. */
const head = readFileSync(join(here, "head.html"), "utf8");

for (const [page, script] of Object.entries(pages)) {
  const found = new Set(importsOf(`${script}.js`));
  for (const name of first[script]) {
    found.add(name);
    if (name.endsWith(".js")) importsOf(name, found);
  }
  const links = [...found].map(linkTo);
  // A script that runs before its links are parsed would request their files twice.
  const text = readFileSync(join(here, page), "utf8")
    .replace("<head>\n", (tag) => tag + head)
    .replace(/<script |<\/head>/, (next) => `${links.join("  ")}${next === "</head>" ? "" : "  "}${next}`);
  // The package contains no samples.
  writeFileSync(join(viewer, page), text.replace("<html ", '<html data-samples="none" '));
}

// The folder is emptied and not removed, so that a running server continues with the new files.
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
