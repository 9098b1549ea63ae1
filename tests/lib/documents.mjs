// Metadata documents of plain nodes for tests, in Node and on pages. Elements are little-endian and
// uncompressed. An array is one chunk, unless `chunks` has a chunk's lengths. `more` has other
// entries.

/** The typed arrays of data types. */
export const typedArrays = {
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
  bool: Uint8Array,
};

/** Returns a value as the bytes of its JSON. */
export const json = (value) => new TextEncoder().encode(JSON.stringify(value));

/** The codec of little-endian elements. */
export const bytes = { name: "bytes", configuration: { endian: "little" } };

const oneChunk = (shape) => shape.map((n) => n || 1);

/** The document of an array of version 3. */
export const arrayV3 = (shape, data_type, { chunks = oneChunk(shape), ...more } = {}) => ({
  zarr_format: 3,
  node_type: "array",
  shape,
  data_type,
  fill_value: 0,
  attributes: {},
  chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
  chunk_key_encoding: { name: "default" },
  codecs: [bytes],
  ...more,
});

/** The codec of shards with inner chunks of `chunk_shape`. */
export const sharding = (chunk_shape, more = {}) => ({
  name: "sharding_indexed",
  configuration: { chunk_shape, codecs: [bytes], index_codecs: [bytes], ...more },
});

/** The document of a group of version 3. */
export const groupV3 = (attributes = {}, more = {}) => ({ zarr_format: 3, node_type: "group", attributes, ...more });

/** The document of an array of version 2. */
export const arrayV2 = (shape, dtype, { chunks = oneChunk(shape), ...more } = {}) => ({
  zarr_format: 2,
  shape,
  chunks,
  dtype,
  compressor: null,
  filters: null,
  fill_value: 0,
  order: "C",
  ...more,
});

/** Returns a shard of bytes, in inner chunks of `size` bytes, with the index at its end. */
export function shardOf(data, size) {
  const shard = new Uint8Array(data.length + (16 * data.length) / size);
  shard.set(data);
  const index = new DataView(shard.buffer, data.length);
  for (let at = 0; at < data.length; at += size) {
    index.setBigUint64((16 * at) / size, BigInt(at), true);
    index.setBigUint64((16 * at) / size + 8, BigInt(size), true);
  }
  return shard;
}
