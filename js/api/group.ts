import type { DataType } from "../data/types.js";
import type { MemberSource, NodeKind, NodeRef, WireMember, WireNode } from "../engine/protocol/wire.js";
import { errorFromWire, NotFoundError } from "../errors.js";
import { extended } from "../extensions/extensions.js";
import { checked } from "../shared/arguments.js";
import { lazy } from "../shared/lazily.js";
import { opener } from "../shared/opener.js";
import { Printed } from "../shared/printed.js";
import type { Readable } from "../stores/readable.js";
import { loadDecode, ZarrArray } from "./array.js";
import { noteConsolidated, openKnown } from "./known.js";
import { Location, locationOf, type Target } from "./location.js";
import { type Attributes, attributesOf, call, type Operation, parseDocuments, wirePath } from "./node.js";

/** Settings of {@link open}. */
export interface OpenOptions {
  /**
   * The expected kind. A call rejects with {@link NotFoundError} if the node is of the other kind
   * or missing.
   */
  kind?: NodeKind | undefined;
  /** Aborts the call: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** `false` reads each node's own metadata instead of consolidated metadata. */
  consolidated?: boolean | undefined;
  /**
   * Replacements for the beginnings of addresses, such as `"s3://bucket/"` by
   * `"https://minio.example.org/bucket/"`. The longest match counts. Without a match, `s3:`, `gs:`,
   * `az:` and `hf:` use the public endpoints.
   */
  endpoints?: Record<string, string> | undefined;
  /**
   * @internal `true`, with the kind `"array"`: does not request the attributes of an array of
   * version 2.
   */
  bare?: boolean | undefined;
  /**
   * @internal `true`: sends fewer requests at once. In an unknown hierarchy, groups of version 2
   * without consolidated metadata and arrays of version 2 without `kind` take one more round trip.
   */
  sparing?: boolean | undefined;
}

/** An entry of {@link Group.members}. */
export class Member<S extends Readable = Readable> extends Location<S> {
  /** Its name in the group. */
  readonly name: string;
  /** The kind. `"implicit"`: a prefix that is not a node itself, but has nodes below it. */
  readonly kind: NodeKind | "implicit";
  /**
   * The source of the entry. If members are `"named"` or `"probed"`, the list may be incomplete.
   */
  readonly how: MemberSource;
  /** The node, if the group's metadata included it. {@link open} returns it in any case. */
  readonly node: ZarrArray<DataType, S> | Group<S> | undefined;
  /** The error that opening the member would cause, if it is already known. */
  readonly error: Error | undefined;

  /** @internal */
  constructor(store: S, path: string, { name, kind, how, node, error }: WireMember) {
    super(store, path);
    this.name = name;
    this.kind = kind;
    this.how = how;
    this.node = node && nodeOf(store, this.path, node);
    // Opening a member with a rare codec loads zarr-full.wasm, and succeeds.
    this.error = error && !error.rare ? errorFromWire(error) : undefined;
  }
}

/** A node with its children, as {@link Group.tree} returns them. */
export interface Tree<S extends Readable = Readable> {
  /**
   * The node, or its {@link Member} if the group's metadata did not include the node or it cannot
   * be opened.
   */
  readonly node: ZarrArray<DataType, S> | Group<S> | Member<S>;
  /** The name in the parent; the root's name is empty. */
  readonly name: string;
  /** The nodes directly below. */
  readonly children: Tree<S>[];
  /** Draws the tree as lines of text, as zarr-python does. */
  toString(): string;
}

/** A group. */
export class Group<S extends Readable = Readable> extends Location<S> {
  static {
    Printed.tag(Group.prototype, "Group");
    // The property is set here, because location.ts cannot import the functions that open nodes.
    Object.defineProperty(Location.prototype, opener, { value: openNode });
  }

  /** The kind of the node. */
  readonly kind = "group";
  readonly #node: WireNode;

  /** @internal */
  constructor(store: S, path: string, node: WireNode) {
    super(store, path);
    this.#node = node;
  }

  /** @internal The engine's reference to the node. */
  get ref(): NodeRef {
    return this.#node.ref;
  }

