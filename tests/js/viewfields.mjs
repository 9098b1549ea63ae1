// Fields with elements by a formula, in a store that counts its requests and can delay and fail.
// For Node and for pages.
import * as zarr from "zarr-wasm";
import { arrayV3, groupV3, json, typedArrays } from "../lib/documents.mjs";

/** The element at indices of a level, different for all nearby ones. */
export function elementOf(level, indices) {
  let h = level + 1;
  for (const i of indices) h = (Math.imul(h, 31) + i * 7 + 3) >>> 0;
  return h % 251;
}

/** A store of levels that makes chunks on request. */
export class FormulaStore {
  /** The requested keys, in order. */
  asked = [];
  /** The keys that fail, and the milliseconds that an answer takes. */
  failing = new Set();
  delay = 0;

  /**
   * @param {{ shape: number[], chunks: number[], dtype?: string, shard?: number[], dataType?:
   * unknown, bytes?: (chunk: number[], level: number) => Uint8Array }[]} levels
   */
  constructor(levels, element = elementOf) {
    this.levels = levels;
    this.element = element;
  }

  async get(key) {
    const parts = key.split("/").filter(Boolean);
    if (key === "/zarr.json") return json(groupV3());
    const level = Number(parts[0]);
    const it = this.levels[level];
    if (!it) return undefined;
    if (parts[1] === "zarr.json") return json(documentOf(it));
    if (parts[1] !== "c") return undefined;
    this.asked.push(key);
    if (this.delay > 0) await new Promise((resolve) => setTimeout(resolve, this.delay));
    else await new Promise((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve));
    if (this.failing.has(key)) throw new Error(`no ${key}`);
    const at = parts.slice(2).map(Number);
    return it.bytes ? it.bytes(at, level) : this.#chunk(it, level, at);
  }

  #chunk({ chunks, dtype = "float32" }, level, at) {
    const Of = typedArrays[dtype];
    const out = new Of(chunks.reduce((a, b) => a * b, 1));
    const index = chunks.map(() => 0);
    for (let i = 0; i < out.length; i++) {
      const value = this.element(
        level,
        index.map((k, d) => k + at[d] * chunks[d]),
      );
      out[i] = typeof out[0] === "bigint" ? BigInt(value) : value;
      for (let d = chunks.length - 1; d >= 0; d--) {
        index[d]++;
        if (index[d] < chunks[d]) break;
        index[d] = 0;
      }
    }
    return new Uint8Array(out.buffer);
  }
}

function documentOf({ shape, chunks, dtype = "float32", dataType = dtype, edges, fill = 0 }) {
  const rectilinear = { name: "rectilinear", configuration: { kind: "inline", chunk_shapes: edges } };
  return arrayV3(shape, dataType, { chunks, fill_value: fill, ...(edges && { chunk_grid: rectilinear }) });
}

/**
 * A field of the levels of a store. `reads` records each read: the selection, the signal, and
 * whether it has ended.
 */
export async function fieldOf(store, more = {}) {
  const reads = [];
  const root = zarr.root(store);
  const finest = store.levels[0].shape;
  const levels = [];
  for (const [k, { factor, start }] of store.levels.entries()) {
    const array = await zarr.open(root.resolve(String(k)), { kind: "array" });
    const { shape, chunks, chunkGrid, type, dtype } = array;
    const get = async (selection, options) => {
      const read = { level: k, selection, options, ended: false };
      reads.push(read);
      try {
        return await array.get(selection, options);
      } finally {
        read.ended = true;
      }
    };
    levels.push({
      array: { shape, chunks, chunkGrid, type, dtype, get },
      factor: factor ?? shape.map((n, d) => (k === 0 ? 1 : finest[d] / n)),
      start: start ?? shape.map(() => 0),
    });
  }
  const fact = (value) => ({ value, by: "guessed", why: "a test" });
  const rank = finest.length;
  return {
    reads,
    path: "/",
    name: "field",
    title: fact("field"),
    units: "",
    values: "number",
    axes: finest.map((length, d) => ({ name: `d${d}`, title: `d${d}`, role: fact("other"), length, units: "" })),
    levels,
    plane: fact({ x: rank - 1, y: rank - 2, up: false, left: false }),
    indices: finest.map(() => 0),
    colourAxis: null,
    channels: null,
    packing: { scale: 1, offset: 0, missing: [], valid: null },
    categories: [],
    labels: false,
    range: null,
    scale: fact("sequential"),
    place: null,
    members: [],
    text: String,
    ...more,
  };
}

/** A store of levels, and its field. */
export async function formula(levels, more) {
  const store = new FormulaStore(levels);
  return { store, field: await fieldOf(store, more) };
}
