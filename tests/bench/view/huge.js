// An OME image of 100,000 by 100,000 with its levels. It makes chunks on request.
export const side = 100_000;
export const tile = 512;
export const levels = 9;

const text = (value) => new TextEncoder().encode(JSON.stringify(value));
const datasets = Array.from({ length: levels }, (_, k) => ({
  path: String(k),
  coordinateTransformations: [{ type: "scale", scale: [2 ** k, 2 ** k] }],
}));
const axes = ["y", "x"].map((name) => ({ name, type: "space" }));

export class HugeStore {
  /** The keys of requested chunks. */
  asked = [];

  async get(key) {
    if (key === "/.zgroup") return text({ zarr_format: 2 });
    if (key === "/.zattrs") return text({ multiscales: [{ version: "0.4", axes, datasets }] });
    const [, level, name] = key.split("/");
    if (name === ".zarray") {
      const n = Math.ceil(side / 2 ** Number(level));
      const types = { dtype: "|u1", compressor: null, filters: null, fill_value: 0, order: "C" };
      return text({ zarr_format: 2, shape: [n, n], chunks: [tile, tile], dimension_separator: ".", ...types });
    }
    if (!/^\d+\.\d+$/.test(name ?? "")) return undefined;
    this.asked.push(key);
    const [row, column] = name.split(".").map(Number);
    const bytes = new Uint8Array(tile * tile);
    for (let j = 0; j < tile; j++) bytes.fill((row * 37 + column * 11 + (j >> 4)) & 255, j * tile, (j + 1) * tile);
    return bytes;
  }
}
