/**
 * Writes new zip archives. `ZipStore` of the package's main entry reads archives.
 *
 * @module zarr-wasm/zip
 */
export { ZipWriter } from "./writer.js";
