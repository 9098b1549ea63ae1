import type { Folder } from "./directory.js";

/** @internal The additional forms of directories in pages, for error messages: none. */
export const places = "";

/** @internal Returns undefined: a page cannot read a directory at a path or a `file:` URL. */
export function diskFolder(_: unknown): (Folder & { path: string }) | undefined {
  return undefined;
}
