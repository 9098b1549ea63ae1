// Arrays of one group with random axes, types, packings and missing values.
import assert from "node:assert/strict";
import * as zarr from "zarr-wasm";
import { describe } from "zarr-wasm/describe";
import { arrayV3, groupV3, json, typedArrays } from "../lib/documents.mjs";

export const lengths = { time: 6, lat: 5, lon: 7, height: 2 };

/** An array's document, its only chunk, and its values by position, null for missing ones. */
export function made(roll, names) {
  const type = Object.keys(typedArrays)[roll(10)];
  const big = type.endsWith("64") && !type.startsWith("float");
  const shape = names.map((name) => lengths[name]);
  const count = shape.reduce((a, b) => a * b, 1);
  const missing = 3 + roll(4);
  const packed = roll(3) === 0;
  const large = big && roll(2) === 0;
  const stored = Array.from({ length: count }, () => roll(100) + (large ? 2 ** 60 : 0));
  const data = typedArrays[type].from(stored, (v) => (big ? BigInt(v) + (large ? BigInt(v % 7) : 0n) : v));
  const attributes = { _FillValue: missing, ...(packed && { scale_factor: 0.5, add_offset: -3 }) };
  const document = arrayV3(shape, type, { dimension_names: names, attributes });
  const value = (index) => {
    const at = names.reduce((place, name) => place * lengths[name] + index[name], 0);
    const one = data[at];
    if (Number(one) === missing || Number.isNaN(Number(one))) return null;
    return packed ? Number(one) * 0.5 - 3 : one;
  };
  return { document, chunk: new Uint8Array(data.buffer), key: `c${"/0".repeat(names.length)}`, value, type };
}

export const shuffled = (roll, list) =>
  list
    .map((one) => [roll(1000), one])
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);

/** The description of the first of named arrays of a store. */
export async function opened(arrays) {
  const store = new Map([["/zarr.json", json(groupV3())]]);
  for (const [name, { document, chunk, key }] of Object.entries(arrays)) {
    store.set(`/${name}/zarr.json`, json(document));
    store.set(`/${name}/${key}`, chunk);
  }
  return describe(await zarr.open(zarr.root(store).resolve(Object.keys(arrays)[0]), { kind: "array" }));
}

/** Fails unless random parts and points of an array of these axes have a function's values. */
export async function compare(roll, array, names, expected, what) {
  for (let i = 0; i < 4; i++) {
    const items = names.map((name) => {
      if (roll(3) === 0) return roll(lengths[name]);
      const start = roll(lengths[name]);
      return { start, stop: start + 1 + roll(lengths[name] - start), step: 1 };
    });
    const got = await array.get(items);
    const values = items.every((item) => typeof item === "number") ? [got] : [...got.data];
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
}

/** One of `made` with other attributes and entries of its document. */
export const changed = (one, { attributes, ...document }) => ({
  ...one,
  document: { ...one.document, ...document, attributes: { ...one.document.attributes, ...attributes } },
});
