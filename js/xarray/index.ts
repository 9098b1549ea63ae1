/**
 * Datasets in xarray's model: variables with named dimensions, coordinates, label selection and CF
 * decoding.
 *
 * - {@link openDataset} opens a group as a {@link Dataset}. `ds.var(name)` is a {@link DataArray};
 *   `sel` selects by labels and `get` reads.
 * - `decodeArray`, `decoderOf` and `parseUnits` decode a single array and its times, without a
 *   dataset.
 * - `openNczarr` reads a hierarchy in netCDF's model.
 *
 * ```ts
 * import { open } from "zarr-wasm";
 * import { openDataset } from "zarr-wasm/xarray";
 *
 * const ds = await openDataset(await open("https://example.org/climate.zarr", { kind: "group" }));
 * const point = ds.var("t2m").sel({ lat: 48.1, lon: 11.6 }, { method: "nearest" });
 * ```
 *
 * @module zarr-wasm/xarray
 */
export * from "../cf/index.js";
export * from "../nczarr/index.js";
export type { DecodeCoords } from "./coordinates.js";
export {
  DataArray,
  type IndexSelector,
  type Label,
  LabelSelection,
  type LabelSelector,
  type Loaded,
  type LoadedArray,
  type LoadOptions,
  type PerDimension,
  type SelOptions,
} from "./dataarray.js";
export { Dataset, type DatasetOptions, type DataTree, openDataset, openDataTree } from "./dataset.js";
export { type Dimensions, dimensionsOf } from "./dimensions.js";
export type { LabelSlice, Method } from "./labels.js";
export { slice } from "./slice.js";
export type { GetOptions } from "./variable.js";
