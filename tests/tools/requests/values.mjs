// The arrays of the request benchmark and their values, for the writer of the data and for the
// check of the reads.

/** The value of an element, smooth with some noise. A row spans all dimensions but the last. */
export function value(row, column) {
  const noise = Math.imul(Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(column + 1, 0x85ebca6b), 0xc2b2ae35) >>> 26;
  return (1000 + 40 * row + 3 * column + noise) & 0xffff;
}

/** The number of arrays in the groups. */
export const members = 50;

/** The arrays of the groups that OME writes. */
export const levels = ["0", "1", "2"];

/** The shapes by name; all are uint16. A shard has 16 inner chunks. */
export const arrays = {
  "v3.zarr": { format: 3, shape: [64, 64], chunk: [64, 64] },
  "v2.zarr": { format: 2, shape: [64, 64], chunk: [64, 64] },
  "shards.zarr": { format: 3, shape: [2048, 2048], shard: [1024, 1024], chunk: [256, 256] },
  "cube.zarr": { format: 3, shape: [64, 128, 128], chunk: [64, 128, 128] },
  "absent.zarr": { format: 2, shape: [100, 100], chunk: [10, 10], absent: true },
  "tiles.zarr": { format: 3, shape: [1280, 1280], chunk: [128, 128] },
  "packed.zarr": { format: 3, shape: [1024, 1024], chunk: [128, 128] },
};

/** The array that is also in an archive. */
export const archived = "packed.zarr";

/** Whether `data` holds the elements [start, stop) of each dimension. */
export function right(shape, region, data) {
  const rows = region.slice(0, -1);
  const [from, to] = region.at(-1);
  let at = 0;
  const walk = (dimension, row) => {
    if (dimension === rows.length) {
      for (let column = from; column < to; column++) if (data[at++] !== value(row, column)) return false;
      return true;
    }
    const [start, stop] = rows[dimension];
    for (let i = start; i < stop; i++) if (!walk(dimension + 1, row * shape[dimension] + i)) return false;
    return true;
  };
  return walk(0, 0) && at === data.length;
}

/** The target of references: concatenated chunks after a head. */
export const file = { head: 512, chunks: 100, length: 16_384 };

/** References to all of its chunks. */
export function referencesTo(url) {
  const { head, chunks, length } = file;
  const shape = [chunks * length];
  const metadata = { zarr_format: 2, shape, chunks: [length], dtype: "|u1", compressor: null, filters: null };
  const refs = { ".zarray": JSON.stringify({ ...metadata, fill_value: 0, order: "C" }) };
  for (let i = 0; i < chunks; i++) refs[i] = [url, head + i * length, length];
  return { version: 1, refs };
}
