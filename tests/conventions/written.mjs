// Small Zarr v3 hierarchies of uncompressed arrays in a Map, for stores that no library would
// write.
import { typedArrays } from "../lib/documents.mjs";

const bytesOf = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

/** A group: its attributes, and its members by name. */
export const group = (attributes = {}, members = {}) => ({ attributes, members });

/**
 * An array of one or two dimensions: its type, shape and values in C order, and settings other than
 * one chunk.
 */
export const array = (dtype, shape, values, { chunks = shape, attributes = {}, document = {} } = {}) => ({
  attributes,
  dtype,
  shape,
  values,
  chunks: chunks.map((n) => Math.max(n, 1)),
  document,
});

/** An array of one dimension. */
export const list = (dtype, values, more) => array(dtype, [values.length], values, more);

function encode(dtype, values) {
  if (dtype === "complex64") return new Uint8Array(Float32Array.from(values.flat()).buffer);
  if (dtype !== "string") {
    const integers = dtype.endsWith("int64");
    return new Uint8Array(typedArrays[dtype].from(integers ? values.map(BigInt) : values).buffer);
  }
  const texts = values.map((text) => bytesOf(text));
  const out = new Uint8Array(4 + texts.reduce((n, text) => n + 4 + text.length, 0));
  const view = new DataView(out.buffer);
  view.setUint32(0, texts.length, true);
  let at = 4;
  for (const text of texts) {
    view.setUint32(at, text.length, true);
    out.set(text, at + 4);
    at += 4 + text.length;
  }
  return out;
}

/**
 * The documents and chunks of a tree, as a store. With `consolidated`, its root has the documents
 * of all nodes.
 */
export function store(tree, { consolidated = false } = {}) {
  const documents = {};
  const out = new Map();
  const visit = (node, path) => {
    const common = { zarr_format: 3, attributes: node.attributes };
    if (node.members) {
      documents[path] = { ...common, node_type: "group" };
      for (const [name, one] of Object.entries(node.members)) visit(one, `${path}/${name}`);
      return;
    }
    const { dtype, shape, values, chunks } = node;
    const text = dtype === "string";
    documents[path] = {
      ...common,
      node_type: "array",
      shape,
      data_type: dtype,
      chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
      chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
      fill_value: text ? "" : dtype === "bool" ? false : dtype === "complex64" ? [0, 0] : 0,
      codecs: [text ? { name: "vlen-utf8" } : { name: "bytes", configuration: { endian: "little" } }],
      ...node.document,
    };
    const nothing = text ? "" : dtype === "complex64" ? [0, 0] : 0;
    const counts = shape.map((n, d) => Math.ceil(n / chunks[d]));
    const total = counts.reduce((n, m) => n * m, 1);
    for (let c = 0; c < total; c++) {
      const at = counts.length === 2 ? [Math.floor(c / counts[1]), c % counts[1]] : counts.length === 1 ? [c] : [];
      const cells = [];
      for (let i = 0; i < (chunks[0] ?? 1); i++) {
        for (let j = 0; j < (chunks[1] ?? 1); j++) {
          const [row, column] = [(at[0] ?? 0) * (chunks[0] ?? 1) + i, (at[1] ?? 0) * (chunks[1] ?? 1) + j];
          const inside = row < (shape[0] ?? 1) && column < (shape[1] ?? 1);
          cells.push(inside ? values[row * (shape[1] ?? 1) + column] : nothing);
        }
      }
      out.set(`${path}/${["c", ...at].join("/")}`, encode(dtype, cells));
    }
  };
  visit(tree, "");
  if (consolidated) {
    const metadata = Object.fromEntries(
      Object.entries(documents).flatMap(([path, d]) => (path ? [[path.slice(1), d]] : [])),
    );
    documents[""] = { ...documents[""], consolidated_metadata: { kind: "inline", must_understand: false, metadata } };
  }
  for (const [path, document] of Object.entries(documents)) out.set(`${path}/zarr.json`, bytesOf(document));
  return out;
}
