// The conventions are files of their own, which are loaded when a node follows them.

/** @internal What describes groups, and the levels of their images. */
export const loadGroups = () => import("./groups/index.js");

/** @internal */
export const loadXarray = () => import("../xarray/index.js");

/** @internal */
export const loadOme = () => import("../ome/index.js");

/** @internal */
export const loadGeo = () => import("../geo/index.js");

/** @internal */
export const loadAnndata = () => import("../anndata/index.js");

/** @internal What is done, or undefined where it fails: but for the signal, which ends everything. */
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

/** @internal What an error says. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
