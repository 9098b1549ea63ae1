import type { ZarrArray } from "../api/array.js";
import type { Group, Member, Tree } from "../api/group.js";
import { mainDocument } from "../data/documents.js";
import { LimitError, UnsupportedError } from "../errors.js";
import { isNamed } from "../named.js";
import { checked, refuse } from "../refuse.js";
import { byName, type JsonObject } from "./json.js";
import { arrayModel, type Described, groupModel, type Model } from "./node.js";

/** Settings of {@link toModel}. */
export interface ModelOptions {
  /** Ends the call early: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How many levels of groups there may be; 64 by default. What is deeper is a {@link LimitError}. */
  maxDepth?: number | undefined;
  /** `true`: where nothing lists the members of a group, take those that its attributes lead to. There may be more. */
  partial?: boolean | undefined;
}

/** What {@link toModel} takes: a node, or what `group.tree()` gave. */
export type ModelSource = Group | ZarrArray | Tree;

type Node = Group | ZarrArray | Member;

/** What is below a node: its members, by name. */
interface Below {
  name: string;
  node: Node;
  /** What a tree has below it. */
  children?: Below[];
}

/**
 * The model of a node and of all below it (ZEP 6, "Specification of the base Zarr Object Model"): for each node the properties that
 * the core specification of its version defines, as its metadata documents have them, its `attributes` and, of a group, its
 * `members`, sorted by name. Of a tree it is what the tree holds.
 *
 * Consolidated metadata tells all, without a request. Without them a group costs what `group.members()` costs.
 *
 * Rejects with what `group.members()` and `open` reject with. A node that cannot be opened makes it reject, and a group that has only
 * members to be guessed ({@link ModelOptions.partial}) with an {@link UnsupportedError}.
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
    // A folder that is no node and holds none is none of the hierarchy's.
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
      // What consolidated metadata does not tell of and a folder has no document of is no node.
      if (node.kind === "implicit" && isNamed(error, "NotFoundError")) return undefined;
      throw error;
    }
  };

  const membersOf = async (group: Group | ZarrArray): Promise<Below[]> => {
    if (group.kind !== "group") return [];
    const members = await group.members({ signal });
    if (!partial && members.some(({ how }) => how === "named" || how === "probed")) {
      const feature = "the model of a group whose members nothing lists; { partial: true } takes those that are known";
      throw new UnsupportedError(`unsupported in ${group.path}: ${feature}`, { path: group.path, feature });
    }
    return members.map((member) => ({ name: member.name, node: member.node ?? member }));
  };

  return (await walk(root, 0))?.[1] ?? groupModel({ format: 3, document: {}, attributes: {} }, {});
}

/** A node, or a tree as what it holds. */
function sourceOf(source: ModelSource): Below {
  const ofTree = ({ name, node, children }: Tree): Below => ({ name, node, children: children.map(ofTree) });
  const { kind, node, children } = Object(source) as Partial<ZarrArray> & Partial<Tree>;
  if (kind === "array" || kind === "group") return { name: "", node: source as ZarrArray };
  if (!node || !children) refuse("toModel", source, "a group, an array, or what group.tree() gives,");
  return ofTree(source as Tree);
}

/** Members of a tree that no document tells of are no nodes of their own. */
function isMember(node: Node): node is Member {
  return "how" in node;
}

/** What a node's documents say. */
function described({ kind, format, metadata, attrs }: Group | ZarrArray): Described {
  const document = (metadata[mainDocument(format, kind)] ?? {}) as JsonObject;
  return { format, document, attributes: attrs as JsonObject };
}

/** A group without a document, of the version of what is below it. */
function implied(members: [string, Model][]): Described {
  return { format: members[0]?.[1].zarr_format ?? 3, document: {}, attributes: {} };
}
