// Differences compared with a model: random arrays with random axes, types, packings and missing
// values, read in random parts.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { describe } from "zarr-wasm/describe";
import { subtracted } from "../../dist/view-difference.js";
import { random } from "../lib/random.mjs";
import { bundledModule } from "./bundledmodule.mjs";

const { ViewWorker } = await bundledModule("viewworker", 'export { ViewWorker } from "./view/worker/viewworker.js";');
after(() => zarr.terminate());

const types = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
};
const lengths = { time: 6, lat: 5, lon: 7, height: 2 };
const text = (value) => new TextEncoder().encode(JSON.stringify(value));

/** An array's document, its only chunk, and its values by position, null for missing ones. */
function made(roll, names) {
  const type = Object.keys(types)[roll(10)];
  const big = type.endsWith("64") && !type.startsWith("float");
  const shape = names.map((name) => lengths[name]);
  const count = shape.reduce((a, b) => a * b, 1);
  const missing = 3 + roll(4);
  const packed = roll(3) === 0;
  const large = big && roll(2) === 0;
  const stored = Array.from({ length: count }, () => roll(100) + (large ? 2 ** 60 : 0));
  const data = types[type].from(stored, (v) => (big ? BigInt(v) + (large ? BigInt(v % 7) : 0n) : v));
  const attributes = { _FillValue: missing, ...(packed && { scale_factor: 0.5, add_offset: -3 }) };
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: type,
    chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    dimension_names: names,
    attributes,
  };
  const value = (index) => {
    const at = names.reduce((place, name) => place * lengths[name] + index[name], 0);
    const one = data[at];
    if (Number(one) === missing || Number.isNaN(Number(one))) return null;
    return packed ? Number(one) * 0.5 - 3 : one;
  };
  return { document, chunk: new Uint8Array(data.buffer), key: `c${"/0".repeat(names.length)}`, value, type };
}

const minus = (a, b) => {
  if (a === null || b === null) return Number.NaN;
  return typeof a === "bigint" && typeof b === "bigint" ? Number(a - b) : Number(a) - Number(b);
};

const shuffled = (roll, list) =>
  list
    .map((one) => [roll(1000), one])
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);

async function opened(a, b) {
  const store = new Map([["/zarr.json", text({ zarr_format: 3, node_type: "group", attributes: {} })]]);
  for (const [name, { document, chunk, key }] of Object.entries({ a, b })) {
    store.set(`/${name}/zarr.json`, text(document));
    store.set(`/${name}/${key}`, chunk);
  }
  return describe(await zarr.open(zarr.root(store).resolve("a"), { kind: "array" }));
}

const workers = () => new ViewWorker();
const { signal } = new AbortController();

test("a difference equals that of the values, and is missing if either is", async () => {
  for (let seed = 1; seed <= 120; seed++) {
    const roll = random(seed);
    const all = ["time", "height", "lat", "lon"].slice(roll(3));
    const names = shuffled(roll, all);
    const others = shuffled(roll, all).slice(roll(2));
    const [a, b] = [made(roll, names), made(roll, others)];
    const description = await opened(a, b);
    const own = roll(4) === 0;
    const fixed = others.filter(() => roll(3) === 0);
    const index = Object.fromEntries((own ? names.slice(0, 1) : fixed).map((name) => [name, roll(lengths[name])]));
    const wanted = own ? { index } : { node: "/b", index };
    const { field } = await subtracted(description, wanted, workers, signal);
    const other = own ? a : b;
    const [{ array }] = field.levels;
    const expected = (at) => minus(a.value(at), other.value({ ...at, ...index }));
    const what = `seed ${seed}: ${a.type} ${names} less ${other.type} ${own ? names : others} ${JSON.stringify(wanted)}`;
    for (let i = 0; i < 4; i++) {
      const items = names.map((name) => {
        if (roll(3) === 0) return roll(lengths[name]);
        const start = roll(lengths[name]);
        return { start, stop: start + 1 + roll(lengths[name] - start), step: 1 };
      });
      const got = await array.get(items);
      const kept = items.flatMap((item, d) => (typeof item === "number" ? [] : [d]));
      const values = kept.length === 0 ? [got] : [...got.data];
      const model = [];
      const walk = (d, at) => {
        if (d === names.length) return model.push(expected(at));
        const item = items[d];
        if (typeof item === "number") return walk(d + 1, { ...at, [names[d]]: item });
        for (let k = item.start; k < item.stop; k++) walk(d + 1, { ...at, [names[d]]: k });
      };
      walk(0, {});
      assert.deepEqual(values, model, `${what} ${JSON.stringify(items)}`);
    }
    const points = Array.from({ length: 9 }, () => names.map((name) => roll(lengths[name])));
    const { data } = await array.vindex(names.map((_, d) => points.map((point) => point[d])));
    const model = points.map((point) => expected(Object.fromEntries(names.map((name, d) => [name, point[d]]))));
    assert.deepEqual([...data], model, what);
    assert.equal(field.scale.value, "diverging");
  }
});

test("an invalid difference is a named error, and never reads the first array", async () => {
  const roll = random(5);
  const description = await opened(made(roll, ["lat", "lon"]), made(roll, ["lat", "lon"]));
  const refused = (minus, name) =>
    assert.rejects(subtracted(description, minus, workers, signal), { name }, JSON.stringify(minus));
  await refused({ node: "/nothing" }, "NotFoundError");
  await refused({ node: "/" }, "UnsupportedError");
  await refused({ index: { depth: 1 } }, "UnsupportedError");
  const { document, chunk } = made(roll, ["lat", "lon"]);
  const other = { ...document, shape: [5, 8], attributes: {} };
  other.chunk_grid = { name: "regular", configuration: { chunk_shape: [5, 8] } };
  const wide = { document: other, chunk, key: "c/0/0" };
  const beside = await opened(made(roll, ["lat", "lon"]), wide);
  await assert.rejects(
    subtracted(beside, { node: "/b" }, workers, signal),
    /lon has 8 elements in the subtracted variable, but 7 here/,
  );
  const unlike = (units) => {
    const it = made(roll, ["lat", "lon"]);
    return { ...it, document: { ...it.document, attributes: { ...it.document.attributes, units } } };
  };
  const mixed = await opened(unlike("K"), unlike("m"));
  await assert.rejects(subtracted(mixed, { node: "/b" }, workers, signal), { name: "UnsupportedError" });
  // Afterwards it works as before.
  const { field } = await subtracted(description, { node: "/b" }, workers, signal);
  assert.throws(() => field.levels[0].array.getChunk([0, 0]), { name: "UnsupportedError" });
});
