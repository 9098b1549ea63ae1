import type { ZarrArray } from "../api/array.js";
import type { Group, OpenOptions } from "../api/group.js";
import { refuse } from "../shared/arguments.js";
import { openFrom } from "../shared/openfrom.js";
import type { FetchStore } from "../stores/fetchstore.js";
import { attempt } from "./load.js";

/** The format version of a node's relatives. Version 1 has no groups. */
const formatOf = ({ format }: ZarrArray | Group) => (format === 1 ? undefined : format);

/** @internal The groups above an array, the nearest first, and the arrays in them. */
export class Surroundings {
  readonly groups: readonly Group[];
  readonly #signal: AbortSignal | undefined;
  readonly #arrays = new Map<string, Promise<ZarrArray | undefined>>();

  constructor(groups: readonly Group[], signal: AbortSignal | undefined) {
    this.groups = groups;
    this.#signal = signal;
  }

  /** The parent group of the array. */
  get parent(): Group | undefined {
    return this.groups[0];
  }

  /** Finds an array by name in the parent group, or in a group above with consolidated metadata. */
  array(name: string): Promise<ZarrArray | undefined> {
    let found = this.#arrays.get(name);
    if (!found) {
      found = this.#find(name);
      this.#arrays.set(name, found);
    }
    return found;
  }

  async #find(name: string): Promise<ZarrArray | undefined> {
    if (name === "" || name.split("/").some((part) => part === "" || part === "." || part === "..")) return undefined;
    for (const [i, group] of this.groups.entries()) {
      if (i > 0 && !group.consolidated) break;
      const found = await arrayIn(group, name, this.#signal);
      if (found) return found;
    }
    return undefined;
  }
}

/**
 * @internal Opens a node below a group, in the group's format version. A missing node then costs
 * the requests of one version only.
 */
export function openIn(group: Group, path: string, options: OpenOptions & { kind: "array" }): Promise<ZarrArray>;
export function openIn(group: Group, path: string, options: OpenOptions & { kind: "group" }): Promise<Group>;
export async function openIn(group: Group, path: string, options: OpenOptions): Promise<ZarrArray | Group> {
  return openFrom(group, group.resolve(path), options, formatOf(group));
}

/**
 * @internal Opens an array of a group; undefined if there is none. Consolidated metadata save the
 * request for an absent array.
 */
async function arrayIn(group: Group, name: string, signal: AbortSignal | undefined): Promise<ZarrArray | undefined> {
  if (group.consolidated && !name.includes("/")) {
    const members = await attempt(signal, () => group.members({ signal }));
    const member = members?.find((one) => one.name === name);
    if (members && !member) return undefined;
    if (member?.node) return member.node.kind === "array" ? member.node : undefined;
  }
  return attempt(signal, () => openIn(group, name, { kind: "array", signal }));
}

/** Names of groups that are one level of a pyramid: `0`, `s2`, `r10m`, `level_3`. */
const levelName = /^\D{0,8}\d{1,5}[a-z]?$/i;

/**
 * Opens the groups above a path. Groups without consolidated metadata are opened only if they can
 * hold useful metadata.
 */
async function groupsAbove(names: readonly string[], group: Group, signal: AbortSignal | undefined): Promise<Group[]> {
  const base = group.path.split("/").filter(Boolean);
  const isAbove = base.length < names.length && base.every((name, i) => name === names[i]);
  const lengths = names.map((_, i) => i).filter((length) => !isAbove || length > base.length);
  const near = lengths.reverse().filter((length, i) => {
    return (isAbove && group.consolidated) || i === 0 || (i === 1 && levelName.test(names[length] as string));
  });
  const path = (length: number) => `/${names.slice(0, length).join("/")}`;
  const opened = await Promise.all(
    near.map((length) => attempt(signal, () => openIn(group, path(length), { kind: "group", signal }))),
  );
  return [...opened.filter((one) => one !== undefined), ...(isAbove ? [group] : [])];
}

/**
 * @internal The groups above an array, the nearest first, up to the given group. Without one: the
 * parent, and the grandparent if the parent's name looks like a level. Groups that cannot be opened
 * are left out.
 */
export async function parentsOf(
  array: ZarrArray,
  group: Group | undefined,
  signal: AbortSignal | undefined,
): Promise<Group[]> {
  const names = array.path.split("/").filter(Boolean);
  if (group) {
    if (group.kind !== "group" || group.store !== array.store)
      refuse("describe: group", group, "a group of the same store");
    return groupsAbove(names, group, signal);
  }
  if (names.length === 0) return [];
  const at = (path: readonly string[]) =>
    attempt(signal, () =>
      openFrom(array, array.resolve(`/${path.join("/")}`), { kind: "group", signal }, formatOf(array)),
    );
  const parent = await at(names.slice(0, -1));
  if (!parent) return [];
  const above = names.length > 1 && levelName.test(names.at(-2) as string) ? await at(names.slice(0, -2)) : undefined;
  return above ? [parent, above] : [parent];
}

/** Attributes that refer to arrays next to an array. */
const beside = ["coordinates", "grid_mapping", "_ARRAY_DIMENSIONS"];

/**
 * @internal Reopens an array from the group at the folder above its URL, and returns both. This is
 * tried if the metadata refer to neighbours or the name looks like a level. Undefined if there is
 * no such group. The request carries no headers of the array's store. A URL with a query is left
 * alone: its signature may cover the array only.
 */
export async function besideOf(
  array: ZarrArray,
  signal: AbortSignal | undefined,
): Promise<{ array: ZarrArray; groups: Group[] } | undefined> {
  const { store, format, attrs } = array;
  if (array.path !== "/" || Object(store)[Symbol.toStringTag] !== "FetchStore") return undefined;
  const { url } = store as FetchStore;
  const [, folder, name] = /^(https?:\/\/[^/?#]+\/(?:[^?#]*\/)?)([^/?#]+)\/?$/.exec(String(url)) ?? [];
  if (folder === undefined || name === undefined) return undefined;
  const names = array.dimensionNames?.some((one) => one !== null) || beside.some((one) => Object.hasOwn(attrs, one));
  if (!names && !levelName.test(name)) return undefined;
  return attempt(signal, async () => {
    const group = await openFrom(array, folder, { kind: "group", signal }, format === 3 ? 3 : 2);
    const own = await openIn(group, decodeURIComponent(name), { kind: "array", signal });
    return own.dtype === array.dtype && own.shape.join() === array.shape.join()
      ? { array: own, groups: [group] }
      : undefined;
  });
}
