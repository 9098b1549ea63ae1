/**
 * Tables and matrices of AnnData, MuData and SpatialData.
 *
 * ```ts
 * import { open, slice } from "zarr-wasm";
 * import { openAnnData } from "zarr-wasm/anndata";
 *
 * const adata = await openAnnData(await open("https://example.org/cells.zarr", { kind: "group" }));
 * const { values } = await adata.obs.column("cell_type");
 * const { data, shape } = await adata.X.get([slice(0, 100), null]);
 * ```
 *
 * @module zarr-wasm/anndata
 */

export { AnnData, openAnnData, Raw } from "./anndata.js";
export { ArrayColumn, Categorical, Column, type ColumnElement, type ColumnKind, Nullable } from "./columns.js";
export {
  AwkwardArray,
  type Element,
  type ElementValue,
  Mapping,
  type Matrix,
  type OpenSettings,
  openElement,
  readElement,
} from "./elements.js";
export { type Encoding, encodingOf, type Node } from "./encoding.js";
export { DataFrame, Table } from "./frame.js";
export { MuData, openMuData } from "./mudata.js";
export type { ReadSettings } from "./settings.js";
export { type Numbers, type SparseBlock, type SparseKind, SparseMatrix } from "./sparse.js";
export { openSpatialData, SpatialData, SpatialElement, type SpatialKind, type SpatialTable } from "./spatialdata.js";
