/**
 * Returns the URL of zarr-write.wasm. Bundlers find the file by this literal. Only programs that
 * write include this module.
 */
export function writeUrl(): URL {
  return new URL("./zarr-write.wasm", import.meta.url);
}
