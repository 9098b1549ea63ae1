import { FetchStore, nodeUrl, type Readable } from "./stores.js";

/** The path of a node in its hierarchy: `"/"` is the root. */
export type AbsolutePath<Rest extends string = string> = `/${Rest}`;

/** What {@link open} opens: a URL, a store's root, or a place in a store. */
export type Target<S extends Readable = Readable> = string | URL | Location<S> | S;

/** A place in a store, where a node may be. */
export class Location<S extends Readable = Readable> {
  /** The store. */
  readonly store: S;
  /** The path in the store. */
  readonly path: AbsolutePath;

  constructor(store: S, path: string = "/") {
    this.store = store;
    this.path = resolvePath("/", path);
  }

  /** The place at a path relative to this one; `".."` goes up, a leading slash begins at the root. */
  resolve(path: string): Location<S> {
    return new Location(this.store, resolvePath(this.path, path));
  }
}

function resolvePath(base: AbsolutePath, path: string): AbsolutePath {
  const segments = path.startsWith("/") ? [] : base.split("/").filter(Boolean);
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** The root of a store, or of an empty store. */
export function root(): Location<Map<string, Uint8Array>>;
export function root(url: string | URL): Location<FetchStore>;
export function root<S extends Readable>(store: S): Location<S>;
export function root(target: string | URL | Readable = new Map<string, Uint8Array>()): Location {
  if (typeof target === "string" || target instanceof URL) return new Location(new FetchStore(nodeUrl(target)));
  return new Location(target);
}

/** @internal Where a target is; zarrita's locations are as good as ours. */
export function placeOf<S extends Readable>(target: Target<S>): Location<S> {
  const here = typeof target === "object" && "store" in target && "path" in target;
  return here ? (target as Location<S>) : (root(target as S) as Location<S>);
}
