/**
 * The Zarr object model (ZEP 6): the JSON model of a hierarchy, its flattening, comparison, and the
 * JSON Schemas of models.
 *
 * @module zarr-wasm/model
 */

export { type EqualOptions, equalLayout, equalStructure } from "./equal.js";
export { type FlatModel, flatten, unflatten } from "./flat.js";
export { type Json, type JsonObject, stringify } from "./json.js";
export type { ArrayModel, GroupModel, Model } from "./node.js";
export { schemaV2, schemaV3 } from "./schemas.js";
export { type ModelOptions, type ModelSource, toModel } from "./tomodel.js";
