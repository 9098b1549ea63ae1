// The measurements of the benchmark of the codecs. The same module runs in
// Chromium and in Node.
import * as zarrita from "zarrita";
import { startCore } from "./core.mjs";
import { race, row } from "./measure.mjs";

export { startCore };

/** Bytes to decode in each round. */
const batch = 8 << 20;

/** Splits the array's file: a Map store, and the chunks in order. */
function unpack(array, bytes, meta = array.meta) {
  const chunks = array.chunks.map((c) => bytes.subarray(c.offset, c.offset + c.length));
  const doc = meta.zarr_format === 3 ? "/zarr.json" : "/.zarray";
  const store = new Map([[doc, new TextEncoder().encode(JSON.stringify(meta))]]);
  array.chunks.forEach((c, i) => {
    store.set(meta.zarr_format === 3 ? `/c/${c.key.replaceAll(".", "/")}` : `/${c.key}`, chunks[i]);
  });
  return { chunks, store };
}

async function hash(bytes) {
  const sum = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(sum)].map((b) => b.toString(16).padStart(2, "0")).join("");
}

function same(a, b) {
  if (a.byteLength !== b.byteLength) return false;
  const x = bytesOf(a);
  const y = bytesOf(b);
  const n = x.length >> 2;
  // Copies start at a multiple of 4 bytes.
  const p = new Uint32Array(x.slice().buffer, 0, n);
  const q = new Uint32Array(y.slice().buffer, 0, n);
  for (let i = 0; i < n; i++) if (p[i] !== q[i]) return false;
  for (let i = 4 * n; i < x.length; i++) if (x[i] !== y[i]) return false;
  return true;
}

const bytesOf = (a) => new Uint8Array(a.buffer, a.byteOffset, a.byteLength);

/** zarrita's decoder of a compressor, as in its own pipeline. */
async function peerCodec(compressor) {
  if (!compressor) return { decode: (bytes) => bytes };
  const { id, ...config } = compressor;
  const Codec = await zarrita.registry.get(id)();
  return Codec.fromConfig(config, { dataType: "uint8", shape: [1], codecs: [] });
}

/** Decompresses by the browser, without anything between writing and reading. */
async function platformDecode(format, src, out) {
  const stream = new DecompressionStream(format);
  const writer = stream.writable.getWriter();
  writer.write(src);
  writer.close();
  const reader = stream.readable.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return at;
    out.set(value, at);
    at += value.length;
  }
}

/** Decodes chunks into an existing buffer. */
export async function benchDecode(core, array, bytes, timing) {
  const { chunks } = unpack(array, bytes);
  const few = Math.max(1, Math.min(chunks.length, batch / array.chunkBytes));
  const plan = core.plan(array.meta);
  const src = chunks.slice(0, few).map((c) => core.put(c));
  const dst = core.buffer(array.chunkBytes);
  const codec = await peerCodec(array.meta.compressor);
  const out = new Uint8Array(array.chunkBytes);

  for (let i = 0; i < few; i++) {
    core.decode(plan, dst, src[i]);
    out.set(await codec.decode(chunks[i]));
    if (!same(dst.view(), out) || (await hash(out)) !== array.chunks[i].sha256) {
      throw new Error(`${array.file}: chunk ${array.chunks[i].key} is decoded wrongly`);
    }
  }

  const ours = () => {
    for (const s of src) core.decode(plan, dst, s);
  };
  const peer = async () => {
    for (let i = 0; i < few; i++) {
      const p = codec.decode(chunks[i]);
      out.set(p instanceof Uint8Array ? p : await p);
    }
  };
  const format = { gzip: "gzip", zlib: "deflate" }[array.codec];
  const platform = async () => {
    for (let i = 0; i < few; i++) await platformDecode(format, chunks[i], out);
  };
  const times = await race(format ? [ours, peer, platform] : [ours, peer], timing);
  core.free();
  const size = few * array.chunkBytes;
  const about = { chunkBytes: array.chunkBytes };
  const rows = [row(`decode ${array.codec}`, array.data, size, times[0], times[1], { ...about, against: "zarrita" })];
  if (format) {
    const more = { ...about, against: "DecompressionStream" };
    rows.push(row(`decode ${array.codec}`, array.data, size, times[0], times[2], more));
  }
  return rows;
}

/** A chunk's elements in C order, for any strides. */
function packed({ data, shape, stride }) {
  const [rows, cols] = shape;
  if (stride[1] === 1 && stride[0] === cols) return data;
  const out = new data.constructor(rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) out[i * cols + j] = data[i * stride[0] + j * stride[1]];
  }
  return out;
}

/**
 * Reads whole arrays in memory by the Go core, and copies its answer into a new ArrayBuffer. If
 * they are given, the package and fizarrita read, too. fizarrita only supports compressed arrays.
 */
export async function benchRead(core, pkg, array, bytes, { name, meta, step }, timing, pool) {
  const { store } = unpack(array, bytes, meta);
  const theirs = await zarrita.open(store, { kind: "array" });
  const selection = step === 1 ? null : [zarrita.slice(null, null, step), zarrita.slice(null, null, step)];
  const handle = core.open(store);
  const competitors = [() => core.read(handle, step), () => zarrita.get(theirs, selection)];
  const expected = packed(await competitors[1]());
  if (!same(core.read(handle, step), expected)) throw new Error(`${name}, ${array.file}: the core reads other values`);
  if (pkg) {
    const own = await pkg.open(store, { kind: "array" });
    const sel = step === 1 ? null : [pkg.slice(null, null, step), pkg.slice(null, null, step)];
    competitors.push(() => pkg.get(own, sel));
    if (!same((await competitors[2]()).data, expected))
      throw new Error(`${name}, ${array.file}: the package reads other values`);
  }
  if (pkg && pool && meta.compressor) {
    const own = await pool.open(store, { kind: "array" });
    competitors.push(() => pool.get(own, selection));
    if (!same(packed(await competitors[3]()), expected))
      throw new Error(`${name}, ${array.file}: fizarrita reads other values`);
  }
  const times = await race(competitors, timing);
  core.free();
  const about = { chunkBytes: array.chunkBytes, against: "zarrita" };
  const rows = [row(`read ${name}`, array.data, expected.byteLength, times[0], times[1], about)];
  const size = expected.byteLength;
  if (pkg) rows.push(row(`read ${name}, package`, array.data, size, times[2], times[1], about));
  if (times[3])
    rows.push(row(`read ${name}, package`, array.data, size, times[2], times[3], { ...about, against: "fizarrita" }));
  return rows;
}
