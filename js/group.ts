import { errorFromWire, NotFoundError } from "./errors.js";
import { extended } from "./extensions.js";
import { Location, placeOf, type Target } from "./location.js";
import { type Attributes, call, type Operation, parseDocuments, wirePath } from "./node.js";
import type { NodeKind, WireMember, WireNode } from "./protocol.js";
import type { Readable } from "./stores.js";
import type { DataType } from "./types.js";
import { ZarrArray } from "./zarr-array.js";
/** Settings of {@link open}. */
export interface OpenOptions {
  /** What must be there; when it is not, {@link NotFoundError}. */
  kind?: NodeKind | undefined;
  /** Ends the call early: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** `false`: do not use consolidated metadata, but each node's own. */
  consolidated?: boolean | undefined;
  /** Taken for zarrita's sake: attributes cost no further request here and always come. */
  attrs?: boolean | undefined;
}

/** An entry of {@link Group.members}. */
export class Member<S extends Readable = Readable> extends Location<S> {
  /** Its name in the group. */
  readonly name: string;
  /** `"implicit"`: a prefix with nodes below it that is no node itself. */
  readonly kind: NodeKind | "implicit";
  /** The node, where the group's metadata told of it; {@link open} gives it in any case. */
  readonly node: ZarrArray<DataType, S> | Group<S> | undefined;
  /** Why it cannot be opened, where that is known. */
  readonly error: Error | undefined;

  /** @internal */
  constructor(store: S, path: string, { name, kind, node, error }: WireMember) {
    super(store, path);
    this.name = name;
    this.kind = kind;
    this.node = node && nodeOf(store, this.path, node);
    this.error = error && errorFromWire(error);
  }
}

/** What {@link Group.tree} gives. */
export class Tree<S extends Readable = Readable> {
  /** The node; of one that the group's metadata did not tell of, or that cannot be opened, its {@link Member}. */
  readonly node: ZarrArray<DataType, S> | Group<S> | Member<S>;
  /** Its name in its parent; that of the root is empty. */
  readonly name: string;
  /** What is below it. */
  readonly children: Tree<S>[];

  /** @internal */
  constructor(name: string, node: Tree<S>["node"], children: Tree<S>[]) {
    this.name = name;
    this.node = node;
    this.children = children;
  }

  /** A drawing of lines of text, as zarr-python's. */
  toString(): string {
    const { name, node } = this;
    const about = node instanceof ZarrArray ? ` (${node.shape.join(", ")}) ${node.dtype}` : "";
    const lines = this.children.flatMap((child, i) => {
      const last = i === this.children.length - 1;
      const [first, ...rest] = child.toString().split("\n");
      return [`${last ? "└── " : "├── "}${first}`, ...rest.map((line) => `${last ? "    " : "│   "}${line}`)];
    });
    return [`${name || "/"}${about}`, ...lines].join("\n");
  }
}

/** A group. */
export class Group<S extends Readable = Readable> extends Location<S> {
  /** What the node is. */
  readonly kind = "group";
  readonly #node: WireNode;

  /** @internal */
  constructor(store: S, path: string, node: WireNode) {
    super(store, path);
    this.#node = node;
  }

  /** The user's attributes. */
  get attrs(): Attributes {
    return this.#node.attributes;
  }

  /** The version of Zarr that the node's metadata is of. */
  get format(): 1 | 2 | 3 {
    return this.#node.format;
  }

  /** True when the group has consolidated metadata of the nodes below it. */
  get consolidated(): boolean {
    return this.#node.consolidated;
  }

