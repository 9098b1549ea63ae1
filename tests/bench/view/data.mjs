// The data of the view benchmark.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { arrayV2, arrayV3, groupV3 } from "../../lib/documents.mjs";
import { top } from "../../lib/serve.mjs";

/** The directory of the data. */
export const dir = join(top, "build/bench/view");

function put(name, bytes) {
  const path = join(dir, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, bytes);
}
const json = (name, value) => put(name, JSON.stringify(value));

/** The versions of OME-Zarr that are read. */
export const versions = ["0.4", "0.5"];

/** An image of 4096 x 4096 uint16 with five levels, in tiles of 256. */
export function writePyramid(version) {
  const name = `pyramid-${version}.zarr`;
  const axes = [
    ["t", "time"],
    ["c", "channel"],
    ["z", "space"],
    ["y", "space"],
    ["x", "space"],
  ].map(([name, type]) => ({ name, type }));
  const datasets = [0, 1, 2, 3, 4].map((k) => ({
    path: String(k),
    coordinateTransformations: [{ type: "scale", scale: [1, 1, 1, 2 ** k, 2 ** k] }],
  }));
  const channels = [
    { label: "one", color: "FFFFFF", active: true, window: { start: 0, end: 4096, min: 0, max: 65535 } },
  ];
  const multiscales = [{ ...(version === "0.4" && { version }), name: "pyramid", axes, datasets }];
  const omero = { channels, rdefs: { defaultT: 0, defaultZ: 0, model: "greyscale" } };
  if (version === "0.4") {
    json(`${name}/.zgroup`, { zarr_format: 2 });
    json(`${name}/.zattrs`, { multiscales, omero });
  } else {
    const attributes = { ome: { version, multiscales, omero } };
    json(`${name}/zarr.json`, groupV3(attributes));
  }
  for (const { path } of datasets) {
    const n = 4096 >> Number(path);
    const shape = [1, 1, 1, n, n];
    const chunks = [1, 1, 1, 256, 256];
    if (version === "0.4") json(`${name}/${path}/.zarray`, arrayV2(shape, "<u2", { chunks, dimension_separator: "/" }));
    else {
      const dimension_names = ["t", "c", "z", "y", "x"];
      const chunk_key_encoding = { name: "v2", configuration: { separator: "/" } };
      json(`${name}/${path}/zarr.json`, arrayV3(shape, "uint16", { chunks, dimension_names, chunk_key_encoding }));
    }
    for (let row = 0; row < n / 256; row++) {
      for (let column = 0; column < n / 256; column++) {
        const data = Uint16Array.from({ length: 65536 }, (_, i) => {
          const x = (column * 256 + (i & 255)) << Number(path);
          const y = (row * 256 + (i >> 8)) << Number(path);
          return 2048 + 1000 * Math.sin(x / 300) + 1000 * Math.cos(y / 170);
        });
        put(`${name}/${path}/0/0/0/${row}/${column}`, new Uint8Array(data.buffer));
      }
    }
  }
}

/** How many slices there are. */
export const slices = 60;

/** Slices of 361 x 720 float32, a chunk each. */
export function writeSlices() {
  const more = { chunks: [1, 361, 720], dimension_names: ["time", "lat", "lon"] };
  json("slices.zarr/zarr.json", arrayV3([slices, 361, 720], "float32", more));
  for (let t = 0; t < slices; t++) {
    const data = Float32Array.from(
      { length: 361 * 720 },
      (_, i) => Math.sin(i / 9000 + t / 5) * Math.cos((i % 720) / 60),
    );
    put(`slices.zarr/c/${t}/0/0`, new Uint8Array(data.buffer));
  }
}
