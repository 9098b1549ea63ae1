// The arrays of the engine's benchmark, written once into build/bench/engine.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import Blosc from "numcodecs/blosc";
import Zstd from "numcodecs/zstd";
import { arrayV2, arrayV3, bytes as little } from "../lib/documents.mjs";

// A smooth field with noise, like measurements; repeatable.
function field(height, width) {
  const out = new Float32Array(height * width);
  let seed = 12345;
  const noise = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const v = 280 + 20 * Math.sin(y / 300) * Math.cos(x / 200) + 0.5 * noise();
      out[i] = Math.round(v * 100) / 100;
    }
  }
  return out;
}

function cut(data, width, y0, x0, h, w, transposed) {
  const out = new Float32Array(h * w);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) out[transposed ? x * h + y : y * w + x] = data[(y0 + y) * width + x0 + x];
  }
  return new Uint8Array(out.buffer);
}

const codecs = {
  none: [undefined, (b) => b],
  blosc: [
    { name: "blosc", configuration: { cname: "lz4", clevel: 5, shuffle: "shuffle", typesize: 4, blocksize: 0 } },
    (b) => Blosc.fromConfig({ cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 }).encode(b),
  ],
  zstd: [
    { name: "zstd", configuration: { level: 1, checksum: false } },
    (b) => Zstd.fromConfig({ level: 1 }).encode(b),
  ],
  gzip: [{ name: "gzip", configuration: { level: 5 } }, (b) => gzipSync(b, { level: 5 })],
};

/** The arrays: shape, chunk, codec. */
export const arrays = {
  "blosc-lz4": { shape: [8192, 4096], chunk: [1024, 1024], codec: "blosc" },
  zstd: { shape: [8192, 4096], chunk: [1024, 1024], codec: "zstd" },
  gzip: { shape: [8192, 4096], chunk: [1024, 1024], codec: "gzip" },
  none: { shape: [8192, 4096], chunk: [1024, 1024], codec: "none" },
  short: { shape: [2048, 2048], chunk: [32, 32], codec: "blosc" },
  small: { shape: [2048, 2048], chunk: [16, 16], codec: "none" },
  reads: { shape: [2560, 2048], chunk: [128, 128], codec: "blosc" },
  "reads-none": { shape: [2560, 2048], chunk: [128, 128], codec: "none" },
  c: { shape: [2048, 2048], chunk: [512, 512], codec: "none" },
  f: { shape: [2048, 2048], chunk: [512, 512], codec: "none", order: "F" },
  transposed: { shape: [2048, 2048], chunk: [512, 512], codec: "none", transposed: true },
};

/**
 * One-dimensional arrays of other types than float32: shape, chunk, and functions that make a
 * document and a chunk.
 */
export const lists = {
  strings: {
    shape: [10_000_000],
    chunk: [500_000],
    version: 3,
    meta: { data_type: "string", fill_value: "", codecs: [{ name: "vlen-utf8" }, codecs.zstd[0]] },
    bytes: (from, n) => {
      const out = Buffer.alloc(4 + n * 24);
      let at = out.writeUInt32LE(n, 0);
      for (let i = from; i < from + n; i++) {
        const length = out.write(`station ${i}${i % 100 === 0 ? " é" : ""}`, at + 4);
        at = out.writeUInt32LE(length, at) + length;
      }
      return out.subarray(0, at);
    },
  },
  struct: {
    shape: [4_000_000],
    chunk: [250_000],
    version: 2,
    meta: {
      dtype: [
        ["id", "<i4"],
        ["x", "<f8"],
        ["y", "<f8"],
        ["time", "<M8[s]"],
        ["good", "|b1"],
      ],
      fill_value: null,
    },
    bytes: (from, n) => {
      const out = Buffer.alloc(n * 29);
      for (let k = 0; k < n; k++) {
        const i = from + k;
        let at = out.writeInt32LE(i, 29 * k);
        at = out.writeDoubleLE(i / 8, at);
        at = out.writeDoubleLE(-i / 4, at);
        at = out.writeBigInt64LE(1_700_000_000n + BigInt(i), at);
        out[at] = i & 1;
      }
      return out;
    },
  },
  float16: {
    shape: [64 << 20],
    chunk: [2 << 20],
    version: 3,
    meta: { data_type: "float16", fill_value: 0, codecs: [little, codecs.zstd[0]] },
    // Numbers from 1 to 2.
    bytes: (from, n) =>
      new Uint8Array(Uint16Array.from({ length: n }, (_, i) => 0x3c00 | (((from + i) >> 5) % 1024)).buffer),
  },
};

async function writeList(dir, { shape, chunk, version, meta, bytes }) {
  const key = (i) => join(dir, version === 3 ? `c/${i}` : String(i));
  mkdirSync(version === 3 ? join(dir, "c") : dir, { recursive: true });
  for (let i = 0; i < shape[0] / chunk[0]; i++) {
    writeFileSync(key(i), await codecs.zstd[1](bytes(i * chunk[0], chunk[0])));
  }
  const v2 = { ...arrayV2(shape, "", { chunks: chunk, compressor: { id: "zstd", level: 1 } }), ...meta };
  const document = version === 3 ? { ...arrayV3(shape, "", { chunks: chunk }), ...meta } : v2;
  writeFileSync(join(dir, version === 3 ? "zarr.json" : ".zarray"), JSON.stringify(document));
}

async function write(dir, { shape, chunk, codec, order, transposed }) {
  const [height, width] = shape;
  const [h, w] = chunk;
  const [spec, encode] = codecs[codec];
  const data = field(height, width);
  mkdirSync(dir, { recursive: true });
  for (let y = 0; y < height / h; y++) {
    if (!order) mkdirSync(join(dir, "c", String(y)), { recursive: true });
    for (let x = 0; x < width / w; x++) {
      const bytes = await encode(cut(data, width, y * h, x * w, h, w, order === "F" || transposed));
      writeFileSync(join(dir, order ? `${y}.${x}` : `c/${y}/${x}`), bytes);
    }
  }
  const codecs3 = [
    ...(transposed ? [{ name: "transpose", configuration: { order: [1, 0] } }] : []),
    little,
    ...(spec ? [spec] : []),
  ];
  const document = order
    ? arrayV2(shape, "<f4", { chunks: chunk, order })
    : arrayV3(shape, "float32", { chunks: chunk, codecs: codecs3 });
  writeFileSync(join(dir, order ? ".zarray" : "zarr.json"), JSON.stringify(document));
}

/** Writes the missing arrays. */
export async function prepare(dir) {
  for (const [name, array] of Object.entries({ ...arrays, ...lists })) {
    const done = join(dir, name, ".done");
    if (existsSync(done)) continue;
    console.error(`== ${name}`);
    await (array.bytes ? writeList : write)(join(dir, name), array);
    writeFileSync(done, "");
  }
}
