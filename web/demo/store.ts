// The page's view of one store: its nodes and their members.

import { type Group, isZarrError, Location, type Member, open, root, type Array as ZarrArray } from "zarr-wasm";
import { type Description, describe } from "zarr-wasm/describe";
import { redact } from "../../js/platform/redact.js";
import type { LocalSource } from "./files.js";
import { formatShape } from "./format.js";
import type { Children, TreeItem } from "./tree.js";
import { baseName } from "./url.js";

export type ArrayNode = ZarrArray;
export type Node = ArrayNode | Group;

/** An address that is opened before the page asks for it. */
export interface Early {
  readonly url: string;
  readonly node: Promise<Node>;
}

export function isArray(node: Node): node is ArrayNode {
  return node.kind === "array";
}

/** The tree's text for a group that cannot be listed. */
const UNLISTED =
  "This store cannot list its contents: it has no consolidated metadata, and its web server does not list. Type the path of an array or group below.";
const NAMED = "Named by the attributes; the store itself cannot list others.";

/** The largest number of nodes in the search for the first. */
const MOST_LOOKED = 24;

export class Hierarchy {
  /** Its address; empty for a local store. */
  readonly url: string;
  /** Its displayed name. */
  readonly name: string;
  readonly #target: string | LocalSource["target"];
  /** The node of the address, if it is being opened already. The first use takes it. */
  #early: Promise<Node> | undefined;
  readonly #nodes = new Map<string, Promise<Node>>();
  readonly #members = new Map<string, Promise<Member[] | null>>();
  readonly #arrays = new Map<string, ArrayNode>();
  #beginning: Promise<{ place: Location; node: Node | null }> | undefined;

  constructor(source: string | LocalSource, early?: Promise<Node>) {
    this.#early = early;
    const local = typeof source !== "string";
    this.url = local ? "" : source;
    this.name = local ? source.name : nameOf(source);
    this.#target = local ? source.target : source;
  }

