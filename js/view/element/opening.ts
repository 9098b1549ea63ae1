import type { ZarrArray } from "../../api/array.js";
import type { Group } from "../../api/group.js";
import type { Target } from "../../api/location.js";
import { type Description, describe } from "../../describe/index.js";
import { isZarrError, open, root } from "../../index.js";
import { openFrom } from "../../openfrom.js";

/** What a view can be of: an address, a node or a place in a store, a store, or what {@link open} else takes. */
export type Source = Target;

type Node = ZarrArray | Group;

const isNode = (source: unknown): source is Node => {
  const { kind, store } = Object(source) as Partial<Node>;
  return (kind === "array" || kind === "group") && store !== undefined;
};

/** The path that is shown where none is asked for. */
export const pathOf = (source: Source): string => {
  const { store, path } = Object(source) as Partial<Node>;
  return store !== undefined && path !== undefined ? path : "/";
};

/** A node that is open, what it is, and the group above it that it was looked at with. */
export interface Opened {
  readonly node: Node;
  readonly description: Description;
}

/** Opens the node at a path of a source and says what it is. */
export async function opened(source: Source, path: string, signal: AbortSignal): Promise<Opened> {
  const { node, group } = await find(source, path, signal);
  const description = await describe(node, { group, signal, labels: false });
  return { node, description };
}

/** What is looked at is a group for the most part. */
const sparing = true;

async function find(
  source: Source,
  path: string,
  signal: AbortSignal,
): Promise<{ node: Node; group?: Group | undefined }> {
  if (isNode(source)) {
    const group = source.kind === "group" ? source : undefined;
    if (source.path === path) return { node: source };
    return { node: await openFrom(source, source.resolve(path), { signal, sparing }), group };
  }
  // The root of an address may be a container, which only opening it tells, and its metadata may hold those of all nodes.
  const top = await open(source as string, { signal, sparing }).catch((error: unknown) => {
    if (path === "/" || path === pathOf(source) || !isZarrError(error, "NotFoundError")) throw error;
    return undefined;
  });
  if (top?.path === path) return { node: top };
  const place = top ?? (typeof source === "string" || source instanceof URL ? root(source) : root(source as string));
  const node = await open(place.resolve(path), { signal, sparing });
  return { node, group: top?.kind === "group" ? top : undefined };
}
