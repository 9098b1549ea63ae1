/** Loads lazy.ts as a file of its own. */
export function lazy(): Promise<typeof import("./lazy.js")> {
  return import("./lazy.js");
}
