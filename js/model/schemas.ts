import v2 from "#schema-v2";
import v3 from "#schema-v3";
import type { JsonObject } from "./json.js";

/** The JSON Schema (draft 2020-12) of models of Zarr v2. Its `$defs` are `Group` and `Array`. */
export const schemaV2: JsonObject = v2;

/**
 * The JSON Schema (draft 2020-12) of models of Zarr v3. Its `$defs` are `Group`, `Array` and
 * `Extension`.
 */
export const schemaV3: JsonObject = v3;
