/** Loads what is in lazy.ts. */
export function lazy(): Promise<typeof import("./lazy.js")> {
  return import("./lazy.js");
}
