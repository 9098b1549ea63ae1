type Lazy = typeof import("../lazy.js");

let all: Lazy | undefined;

/**
 * Loads the parts that few programs need, or need late. It keeps them, because each dynamic import
 * waits for a task of the platform, even if the file is loaded.
 */
export async function lazy(): Promise<Lazy> {
  all ??= await import("../lazy.js");
  return all;
}

/** Returns these parts if they are loaded. */
export const loaded = (): Lazy | undefined => all;
