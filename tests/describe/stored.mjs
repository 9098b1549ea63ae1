// Hierarchies in memory for tests: a Map that lists, or a store that only reads and counts.
import { arrayV3, groupV3, json, typedArrays } from "../lib/documents.mjs";

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
    const own = {
      chunks,
      attributes,
      fill_value: dtype === "bool" ? false : fill,
      ...(dims && { dimension_names: dims }),
    };
    documents[path] = shape ? arrayV3(shape, dtype, own) : groupV3(attributes);
    if (values) {
      const big = /int64$/.test(dtype);
      const elements = dtype === "bool" ? values.map((value) => (value ? 1 : 0)) : big ? values.map(BigInt) : values;
      const bytes = new Uint8Array(typedArrays[dtype].from(elements).buffer);
      store.set(key(path, `c${shape.map(() => "/0").join("")}`), bytes);
    }
  }
  if (consolidated) {
    const { "": root, ...metadata } = documents;
    root.consolidated_metadata = { kind: "inline", must_understand: false, metadata };
  }
  for (const [path, written] of Object.entries(documents)) store.set(key(path, "zarr.json"), json(written));
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
