// The other variables of a node's group.
import type { ZarrArray } from "../../api/array.js";
import type { Description } from "../../describe/description.js";
import type { Field } from "../../describe/field.js";
import { describe } from "../../describe/index.js";
import { isZarrError } from "../../index.js";
import { openFrom } from "../../shared/openfrom.js";
import { refusal } from "./align.js";

type Node = Description["node"];

/** Returns the group of a node. */
export const parentOf = (path: string): string => path.replace(/\/[^/]*$/, "") || "/";

/** Opens a node of the same store, and returns the field that is drawn of it. */
export async function fieldAt(node: Node, path: string, signal: AbortSignal): Promise<Field> {
  const [group, other] = await Promise.all([
    openFrom(node, node.resolve(parentOf(path)), { kind: "group", signal }).catch(() => undefined),
    openFrom(node, node.resolve(path), { signal }),
  ]);
  const found = await describe(other, { group, signal });
  if (found.kind === "array" || found.kind === "image") return found.field;
  throw refusal(path, `${path} is a ${found.kind}, which has no numbers to compute with`);
}

/** An array beside a node. */
interface Sibling {
  readonly path: string;
  readonly name: string;
  /** The number of axes that it shares with the node, with equal lengths; 0 if they do not fit. */
  readonly common: number;
}

/**
 * Returns the arrays of a node's group without the node itself, by their metadata. Returns null if
 * the store has no group there, or does not list its members.
 */
export async function siblings(description: Description, signal: AbortSignal): Promise<Sibling[] | null> {
  if (description.kind !== "array") return [];
  const { path, node, field } = description;
  const members = await openFrom(node, node.resolve(parentOf(path)), { kind: "group", signal })
    .then((group) => group.members({ signal }))
    .catch((error: unknown) => {
      if (isZarrError(error, "UnsupportedError") || isZarrError(error, "NotFoundError")) return null;
      throw error;
    });
  if (!members) return null;
  return members.flatMap((member): Sibling[] => {
    if (member.kind !== "array" || member.path === path) return [];
    const name = member.path.split("/").at(-1) ?? member.path;
    const array = member.node as ZarrArray | undefined;
    // Without metadata the axes are unknown, and may fit.
    if (!array) return [{ path: member.path, name, common: field.axes.length }];
    const names = array.dimensionNames ?? array.shape.map((_, d) => `dim_${d}`);
    const common = field.axes.filter(({ name }) => names.includes(name));
    const fits = common.every(({ name, length }) => array.shape[names.indexOf(name)] === length);
    return [{ path: member.path, name, common: fits ? common.length : 0 }];
  });
}
