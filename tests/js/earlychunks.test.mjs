// The chunks that are requested before the engine runs are those that the engine itself requests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { build } from "esbuild";
import * as zarr from "../../dist/node.js";
import { random } from "../lib/random.mjs";
import { top } from "../lib/serve.mjs";

/** Loads a module of the package. */
async function load(file) {
  const { outputFiles } = await build({ entryPoints: [join(top, file)], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { earlyKeys } = await load("js/worker/earlychunks.ts");
after(() => zarr.terminate());

test("keys are made by Go's rules", async () => {
  const { chunkKey } = await load("js/data/chunkkeys.ts");
  const cases = JSON.parse(readFileSync(join(top, "zarr/grid/testdata/keys.json"), "utf8"));
  for (const { name, separator, coords, key } of cases) {
    assert.equal(chunkKey(name, separator || undefined, coords), key, JSON.stringify({ name, separator, coords }));
  }
  assert.equal(chunkKey("zarrs.default_suffix", "/", [0]), undefined);
  assert.equal(chunkKey("toString", undefined, [0]), undefined);
  assert.equal(chunkKey("default", "-", [0]), undefined);
});

/** A document of an array, and its name. */
function anArray(pick) {
  const one = (...of) => pick.of(of);
  const large = pick(4) === 0;
  const rank = large ? 2 : pick(4);
  const shape = Array.from({ length: rank }, () => 1 + pick(large ? 3000 : 40));
  const chunk = shape.map((n) => 1 + pick(large ? 2 * n : 12));
  const separator = one("/", ".", undefined);
  if (pick(2) === 0) {
    const compressor = one(null, { id: "zlib", level: 1 }, { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1 });
    const document = { zarr_format: 2, shape, chunks: chunk, dtype: one("<f4", "|u1", "<i8", "<U7"), compressor };
    Object.assign(document, { fill_value: null, order: one("C", "F"), filters: null });
    if (separator) document.dimension_separator = separator;
    return [".zarray", document];
  }
  const encoding = { name: one("default", "v2") };
  if (separator) encoding.configuration = { separator };
  const codecs = [{ name: "bytes", configuration: { endian: "little" } }];
  const more = one(undefined, { name: "gzip", configuration: { level: 1 } }, { name: "crc32c" });
  if (pick(5) === 0) {
    const configuration = { chunk_shape: chunk, codecs: [...codecs], index_codecs: [...codecs, { name: "crc32c" }] };
    codecs.splice(0, 1, { name: "sharding_indexed", configuration });
  } else if (more) codecs.push(more);
  const document = { zarr_format: 3, node_type: "array", shape, data_type: one("float32", "uint8", "int16"), codecs };
  document.chunk_grid = { name: "regular", configuration: { chunk_shape: chunk } };
  return ["zarr.json", { ...document, chunk_key_encoding: encoding, fill_value: 0 }];
}

function aSelection(pick, shape) {
  if (pick(6) === 0) return null;
  const list = shape.map((n) => {
    const from = pick(n);
    const kinds = [
      null,
      from,
      from - n,
      zarr.slice(from, from + 1 + pick(n - from)),
      zarr.slice(from - n, null),
      zarr.slice(null, null, 1 + pick(2)),
      zarr.slice(from, 10 * n),
      [from],
    ];
    return pick.of(kinds);
  });
  if (pick(3) === 0) list.splice(pick(list.length + 1), pick(2) * list.length, "...");
  return list.filter((item, i) => item !== "..." || list.indexOf(item) === i);
}

/** In the form of the page's messages. */
const toWire = (selection) =>
  selection?.map((item) => (item !== null && typeof item === "object" && "start" in item ? { ...item } : item)) ?? null;

test("early requests are for chunks that the engine reads whole", async () => {
  let asked = 0;
  let none = 0;
  for (let seed = 1; seed <= 150; seed++) {
    const pick = random(seed);
    const [name, document] = anArray(pick);
    const selection = aSelection(pick, document.shape);
    const about = JSON.stringify({ seed, document, selection });
    const whole = new Set();
    const store = {
      get: async (key) => {
        if (key === `/${name}`) return new TextEncoder().encode(JSON.stringify(document));
        whole.add(key.slice(1));
      },
      getRange: async () => undefined,
    };
    const array = await zarr.open(store, { kind: "array" });
    const early = earlyKeys(document, toWire(selection));
    await array.get(selection);
    for (const key of early) assert.ok(whole.has(key), `${key} of ${early}; read are ${[...whole]}: ${about}`);
    assert.equal(new Set(early).size, early.length, about);
    assert.ok(early.length <= 8, about);
    asked += early.length > 0;
    // An empty prediction must have a reason.
    if (early.length > 0) continue;
    none++;
    const { codecs = [], dtype } = document;
    const strange = selection?.some((item) => Array.isArray(item) || (item?.step ?? 1) !== 1);
    const parts = codecs.some((codec) => codec.name === "sharding_indexed");
    const large = document.shape.some((n) => n > 40) || dtype === "<U7";
    assert.ok(strange || parts || large, about);
  }
  assert.ok(asked > 50 && none > 25, `${asked} and ${none}`);
});

test("documents that are wrong, and selections that select nothing, have no chunks", () => {
  const good = { zarr_format: 2, shape: [4], chunks: [2], dtype: "<f4", compressor: null };
  assert.deepEqual(earlyKeys(good, null), ["0", "1"]);
  for (const change of [
    { zarr_format: 1 },
    { shape: 4 },
    { shape: [0] },
    { chunks: [0] },
    { chunks: [2, 2] },
    { chunks: ["2"] },
    { dimension_separator: "-" },
  ]) {
    assert.deepEqual(earlyKeys({ ...good, ...change }, null), [], JSON.stringify(change));
  }
  for (const other of [null, 1, [], {}, { zarr_format: 3, node_type: "group" }, { zarr_format: 3, node_type: "array" }])
    assert.deepEqual(earlyKeys(other, null), []);
  for (const selection of [[4], [-5], [0, 0], [{ start: 3, stop: 3, step: null }], [{ bigint: "9" }], ["...", "..."]])
    assert.deepEqual(earlyKeys(good, selection), [], JSON.stringify(selection));
});
