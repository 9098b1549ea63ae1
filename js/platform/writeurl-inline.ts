/** Where zarr-write.wasm is: it is not part of the one file, and lies beside the page where nothing else is said. */
export function writeUrl(): string {
  return "zarr-write.wasm";
}