  /** The paths of the known arrays. */
  get arrays(): readonly string[] {
    return [...this.#arrays.keys()];
  }

  /**
   * Returns the root of the nodes, and the node of the address. Only opening the address reveals
   * its container.
   */
  #begin(): Promise<{ place: Location; node: Node | null }> {
    this.#beginning ??= this.#find().catch((error: unknown) => {
      this.#beginning = undefined;
      throw error;
    });
    return this.#beginning;
  }

  async #find(): Promise<{ place: Location; node: Node | null }> {
    const target = this.#target;
    try {
      const early = this.#early;
      this.#early = undefined;
      const node = await (early ?? open(target as string));
      return { place: new Location(node.store), node };
    } catch (error) {
      // A link may name a node of a store whose root is not a node.
      if (!isZarrError(error, "NotFoundError") || typeof target !== "string" || !/^https?:/.test(target)) throw error;
      return { place: root(target), node: null };
    }
  }

  /**
   * Returns the path of the address's node. It is not the root if the address points into a
   * container.
   */
  async start(): Promise<string> {
    const { node } = await this.#begin();
    return node?.path ?? "/";
  }

  /**
   * Opens a node. Later calls return the same one. The signal ends only this caller's wait, because
   * others may share the node. A failed opening is not cached.
   */
  node(path: string, signal?: AbortSignal): Promise<Node> {
    let opening = this.#nodes.get(path);
    if (!opening) {
      const started = this.#open(path).catch((error: unknown) => {
        if (this.#nodes.get(path) === started) this.#nodes.delete(path);
        throw error;
      });
      opening = started;
      this.#nodes.set(path, started);
    }
    return signal ? untilAborted(opening, signal) : opening;
  }

  async #open(path: string): Promise<Node> {
    const { place, node } = await this.#begin();
    const opened = node?.path === path ? node : await open(place.resolve(path));
    this.#note(opened);
    return opened;
  }

  #note(node: Node): void {
    if (isArray(node)) this.#arrays.set(node.path, node);
  }

  /** Returns the node at a path; null if there is none, or on any error. */
  async maybe(path: string): Promise<Node | null> {
    try {
      return await this.node(path);
    } catch {
      return null;
    }
  }

  /** Drops the cached state of a path before a retry. */
  forget(path: string): void {
    this.#beginning = undefined;
    this.#nodes.delete(path);
    this.#members.delete(path);
  }

  /** Reports whether the members of a group are known without a request. */
  async cheap(path: string): Promise<boolean> {
    const node = await this.#nodes.get(path)?.catch(() => null);
    return this.#members.has(path) || (node?.kind === "group" && node.consolidated);
  }

  /** Returns the listed members of a group; null if the store cannot list. */
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
      // The path is a prefix in its parent's listing, but not a node itself.
      if (isZarrError(error, "NotFoundError")) return null;
      throw error;
    }
    if (isArray(node)) return [];
    try {
      const members = await node.members();
      for (const member of members) {
        const found = member.node;
        if (found) this.#note(found);
        if (found && !this.#nodes.has(member.path)) this.#nodes.set(member.path, Promise.resolve(found));
      }
      return members;
    } catch (error) {
      if (isZarrError(error, "UnsupportedError")) return null;
      throw error;
    }
  }

  /** Returns the tree's items below a group. */
  async children(path: string): Promise<Children> {
    const members = await this.members(path);
    if (!members) return { items: [], note: UNLISTED };
    const told = members.some(({ how }) => how === "named" || how === "probed");
    return { items: members.map(itemOf), note: members.length === 0 ? "Empty" : told ? NAMED : null };
  }

  /** Returns an array that is known from consolidated metadata or was opened before. */
  known(path: string): ArrayNode | undefined {
    return this.#arrays.get(path);
  }

  /** Returns the root if it is a group. Its metadata helps to describe the nodes below it. */
  async top(): Promise<Group | undefined> {
    const node = await this.maybe("/");
    return node?.kind === "group" ? node : undefined;
  }

  /** Describes a node. */
  async described(node: Node, signal?: AbortSignal): Promise<Description> {
    return describe(node, { group: isArray(node) ? await this.top() : undefined, signal });
  }

  /**
   * Returns the default node: the root if it can be shown, or else the first suitable node below
   * it. The search goes level by level, within a limit.
   */
  async firstNode(path: string, signal: AbortSignal): Promise<string | null> {
    let looked = 0;
    let level = [path];
    let fallback: string | null = null;
    while (level.length > 0) {
      const next: string[] = [];
      for (const at of level) {
        if (++looked > MOST_LOOKED) return fallback;
        const node = await this.maybe(at);
        signal.throwIfAborted();
        if (!node) continue;
        const it = await this.described(node, signal);
        if (it.kind === "dataset" && it.first) return it.first.value;
        if (it.kind !== "group" && it.kind !== "dataset") {
          const plain = it.kind === "array" && it.field.plane.value.y === null;
          if (!plain) return at;
          fallback ??= at;
        }
        if (it.kind === "group") {
          // Groups may be images, so they come before arrays.
          const order = [...(it.members ?? [])].sort((a, b) => Number(a.kind === "array") - Number(b.kind === "array"));
          next.push(...order.map((member) => member.path));
        }
      }
      level = next;
    }
    return fallback;
  }
}

/** Waits for a promise. When the signal aborts, it rejects with the signal's reason. */
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

/** Returns the last part of an address for display. */
function nameOf(address: string): string {
  const shown = redact(address);
  const path = shown.replace(/\/+$/, "");
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("|")) + 1);
  try {
    return decodeURIComponent(name) || shown;
  } catch {
    return name;
  }
}

/** Returns the tree's item for an open node. */
export function itemOfNode(node: Node, name = baseName(node.path)): TreeItem {
  return {
    path: node.path,
    name,
    kind: node.kind,
    detail: isArray(node) ? `${formatShape(node.shape)} ${node.dtype}` : "",
  };
}