  /** The user's attributes. */
  get attrs(): Attributes {
    return attributesOf(this.#node);
  }

  /** The version of Zarr of the node's metadata. */
  get format(): 1 | 2 | 3 {
    return this.#node.format;
  }

  /**
   * True when the group has consolidated metadata of the nodes below it. Below a group that has
   * none, groups report false until {@link members} needs the metadata.
   */
  get consolidated(): boolean {
    return this.#node.consolidated;
  }

  /**
   * The metadata documents by name (`"zarr.json"`), parsed; see {@link documents}. The attributes
   * in them are {@link attrs}.
   */
  get metadata(): Record<string, unknown> {
    return parseDocuments(this.#node);
  }

  /** The metadata documents by name, byte for byte. */
  get documents(): Record<string, Uint8Array> {
    return this.#node.documents;
  }

  /**
   * Returns the nodes directly below this group, in the order of the consolidated metadata or of
   * the store's listing. If the server does not list, returns the nodes that the group's attributes
   * name (OME-Zarr, AnnData, xarray). {@link Member.how} has the source of each.
   *
   * @throws `UnsupportedError` if there is no source.
   */
  async members(options: { signal?: AbortSignal | undefined } = {}): Promise<Member<S>[]> {
    const members: Member<S>[] = [];
    await this.#eachMember(1, checked("members", options), (member) => members.push(member));
    return members;
  }

  /**
   * Lists a group's members depth-first. Descends up to `levels` if consolidated metadata include
   * them.
   */
  async #eachMember(
    levels: number,
    { signal }: { signal?: AbortSignal | undefined },
    tell: (member: Member<S>, depth: number) => void,
  ): Promise<void> {
    const operation: Operation<"members"> = { op: "members", node: this.#node.ref, depth: levels };
    const members = await call(this.store, operation, { signal });
    await loadDecode(members.map(({ node }) => node));
    const paths: string[] = [this.path];
    for (const wire of members) {
      const { depth = 0 } = wire;
      const member = new Member(this.store, `${paths[depth]}/${wire.name}`, wire);
      paths[depth + 1] = member.path;
      tell(member, depth);
    }
  }

  /** Returns the arrays directly below this group, by name. Rejects if one cannot be opened. */
  arrays(options: { signal?: AbortSignal | undefined } = {}): Promise<Map<string, ZarrArray<DataType, S>>> {
    return this.#children("array", options);
  }

  /** Returns the groups directly below this group, by name. */
  groups(options: { signal?: AbortSignal | undefined } = {}): Promise<Map<string, Group<S>>> {
    return this.#children("group", options);
  }

  async #children<T>(kind: NodeKind, options: { signal?: AbortSignal | undefined }): Promise<Map<string, T>> {
    const members = (await this.members(checked(`${kind}s`, options))).filter((member) => member.kind === kind);
    const open = ({ name, node, error }: Member<S>) => {
      if (error) throw error;
      return node ?? this.open(name, { ...options, kind });
    };
    return new Map(await Promise.all(members.map(async (m) => [m.name, (await open(m)) as T] as const)));
  }

  /**
   * Returns this group and all nodes below it, down to `maxDepth` levels. Its `toString()` draws
   * the tree.
   *
   * @example
   * console.log(String(await group.tree()));
   */
  async tree(options: { signal?: AbortSignal | undefined; maxDepth?: number | undefined } = {}): Promise<Tree<S>> {
    const { maxDepth = 64, ...others } = checked("tree", options);
    const { treeOf } = await lazy();
    return treeOf<S>(this, maxDepth, (group, levels, tell) => group.#eachMember(levels, others, tell));
  }

  /** Opens a node below this group by its relative path, as {@link open} does. */
  open(path: string, options: OpenOptions & { kind: "array" }): Promise<ZarrArray<DataType, S>>;
  open(path: string, options: OpenOptions & { kind: "group" }): Promise<Group<S>>;
  open(path: string, options?: OpenOptions): Promise<ZarrArray<DataType, S> | Group<S>>;
  open(path: string, options: OpenOptions = {}): Promise<ZarrArray<DataType, S> | Group<S>> {
    return openNode(this.resolve(path), options);
  }
}

function nodeOf<S extends Readable>(store: S, path: string, node: WireNode): ZarrArray<DataType, S> | Group<S> {
  const { array } = node;
  if (node.consolidated) noteConsolidated(store);
  return array ? new ZarrArray(store, path, { ...node, array }) : new Group(store, path, node);
}

/** @internal Opens a node. With `format`, only a node of that version of Zarr. */
export async function openNode<S extends Readable>(
  target: Target<S>,
  options: OpenOptions,
  format?: 2 | 3,
): Promise<ZarrArray<DataType, S> | Group<S>> {
  const { store, path } = locationOf("open", target);
  const { kind, signal, consolidated, bare, sparing } = checked("open", options);
  // A signal ends a call of its own.
  if (!signal && !format && consolidated === undefined && !bare && !sparing) {
    const known = await openKnown(store, path);
    if (known && (!kind || known.kind === kind)) return nodeAt(store, path, known);
  }
  const operation: Operation<"open"> = { op: "open", path: wirePath(path) };
  if (kind) operation.kind = kind;
  if (format) operation.format = format;
  if (consolidated !== undefined) operation.consolidated = consolidated;
  if (sparing) operation.sparing = sparing;
  if (bare && kind === "array") operation.bare = true;
  const node = await call(store, operation, { signal });
  if (kind && node.kind !== kind) throw new NotFoundError(`found ${node.kind} at ${path}`, { path, found: node.kind });
  return nodeAt(store, path, node);
}

/** @internal Returns the node of an engine's answer. */
export async function nodeAt<S extends Readable>(
  store: S,
  path: string,
  node: WireNode,
): Promise<ZarrArray<DataType, S> | Group<S>> {
  await loadDecode([node]);
  const opened = nodeOf(store, path, node);
  return opened instanceof ZarrArray ? extended(opened) : opened;
}
