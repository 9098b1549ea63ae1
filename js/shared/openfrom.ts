import type { ZarrArray } from "../api/array.js";
import type { Group, OpenOptions, openNode } from "../api/group.js";
import type { Target } from "../api/location.js";
import { opener } from "./opener.js";

type Node = ZarrArray | Group;

/** Opens a target with a node's engine. With `format`, opens nodes of that version of Zarr only. */
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
