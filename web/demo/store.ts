// One store as the page sees it: its nodes and what lies below them.

import { type Group, isZarrError, Location, type Member, open, root, type Array as ZarrArray } from "zarr-wasm";
import { type Description, describe } from "zarr-wasm/describe";
import { redact } from "../../js/platform/redact.js";
import type { LocalSource } from "./files.js";
import { formatShape } from "./format.js";
import type { Children, TreeItem } from "./tree.js";
import { baseName } from "./url.js";

export type ArrayNode = ZarrArray;
export type Node = ArrayNode | Group;

export function isArray(node: Node): node is ArrayNode {
  return node.kind === "array";
}

/** What cannot be listed, in words for the tree. */
const UNLISTED =
  "This store cannot list its contents: it has no consolidated metadata, and a plain web server does not tell. Type the path of an array or group below.";
const NAMED = "Named by the attributes; the store itself cannot list others.";

/** Nodes that are looked at to find the first. */
const MOST_LOOKED = 24;

export class Hierarchy {
  /** Its address; empty where it lies on this machine. */
  readonly url: string;
  /** Its name for people. */
  readonly name: string;
  readonly #target: string | LocalSource["target"];
  readonly #nodes = new Map<string, Promise<Node>>();
  readonly #members = new Map<string, Promise<Member[] | null>>();
  readonly #arrays = new Map<string, ArrayNode>();
  #beginning: Promise<{ place: Location; node: Node | null }> | undefined;

  constructor(source: string | LocalSource) {
    const local = typeof source !== "string";
    this.url = local ? "" : source;
    this.name = local ? source.name : nameOf(source);
    this.#target = local ? source.target : source;
  }

  /** The paths of the arrays that are known. */
  get arrays(): readonly string[] {
    return [...this.#arrays.keys()];
  }

  /** Where its nodes are, and the one that an address leads to: only opening it tells what container is there. */
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
      const node = await open(target as string);
      return { place: new Location(node.store), node };
    } catch (error) {
      // A link may name a node of a store whose root is no node itself.
      if (!isZarrError(error, "NotFoundError") || typeof target !== "string" || !/^https?:/.test(target)) throw error;
      return { place: root(target), node: null };
    }
  }

  /** The path of the node that the address leads to: not the root where the address goes deeper into a container. */
  async start(): Promise<string> {
    const { node } = await this.#begin();
    return node?.path ?? "/";
  }

  /**
   * Opens a node; asked for again it is the same. The signal ends only the caller's waiting: others may wait for
   * the same node. A failed opening is not kept.
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

  /** The node if there is one at the path; null when there is none. Other errors count as none as well. */
  async maybe(path: string): Promise<Node | null> {
    try {
      return await this.node(path);
    } catch {
      return null;
    }
  }

  /** Forgets what failed or changed, before a retry. */
  forget(path: string): void {
    this.#beginning = undefined;
    this.#nodes.delete(path);
    this.#members.delete(path);
  }

  /** Whether the members of a group are known without a request. */
  async cheap(path: string): Promise<boolean> {
    const node = await this.#nodes.get(path)?.catch(() => null);
    return this.#members.has(path) || (node?.kind === "group" && node.consolidated);
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
        if (found) this.#note(found);
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
    if (!members) return { items: [], note: UNLISTED };
    const told = members.some(({ how }) => how === "named" || how === "probed");
    return { items: members.map(itemOf), note: members.length === 0 ? "Empty" : told ? NAMED : null };
  }

  /** An array that is known already: from consolidated metadata, or because it was opened. */
  known(path: string): ArrayNode | undefined {
    return this.#arrays.get(path);
  }

  /** The root, where it is a group: what is below it is understood by its metadata, too. */
  async top(): Promise<Group | undefined> {
    const node = await this.maybe("/");
    return node?.kind === "group" ? node : undefined;
  }

  /** What a node is. */
  async described(node: Node, signal?: AbortSignal): Promise<Description> {
    return describe(node, { group: isArray(node) ? await this.top() : undefined, signal });
  }

  /** What shows most without a choice: what the root is, or else what is found below it, level by level and within reason. */
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
          // Groups may be images: they are looked at before arrays that stand by themselves.
          const order = [...(it.members ?? [])].sort((a, b) => Number(a.kind === "array") - Number(b.kind === "array"));
          next.push(...order.map((member) => member.path));
        }
      }
      level = next;
    }
    return fallback;
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

/** The last part of an address, for people. */
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

/** The item for a node that has been opened. */
export function itemOfNode(node: Node, name = baseName(node.path)): TreeItem {
  return {
    path: node.path,
    name,
    kind: node.kind,
    detail: isArray(node) ? `${formatShape(node.shape)} ${node.dtype}` : "",
  };
}
