/**
 * Returns the URL of zarr-write.wasm. It is not part of the one file, and by default is beside the
 * page.
 */
export function writeUrl(): string {
  return "zarr-write.wasm";
}
