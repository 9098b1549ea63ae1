/**
 * Datasets as xarray knows them: variables with named dimensions, coordinates, label selection and decoding by the CF conventions.
 *
 * - {@link openDataset} of a group gives a {@link Dataset}: `ds.var(name)` is a {@link DataArray}, which `sel` selects by labels and `get` reads.
 * - `decodeArray`, `decoderOf` and `parseUnits` decode a single array and its times, without a dataset.
 * - `openNczarr` reads a hierarchy as netCDF sees it.
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
