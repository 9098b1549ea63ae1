import type * as writing from "../write/index.js";

/** Loads what writes: a file of its own. */
const load = () => import("../write/index.js");

/** Makes an array where the options have a shape, else a group: see `zarr-wasm/write`, which is loaded with the first call. */
export const create: typeof writing.create = async (...args: Parameters<typeof writing.create>) =>
  (await load()).create(...args) as never;

/** Writes what a selection selects: see `zarr-wasm/write`, which is loaded with the first call. */
export const set: typeof writing.set = async (...args) => (await load()).set(...args);
