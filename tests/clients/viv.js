// Uses Viv's loaders like a viewer: opens all levels, reads planes and tiles.
import { getChannelStats, loadOmeZarr } from "@vivjs/loaders";

export async function run(base) {
  const seen = [];
  for (const name of ["image_v04.zarr", "image_v05.zarr", "plate_v04.zarr/A/1/0"]) {
    const { data, metadata } = await loadOmeZarr(`${base}fixtures/ome/${name}`, { type: "multiscales" });
    for (const level of data) {
      const selection = Object.fromEntries(level.labels.slice(0, -2).map((label) => [label, 0]));
      const { signal } = new AbortController();
      const raster = await level.getRaster({ selection, signal });
      const tile = await level.getTile({ x: 0, y: 0, selection, signal });
      seen.push({
        name,
        shape: level.shape,
        dtype: level.dtype,
        labels: level.labels,
        tileSize: level.tileSize,
        raster: { ...raster, data: [...raster.data], type: raster.data.constructor.name },
        tile: { ...tile, data: [...tile.data] },
        stats: getChannelStats(raster.data),
      });
    }
    seen.push(metadata);
  }
  return seen;
}
