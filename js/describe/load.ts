// Each convention is a module of its own, loaded when a node follows it.

/** @internal Loads the module that describes groups and image levels. */
export const loadGroups = () => import("./groups/index.js");

/** @internal */
export const loadXarray = () => import("../xarray/index.js");

/** @internal */
export const loadOme = () => import("../ome/index.js");

/** @internal */
export const loadGeo = () => import("../geo/index.js");

/** @internal */
export const loadAnndata = () => import("../anndata/index.js");

/**
 * @internal Runs `work` and returns its result; undefined if it fails. An aborted signal still
 * rejects.
 */
export async function attempt<T>(
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
  failed?: (error: unknown) => void,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    failed?.(error);
    return undefined;
  }
}

/** @internal The message of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
