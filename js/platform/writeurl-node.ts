// A bundler must leave this unchanged: see node.ts.
const here = import.meta.url;

/** Returns the URL of zarr-write.wasm. */
export function writeUrl(): URL {
  return new URL("./zarr-write.wasm", here);
}
