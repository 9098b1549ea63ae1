/**
 * The wasm builds: zarr.wasm has the codecs that nearly all data needs, zarr-full.wasm has all
 * codecs, and zarr-write.wasm also writes. Each build does everything that the previous one does.
 */
export type Build = 0 | 1 | 2;

/** The names of the builds. */
export const full: Build = 1;
export const writing: Build = 2;
