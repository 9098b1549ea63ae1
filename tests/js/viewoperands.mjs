// Arrays of one group with random axes, types, packings and missing values.
import * as zarr from "zarr-wasm";
import { describe } from "zarr-wasm/describe";

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
export const lengths = { time: 6, lat: 5, lon: 7, height: 2 };
const text = (value) => new TextEncoder().encode(JSON.stringify(value));

/** An array's document, its only chunk, and its values by position, null for missing ones. */
export function made(roll, names) {
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

export const shuffled = (roll, list) =>
  list
    .map((one) => [roll(1000), one])
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);

/** The description of the first of named arrays of a store. */
export async function opened(arrays) {
  const store = new Map([["/zarr.json", text({ zarr_format: 3, node_type: "group", attributes: {} })]]);
  for (const [name, { document, chunk, key }] of Object.entries(arrays)) {
    store.set(`/${name}/zarr.json`, text(document));
    store.set(`/${name}/${key}`, chunk);
  }
  return describe(await zarr.open(zarr.root(store).resolve(Object.keys(arrays)[0]), { kind: "array" }));
}
