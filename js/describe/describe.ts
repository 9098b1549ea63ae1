import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { refuse } from "../refuse.js";
import { plainField } from "./array.js";
import type { Description } from "./description.js";
import { stated } from "./fact.js";

/** What {@link describe} may be told. */
export interface DescribeOptions {
  /** A group above the node, of the same store: its metadata are looked at too. */
  group?: Group | undefined;
  /** Ends the description: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Says what a node is and what there is to look at. What the metadata violate is among the problems, and is no error; it rejects where the
 * store cannot be read, and where the signal is aborted.
 */
export async function describe(node: ZarrArray | Group, options: DescribeOptions = {}): Promise<Description> {
  if (node?.kind !== "array" && node?.kind !== "group") refuse("describe", node, "an array or a group");
  options.signal?.throwIfAborted();
  const title = stated(node.path.split("/").at(-1) || "/", "the node's path");
  const common = { path: node.path, title, conventions: [], problems: [] };
  if (node.kind === "array") return { ...common, kind: "array", node, field: plainField(node) };
  return { ...common, kind: "group", node, members: null };
}
