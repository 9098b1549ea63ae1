/**
 * New zip archives: what reads archives is `ZipStore` of the package's main entry.
 *
 * @module zarr-wasm/zip
 */
export { ZipWriter } from "./writer.js";
