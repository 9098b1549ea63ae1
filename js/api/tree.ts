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

/** A node and what is below it, down to so many levels. */
export async function treeOf<S extends Readable>(
  node: Tree<S>["node"],
  maxDepth: number,
  membersOf: (node: Tree<S>["node"]) => Promise<Member<S>[]>,
): Promise<Tree<S>> {
  const members = node.kind === "array" || maxDepth < 1 ? [] : await membersOf(node);
  return new Tree(
    node,
    await Promise.all(members.map((member) => treeOf(member.node ?? member, maxDepth - 1, membersOf))),
  );
}
