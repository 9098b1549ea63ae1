/** Coastlines, and the module that draws them. */
export interface Coast {
  readonly module: typeof import("../coast/index.js");
  readonly lines: readonly Float32Array[];
}

/** Loads the coastlines. */
export async function loadCoast(): Promise<Coast> {
  const module = await import("../coast/index.js");
  return { module, lines: await module.coastlines() };
}
