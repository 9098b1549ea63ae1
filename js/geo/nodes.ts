import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { isNamed } from "../named.js";
import { refuse } from "../refuse.js";

/** @internal Refuses what is neither. */
export function checkNode(what: string, node: ZarrArray | Group): void {
  if (node?.kind !== "array" && node?.kind !== "group") refuse(what, node, "an array or a group");
}

/** @internal Refuses what is no group. */
export function checkGroup(what: string, group: Group): void {
  if (group?.kind !== "group") refuse(what, group, 'a group, as await open(url, { kind: "group" }) gives it,');
}

/** @internal The groups that an array lies in, the nearest first: as far up as the group that was handed. */
export async function parentOf(
  array: ZarrArray,
  { group, signal }: { group?: Group | undefined; signal?: AbortSignal | undefined },
): Promise<Group[]> {
  if (!group) return [];
  // Paths of two stores say nothing of each other.
  if (group.store !== array.store) refuse("options.group", group, "a group that the array was opened from");
  const base = group.path === "/" ? "/" : `${group.path}/`;
  if (!array.path.startsWith(base)) refuse("options.group", group.path, `a group above ${array.path}`);
  const names = array.path.slice(base.length).split("/").slice(0, -1);
  const between = names.map((_, i) => names.slice(0, i + 1).join("/")).reverse();
  const opened = await Promise.all(between.map((path) => tried(() => group.open(path, { kind: "group", signal }))));
  return [...opened.filter((one) => one !== undefined), group];
}

/**
 * @internal What is opened, or undefined where it is not there or cannot be read. Other failures, as those of a server, remain what
 * they are.
 */
export async function tried<T>(open: () => Promise<T>): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** @internal True for errors that say that a node is not there, or cannot be read. */
export function isAbsence(error: unknown): boolean {
  return isNamed(error, ...absences);
}

const absences = ["NotFoundError", "InvalidMetadataError", "UnsupportedError", "UnknownCodecError"] as const;

/**
 * @internal An array below a group, or undefined where there is none that can be read. Where consolidated metadata tells what there is, nothing
 * else is asked for.
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
