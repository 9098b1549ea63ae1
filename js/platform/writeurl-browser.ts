/** Where zarr-write.wasm is. Bundlers find it by this: only programs that write have this file. */
export function writeUrl(): URL {
  return new URL("./zarr-write.wasm", import.meta.url);
}
