import type { Folder } from "./directory.js";

/** @internal What else than what a page is given names a directory, for messages. */
export const places = "";

/** @internal What reads the directory at a path or a `file:` URL; a page cannot. */
export function diskFolder(_: unknown): (Folder & { path: string }) | undefined {
  return undefined;
}
