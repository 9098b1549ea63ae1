import type { ZarrArray } from "./api/array.js";
import type { Group, OpenOptions, openNode } from "./api/group.js";
import type { Target } from "./api/location.js";

/** By this symbol, which is one for all entries of the package, every node has what opens others with its own engine. */
export const opener: unique symbol = Symbol.for("zarr-wasm.opener");

type Node = ZarrArray | Group;

/** Opens a target with the engine of a node, of one version only if that is named. */
export function openFrom(
  node: Node,
  target: Target,
  options: OpenOptions & { kind: "group" },
  format?: 2 | 3,
): Promise<Group>;
export function openFrom(
  node: Node,
  target: Target,
  options: OpenOptions & { kind: "array" },
  format?: 2 | 3,
): Promise<ZarrArray>;
export function openFrom(node: Node, target: Target, options: OpenOptions, format?: 2 | 3): Promise<Node>;
export function openFrom(node: Node, target: Target, options: OpenOptions, format?: 2 | 3): Promise<Node> {
  return (node as unknown as { readonly [opener]: typeof openNode })[opener](target, options, format);
}
