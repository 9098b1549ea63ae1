/**
 * `zarr-wasm/view` without a page, so that scripts bundled for servers can import it. It parses and
 * formats states. The element and pictures need a page.
 */

import { UnsupportedError } from "../errors.js";
import type { Thumbnail } from "./plate/thumbnail.js";

export { formatState, parseState } from "./state.js";

const pageOnly = (name: string) => new UnsupportedError(`${name}: there is no page here`);

/** A placeholder for the element's class. */
export class ZarrView {
  constructor() {
    throw pageOnly("ZarrView");
  }
}

/** Rejects, because it needs a page. */
export async function thumbnail(): Promise<Thumbnail | null> {
  throw pageOnly("thumbnail");
}
