// One store as the page sees it: nodes, what lies below them, and what the attributes tell beyond the listing.

import {
  type FetchStore,
  type Group,
  isZarrError,
  type Location,
  type Member,
  open,
  type RequestStats,
  root,
  type Array as ZarrArray,
} from "zarr-wasm";
import { formatShape } from "./format.js";
import type { Children, TreeItem } from "./tree.js";
import { baseName, joinPath, parentPath } from "./url.js";

export type ArrayNode = ZarrArray;
export type Node = ArrayNode | Group;

export function isArray(node: Node): node is ArrayNode {
  return node.kind === "array";
}

/** A dimension's scale from the attributes of an OME-Zarr image. */
export interface ImageAxis {
  name: string;
  unit: string;
  scale: number;
  translation: number;
}

/** What cannot be listed, in words for the tree. */
const UNLISTED =
  "This store cannot list its contents: it has no consolidated metadata, and a plain web server does not tell. Type the path of an array or group below.";

export class Hierarchy {
  readonly url: string;
  readonly #root: Location<FetchStore>;
  readonly #nodes = new Map<string, Promise<Node>>();
  readonly #members = new Map<string, Promise<Member[] | null>>();

  constructor(url: string) {
    this.url = url;
    this.#root = root(url);
  }

  /**
   * Opens a node; asked for again it is the same. The signal ends only the caller's waiting: others may wait for
   * the same node. A failed opening is not kept.
   */
  node(path: string, signal?: AbortSignal): Promise<Node> {
    let opening = this.#nodes.get(path);
    if (!opening) {
      const started = open(this.#root.resolve(path)).catch((error: unknown) => {
        if (this.#nodes.get(path) === started) this.#nodes.delete(path);
        throw error;
      });
      opening = started;
      this.#nodes.set(path, started);
    }
    return signal ? untilAborted(opening, signal) : opening;
  }

  /** The node if there is one at the path; null when there is none. Other errors count as none as well. */
  async maybe(path: string): Promise<Node | null> {
    try {
      return await this.node(path);
    } catch {
      return null;
    }
  }

  /** What was asked of the store's server so far. */
  traffic(): Promise<RequestStats> {
    return this.#root.store.stats();
  }

  /** Forgets what failed or changed, before a retry. */
  forget(path: string): void {
    this.#nodes.delete(path);
    this.#members.delete(path);
  }

  /** The listed members of a group; null where the store cannot list. */
  members(path: string): Promise<Member[] | null> {
    let listing = this.#members.get(path);
    if (!listing) {
      listing = this.#list(path).catch((error: unknown) => {
        this.#members.delete(path);
        throw error;
      });
      this.#members.set(path, listing);
    }
    return listing;
  }

  async #list(path: string): Promise<Member[] | null> {
    let node: Node;
    try {
      node = await this.node(path);
    } catch (error) {
      // A prefix with nodes below it that is no node itself: its parent's listing knew of it.
      if (isZarrError(error, "NotFoundError")) return null;
      throw error;
    }
    if (isArray(node)) return [];
    try {
      const members = await node.members();
      for (const member of members) {
        const found = member.node;
        if (found && !this.#nodes.has(member.path)) this.#nodes.set(member.path, Promise.resolve(found));
      }
      return members;
    } catch (error) {
      if (isZarrError(error, "UnsupportedError")) return null;
      throw error;
    }
  }

  /** What the tree shows below a group. */
  async children(path: string): Promise<Children> {
    const members = await this.members(path);
    if (members) return { items: members.map(itemOf), note: members.length === 0 ? "Empty" : null };
    const node = await this.maybe(path);
    const told = node && !isArray(node) ? toldPaths(node.attrs) : [];
    const items: TreeItem[] = told.map((relative) => ({
      path: joinPath(path, relative),
      name: relative,
      kind: isImageLevel(node?.attrs, relative) ? "array" : "group",
      detail: "",
    }));
    if (node && hasMultiscales(node.attrs)) {
      const labels = await this.maybe(joinPath(path, "labels"));
      if (labels) items.push({ path: joinPath(path, "labels"), name: "labels", kind: "group", detail: "" });
    }
    return {
      items,
      note: items.length > 0 ? "Named by the attributes; the store itself cannot list others." : UNLISTED,
    };
  }

  /** The array that shows most without a choice: searched for level by level, within reason. */
  async firstPicture(path: string): Promise<string | null> {
    let fallback: string | null = null;
    let looked = 0;
    let level = [path];
    while (level.length > 0 && looked < 24) {
      const next: string[] = [];
      for (const group of level) {
        if (++looked > 24) break;
        const node = await this.maybe(group);
        if (node && isArray(node)) return group;
        const levels = node ? imageLevels(node.attrs) : [];
        if (levels.length > 0) return this.#bestLevel(group, levels);
        const { items } = await this.children(group);
        const best = bestArray(await this.#opened(items));
        if (best && best.rank >= 2) return best.path;
        if (best) fallback ??= best.path;
        next.push(...items.filter((i) => i.kind === "group").map((i) => i.path));
      }
      level = next;
    }
    return fallback;
  }

  /** The finest level of an image whose planes are of a size that reads at once. */
  async #bestLevel(group: string, levels: string[]): Promise<string> {
    let last = joinPath(group, levels[0] ?? "0");
    for (const level of levels) {
      const path = joinPath(group, level);
      const node = await this.maybe(path);
      if (!node || !isArray(node)) continue;
      last = path;
      const [h = 1, w = 1] = node.shape.slice(-2);
      if (h * w <= 1 << 21) break;
    }
    return last;
  }

  /** Those of the items that are known already: from consolidated metadata, without a request. */
  async #opened(items: TreeItem[]): Promise<ArrayNode[]> {
    const out: ArrayNode[] = [];
    for (const item of items) {
      if (item.kind !== "array" || item.problem) continue;
      const known = await this.#nodes.get(item.path)?.catch(() => null);
      if (known && isArray(known)) out.push(known);
    }
    return out;
  }

  /** Names and scales of an image level's dimensions, from the attributes of the group that holds it. */
  async imageAxes(path: string): Promise<ImageAxis[] | null> {
    for (let at = parentPath(path); at !== null; at = parentPath(at)) {
      const node = await this.#nodes.get(at)?.catch(() => null);
      if (!node || isArray(node)) continue;
      const relative = path.slice(at === "/" ? 1 : at.length + 1);
      const axes = axesOf(node.attrs, relative);
      if (axes) return axes;
    }
    return null;
  }
}

