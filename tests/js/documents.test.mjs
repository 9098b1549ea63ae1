// The names of metadata documents stand in one table in Go, and in one for TypeScript, which is the same.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { top } from "./serve.mjs";

const go = readFileSync(join(top, "zarr/meta/documents.go"), "utf8");
const names = Object.fromEntries(
  [...go.matchAll(/^\tDocument(\w+) += "(.+)"$/gm)].map(([, name, value]) => [name, value]),
);

/** What a module of the package exports. */
async function load(file) {
  const { outputFiles } = await build({ entryPoints: [join(top, file)], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

test("TypeScript's names are Go's", async () => {
  const { documentNames } = await load("js/data/documents.ts");
  assert.deepEqual(
    documentNames,
    Object.fromEntries(
      Object.entries(names)
        .filter(([name]) => !name.startsWith("V1")) // the page does not ask for these by itself
        .map(([name, value]) => [name[0].toLowerCase() + name.slice(1), value]),
    ),
  );
});

test("the page asks early for what the engine asks for first", async () => {
  const { likelyDocuments } = await load("js/data/documents.ts");
  const cases = JSON.parse(readFileSync(join(top, "zarr/meta/testdata/likely.json"), "utf8"));
  assert.equal(cases.length, 48);
  for (const { format, kind, consolidated, sparing, names } of cases) {
    const early = likelyDocuments(format || undefined, kind || undefined, consolidated, sparing);
    // Version 1 has none that is asked for early.
    assert.deepEqual(early, format === 1 ? [] : names, JSON.stringify({ format, kind, consolidated }));
  }
});

/** Where names may stand besides, because nothing of zarr/meta or js may be imported there: below store/, and in these. */
const elsewhere = [
  "js/data/documents.ts",
  "zarr/meta/documents.go",
  "cmd/serve/static/types.go",
  "cmd/serve/static/viewer.go",
  "web/demo/url.ts",
];

test("no other file has names of its own", () => {
  const literal = /"\/?(zarr\.json|\.z(?:array|group|attrs|metadata))"/g;
  const found = new Map();
  for (const dir of ["js", "zarr", "store", "wasm", "cmd", "web/demo", "internal"]) {
    for (const file of readdirSync(join(top, dir), { recursive: true })) {
      if (!/\.(go|ts)$/.test(file) || /_test\.go$|\.test\.ts$|storetest|node_modules/.test(file)) continue;
      const text = readFileSync(join(top, dir, file), "utf8").replace(/\/\/.*$|^\s*\*.*$|\/\*\*.*\*\//gm, "");
      for (const [, name] of text.matchAll(literal))
        found.set(`${dir}/${file}`, [...(found.get(`${dir}/${file}`) ?? []), name]);
    }
  }
  for (const [file, list] of found) {
    assert.ok(elsewhere.includes(file) || file.startsWith("store/"), `${file} has ${list}`);
    for (const name of list) assert.ok(Object.values(names).includes(name), `${file}: ${name}`);
  }
  assert.deepEqual(
    elsewhere.filter((file) => !found.has(file)),
    [],
    "places that no longer have names",
  );
});
