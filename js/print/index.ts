/**
 * Arrays, groups and trees as text and as HTML, as users of zarr-python and xarray know them.
 *
 * @module zarr-wasm/print
 */

export type { Printable, PrintsItself } from "./describe.js";
export { mimeBundle, toHTML } from "./html.js";
export { toText } from "./text.js";
