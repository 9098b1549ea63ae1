// The tables of metadata documents' names in Go and in TypeScript are the same.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { random } from "../lib/random.mjs";
import { top } from "../lib/serve.mjs";

const go = readFileSync(join(top, "internal/document/document.go"), "utf8");
const names = Object.fromEntries([...go.matchAll(/^\t(\w+) += "(.+)"$/gm)].map(([, name, value]) => [name, value]));

/** Loads a module of the package. */
async function load(file) {
  const { outputFiles } = await build({ entryPoints: [join(top, file)], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

test("TypeScript's names are Go's", async () => {
  const { documentNames, documentV1, attributesV1 } = await load("js/data/documents.ts");
  const { V1, V1Attributes, N5, ...others } = names;
  assert.equal(N5, "attributes.json"); // the page does not know it
  assert.deepEqual([documentV1, attributesV1], [V1, V1Attributes]);
  const lower = ([name, value]) => [name[0].toLowerCase() + name.slice(1), value];
  assert.deepEqual(documentNames, Object.fromEntries(Object.entries(others).map(lower)));
});

test("the name of a document is one at the end of a path only", async () => {
  const { isDocument, nodeUrl } = await load("js/data/documents.ts");
  for (const [path, is] of [
    ["zarr.json", true],
    ["/a/b/.zgroup", true],
    ["a/zarr.json/", false],
    ["a/my-zarr.json", false],
    ["meta", false],
    ["a/attributes.json", false],
    ["", false],
  ])
    assert.equal(isDocument(path), is, path);
  for (const [url, node] of [
    ["https://e.org/a/zarr.json?x=/zarr.json", "https://e.org/a/?x=/zarr.json"],
    ["https://e.org/a/.zarray/", "https://e.org/a/"],
    ["https://e.org/.zattrs", "https://e.org/"],
    ["https://e.org/a/zarr.json/b/", "https://e.org/a/zarr.json/b/"],
    ["https://e.org", "https://e.org/"],
  ])
    assert.equal(nodeUrl(new URL(url)).href, node);
});

test("the page requests early the documents that the engine requests first", async () => {
  const { likelyDocuments } = await load("js/data/documents.ts");
  const cases = JSON.parse(readFileSync(join(top, "zarr/meta/testdata/likely.json"), "utf8"));
  assert.equal(cases.length, 48);
  for (const { format, kind, consolidated, sparing, names } of cases) {
    const early = likelyDocuments(format || undefined, kind || undefined, consolidated, sparing);
    // No document of version 1 is requested early.
    assert.deepEqual(early, format === 1 ? [] : names, JSON.stringify({ format, kind, consolidated }));
  }
});

/** The tables. */
const tables = ["internal/document/document.go", "js/data/documents.ts"];

test("no other file declares document names", () => {
  // In quotation marks, or in a regular expression.
  const literal = /"\/?(zarr\.json|\.z(?:array|group|attrs|metadata))"|zarr\\\.json|\\\.z(?:array|group|\()/g;
  const found = [];
  for (const dir of ["internal", "js", "zarr", "store", "wasm", "cmd", "web/demo"]) {
    for (const file of readdirSync(join(top, dir), { recursive: true })) {
      if (!/\.(go|ts)$/.test(file) || /_test\.go$|\.test\.ts$|storetest|node_modules/.test(file)) continue;
      const text = readFileSync(join(top, dir, file), "utf8").replace(/\/\/.*$|^\s*\*.*$|\/\*\*.*\*\//gm, "");
      const there = [...text.matchAll(literal)].map(([name]) => name);
      if (there.length > 0) found.push(`${dir}/${file}: ${there}`);
    }
  }
  assert.deepEqual(
    found.map((line) => line.split(":")[0]),
    tables,
    found.join("\n"),
  );
});

// Attributes of random sizes in documents of random order, with JSON that JSON.parse refuses, and
// the same text elsewhere.
test("a node's attributes equal those of its metadata and documents", async () => {
  const { open, terminate } = await import("../../dist/node.js");
  const { parseJson } = await load("js/data/json.ts");
  try {
    for (let seed = 0; seed < 60; seed++) {
      const pick = random(5, seed);
      const values = [
        "1",
        '"x"',
        "[[],[]]",
        "NaN",
        "9007199254740993",
        "null",
        '{"attributes":{"a":1}}',
        '"\\u00e9\\ud83d\\ude00 é"',
      ];
      const count = pick(3) === 0 ? 0 : pick(200);
      const own = `{${Array.from({ length: count }, (_, i) => `"k${i}": ${values[pick(values.length)]}`).join(", ")}}`;
      const array = `"shape": [${1 + pick(9)}], "fill_value": 0`;
      const v3 = [
        '"zarr_format": 3, "node_type": "array", "data_type": "uint8"',
        array,
        '"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}}',
        '"chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]',
        `"attributes": ${own}`,
        ...(pick(2) === 0 ? [`"other": {"must_understand": false, "attributes": ${own}}`] : []),
      ].sort(() => pick(3) - 1);
      if (pick(4) === 0) v3.unshift('"attributes": {"earlier": 1}');
      const v2 = `${array}, "zarr_format": 2, "chunks": [2], "dtype": "|u1", "order": "C", "compressor": null, "filters": null`;
      const stores = {
        "zarr.json": { "zarr.json": `{${v3.join(", ")}}` },
        ".zattrs": { ".zarray": `{${v2}}`, ".zattrs": own },
      };
      for (const [name, texts] of Object.entries(stores)) {
        const store = new Map(Object.entries(texts).map(([key, text]) => [`/${key}`, new TextEncoder().encode(text)]));
        const node = await open(store);
        const parsed = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, parseJson(text)]));
        if (pick(2) === 0) assert.deepEqual(node.attrs, parseJson(own), `${seed}: ${own}`);
        assert.deepEqual(node.metadata, parsed, `${seed}: ${texts[name]}`);
        assert.deepEqual(node.attrs, parseJson(own), `${seed}: ${own}`);
        const { attributes = node.metadata[".zattrs"] } = node.metadata[name];
        if (count > 0) assert.equal(attributes, node.attrs);
      }
    }
  } finally {
    terminate();
  }
});
