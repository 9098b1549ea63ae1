import type { DataType } from "../data/types.js";
import type { Readable } from "../stores/readable.js";
import type { ZarrArray } from "./array.js";
import type { Group, Member } from "./group.js";

/** What {@link Group.tree} gives. */
export class Tree<S extends Readable = Readable> {
  /** The node; of one that the group's metadata did not tell of, or that cannot be opened, its {@link Member}. */
  readonly node: ZarrArray<DataType, S> | Group<S> | Member<S>;
  /** Its name in its parent; that of the root is empty. */
  readonly name: string;
  /** What is below it. */
  readonly children: Tree<S>[];

  /** @internal */
  constructor(node: Tree<S>["node"], children: Tree<S>[]) {
    this.name = node.path.slice(node.path.lastIndexOf("/") + 1);
    this.node = node;
    this.children = children;
  }

  /** A drawing of lines of text, as zarr-python's. */
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

/** Tells of a group's members, and of so many levels in all where that takes no more: of each after the one that it is in. */
type EachMember<S extends Readable> = (
  group: Group<S>,
  levels: number,
  tell: (member: Member<S>, depth: number) => void,
) => Promise<void>;

/** A group and what is below it, down to so many levels. */
export async function treeOf<S extends Readable>(
  group: Group<S>,
  maxDepth: number,
  eachMember: EachMember<S>,
): Promise<Tree<S>> {
  const tree = new Tree<S>(group, []);
  await grow(tree, group, maxDepth, eachMember);
  return tree;
}

async function grow<S extends Readable>(
  tree: Tree<S>,
  group: Group<S>,
  maxDepth: number,
  eachMember: EachMember<S>,
): Promise<void> {
  if (maxDepth < 1) return;
  const above = [tree];
  const others: Promise<void>[] = [];
  // No path of consolidated metadata is longer.
  await eachMember(group, Math.min(maxDepth, 128), (member, depth) => {
    const { node, how } = member;
    const below = new Tree<S>(node ?? member, []);
    above[depth]?.children.push(below);
    above[depth + 1] = below;
    if (how !== "consolidated" && node?.kind === "group") others.push(grow(below, node, maxDepth - 1, eachMember));
  });
  await Promise.all(others);
}
