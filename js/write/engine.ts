import type { ZarrArray } from "../api/array.js";
import { nodeAt } from "../api/group.js";
import { type Location, locationOf, type Target } from "../api/location.js";
import { engineStore } from "../engine/description.js";
import type { NodeRef, WireNode } from "../engine/protocol/answers.js";
import { callWriting, type WritingCall, type WritingOptions } from "../engine/writing.js";
import { checkArray, refuse } from "../refuse.js";
import type { Readable } from "../stores/readable.js";
import type { Node } from "./node.js";

/** Has the engine change a store. */
export function change<T>(store: Readable, operation: WritingCall, options: WritingOptions = {}): Promise<T> {
  return callWriting<T>(engineStore(store), operation, options);
}

/** Has the engine change a store, and gives the node that comes of it. */
export async function changed(
  store: Readable,
  path: string,
  operation: WritingCall,
  options?: WritingOptions,
): Promise<Node> {
  return nodeAt(store, path, await change<WireNode>(store, operation, options));
}

/** A place, and its path as the engine has it. */
export function placed(what: string, target: Target): { place: Location; path: string } {
  const place = locationOf(what, target);
  return { place, path: place.path.slice(1) };
}

/** What names an array to the engine. */
export function arrayRef(what: string, array: ZarrArray): NodeRef {
  return checkArray(what, array).ref ?? refuse(what, array, "an array of this package");
}

/** What names a node to the engine. */
export function nodeRef(what: string, node: Node): NodeRef {
  const known = node?.kind === "array" || node?.kind === "group" ? node.ref : undefined;
  return known ?? refuse(what, node, "an array or a group, as await open(…) gives it,");
}
