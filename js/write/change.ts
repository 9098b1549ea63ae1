import type { ZarrArray } from "../api/array.js";
import { Group } from "../api/group.js";
import { Location, type Target } from "../api/location.js";
import type { Attributes } from "../api/node.js";
import type { CopyReport, IfExists } from "../engine/protocol/wire.js";
import { aBoolean, aFunction, checked, refuse, someNames } from "../shared/arguments.js";
import type { Readable } from "../stores/readable.js";
import { change, changed, nodeRef, placed } from "./engine.js";
import { writeJson } from "./json.js";
import type { Node } from "./node.js";
import type { CallOptions, LayoutOptions } from "./options.js";
import { layoutSpec } from "./spec.js";

async function attributes<N extends Node>(
  what: string,
  node: N,
  how: "set" | "update" | "delete",
  given: { attributes?: unknown; names?: unknown },
  options: CallOptions,
): Promise<N> {
  const ref = nodeRef(what, node);
  const { signal } = checked(what, options);
  const operation = { op: "attributes" as const, node: ref, how };
  if (how === "delete") {
    const [is, expected] = someNames;
    const names = typeof given.names === "string" ? [given.names] : given.names;
    if (!is(names as never)) refuse(what, names, expected);
    return (await changed(node.store, node.path, { ...operation, names: names as string[] }, { signal })) as N;
  }
  const { attributes: all } = given;
  if (all === null || typeof all !== "object" || Array.isArray(all)) refuse(what, all, "an object");
  const text = writeJson(all, what);
  return (await changed(node.store, node.path, { ...operation, attributes: text }, { signal })) as N;
}

/** Replaces all attributes of a node. Returns the changed node. */
export function setAttributes<N extends ZarrArray | Group>(
  node: N,
  all: Attributes,
  options: CallOptions = {},
): Promise<N> {
  return attributes("setAttributes", node, "set", { attributes: all }, options);
}

/** Adds or changes attributes of a node. Returns the changed node. */
export function updateAttributes<N extends ZarrArray | Group>(
  node: N,
  some: Attributes,
  options: CallOptions = {},
): Promise<N> {
  return attributes("updateAttributes", node, "update", { attributes: some }, options);
}

/** Deletes attributes of a node by their names. Returns the changed node. */
export function deleteAttributes<N extends ZarrArray | Group>(
  node: N,
  names: string | readonly string[],
  options: CallOptions = {},
): Promise<N> {
  return attributes("deleteAttributes", node, "delete", { names }, options);
}

/** Deletes the node at a place, and all nodes below it. */
export async function deleteNode(target: Target, options: CallOptions = {}): Promise<void> {
  const { place, path } = placed("deleteNode", target);
  const { signal } = checked("deleteNode", options);
  await change(place.store, { op: "delete", path }, { signal });
}

/**
 * Moves the node at a place, and all nodes below it, to a path of its store, relative to the
 * place's parent. Copies the objects, documents last, and then deletes the old ones. Returns the
 * new place.
 */
export async function move<S extends Readable>(
  target: Location<S>,
  to: string | Location,
  options: CallOptions = {},
): Promise<Location<S>> {
  const { place, path } = placed("move", target);
  const { signal } = checked("move", options);
  if (to instanceof Location && to.store !== place.store) refuse("move", to, "a place in the same store");
  const place2 = to instanceof Location ? to : place.resolve("..").resolve(to);
  await change(place.store, { op: "move", path, to: place2.path.slice(1) }, { signal });
  return new Location(place.store as S, place2.path);
}

/** Renames the node at a place: {@link move} within its group. */
export async function rename<S extends Readable>(
  target: Location<S>,
  name: string,
  options: CallOptions = {},
): Promise<Location<S>> {
  if (typeof name !== "string" || !name || name.includes("/")) refuse("rename", name, "a name");
  return move(target, name, options);
}

/** Settings of {@link copyStore}. */
export interface CopyObjectOptions extends CallOptions {
  /** Called during the copy, with the number of copied objects. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** The handling of existing objects: `"raise"` an `ExistsError`, `"replace"` or `"skip"` them. */
  ifExists?: IfExists | undefined;
  /** For {@link copyStore}: counts what would be copied, and copies nothing. */
  dryRun?: boolean | undefined;
}

