// Reads stores by OpenLayers' GeoZarr source: its tile grid, and the tiles of each level.
import GeoZarr from "ol/source/GeoZarr.js";
import { plain } from "./plain.js";

const sources = [
  { store: "fixtures/conventions/geo/multiscale.zarr", bands: ["b04"] },
  { store: "fixtures/conventions/geo/ndpyramid_v2.zarr", variable: "tas" },
  { store: "fixtures/conventions/geo/ndpyramid_v3.zarr", variable: "tas" },
  { store: "fixtures/conventions/geo/spatial_ref_v2.zarr", variable: "band", projection: "EPSG:3857" },
  { store: "fixtures/conventions/geo/spatial_ref_v3.zarr", variable: "band", projection: "EPSG:3857" },
  { store: "fixtures/xarray/climate_v2.zarr", variable: "t2m", dimensions: { time: 3 } },
  { store: "fixtures/xarray/climate_v3.zarr", variable: "t2m", dimensions: { time: [0, 30] } },
  { store: "fixtures/conventions/geo/nothing.zarr", bands: ["b04"] },
];

export async function run(base) {
  const seen = [];
  for (const { store, ...options } of sources) {
    const source = new GeoZarr({ url: base + store, projection: "EPSG:3857", ...options });
    await new Promise((resolve) => {
      const look = () => ["ready", "error"].includes(source.getState()) && resolve();
      source.on("change", look);
      look();
    });
    if (source.getState() === "error") {
      seen.push({ store, error: source.error_.message.replace(base, "") });
      continue;
    }
    const grid = source.tileGrid;
    seen.push({ store, resolutions: grid.getResolutions(), extent: grid.getExtent(), bands: source.bandCount });
    seen.push(plain(await source.getDimensions()));
    for (const name of Object.keys(options.dimensions ?? {})) seen.push(await source.getValue(name, 2));
    for (const z of grid.getResolutions().keys()) {
      seen.push({ store, z, data: plain(await source.loadTile_(z, 0, 0, {})) });
    }
  }
  return seen;
}
