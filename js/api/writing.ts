import type * as writing from "../write/index.js";

/** Loads the writing functions from a file of their own. */
const load = () => import("../write/index.js");

/**
 * Creates an array if the options have a shape, otherwise a group. See `zarr-wasm/write`, which the
 * first call loads.
 */
export const create: typeof writing.create = async (...args: Parameters<typeof writing.create>) =>
  (await load()).create(...args) as never;

/** Writes to a selection. See `zarr-wasm/write`, which the first call loads. */
export const set: typeof writing.set = async (...args) => (await load()).set(...args);