/** Waits for a promise until the signal is aborted; then rejects with its reason. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function itemOf(member: Member): TreeItem {
  const { node } = member;
  return {
    path: member.path,
    name: member.name,
    kind: member.kind === "array" ? "array" : "group",
    detail: node && isArray(node) ? `${formatShape(node.shape)} ${node.dtype}` : "",
    problem: member.error?.message,
  };
}

/** The item for a node that has been opened. */
export function itemOfNode(node: Node, name = baseName(node.path)): TreeItem {
  return {
    path: node.path,
    name,
    kind: node.kind,
    detail: isArray(node) ? `${formatShape(node.shape)} ${node.dtype}` : "",
  };
}

/** Of arrays the one with most dimensions, then one that is described, then most elements: coordinates and bounds lose. */
function bestArray(arrays: readonly ArrayNode[]): { path: string; rank: number } | null {
  const ranked = arrays.map((array) => ({
    path: array.path,
    // A plane of one row or column is a line to the eye.
    rank: array.shape.filter((n) => n > 1).length,
    told: "long_name" in array.attrs || "standard_name" in array.attrs ? 1 : 0,
    size: array.shape.reduce((a, b) => a * b, 1),
  }));
  ranked.sort((a, b) => b.rank - a.rank || b.told - a.told || b.size - a.size);
  return ranked[0] ?? null;
}

// ---- attributes of OME-Zarr. All of it is foreign data: every step is checked. ----

function record(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function ome(attrs: Record<string, unknown>): Record<string, unknown> {
  return record(attrs.ome) ?? attrs;
}

function paths(value: unknown): string[] {
  return list(value)
    .map((entry) => record(entry)?.path)
    .filter((path): path is string => typeof path === "string" && path !== "" && path.length < 1000);
}

function imageLevels(attrs: Record<string, unknown>): string[] {
  const first = record(list(ome(attrs).multiscales)[0]);
  return first ? paths(first.datasets) : [];
}

function hasMultiscales(attrs: Record<string, unknown>): boolean {
  return imageLevels(attrs).length > 0;
}

function isImageLevel(attrs: Record<string, unknown> | undefined, path: string): boolean {
  return attrs !== undefined && imageLevels(attrs).includes(path);
}

/** Paths of nodes that the attributes name: levels of an image, wells of a plate, images of a well, labels. */
function toldPaths(attrs: Record<string, unknown>): string[] {
  const from = ome(attrs);
  const labels = list(from.labels).filter((name): name is string => typeof name === "string" && name !== "");
  const all = [
    ...list(from.multiscales).flatMap((m) => paths(record(m)?.datasets)),
    ...paths(record(from.plate)?.wells),
    ...paths(record(from.well)?.images),
    ...labels,
  ];
  return [...new Set(all)].slice(0, 10_000);
}

function axesOf(attrs: Record<string, unknown>, level: string): ImageAxis[] | null {
  for (const entry of list(ome(attrs).multiscales)) {
    const image = record(entry);
    const dataset = list(image?.datasets)
      .map(record)
      .find((d) => d?.path === level);
    if (!image || !dataset) continue;
    const axes = list(image.axes).map((axis) => {
      if (typeof axis === "string") return { name: axis, unit: "" };
      const described = record(axis);
      const name = described?.name;
      const unit = described?.unit;
      return { name: typeof name === "string" ? name : "", unit: typeof unit === "string" ? unit : "" };
    });
    const transforms = [...list(dataset.coordinateTransformations), ...list(image.coordinateTransformations)].map(
      record,
    );
    return axes.map((axis, d) => {
      let scale = 1;
      let translation = 0;
      for (const transform of transforms) {
        const by = list(transform?.scale)[d];
        const shift = list(transform?.translation)[d];
        if (transform?.type === "scale" && typeof by === "number") {
          scale *= by;
          translation *= by;
        } else if (transform?.type === "translation" && typeof shift === "number") {
          translation += shift;
        }
      }
      return { ...axis, scale, translation };
    });
  }
  return null;
}
