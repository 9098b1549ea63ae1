// A small writer of Zarr v3 for the samples: regular chunks, Blosc with Zstandard, shards,
// consolidated metadata.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Zstd from "numcodecs/zstd";

/** The data type of each array class. */
const types = new Map([
  [Int8Array, "int8"],
  [Uint8Array, "uint8"],
  [Int16Array, "int16"],
  [Uint16Array, "uint16"],
  [Int32Array, "int32"],
  [Uint32Array, "uint32"],
  [Float32Array, "float32"],
  [Float64Array, "float64"],
]);

/** Returns the CRC-32C that ends a shard's index. */
function crc32c(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

const zstd = Zstd.fromConfig({ level: 12 });

/**
 * Returns a Blosc frame of one block. Bytes are shuffled: the first bytes of all elements, then the
 * second ones, and so on. Compressed with Zstandard.
 */
async function blosc(bytes, size) {
  const count = bytes.length / size;
  const shuffled = new Uint8Array(bytes.length);
  for (let b = 0; b < size; b++) for (let i = 0; i < count; i++) shuffled[b * count + i] = bytes[i * size + b];
  const stream = await zstd.encode(shuffled);
  const head = Buffer.alloc(24);
  const shuffle = size > 1 ? 1 : 0;
  // version of the format and of Zstandard, its number with "one stream per block", the element
  // size
  head.set([2, 1, (4 << 5) | 0x10 | shuffle, size]);
  head.writeUInt32LE(bytes.length, 4);
  head.writeUInt32LE(bytes.length, 8); // block size
  head.writeUInt32LE(head.length + stream.length, 12);
  head.writeUInt32LE(20, 16); // the block's offset
  head.writeUInt32LE(stream.length, 20);
  return Buffer.concat([head, stream]);
}

/** Yields all positions of a grid in C order. */
function* places(grid) {
  const at = grid.map(() => 0);
  const count = grid.reduce((n, length) => n * length, 1);
  for (let i = 0; i < count; i++) {
    yield [...at];
    for (let d = grid.length - 1; d >= 0 && ++at[d] === grid[d]; d--) at[d] = 0;
  }
}

/**
 * Returns a box of an array, with fill beyond the array's end; undefined if all elements are fill.
 */
function box(data, shape, start, size, fill) {
  const out = new data.constructor(size.reduce((n, length) => n * length, 1)).fill(fill);
  const rest = size.slice(0, -1);
  const row = size.at(-1) ?? 1;
  let any = false;
  let to = 0;
  for (const at of places(rest)) {
    const index = at.map((i, d) => i + start[d]);
    if (index.every((i, d) => i < shape[d])) {
      const last = start.at(-1) ?? 0;
      const from = index.reduce((n, i, d) => n * shape[d] + i, 0) * (shape.at(-1) ?? 1) + last;
      const length = Math.min(row, (shape.at(-1) ?? 1) - last);
      for (let i = 0; i < length; i++) {
        out[to + i] = data[from + i];
        if (!Object.is(out[to + i], fill)) any = true;
      }
    }
    to += row;
  }
  return any ? out : undefined;
}

/**
 * Writes a hierarchy into a folder, which it empties first. `close` writes the metadata of its
 * groups.
 */
export class Writer {
  #root;
  #nodes = new Map();

  constructor(root) {
    this.#root = root;
    rmSync(root, { recursive: true, force: true });
  }

  #put(key, bytes) {
    const path = join(this.#root, key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }

  /** Adds a group; "" is the root. */
  group(path, attributes = {}) {
    this.#nodes.set(path, { zarr_format: 3, node_type: "group", attributes });
  }

  /**
   * Adds an array. Chunks of fill only are not written. With `shards`, that many elements along
   * each axis form one object.
   */
  async array(path, data, { shape, chunks = shape, shards, dimensions, attributes = {}, fill = 0 }) {
    const type = types.get(data.constructor);
    const size = data.BYTES_PER_ELEMENT;
    const shuffle = size > 1 ? "shuffle" : "noshuffle";
    const inner = [
      size > 1 ? { name: "bytes", configuration: { endian: "little" } } : { name: "bytes" },
      { name: "blosc", configuration: { cname: "zstd", clevel: 9, shuffle, typesize: size, blocksize: 0 } },
    ];
    const index = [{ name: "bytes", configuration: { endian: "little" } }, { name: "crc32c" }];
    const sharding = { chunk_shape: chunks, codecs: inner, index_codecs: index, index_location: "end" };
    const encode = async (start) => {
      const part = box(data, shape, start, chunks, fill);
      return part && blosc(new Uint8Array(part.buffer), size);
    };
    const outer = shards ?? chunks;
    for (const at of places(shape.map((length, d) => Math.ceil(length / outer[d])))) {
      const start = at.map((i, d) => i * outer[d]);
      const bytes = shards ? await shard(start, shards, chunks, encode) : await encode(start);
      if (bytes) this.#put(`${path}/c${at.map((i) => `/${i}`).join("")}`, bytes);
    }
    this.#describe(path, type, shape, outer, {
      fill_value: Number.isNaN(fill) ? "NaN" : fill,
      codecs: shards ? [{ name: "sharding_indexed", configuration: sharding }] : inner,
      attributes,
      dimension_names: dimensions,
    });
  }

  /** Adds an array of strings along one axis. */
  strings(path, texts, { attributes = {}, dimensions } = {}) {
    const parts = [Buffer.alloc(4)];
    parts[0].writeUInt32LE(texts.length);
    for (const text of texts) {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      parts.push(length, bytes);
    }
    this.#put(`${path}/c/0`, Buffer.concat(parts));
    const shape = [texts.length];
    this.#describe(path, "string", shape, shape, {
      fill_value: "",
      codecs: [{ name: "vlen-utf8" }],
      attributes,
      dimension_names: dimensions,
    });
  }

  #describe(path, type, shape, chunks, more) {
    this.#nodes.set(path, {
      zarr_format: 3,
      node_type: "array",
      shape,
      data_type: type,
      chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
      chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
      ...more,
    });
  }

  /** Writes the metadata documents. The root's contains all others. */
  close() {
    const metadata = Object.fromEntries([...this.#nodes].filter(([path]) => path !== ""));
    for (const [path, node] of this.#nodes) {
      const whole =
        path === "" ? { ...node, consolidated_metadata: { kind: "inline", must_understand: false, metadata } } : node;
      this.#put(join(path, "zarr.json"), JSON.stringify(whole));
    }
  }
}

/** Writes a shard: its inner chunks in sequence, then its index. */
async function shard(start, shape, chunks, encode) {
  const parts = [];
  let offset = 0;
  const index = [];
  for (const at of places(shape.map((length, d) => length / chunks[d]))) {
    const bytes = await encode(at.map((i, d) => start[d] + i * chunks[d]));
    if (bytes) {
      index.push(BigInt(offset), BigInt(bytes.length));
      parts.push(bytes);
      offset += bytes.length;
    } else index.push(2n ** 64n - 1n, 2n ** 64n - 1n);
  }
  if (parts.length === 0) return undefined;
  const list = new Uint8Array(BigUint64Array.from(index).buffer);
  const sum = new Uint8Array(Uint32Array.of(crc32c(list)).buffer);
  return Buffer.concat([...parts, list, sum]);
}

/** Returns reproducible pseudorandom numbers from 0 to 1. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a normally distributed number from two uniform ones. */
export const normal = (next) => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
