/**
 * Which wasm: zarr.wasm, with the codecs that nearly all data needs; zarr-full.wasm, with all; zarr-write.wasm, which writes, too. Of two, the
 * later does all that the earlier does.
 */
export type Build = 0 | 1 | 2;

/** The names of the builds. */
export const full: Build = 1;
export const writing: Build = 2;
