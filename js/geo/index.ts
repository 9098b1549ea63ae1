/**
 * The position of Zarr arrays in the world: GeoZarr and the zarr-conventions registry (`spatial:`,
 * `proj:`, `multiscales`), CF grid mappings, GDAL's GeoTransform, ndpyramid.
 *
 * ```ts
 * import { open } from "zarr-wasm";
 * import { openPyramid, selectionOf } from "zarr-wasm/geo";
 *
 * const group = await open("https://example.org/sentinel.zarr", { kind: "group" });
 * const pyramid = await openPyramid(group);
 * const level = pyramid.levelFor(30);
 * ```
 *
 * @module zarr-wasm/geo
 */

export {
  type Affine,
  affineBounds,
  affineFromGdal,
  affineToGdal,
  applyAffine,
  type Bounds,
  composeAffine,
  invertAffine,
  isInvertible,
  pixelSizeOf,
} from "./affine.js";
export { type Convention, conventionsOf, type KnownConvention, uuids } from "./conventions.js";
export type { Crs } from "./crs.js";
export type { Fact, Problem, Statement } from "./facts.js";
export { type Georeference, georeference } from "./georeference.js";
export {
  type BoxSelection,
  type Grid,
  gridBounds,
  type PixelWindow,
  pixelAt,
  pixelToWorld,
  type Registration,
  selectionOf,
  windowOf,
  worldToPixel,
} from "./grid.js";
export { type GridMapping, type GridMappingReference, parseGeoTransform, parseGridMapping } from "./gridmapping.js";
export { type Layout, type Level, layoutOf } from "./layout.js";
export type { GeoOptions } from "./options.js";
export { GeoPyramid, openPyramid } from "./pyramid.js";
export { type NodeFacts, type Violation, validate } from "./validate.js";
export {
  lonLatToWebMercator,
  type WebMercatorOptions,
  webMercatorLimit,
  webMercatorMaxLatitude,
  webMercatorRadius,
  webMercatorToLonLat,
} from "./webmercator.js";
