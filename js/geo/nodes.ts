import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { isNamed } from "../errors.js";
import { refuse } from "../shared/arguments.js";

/** @internal Throws unless the value is an array or a group. */
export function checkNode(what: string, node: ZarrArray | Group): void {
  if (node?.kind !== "array" && node?.kind !== "group") refuse(what, node, "an array or a group");
}

/** @internal Throws unless the value is a group. */
export function checkGroup(what: string, group: Group): void {
  if (group?.kind !== "group") refuse(what, group, 'a group, as await open(url, { kind: "group" }) returns it,');
}

/** @internal Opens the groups above an array, the nearest first, up to the given group. */
export async function parentOf(
  array: ZarrArray,
  { group, signal }: { group?: Group | undefined; signal?: AbortSignal | undefined },
): Promise<Group[]> {
  if (!group) return [];
  // Paths of different stores are unrelated.
  if (group.store !== array.store) refuse("options.group", group, "a group that the array was opened from");
  const base = group.path === "/" ? "/" : `${group.path}/`;
  if (!array.path.startsWith(base)) refuse("options.group", group.path, `a group above ${array.path}`);
  const names = array.path.slice(base.length).split("/").slice(0, -1);
  const between = names.map((_, i) => names.slice(0, i + 1).join("/")).reverse();
  const opened = await Promise.all(between.map((path) => tried(() => group.open(path, { kind: "group", signal }))));
  return [...opened.filter((one) => one !== undefined), group];
}

/**
 * @internal Calls `open`; undefined if the node is missing or cannot be read. Other failures, such
 * as server errors, are rethrown.
 */
export async function tried<T>(open: () => Promise<T>): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** @internal Reports whether an error means that a node is missing or cannot be read. */
export function isAbsence(error: unknown): boolean {
  return isNamed(error, ...absences);
}

const absences = ["NotFoundError", "InvalidMetadataError", "UnsupportedError", "UnknownCodecError"] as const;

/**
 * @internal Opens an array below a group; undefined if it is missing or cannot be read.
 * Consolidated metadata save the request for an absent array.
 */
export async function arrayIn(
  group: Group,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ZarrArray | undefined> {
  if (group.consolidated && !name.includes("/")) {
    const members = await group.members({ signal });
    if (!members.some((member) => member.name === name)) return undefined;
  }
  return tried(() => group.open(name, { kind: "array", signal }));
}
