// The JavaScript side of the write benchmark: this package and zarrita write whole arrays to a Map,
// in interleaved rounds. The same module runs in Node and in Chromium.
import * as zarrita from "zarrita";

const codecs = {
  none: [],
  "blosc, lz4": [
    { name: "blosc", configuration: { cname: "lz4", clevel: 5, shuffle: "shuffle", typesize: 4, blocksize: 0 } },
  ],
  "zstd 1": [{ name: "zstd", configuration: { level: 1, checksum: false } }],
};

/** The codecs that zarrita writes. */
export const names = Object.keys(codecs);

/** The field that the other sides write. */
function field(rows) {
  const data = new Float32Array(rows * 1024);
  let noise = 1;
  for (let i = 0; i < data.length; i++) {
    noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0;
    const x = 280 + 20 * Math.sin((i >> 10) / 160) + 5 * Math.cos((i & 1023) / 90) + (noise >>> 24) / 256;
    data[i] = Math.round(x * 100) / 100;
  }
  return data;
}

async function write({ create, set, root }, name, data, shape, chunk) {
  const store = new Map();
  const bytes = { name: "bytes", configuration: { endian: "little" } };
  const options = { shape, chunkShape: [chunk, 1024], dtype: "float32", codecs: [bytes, ...codecs[name]] };
  const array = await create(root(store), options);
  const began = performance.now();
  await set(array, null, { data, shape, stride: [1024, 1] });
  return { seconds: (performance.now() - began) / 1000, array, store };
}

/**
 * Returns the seconds of each round, ours and zarrita's. zarrita reads our files, and we read
 * zarrita's.
 */
export async function measure(ours, name, rows, chunk, rounds) {
  const data = field(rows);
  const times = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const [i, side] of [ours, zarrita].entries()) {
      const { seconds, store } = await write(side, name, data, [rows, 1024], chunk);
      if (round >= 0) times[i].push(seconds);
      if (round >= 0) continue; // the first round warms up, and compares
      const other = [zarrita, ours][i];
      const read = await other.get(await other.open(other.root(store), { kind: "array" }));
      if (!read.data.every((x, k) => x === data[k]))
        throw new Error(`${name}: other values are read than were written`);
    }
  }
  return times;
}
