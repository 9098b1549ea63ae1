import type { openNode } from "./api/group.js";

/** By this symbol every node has what opens others with its own engine. It is one for all entries of the package. */
export const opener: unique symbol = Symbol.for("zarr-wasm.opener");

/** What a node has by {@link opener}. */
export interface Openers {
  readonly [opener]: typeof openNode;
}
