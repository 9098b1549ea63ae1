import { InvalidMetadataError } from "../errors.js";
import { refuse } from "../shared/arguments.js";
import { checkModel } from "./equal.js";
import { checkDepth, isObject, type Json, type JsonObject, member, membersOf } from "./json.js";
import { groupModel, isGroup, type Model } from "./node.js";

/**
 * The nodes of a hierarchy by path, without their members. The root's path is `""`. Other paths
 * have no leading slash: `"a/b"`.
 */
export interface FlatModel {
  /** The model of a node without its `members`. */
  readonly [path: string]: JsonObject;
}

/**
 * Returns the nodes of a model by path, parents first, like consolidated metadata (ZEP 6,
 * "Implementing consolidated metadata via Zarr Object Models").
 */
export function flatten(model: Model): FlatModel {
  checkModel("flatten", model);
  const flat: [string, JsonObject][] = [];
  const walk = (node: JsonObject, path: string, depth: number) => {
    checkDepth(depth);
    if (!isGroup(node)) {
      flat.push([path, node]);
      return;
    }
    const { members, ...others } = node;
    if (!isGroup(others)) throw invalid(path, "an array has no members");
    flat.push([path, others]);
    if (members !== undefined && !isObject(members)) throw invalid(path, "members is not an object");
    for (const [name, below] of membersOf(members ?? {})) {
      const at = path ? `${path}/${name}` : name;
      if (!isName(name)) throw invalid(at, "a node cannot have this name");
      if (!isObject(below)) throw invalid(at, "it is not an object");
      walk(below, at, depth + 1);
    }
  };
  walk(model, "", 0);
  return Object.fromEntries(flat);
}

/** A node under construction. A group collects its members here. */
interface Growing {
  node: JsonObject;
  members: Map<string, Growing> | undefined;
}

/**
 * Returns the model of flat nodes, as the inverse of {@link flatten}. A group without an entry,
 * implied by nodes below it, has no attributes. Leading slashes of paths are ignored. Throws
 * {@link InvalidMetadataError} for paths that form no tree: below an array, with invalid names, or
 * duplicate.
 */
export function unflatten(flat: FlatModel): Model {
  if (!isObject(flat)) refuse("unflatten", flat, "an object of nodes by path");
  const nodes = new Map<string, JsonObject>();
  for (const [key, node] of membersOf(flat)) {
    const path = key.replace(/^\//, "");
    if (nodes.has(path)) throw invalid(path, "it occurs twice");
    if (!isObject(node)) throw invalid(path, "it is not an object");
    nodes.set(path, node);
  }
  const format = [...nodes.values()].map((node) => member(node, "zarr_format")).find((one) => typeof one === "number");
  const grown = new Map<string, Growing>();
  const grow = (path: string): Growing => {
    const there = grown.get(path);
    if (there) return there;
    const node = nodes.get(path);
    const group = node === undefined || isGroup(node);
    if (group && node && (member(node, "members") ?? null) !== null) throw invalid(path, "it has members of its own");
    const own: Growing = {
      node: node ?? withoutMembers(groupModel({ format: format ?? 3, document: {}, attributes: {} }, {})),
      members: group ? new Map() : undefined,
    };
    grown.set(path, own);
    return own;
  };
  const root = grow("");
  for (const path of nodes.keys()) {
    let above = root;
    let at = "";
    const names = path === "" ? [] : path.split("/");
    checkDepth(names.length);
    for (const name of names) {
      if (!isName(name)) throw invalid(path, "a node cannot have this name");
      if (!above.members) throw invalid(path, `${JSON.stringify(at)} above it is an array`);
      at = at ? `${at}/${name}` : name;
      const next = grow(at);
      above.members.set(name, next);
      above = next;
    }
  }
  const built = ({ node, members }: Growing): Model => {
    if (!members) return node as unknown as Model;
    const below = [...members].map(([name, one]): [string, Json] => [name, built(one)]);
    return { ...withoutMembers(node), members: Object.fromEntries(below) } as unknown as Model;
  };
  return built(root);
}

function withoutMembers({ members: _, ...others }: JsonObject): JsonObject {
  return others;
}

function isName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("/");
}

function invalid(path: string, why: string): InvalidMetadataError {
  return new InvalidMetadataError(`${JSON.stringify(path)} of a model: ${why}`, { path: `/${path}` });
}
