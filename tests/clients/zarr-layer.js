// Queries the map layer of @carbonplan/zarr-layer: a pyramid of tiles, a pyramid of other levels,
// and single arrays. The map never paints.
import { codecRegistry, ZarrLayer } from "@carbonplan/zarr-layer";
import { registry } from "zarrita";
import { plain } from "./plain.js";

const map = {
  getProjection: () => ({ type: "mercator" }),
  getZoom: () => 1,
  getBounds: () => ({
    getWest: () => -180,
    getEast: () => 180,
    toArray: () => [
      [-180, -85],
      [180, 85],
    ],
  }),
  getRenderWorldCopies: () => true,
  triggerRepaint() {},
  on() {},
  off() {},
};

const layers = [
  { source: "clients/pyramid.zarr", variable: "tas", zarrVersion: 3 },
  { source: "clients/pyramid.zarr", variable: "tas" },
  { source: "fixtures/xarray/climate_v2.zarr", variable: "t2m", selector: { time: { selected: 4, type: "index" } } },
  {
    source: "fixtures/xarray/climate_v3.zarr",
    variable: "t2m",
    selector: { time: { selected: [0, 30], type: "index" } },
  },
  {
    source: "fixtures/conventions/geo/multiscale.zarr",
    variable: "b04",
    bounds: [500000, 4999400, 501200, 5000000],
    proj4: "+proj=utm +zone=33 +datum=WGS84 +units=m +no_defs",
    latIsAscending: false,
  },
];

const places = [
  { type: "Point", coordinates: [15.0077, 45.1508] },
  { type: "Point", coordinates: [-60, 20] },
  {
    type: "Polygon",
    coordinates: [
      [
        [-30, -20],
        [40, -20],
        [40, 50],
        [-30, 50],
        [-30, -20],
      ],
    ],
  },
];

export async function run(base) {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) throw new Error("this browser has no WebGL2");
  const seen = [{ registry: codecRegistry === registry }];
  for (const { source, ...options } of layers) {
    const states = [];
    const layer = await new Promise((resolve, reject) => {
      const made = new ZarrLayer({
        id: source,
        source: base + source,
        colormap: [
          [0, 0, 0],
          [255, 255, 255],
        ],
        clim: [0, 1],
        onLoadingStateChange({ metadata, chunks, error }) {
          states.push({ metadata, error: error?.constructor.name });
          if (error) reject(error);
          else if (!metadata && !chunks) resolve(made);
        },
        ...options,
      });
      made.onAdd(map, gl);
    });
    const { dtype, fill_value, shape, chunks, dimensions, xyLimits, levels, crs } = layer.zarrStore.describe();
    seen.push({ source, dtype, fill_value, shape, chunks, dimensions, xyLimits, levels, crs });
    for (const place of places) seen.push({ source, place, answer: plain(await layer.queryData(place)) });
    layer.onRemove(map, gl);
  }
  return seen;
}
