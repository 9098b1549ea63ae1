// The npm package as it would be published: what is in it, that its parts belong
// together, and that who builds it again gets the same bytes.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { top } from "./serve.mjs";

const run = promisify(execFile);
const read = (path) => readFileSync(join(top, path));
const manifest = JSON.parse(read("package.json"));
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

test("package.json", () => {
  assert.equal(manifest.type, "module");
  assert.equal(manifest.sideEffects, false);
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

test("the tarball holds what the exports name, and nothing else but types and maps", async () => {
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: top });
  const files = JSON.parse(stdout)[0].files.map(({ path }) => path);
  const targets = Object.values(manifest.exports).flatMap((t) => (typeof t === "string" ? [t] : Object.values(t)));
  for (const target of [...targets, manifest.main, manifest.module, manifest.types]) {
    assert.ok(files.includes(target.replace("./", "")), target);
  }
  const scripts = ["index", "inline", "inplace", "more", "node", "worker-node", "worker"];
  const rest = files.filter((path) => !/^dist\/[\w-]+\.d\.ts$|^dist\/[\w-]+\.js\.map$/.test(path)).sort();
  assert.deepEqual(rest, [
    "LICENSE",
    "README.md",
    "THIRD_PARTY_NOTICES",
    ...scripts.map((name) => `dist/${name}.js`),
    "dist/zarr-full.wasm",
    "dist/zarr.wasm",
    "package.json",
  ]);
  for (const name of scripts) {
    const text = String(read(`dist/${name}.js`));
    const map = /^\/\/# sourceMappingURL=(.*)$/m.exec(text)?.[1];
    assert.equal(map !== undefined, name !== "inline", name);
    if (map) assert.ok(files.includes(`dist/${map}`), map);
    assert.ok(!text.includes(top), `${name} names a path of this machine`);
  }
});

test("the worker's script, the wasm and the main file find each other as bundlers want it", () => {
  const index = String(read("dist/index.js"));
  assert.match(index, /new URL\("\.\/zarr\.wasm",import\.meta\.url\)/);
  assert.match(index, /new URL\("\.\/zarr-full\.wasm",import\.meta\.url\)/);
  assert.match(index, /new Worker\(new URL\("\.\/worker\.js",import\.meta\.url\),\{type:"module"\}\)/);
  assert.doesNotMatch(String(read("dist/worker.js")), /\bimport\s*[{"*(]/, "the worker's script is one file");
  const inline = String(read("dist/inline.js"));
  assert.doesNotMatch(inline.slice(-100_000), /import\("|from"/);
});

test("the page's part is small", () => {
  const packed = gzipSync(read("dist/index.js"), { level: 9 }).length;
  assert.ok(packed <= 15_000, `dist/index.js has ${packed} bytes with gzip`);
});

test("publint finds nothing", async () => {
  const { messages } = await publint({ pkgDir: top, strict: true });
  assert.deepEqual(messages, []);
});

test("the types resolve", async () => {
  const attw = join(top, "node_modules", ".bin", "attw");
  await run(
    attw,
    ["--pack", ".", "--profile", "esm-only", "--exclude-entrypoints", "./zarr.wasm", "./zarr-full.wasm"],
    { cwd: top },
  );
});

test("building again gives the same bytes", async () => {
  const names = readdirSync(join(top, "dist")).filter((name) => name.endsWith(".js"));
  const out = mkdtempSync(join(tmpdir(), "zarr-wasm-"));
  try {
    await run(process.execPath, ["js/build.mjs", "--no-types", `--out=${out}`], { cwd: top });
    const sums = (dir) => names.map((name) => `${name} ${sha256(readFileSync(join(dir, name)))}`);
    assert.deepEqual(sums(out), sums(join(top, "dist")));
    for (const name of ["zarr", "zarr-full"]) {
      await run("./build.sh", ["wasm", name, join(out, "again.wasm")], { cwd: top });
      assert.equal(sha256(readFileSync(join(out, "again.wasm"))), sha256(read(`dist/${name}.wasm`)), name);
    }
  } finally {
    rmSync(out, { recursive: true });
  }
});
