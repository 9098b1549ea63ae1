// A bundler must leave this as it is: see node.ts.
const here = import.meta.url;

/** Where zarr-write.wasm is. */
export function writeUrl(): URL {
  return new URL("./zarr-write.wasm", here);
}