  /** The metadata documents by name (`"zarr.json"`), parsed; see {@link documents}. */
  get metadata(): Record<string, unknown> {
    return parseDocuments(this.#node);
  }

  /** The metadata documents by name, byte for byte. */
  get documents(): Record<string, Uint8Array> {
    return this.#node.documents;
  }

  /**
   * The nodes directly below this group, in the order of the consolidated
   * metadata or of the store's listing. Without either: {@link UnsupportedError}.
   */
  async members(options: { signal?: AbortSignal | undefined } = {}): Promise<Member<S>[]> {
    const operation = { op: "members" as const, path: wirePath(this.path) };
    const members = await call<WireMember[]>(this.store, operation, { signal: options.signal });
    return members.map((member) => new Member(this.store, `${this.path}/${member.name}`, member));
  }

  /** The arrays directly below this group, by name. One that cannot be opened makes it reject. */
  arrays(options: { signal?: AbortSignal | undefined } = {}): Promise<Map<string, ZarrArray<DataType, S>>> {
    return this.#children("array", options);
  }

  /** The groups directly below this group, by name. */
  groups(options: { signal?: AbortSignal | undefined } = {}): Promise<Map<string, Group<S>>> {
    return this.#children("group", options);
  }

  async #children<T>(kind: NodeKind, options: { signal?: AbortSignal | undefined }): Promise<Map<string, T>> {
    const members = (await this.members(options)).filter((member) => member.kind === kind);
    const open = ({ name, node, error }: Member<S>) => {
      if (error) throw error;
      return node ?? this.open(name, { ...options, kind });
    };
    return new Map(await Promise.all(members.map(async (m) => [m.name, (await open(m)) as T] as const)));
  }

  /**
   * This group and all that is below it, down to `maxDepth` levels. Its `toString()`
   * draws it.
   *
   * @example
   * console.log(String(await group.tree()));
   */
  async tree(options: { signal?: AbortSignal | undefined; maxDepth?: number | undefined } = {}): Promise<Tree<S>> {
    return new Tree(this.path.slice(this.path.lastIndexOf("/") + 1), this, await this.#below(options));
  }

  async #below({
    maxDepth = 64,
    ...options
  }: {
    signal?: AbortSignal | undefined;
    maxDepth?: number | undefined;
  }): Promise<Tree<S>[]> {
    if (maxDepth < 1) return [];
    const members = await this.members(options);
    return Promise.all(
      members.map(async (member) => {
        const { name, kind, node } = member;
        // A prefix without metadata has members like a group.
        const group =
          kind === "array" ? undefined : node instanceof Group ? node : new Group(this.store, member.path, this.#node);
        const children = group ? await group.#below({ ...options, maxDepth: maxDepth - 1 }) : [];
        return new Tree(name, node ?? member, children);
      }),
    );
  }

  /** Opens a node below this group: {@link open} of a relative path. */
  open(path: string, options: OpenOptions & { kind: "array" }): Promise<ZarrArray<DataType, S>>;
  open(path: string, options: OpenOptions & { kind: "group" }): Promise<Group<S>>;
  open(path: string, options?: OpenOptions): Promise<ZarrArray<DataType, S> | Group<S>>;
  open(path: string, options: OpenOptions = {}): Promise<ZarrArray<DataType, S> | Group<S>> {
    return openNode(this.resolve(path), options);
  }
}

function nodeOf<S extends Readable>(store: S, path: string, node: WireNode): ZarrArray<DataType, S> | Group<S> {
  const { array } = node;
  return array ? new ZarrArray(store, path, { ...node, array }) : new Group(store, path, node);
}

/** @internal Opens a node, of one version only if that is named. */
export async function openNode<S extends Readable>(
  target: Target<S>,
  { kind, signal, consolidated }: OpenOptions,
  format?: 2 | 3,
): Promise<ZarrArray<DataType, S> | Group<S>> {
  const { store, path } = placeOf(target);
  const operation: Operation<"open"> = { op: "open", path: wirePath(path) };
  if (kind) operation.kind = kind;
  if (format) operation.format = format;
  if (consolidated !== undefined) operation.consolidated = consolidated;
  const node = await call<WireNode>(store, operation, { signal });
  if (kind && node.kind !== kind) throw new NotFoundError(`found ${node.kind} at ${path}`, { path, found: node.kind });
  const opened = nodeOf(store, path, node);
  return opened instanceof ZarrArray ? extended(opened) : opened;
}
