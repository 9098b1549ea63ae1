/** Loads what is in more.ts. */
export function more(): Promise<typeof import("./more.js")> {
  return import("./more.js");
}
