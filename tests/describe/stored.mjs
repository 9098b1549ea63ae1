// Hierarchies in memory for tests: a Map that lists, or a store that only reads and counts.

const document = (value) => new TextEncoder().encode(JSON.stringify(value));

const types = {
  float64: Float64Array,
  float32: Float32Array,
  int64: BigInt64Array,
  int32: Int32Array,
  int16: Int16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
};

/**
 * Nodes by path: `{ shape, dims, dtype, values, attributes }` of an array, `{ attributes }` of a
 * group. Version 3; `consolidated` in the root.
 */
export function stored(nodes, { consolidated = false } = {}) {
  const store = new Map();
  const documents = {};
  const key = (path, name) => `/${path}/${name}`.replaceAll("//", "/");
  for (const [path, node] of Object.entries({ "": {}, ...nodes })) {
    const { shape, dims, dtype = "float64", attributes = {}, values, fill = 0, chunks } = node;
    const written = { zarr_format: 3, node_type: shape ? "array" : "group", attributes };
    if (shape) {
      Object.assign(written, {
        shape,
        data_type: dtype,
        chunk_grid: { name: "regular", configuration: { chunk_shape: chunks ?? shape.map((n) => Math.max(1, n)) } },
        chunk_key_encoding: { name: "default" },
        fill_value: dtype === "bool" ? false : fill,
        codecs: [{ name: "bytes", configuration: { endian: "little" } }],
        ...(dims && { dimension_names: dims }),
      });
    }
    documents[path] = written;
    if (values) {
      const big = /int64$/.test(dtype);
      const elements = dtype === "bool" ? values.map((value) => (value ? 1 : 0)) : big ? values.map(BigInt) : values;
      const bytes = new Uint8Array(types[dtype].from(elements).buffer);
      store.set(key(path, `c${shape.map(() => "/0").join("")}`), bytes);
    }
  }
  if (consolidated) {
    const { "": root, ...metadata } = documents;
    root.consolidated_metadata = { kind: "inline", must_understand: false, metadata };
  }
  for (const [path, written] of Object.entries(documents)) store.set(key(path, "zarr.json"), document(written));
  return store;
}

/** A store that cannot list, and the keys that were requested. */
export function counted(map) {
  const asked = [];
  const get = async (key) => {
    asked.push(key);
    return map.get(key);
  };
  return { store: { get }, asked };
}
