// Uses zarrextra, the reader of SpatialData.js: the tree of consolidated metadata, its arrays,
// images in stores.
import {
  ATTRS_KEY,
  createPrefixedStore,
  loadOmeZarrMultiscalesFromStore,
  openExtraConsolidated,
  serializeZarrTree,
} from "zarrextra";
import { FetchStore, get } from "zarrita";
import { plain } from "./plain.js";

export async function run(base) {
  const seen = [];
  for (const name of [
    "fixtures/xarray/climate_v2.zarr",
    "fixtures/xarray/climate_v3.zarr",
    "fixtures/ome/image_v04.zarr",
  ]) {
    const opened = await openExtraConsolidated(base + name);
    seen.push({ name, ok: opened.ok });
    if (!opened.ok) continue;
    const { tree, zarritaStore } = opened.value;
    seen.push(zarritaStore.contents(), plain(tree[ATTRS_KEY]), JSON.parse(JSON.stringify(serializeZarrTree(tree))));
    for (const key of Object.keys(tree)) {
      const array = await tree[key].get();
      seen.push({ key, dtype: array.dtype, shape: array.shape, data: plain(await get(array)) });
    }
  }
  const store = new FetchStore(`${base}fixtures/ome`);
  for (const name of ["image_v04.zarr", "image_v05.zarr", "plate_v04.zarr/A/1/0"]) {
    for (const source of await loadOmeZarrMultiscalesFromStore(createPrefixedStore(store, name))) {
      const { labels, shape, dtype, tileSize } = source;
      const selection = Object.fromEntries(labels.slice(0, -2).map((label) => [label, 0]));
      const raster = plain(await source.getRaster({ selection }));
      const tile = plain(await source.getTile({ x: 0, y: 0, selection, signal: new AbortController().signal }));
      seen.push({ name, labels, shape, dtype, tileSize, raster, tile });
    }
  }
  return seen;
}
