import type { ZarrArray } from "../api/array.js";
import { nodeAt } from "../api/group.js";
import { type Location, locationOf, type Target } from "../api/location.js";
import { engineStore } from "../engine/description.js";
import type { AnswerValues, NodeRef } from "../engine/protocol/wire.js";
import { callWriting, type WritingCall, type WritingOptions } from "../engine/writing.js";
import { checkArray, refuse } from "../shared/arguments.js";
import type { Readable } from "../stores/readable.js";
import type { Node } from "./node.js";

/** Sends a change of a store to the engine. */
export function change<Op extends WritingCall["op"]>(
  store: Readable,
  operation: WritingCall & { op: Op },
  options: WritingOptions = {},
): Promise<AnswerValues[Op]> {
  return callWriting<Op>(engineStore(store), operation, options);
}

/** The changes that are answered by the changed node. */
type ChangedCall = Exclude<WritingCall, { op: "write" | "delete" | "move" | "copy" | "copyStore" | "stop" }>;

/** Sends a change of a store to the engine, and returns the changed node. */
export async function changed(
  store: Readable,
  path: string,
  operation: ChangedCall,
  options?: WritingOptions,
): Promise<Node> {
  return nodeAt(store, path, await change(store, operation, options));
}

/** Returns a place, and its path in the engine's form. */
export function placed(what: string, target: Target): { place: Location; path: string } {
  const place = locationOf(what, target);
  return { place, path: place.path.slice(1) };
}

/** Returns the engine's reference to an array. */
export function arrayRef(what: string, array: ZarrArray): NodeRef {
  return checkArray(what, array).ref ?? refuse(what, array, "an array of this package");
}

/** Returns the engine's reference to a node. */
export function nodeRef(what: string, node: Node): NodeRef {
  const known = node?.kind === "array" || node?.kind === "group" ? node.ref : undefined;
  return known ?? refuse(what, node, "an array or a group, as await open(…) returns it");
}
