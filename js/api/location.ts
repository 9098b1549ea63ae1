import { storeAt } from "#storeat";
import { refuse } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import { type Composition, composed, isComposition, type StoreOf } from "../stores/composedstore.js";
import type { Directory } from "../stores/directory.js";
import { DirectoryStore, isDirectory } from "../stores/directorystore.js";
import type { FetchStore } from "../stores/fetchstore.js";
import { checkStore, type Readable } from "../stores/readable.js";

/** The path of a node in its hierarchy: `"/"` is the root. */
export type AbsolutePath<Rest extends string = string> = `/${Rest}`;

/**
 * A target of {@link open}: a URL, a store, a place in a store, a composition of stores, or a
 * directory. The browser or Node gives directories to the page.
 */
export type Target<S extends Readable = Readable> = string | URL | Location<S> | S | Composition | Directory;

/** A place in a store for a node. */
export class Location<S extends Readable = Readable> extends Printed {
  static {
    Printed.tag(Location.prototype, "Location");
  }

  /** The store. */
  readonly store: S;
  /** The path in the store. */
  readonly path: AbsolutePath;

  constructor(store: S, path: string = "/") {
    super();
    this.store = store;
    this.path = resolvePath("/", path);
  }

  /**
   * Returns the place at a path relative to this one. `".."` goes up, a leading slash begins at the
   * root.
   */
  resolve(path: string): Location<S> {
    return new Location(this.store, resolvePath(this.path, path));
  }

  override toString(about = ""): string {
    const { path, store } = this;
    const place = (store as { address?: string }).address ?? store.constructor?.name;
    return `<${this[Symbol.toStringTag]} ${path}${about} store=${place}>`;
  }
}

function resolvePath(base: AbsolutePath, path: string): AbsolutePath {
  if (typeof path !== "string") refuse("Location: path", path, "a string");
  const segments = path.startsWith("/") ? [] : base.split("/").filter(Boolean);
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** Returns the root of a store, by default of an empty one. */
export function root(): Location<Map<string, Uint8Array>>;
export function root(url: string | URL): Location<FetchStore>;
export function root<C extends Composition>(composition: C): Location<StoreOf<C>>;
export function root(directory: Directory): Location<DirectoryStore>;
export function root<S extends Readable>(store: S): Location<S>;
export function root(target?: string | URL | Readable | Composition | Directory): Location {
  return place("root", target ?? new Map<string, Uint8Array>());
}

function place(what: string, target: string | URL | Readable | Composition | Directory): Location {
  if (typeof target === "string" || target instanceof URL) return new Location(storeAt(target));
  if (isComposition(target)) return new Location(composed(target));
  if (isDirectory(target)) return new Location(new DirectoryStore(target));
  return new Location(checkStore(what, target, "a URL, a store or a Location"));
}

/** @internal Returns the place of a target. Accepts zarrita's locations, too. */
export function locationOf<S extends Readable>(what: string, target: Target<S>): Location<S> {
  const { store, path } = Object(target) as Partial<Location<S>>;
  if (store === undefined || path === undefined) return place(what, target as S) as Location<S>;
  checkStore(what, store, "a Location of a store");
  return target as Location<S>;
}
