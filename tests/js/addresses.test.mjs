// One table defines addresses: store/address/testdata/addresses.json. The package and the command
// open each of them, in hierarchies at the table's https://h/.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { ZipWriter } from "../../dist/zip.js";
import { bucket } from "../lib/bucket.mjs";
import { arrayV2, arrayV3, groupV3, json } from "../lib/documents.mjs";
import { listen, top } from "../lib/serve.mjs";

const table = JSON.parse(readFileSync(`${top}store/address/testdata/addresses.json`, "utf8")).filter(({ of }) => !of);
const fixtures = `${top}build/fixtures/public`;
const dir = `${top}build/test/addresses`;

/**
 * The documents of a group of version 3 below a folder, and of an array in it. An attribute
 * identifies each.
 */
const v3 = (folder, is) => ({
  [`${folder}zarr.json`]: groupV3({ is }),
  [`${folder}a/zarr.json`]: arrayV3([2], "uint8", { attributes: { is: `${is}/a` } }),
});

/** The same in version 2. */
const v2 = (folder, is) => ({
  [`${folder}.zgroup`]: { zarr_format: 2 },
  [`${folder}.zattrs`]: { is },
  [`${folder}a/.zarray`]: arrayV2([2], "|u1"),
  [`${folder}a/.zattrs`]: { is: `${is}/a` },
});

const n5 = (folder) => ({
  [`${folder}attributes.json`]: { n5: "2.0.0", is: "n5" },
  [`${folder}s0/attributes.json`]: {
    ...{ dimensions: [3, 2], blockSize: [3, 2], dataType: "uint16", compression: { type: "raw" }, is: "n5/s0" },
  },
});

const references = {
  version: 1,
  refs: Object.fromEntries(Object.entries(v2("", "refs")).map(([key, document]) => [key, JSON.stringify(document)])),
};

const parquet = (folder) => ({
  [`${folder}.zmetadata`]: {
    record_size: 10,
    metadata: { ".zgroup": { zarr_format: 2 }, ".zattrs": { is: "parquet" } },
  },
});

/** An archive of objects: documents and bytes. */
async function archive(objects) {
  const zip = new ZipWriter();
  for (const [key, value] of Object.entries(objects)) await zip.set(`/${key}`, bytesOf(value));
  await zip.close();
  return new Uint8Array(await (await zip.blob()).arrayBuffer());
}

const bytesOf = (value) => (value instanceof Uint8Array ? value : json(value));

async function hierarchies() {
  const inner = await archive({ ...v3("", "inner"), ...v3("c/", "inner/c") });
  const zip = await archive({
    ...v3("", "zip"),
    ...Object.assign(
      {},
      ...["g", "in ner/x", "100%", "p|q", "z|zip:w", "ü"].map((name) => v3(`${name}/`, `zip/${name}`)),
    ),
    ...{ ...v2("both/", "zip/both2"), ...v3("both/", "zip/both3") },
    ...n5("x.n5/"),
    ...{ "r/refs.json": references, "b.zip": inner },
  });
  return {
    ...v3("plain.zarr/", "plain"),
    ...v2("old.zarr/", "old"),
    "old.zarr/.zmetadata": { zarr_consolidated_format: 1, metadata: v2("", "old") },
    ...{ ...v2("both.zarr/", "both2"), ...v3("both.zarr/", "both3") },
    ...v3("p|q.zarr/", "bar"),
    ...v3("c::d.zarr/", "colons"),
    ...v3("sp ace.zarr/", "space"),
    ...v3("ü.zarr/", "umlaut"),
    ...v3("per%cent.zarr/", "percent"),
    ...v3("que?ry.zarr/", "question"),
    ...v3("zip/zarr3/", "words"),
    ...{ ...v3("folder.zip/", "folder"), "folder.zip/b.zip": inner },
    ...v3("folder.json/", "folder.json"),
    ...n5("x.n5/"),
    ...{ "a.zip": zip, "UPPER.ZIP": zip, "x.ozx": zip, "a b.zip": zip, "que?ry.zip": zip, signed: zip },
    ...{ "refs.json": references, refs: references, "my-zarr.json": references },
    ...{ ...parquet("r.parq/"), ...parquet("parquets/") },
  };
}

rmSync(dir, { recursive: true, force: true });
for (const [key, value] of Object.entries(await hierarchies())) {
  mkdirSync(dirname(join(dir, key)), { recursive: true });
  writeFileSync(join(dir, key), bytesOf(value));
}
cpSync(`${fixtures}/earth-mover+icechunk/icechunk-python/tests/data/test-repo-v2`, `${dir}/repo`, {
  recursive: true,
});
const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const paths = files.map(({ parentPath, name }) => join(parentPath, name));
const objects = Object.fromEntries(paths.map((path) => [relative(dir, path), readFileSync(path)]));
const server = await listen(bucket({ name: "b", objects }));
const base = `${server.url}b/`;
after(() => {
  server.close();
  zarr.terminate();
});