/** Settings of {@link copy} and {@link copyAll}. */
export interface CopyOptions extends CallOptions {
  /** Called during the copy, with the elements of the current array. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** The handling of existing nodes: `"raise"` an `ExistsError`, `"replace"` or `"skip"` them. */
  ifExists?: IfExists | undefined;
  /** Copy only the direct members of a group. */
  shallow?: boolean | undefined;
  /** Do not copy attributes. */
  withoutAttributes?: boolean | undefined;
  /** Decode and encode chunks even if their bytes could be copied. */
  recode?: boolean | undefined;
  /**
   * The version of the copies; by default that of the group they are copied into, otherwise their
   * own.
   */
  format?: 2 | 3 | undefined;
  /** The storage settings that change. */
  array?: LayoutOptions | undefined;
}

const copySettings = {
  onProgress: [aFunction],
  ifExists: [[(v: unknown) => v === "raise" || v === "replace" || v === "skip", '"raise", "replace" or "skip"']],
  shallow: [aBoolean],
  withoutAttributes: [aBoolean],
  recode: [aBoolean],
  dryRun: [aBoolean],
  format: [[(v: unknown) => v === 2 || v === 3, "2 or 3"]],
} as const;

async function copyNode(
  what: string,
  node: Node,
  target: Target,
  options: CopyOptions,
  all: boolean,
): Promise<CopyReport> {
  const ref = nodeRef(what, node);
  const { place, path } = placed(what, target);
  const { signal, onProgress, array, ...others } = checked(what, options, copySettings);
  const settings = {
    ...others,
    ...(array && { array: layoutSpec(`${what}: array`, array as Record<string, unknown>) }),
  };
  return change(
    place.store,
    {
      op: "copy",
      node: ref,
      from: node.store,
      path,
      ...(all && { all }),
      ...(onProgress && { progress: true }),
      options: writeJson(settings, what),
    },
    { signal, onProgress },
  );
}

/**
 * Copies an array, or a group with all nodes below it, to a place in any store. The options select
 * another version, other chunks and other codecs. Chunks are copied as bytes if grid and codecs
 * stay the same. Otherwise elements are read and written in boxes of some MiB, whatever the array's
 * size.
 *
 * @example
 * await copy(await open(url), root(store).resolve("copy"), { array: { chunks: [512, 512] } });
 */
export function copy(node: ZarrArray | Group, target: Target, options: CopyOptions = {}): Promise<CopyReport> {
  return copyNode("copy", node, target, options, false);
}

/** Copies a group's contents into the group at a place. See {@link copy}. */
export function copyAll(group: Group, target: Target, options: CopyOptions = {}): Promise<CopyReport> {
  if (!(group instanceof Group) && (group as { kind?: unknown })?.kind !== "group") refuse("copyAll", group, "a group");
  return copyNode("copyAll", group, target, options, true);
}

/** Copies objects unchanged, without decoding, from one place to another. */
export async function copyStore(from: Target, to: Target, options: CopyObjectOptions = {}): Promise<CopyReport> {
  const source = placed("copyStore", from);
  const { place, path } = placed("copyStore", to);
  const { signal, onProgress, ...settings } = checked("copyStore", options, copySettings);
  return change(
    place.store,
    {
      op: "copyStore",
      from: source.place.store,
      fromPath: source.path,
      path,
      ...(onProgress && { progress: true }),
      options: writeJson(settings, "copyStore"),
    },
    { signal, onProgress },
  );
}

/**
 * Writes the consolidated metadata of a group. Returns the changed group. A later change makes them
 * outdated.
 */
export async function consolidateMetadata<S extends Readable>(
  target: Location<S> | Target,
  options: CallOptions = {},
): Promise<Group<S>> {
  const { place, path } = placed("consolidateMetadata", target);
  const { signal } = checked("consolidateMetadata", options);
  return (await changed(place.store, place.path, { op: "consolidate", path }, { signal })) as Group<S>;
}

/**
 * Writes the metadata of a node, and of all nodes below it, in version 2 (from 1) or 3 (from 2).
 * Chunks and nodes of that version stay unchanged, and a failed migration can be repeated. Rejects
 * with `ExistsError` if a node has documents of both versions that contradict each other.
 */
export async function migrate(target: Target, format: 2 | 3, options: CallOptions = {}): Promise<Node> {
  const { place, path } = placed("migrate", target);
  const { signal } = checked("migrate", options);
  if (format !== 2 && format !== 3) refuse("migrate", format, "2 or 3");
  return changed(place.store, place.path, { op: "migrate", path, format }, { signal });
}
