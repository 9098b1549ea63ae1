/**
 * The path for which VitePress builds the site. The site works below any other: build.mjs makes
 * addresses relative, and each page states the actual path to its scripts.
 */
export const base = "/zarr-wasm-site/";
export const actualBase = "globalThis.zarrSiteBase";
