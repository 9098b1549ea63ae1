import type { Readable } from "../stores/readable.js";
import type { Group, Tree as GroupTree, Member } from "./group.js";

/** A node with its children, as {@link Group.tree} returns them. */
class Tree<S extends Readable> implements GroupTree<S> {
  readonly node: GroupTree<S>["node"];
  readonly name: string;
  readonly children: GroupTree<S>[];

  constructor(node: GroupTree<S>["node"], children: GroupTree<S>[]) {
    this.name = node.path.slice(node.path.lastIndexOf("/") + 1);
    this.node = node;
    this.children = children;
  }

  toString(): string {
    const { name, node } = this;
    const about = node.kind === "array" && "shape" in node ? ` (${node.shape.join(", ")}) ${node.dtype}` : "";
    const lines = this.children.flatMap((child, i) => {
      const last = i === this.children.length - 1;
      const [first, ...rest] = child.toString().split("\n");
      return [`${last ? "└── " : "├── "}${first}`, ...rest.map((line) => `${last ? "    " : "│   "}${line}`)];
    });
    return [`${name || "/"}${about}`, ...lines].join("\n");
  }
}

/**
 * Lists a group's members depth-first, parents before children. It descends up to `levels` while
 * that needs no further request.
 */
type EachMember<S extends Readable> = (
  group: Group<S>,
  levels: number,
  report: (member: Member<S>, depth: number) => void,
) => Promise<void>;

/** Returns the tree of a group, at most `maxDepth` levels deep. */
export async function treeOf<S extends Readable>(
  group: Group<S>,
  maxDepth: number,
  eachMember: EachMember<S>,
): Promise<GroupTree<S>> {
  const tree = new Tree<S>(group, []);
  await grow(tree, group, maxDepth, eachMember);
  return tree;
}

async function grow<S extends Readable>(
  tree: GroupTree<S>,
  group: Group<S>,
  maxDepth: number,
  eachMember: EachMember<S>,
): Promise<void> {
  if (maxDepth < 1) return;
  const above: GroupTree<S>[] = [tree];
  const others: Promise<void>[] = [];
  // Consolidated metadata is at most 128 levels deep.
  await eachMember(group, Math.min(maxDepth, 128), (member, depth) => {
    const { node, how } = member;
    const below = new Tree<S>(node ?? member, []);
    above[depth]?.children.push(below);
    above[depth + 1] = below;
    if (how !== "consolidated" && node?.kind === "group") others.push(grow(below, node, maxDepth - 1, eachMember));
  });
  await Promise.all(others);
}
