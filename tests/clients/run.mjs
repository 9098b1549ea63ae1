// Runs programs built on zarrita with this package in its place, in Chromium. They must read the
// same as with zarrita, and their types must be as correct. docs/start/install.md has the table of
// them.
//
//   node tests/clients/run.mjs [CLIENT…]   all clients, or those named
//   node tests/clients/run.mjs --write     also writes the table
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileSystemStore } from "@zarrita/storage";
import { build } from "esbuild";
import * as zarrita from "zarrita";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const modules = join(here, "node_modules");
const out = join(top, "build", "clients");
const page = join(top, "docs/start/install.md");

// Each client has a script that reads, and a program with its types. `sources` are its published
// sources, which are compiled, too.
const clients = {
  viv: { package: "@vivjs/loaders", reads: "OME 0.4 and 0.5 images and a plate: planes, tiles, statistics" },
  "ome-zarr": { package: "ome-zarr.js", reads: "OME 0.4 and 0.5 images and a plate: metadata, arrays, pictures" },
  zarrextra: { package: "zarrextra", reads: "trees of consolidated metadata, arrays, OME images in a part of a store" },
  vitessce: {
    package: "@vitessce/zarr",
    sources: ["src/AnnDataSource.js"],
    reads: "AnnData of v2 and v3 and from before 0.8: names, columns, categories, embeddings, matrices",
  },
  anndata: {
    package: "anndata.js",
    reads: "AnnData of v2 and from before 0.8: names, columns, categories, dense slices",
  },
  "zarr-layer": {
    package: "@carbonplan/zarr-layer",
    reads: "pyramids and single arrays: queries of points and regions",
  },
  ol: {
    package: "ol",
    sources: ["source/GeoZarr.js"],
    reads: "`ol/source/GeoZarr`: pyramids and single arrays, every level's first tile",
  },
};

// The main files of Vitessce's packages bundle zarrita, so their sources are used. The dependencies
// of its other loaders, 245 MB, are not installed: package.json replaces them by nothing.
const unbundled = Object.fromEntries(
  ["error", "globals", "zarr-utils"].map((name) => [
    `@vitessce/${name}`,
    join(modules, "@vitessce", name, "dist-tsc", "index.js"),
  ]),
);

const manifest = (dir) => JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));

/** The zarrita that a client brings. */
function zarritaOf(client) {
  const own = join(modules, clients[client].package, "node_modules", "zarrita");
  return existsSync(own) ? own : join(modules, "zarrita");
}

/**
 * A pyramid whose chunks are tiles, as the map layer requires, made from one whose chunks are
 * levels.
 */
async function makePyramid() {
  const from = zarrita.root(new FileSystemStore(join(top, "build/fixtures/conventions/geo/ndpyramid_v3.zarr")));
  const to = zarrita.root(new FileSystemStore(join(out, "pyramid.zarr")));
  const { attrs } = await zarrita.open(from, { kind: "group" });
  await zarrita.create(to, { attributes: attrs });
  for (const level of ["0", "1", "2"]) {
    await zarrita.create(to.resolve(level), {});
    const array = await zarrita.open(from.resolve(`${level}/tas`), { kind: "array" });
    const { dtype, shape, dimensionNames } = array;
    const codecs = [{ name: "bytes", configuration: { endian: "little" } }];
    const tiles = await zarrita.create(to.resolve(`${level}/tas`), {
      dtype,
      shape,
      dimensionNames,
      chunkShape: [8, 8],
      codecs,
      fillValue: 0,
      attributes: {},
    });
    await zarrita.set(tiles, null, await zarrita.get(array));
  }
}

/** Bundles a client with one of the two packages and runs it in a page. */
async function read(browser, url, client, name) {
  const ours = name === "zarr-wasm";
  const file = join(out, `${client}-${name}.js`);
  await build({
    absWorkingDir: here,
    entryPoints: [`${client}.js`],
    bundle: true,
    format: "esm",
    outfile: file,
    alias: { zarrita: ours ? "/dist/index.js" : zarritaOf(client), ...unbundled },
    external: ["/dist/index.js", "worker_threads"],
    logLevel: "error",
  });
  const tab = await browser.newPage();
  try {
    await tab.goto(`${url}tests/clients/page.html`);
    return await tab.evaluate(
      async ([script, base]) => (await import(script)).run(base),
      [file.replace(top, "/"), `${url}build/`],
    );
  } finally {
    await tab.close();
  }
}

/**
 * Compiles a client's program with the types of one of the two packages, and returns the places of
 * errors.
 */
async function typeErrors(client, name) {
  const { package: from, sources = [] } = clients[client];
  const config = join(out, `${client}-${name}.json`);
  const types = name === "zarr-wasm" ? join(top, "dist/index.d.ts") : join(zarritaOf(client), "dist/src/index.d.ts");
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2024", "ESNext.Float16", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    module: "ESNext",
    moduleResolution: "Bundler",
    types: [],
    strict: true,
    noEmit: true,
    checkJs: sources.length > 0,
    paths: { zarrita: [types] },
  };
  const files = [join(here, "types", `${client}.ts`), ...sources.map((file) => join(modules, from, file))];
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const said = await new Promise((resolve) => {
    const args = ["-p", config, "--pretty", "false"];
    execFile(join(top, "node_modules/.bin/tsc"), args, { cwd: here }, (_, stdout) => resolve(stdout));
  });
  return said.match(/^.+\(\d+,\d+\): error TS\d+/gm) ?? [];
}

async function check(browser, url, client) {
  const names = ["zarr-wasm", "zarrita"];
  const [ours, theirs] = await Promise.all(names.map((name) => read(browser, url, client, name)));
  assert.ok(theirs.length > 5, `${theirs.length} results`);
  assert.deepEqual(ours, theirs);
  const [errors, before] = await Promise.all(names.map((name) => typeErrors(client, name)));
  assert.deepEqual(
    errors.filter((error) => !before.includes(error)),
    [],
    "types",
  );
  const { version } = manifest(join(modules, clients[client].package));
  const cells = [clients[client].package, version, manifest(zarritaOf(client)).version, clients[client].reads];
  return [...cells, `${theirs.length} results, equal`, `${before.length} / ${errors.length}`];
}

const named = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const chosen = named.length > 0 ? named : Object.keys(clients);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await makePyramid();
const server = await serve(".");
const browser = await launch();
const rows = [];
let failed = 0;

async function one(title, run) {
  try {
    console.log(`ok ${title}: ${await run()}`);
  } catch (error) {
    failed++;
    console.log(`not ok ${title}: ${error.stack}`);
  }
}

try {
  for (const client of chosen) {
    await one(client, async () => {
      const row = await check(browser, server.url, client);
      rows.push(row);
      return row.slice(-2).join(", type errors ");
    });
  }
} finally {
  await browser.close();
  server.close();
}
let count = chosen.length;
if (rows.length === Object.keys(clients).length) {
  count++;
  await one("the table of docs/start/install.md", async () => {
    const head = ["client", "version", "its zarrita", "what is read", "with either", "type errors with zarrita / here"];
    const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
    const text = readFileSync(page, "utf8");
    assert.match(text, /^\| client \|/m);
    const written = text.replace(/\| client \|[\s\S]*?\n(?=\n|$)/, () => `${lines.join("\n")}\n`);
    if (process.argv.includes("--write")) writeFileSync(page, written);
    else assert.equal(text, written, "node tests/clients/run.mjs --write");
    return `${rows.length} rows`;
  });
}
console.log(`${count - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