/** An address of the table at the server; the scheme keeps its upper-case letters. */
const at = (text) =>
  text.replace(/https:\/\/h(?=\/|$)/gi, ([h]) => (h === "H" ? base.replace("http", "HTTP") : base).slice(0, -1));

/** Runs the command in the folder of the hierarchies. */
const command = (...args) =>
  new Promise((resolve) => {
    execFile(`${top}build/zarr`, args, { cwd: dir }, (error, stdout, stderr) => {
      resolve({ status: error?.code ?? 0, stdout, stderr });
    });
  });

/** Rows with `command` depend on which paths are folders. */
const opening = table.filter(({ is }) => is !== undefined);
const refused = table.filter(({ error }) => error);

test("the table is large enough", () => {
  assert.ok(table.length >= 150 && opening.length >= 150 && refused.length >= 15, `${table.length}, ${opening.length}`);
  assert.equal(new Set(table.map((row) => JSON.stringify(row))).size, table.length);
});

/** Processes all rows, several at once. */
async function each(rows, one) {
  const waiting = [...rows];
  const run = async () => {
    for (let row = waiting.pop(); row; row = waiting.pop()) await one(row);
  };
  await Promise.all(Array.from({ length: 6 }, run));
}

test("the package opens every address of the table", async () => {
  const before = process.cwd();
  process.chdir(dir);
  try {
    const rows = opening.filter((row) => !row.command);
    await each(rows, async ({ address, endpoints, is, path = "", found = path, format }) => {
      const ends = endpoints && Object.fromEntries(Object.entries(endpoints).map(([from, to]) => [from, at(to)]));
      const node = await zarr
        .open(at(address), { endpoints: ends })
        .catch((error) => assert.fail(`${address}: ${error}`));
      assert.equal(node.path, `/${found}`, address);
      if (format) assert.equal(node.format, format, address);
      if (is === "icechunk") await node.open("group1/small_chunks", { kind: "array" });
      else assert.deepEqual(node.attrs.is ?? node.shape, is, address);
    });
  } finally {
    process.chdir(before);
  }
});

test("the command opens every address of the table", async () => {
  const rows = opening.filter(({ endpoints }) => !endpoints);
  await each(rows, async ({ address, is, path = "", found = path, format }) => {
    const { status, stdout, stderr } = await command("info", "--json", at(address));
    assert.equal(status, 0, `${address}: ${stderr}`);
    const node = JSON.parse(stdout);
    assert.equal(node.path, `/${found}`, address);
    if (format) assert.equal(node.zarr_format, format, address);
    if (is === "icechunk") assert.equal((await command("info", at(address), "group1/small_chunks")).status, 0, address);
    else assert.deepEqual(node.attributes.is ?? node.shape, is, address);
  });
});

test("both reject invalid addresses, and the errors keep secrets", async () => {
  for (const { address, error: text } of refused) {
    await assert.rejects(zarr.open(address), (error) => {
      assert.ok(zarr.isZarrError(error, "StoreError"), `${address}: ${error}`);
      return error.message.includes(text) && !error.message.includes("secret");
    });
    const { status, stderr } = await command("info", address);
    assert.ok(status === 2 && stderr.includes(text) && !stderr.includes("secret"), `${address}: ${status} ${stderr}`);
  }
});

test("page and engine agree on plain URLs", () => {
  let plain = 0;
  for (const { address, store, path, format, known, endpoints, files } of table) {
    // A file's name may contain a question mark. Only the command checks whether a path is a
    // folder.
    if (!zarr.isPlainUrl(address) || known || endpoints || (files && /\?|\.zip\//.test(address))) continue;
    plain++;
    const place = typeof store === "string" && store.replace(/\?.*/, "");
    assert.ok((files ? address : address.trim()).startsWith(place) && !path && !format, address);
  }
  assert.ok(plain > 40, `${plain} plain URLs`);
});

test("recognising a plain URL takes no time, whatever the text", () => {
  for (const part of ["|", "|a", "a", "a.zip/", "::", "zip::", ".zip", "?", "/", " ", "a:", "\n"]) {
    const text = part.repeat(200_000);
    const began = performance.now();
    for (const one of [text, `https://h/${text}`, `${text}|zip:`, `${text}/zarr.json`]) zarr.isPlainUrl(one);
    assert.ok(performance.now() - began < 2000, `${JSON.stringify(part)}: ${performance.now() - began} ms`);
  }
});
