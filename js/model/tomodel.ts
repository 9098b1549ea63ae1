import type { ZarrArray } from "../api/array.js";
import type { Group, Member, Tree } from "../api/group.js";
import { mainDocument } from "../data/documents.js";
import { isNamed, LimitError, UnsupportedError } from "../errors.js";
import { checked, refuse } from "../shared/arguments.js";
import { byName, type JsonObject } from "./json.js";
import { arrayModel, type Described, groupModel, type Model } from "./node.js";

/** Options of {@link toModel}. */
export interface ModelOptions {
  /** Aborts the call. The promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * The most levels of groups, 64 by default. A deeper hierarchy rejects with {@link LimitError}.
   */
  maxDepth?: number | undefined;
  /**
   * `true` accepts an incomplete model: if nothing lists a group's members, those that its
   * attributes lead to.
   */
  partial?: boolean | undefined;
}

/** The input of {@link toModel}: a node, or the result of `group.tree()`. */
export type ModelSource = Group | ZarrArray | Tree;

type Node = Group | ZarrArray | Member;

/** A node with its name. */
interface Below {
  name: string;
  node: Node;
  /** The nodes below it, if they come from a tree. */
  children?: Below[];
}

/**
 * Returns the model of a node and of all nodes below it (ZEP 6, "Specification of the base Zarr
 * Object Model"). A node's model has the properties that the core specification of its version
 * defines, as stored, and its `attributes`. A group also has `members`, sorted by name. The model
 * of a tree covers the nodes that the tree holds.
 *
 * With consolidated metadata this needs no request. Otherwise each group costs a call of
 * `group.members()`.
 *
 * @throws The errors of `group.members()` and `open`, also if any node cannot be opened.
 * @throws `UnsupportedError` for a group whose members can only be guessed
 * ({@link ModelOptions.partial}).
 *
 * @example
 * const model = await toModel(await open("https://example.org/climate.zarr"));
 */
export async function toModel(source: ModelSource, options: ModelOptions = {}): Promise<Model> {
  const { signal, maxDepth = 64, partial = false } = checked("toModel", options);
  const root = sourceOf(source);
  const walk = async ({ name, node, children }: Below, depth: number): Promise<[string, Model] | undefined> => {
    const opened = await openedOf(node);
    if (opened?.kind === "array") return [name, arrayModel(described(opened))];
    const below = children ?? (opened ? await membersOf(opened) : []);
    if (below.length > 0 && depth >= maxDepth) {
      throw new LimitError(`${node.path}: groups nest deeper than ${maxDepth} levels`, {
        path: node.path,
        limit: "maxDepth",
        max: maxDepth,
      });
    }
    const models = await Promise.all(below.map((one) => walk(one, depth + 1)));
    const members = models.filter((one) => one !== undefined).sort(byName);
    // A folder that is not a node and contains none is not part of the hierarchy.
    if (isMember(node) && node.kind === "implicit" && members.length === 0) return undefined;
    const of = opened ? described(opened) : implied(members);
    return [name, groupModel(of, Object.fromEntries(members))];
  };

  const openedOf = async (node: Node): Promise<Group | ZarrArray | undefined> => {
    if (!isMember(node)) return node;
    if (node.error) throw node.error;
    if (node.node) return node.node;
    if (root.node.kind !== "group" || isMember(root.node)) return undefined;
    const wanted = node.kind === "implicit" ? "group" : node.kind;
    try {
      return await root.node.open(node.path, { kind: wanted, signal });
    } catch (error) {
      // A folder without a document, absent from consolidated metadata, is not a node.
      if (node.kind === "implicit" && isNamed(error, "NotFoundError")) return undefined;
      throw error;
    }
  };

  const membersOf = async (group: Group | ZarrArray): Promise<Below[]> => {
    if (group.kind !== "group") return [];
    const members = await group.members({ signal });
    if (!partial && members.some(({ how }) => how === "named" || how === "probed")) {
      const feature = "the model of a group whose members are not listed; { partial: true } accepts the known ones";
      throw new UnsupportedError(`unsupported in ${group.path}: ${feature}`, { path: group.path, feature });
    }
    return members.map((member) => ({ name: member.name, node: member.node ?? member }));
  };

  return (await walk(root, 0))?.[1] ?? groupModel({ format: 3, document: {}, attributes: {} }, {});
}

/** Converts a node or a tree to nodes with names. */
function sourceOf(source: ModelSource): Below {
  const ofTree = ({ name, node, children }: Tree): Below => ({ name, node, children: children.map(ofTree) });
  const { kind, node, children } = Object(source) as Partial<ZarrArray> & Partial<Tree>;
  if (kind === "array" || kind === "group") return { name: "", node: source as ZarrArray };
  if (!node || !children) refuse("toModel", source, "a group, an array, or the result of group.tree()");
  return ofTree(source as Tree);
}

/** Reports whether a node is a listed member, not an opened node. */
function isMember(node: Node): node is Member {
  return "how" in node;
}

/** The metadata documents and attributes of a node. */
function described({ kind, format, metadata, attrs }: Group | ZarrArray): Described {
  const document = (metadata[mainDocument(format, kind)] ?? {}) as JsonObject;
  return { format, document, attributes: attrs as JsonObject };
}

/** A group without a document, with the version of the nodes below it. */
function implied(members: [string, Model][]): Described {
  return { format: members[0]?.[1].zarr_format ?? 3, document: {}, attributes: {} };
}
