/**
 * `zarr-wasm/view` where there is no page: scripts that are bundled for servers, too, may import it. States can be parsed and formatted;
 * the element and pictures need a page.
 */

import { UnsupportedError } from "../errors.js";
import type { Thumbnail } from "./plate/thumbnail.js";

export { formatState, parseState } from "./state.js";

const pageOnly = (name: string) => new UnsupportedError(`${name}: there is no page here`);

/** Stands for the element's class. */
export class ZarrView {
  constructor() {
    throw pageOnly("ZarrView");
  }
}

/** Rejects. */
export async function thumbnail(): Promise<Thumbnail | null> {
  throw pageOnly("thumbnail");
}
