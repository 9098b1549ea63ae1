/**
 * Prints arrays, groups and trees as text and as HTML, in the style of zarr-python and xarray.
 *
 * @module zarr-wasm/print
 */

export type { Printable, PrintsItself } from "./describe.js";
export { mimeBundle, toHTML } from "./html.js";
export { toText } from "./text.js";
