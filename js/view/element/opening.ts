import type { ZarrArray } from "../../api/array.js";
import type { Group } from "../../api/group.js";
import type { Target } from "../../api/location.js";
import { type Description, describe } from "../../describe/index.js";
import { isZarrError, open, root } from "../../index.js";
import { openFrom } from "../../shared/openfrom.js";

/**
 * A source of a view: an address, a node or a place in a store, a store, or another target of
 * {@link open}.
 */
export type Source = Target;

type Node = ZarrArray | Group;

const isNode = (source: unknown): source is Node => {
  const { kind, store } = Object(source) as Partial<Node>;
  return (kind === "array" || kind === "group") && store !== undefined;
};

/** Returns the path that is shown by default. */
export const pathOf = (source: Source): string => {
  const { store, path } = Object(source) as Partial<Node>;
  return store !== undefined && path !== undefined ? path : "/";
};

/** An open node, its description, and the group above it that the description used. */
export interface Opened {
  readonly node: Node;
  readonly description: Description;
}

/** Opens the node at a path of a source and describes it. */
export async function opened(source: Source, path: string, signal: AbortSignal): Promise<Opened> {
  const { node, group } = await find(source, path, signal);
  const description = await describe(node, { group, signal, labels: false });
  return { node, description };
}

/** The opened node is usually a group, so the open reads sparingly. */
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
  // An address may be a container, which only opening its root detects. The root's metadata may
  // also contain those of all nodes.
  const top = await open(source as string, { signal, sparing }).catch((error: unknown) => {
    if (path === "/" || path === pathOf(source) || !isZarrError(error, "NotFoundError")) throw error;
    return undefined;
  });
  if (top?.path === path) return { node: top };
  const place = top ?? (typeof source === "string" || source instanceof URL ? root(source) : root(source as string));
  const node = await open(place.resolve(path), { signal, sparing });
  return { node, group: top?.kind === "group" ? top : undefined };
}
