// Dimensions by reference: groups declare them, and arrays name them by path.
import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { type NczarrNode, objectOf, ownOf } from "./attributes.js";

/** A dimension that a group declares. */
export interface NczarrDimension {
  /** Its name in the group. */
  name: string;
  /** Its length. */
  size: number;
  /** Whether the dimension may grow. */
  unlimited: boolean;
}

/** NCZarr's metadata of a group. */
export interface NczarrGroup {
  /** The declared dimensions, in order. */
  dimensions: NczarrDimension[];
  /** The names of its arrays; undefined if they are not listed. */
  arrays: string[] | undefined;
  /** The names of its groups; undefined if they are not listed. */
  groups: string[] | undefined;
  /** A sentence for each invalid statement. */
  problems: string[];
}

/** NCZarr's metadata of an array. */
export interface NczarrArray {
  /** The dimensions' paths, `"/g1/time"`. */
  references: string[];
  /** Whether the array is a scalar, which v2 stores with the shape `[1]`. */
  scalar: boolean;
}

/** Returns a list of strings unchanged, and undefined for any other value. */
function texts(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Returns NCZarr's metadata of a group; undefined if there is none.
 *
 * @param more the document .nczgroup of the oldest form
 */
export function nczarrGroup(group: Group, more?: Record<string, unknown>): NczarrGroup | undefined {
  const said = ownOf(group, "group") ?? more;
  if (!said) return undefined;
  const problems: string[] = [];
  const dimensions = new Map<string, NczarrDimension>();
  const add = (name: unknown, size: unknown, unlimited: unknown) => {
    if (typeof name !== "string" || name === "" || name.includes("/") || dimensions.has(name) || !isSize(size)) {
      const shown = typeof name === "string" ? `: ${JSON.stringify(name)}` : "";
      problems.push(`a dimension of ${group.path} has no valid name or size${shown}`);
    } else dimensions.set(name, { name, size, unlimited: unlimited === 1 || unlimited === true });
  };
  const declared = said.dimensions ?? said.dims ?? {};
  if (Array.isArray(declared)) {
    for (const entry of declared) {
      const { name, size, unlimited } = objectOf(entry) ?? {};
      add(name, size, unlimited);
    }
  } else if (objectOf(declared)) {
    for (const [name, value] of Object.entries(declared)) {
      const { size, unlimited }: Record<string, unknown> = objectOf(value) ?? { size: value };
      add(name, size, unlimited);
    }
  } else problems.push(`the dimensions of ${group.path} are neither a list nor an object`);
  const arrays = texts(said.arrays ?? said.vars);
  const groups = texts(said.groups ?? said.subgroups);
  return { dimensions: [...dimensions.values()], arrays, groups, problems };
}

/**
 * Returns NCZarr's metadata of an array; undefined if there is none.
 *
 * @param more the document .nczarray of the oldest form
 */
export function nczarrArray(
  array: ZarrArray,
  more?: Record<string, unknown>,
): NczarrArray | { problem: string } | undefined {
  const said = ownOf(array, "array") ?? more;
  if (!said) return undefined;
  const list = said.dimension_references ?? said.dimrefs;
  const references = texts(list);
  if (!references) {
    return list === undefined || list === null
      ? undefined
      : { problem: `${array.path}: the dimension references are not a list of strings` };
  }
  const scalar = said.storage === "scalar" || (references.length === 0 && array.shape.length <= 1);
  const wrong = references.find((one) => !/^(\/[^/]+)+$/.test(one));
  if (wrong !== undefined) {
    return { problem: `${array.path}: the dimension reference ${JSON.stringify(wrong)} is not a path` };
  }
  const fits = scalar
    ? array.shape.every((n) => n === 1) && references.length === 0
    : rankOf(array) === references.length;
  if (!fits) {
    return { problem: `${array.path}: ${rankOf(array)} dimensions, but ${references.length} references` };
  }
  return { references, scalar };
}

const rankOf = (array: ZarrArray) => array.shape.length;

/** Returns the distinct names that are valid names of members, and not paths to other places. */
export function memberNames(names: readonly string[] | undefined): string[] {
  return [...new Set(names ?? [])].filter((name) => !/^\.{0,2}$|\//.test(name));
}

/** Returns the last segment of a dimension's path. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** Reports whether NCZarr wrote the hierarchy below this root. */
export function isNczarr(node: NczarrNode): boolean {
  return ["superblock", "group", "array"].some((name) => ownOf(node, name) !== undefined);
}
