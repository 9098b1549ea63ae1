import type { ZarrArray } from "../api/array.js";
import type { Selection } from "../api/selection.js";
import type { ReadOptions } from "../data/readoptions.js";
import type { Chunk, DataType } from "../data/types.js";
import { engineSideOf, engineStore, inside } from "../engine/description.js";
import { engine } from "../engine/engine.js";
import { isZarrError, UnsupportedError } from "../errors.js";
import { checkArray, checked, refuse } from "../shared/arguments.js";
import { lazy } from "../shared/lazily.js";
import {
  type AsyncReadable,
  type ByteRange,
  checkStore,
  type Readable,
  type StoreOptions,
} from "../stores/readable.js";
import type { RangeCoalescingOptions, Waiting } from "./coalesce.js";

// Stores and arrays are extended as in zarrita. A proxy answers for the extension's members and
// forwards all others to the inner object. An extension with get() or getRange() makes its store a
// page-side store, which the engine asks for bytes. Some extensions of this package do not concern
// the engine. They name the store that it may use directly under the symbol `inside`.

/**
 * The members that an extension of a store may return: other reading methods, array extensions, and
 * members of its own.
 */
export interface StoreOverrides {
  /** Replaces the store's method. */
  get?: Readable["get"];
  /** Replaces the store's method. */
  getRange?: Readable["getRange"];
  /** Replaces the store's method. An extension with another `get` lists only by its own method. */
  listFolder?: Readable["listFolder"];
  /** Applied by `open` to every array of the store. */
  arrayExtensions?: readonly ArrayExtension[];
}

/**
 * The members that an extension of an array may return: another method to read a chunk, and members
 * of its own.
 */
export interface ArrayOverrides {
  /** Replaces the array's method. `get` then reads by it. */
  getChunk?(
    coords: readonly number[],
    options?: ReadOptions,
    more?: { useSharedArrayBuffer?: boolean | undefined },
  ): Promise<Chunk<DataType>>;
}

/** A function that extends an array. */
export type ArrayExtension = (array: ZarrArray) => ZarrArray | Promise<ZarrArray>;

type Added<T, K extends PropertyKey> = { [P in Exclude<Extract<keyof T, string>, K>]: T[P] };

type Extended<R, T, K extends PropertyKey> =
  R extends Promise<infer Inner> ? Promise<T & Added<Inner, K>> : T & Added<R, K>;

type Anything = Record<PropertyKey, unknown>;

/**
 * Returns a proxy that reads members from `own`, then from `overrides`, otherwise from `inner`. It
 * looks them up at each access.
 */
function proxy<T extends object>(inner: T, overrides: Anything, own: Anything): T {
  const bound = new Map<PropertyKey, unknown>();
  const from = (name: PropertyKey) => {
    if (Object.hasOwn(own, name)) return own;
    // An extension may be an object of a class. Members of every object do not count.
    const meant = name in Object.prototype ? Object.hasOwn(overrides, name) : name in overrides;
    return meant ? overrides : undefined;
  };
  return new Proxy(inner, {
    get(target, name) {
      const given = from(name);
      if (given) return given[name];
      const value = Reflect.get(target, name, target);
      // Methods run on the inner object, because it may have private members.
      if (typeof value !== "function" || name === "constructor") return value;
      if (!bound.has(name)) bound.set(name, value.bind(target));
      return bound.get(name);
    },
    has: (target, name) => from(name) !== undefined || name in target,
    ownKeys: (target) => [...new Set([...Reflect.ownKeys(target), ...Object.keys(overrides)])],
    getOwnPropertyDescriptor: (target, name) => {
      const given = from(name);
      return given
        ? { configurable: true, enumerable: true, value: given[name] }
        : Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
}

/** Passes an extension's result to `wrap`, after awaiting a promise. */
function extend<T>(result: unknown, wrap: (overrides: Anything) => T): T | Promise<T> {
  if (result instanceof Promise) return result.then((later: unknown) => extend(later, wrap));
  if (result === null || typeof result !== "object") throw new TypeError("an extension must return an object");
  return wrap(result as Anything);
}

/**
 * Defines an extension of stores. `make` takes a store and options, and returns the overrides or a
 * promise of them. It must await the results of the store's methods, because a store may return
 * values or promises.
 *
 * @example
 * const withLog = defineStoreExtension((store, options: { log: (key: string) => void }) => ({
 *   get(key, more) {
 *     options.log(key);
 *     return store.get(key, more);
 *   },
 * }));
 */
export function defineStoreExtension<
  R extends (StoreOverrides & Record<string, unknown>) | Promise<StoreOverrides & Record<string, unknown>>,
  Options = void,
>(
  make: (store: AsyncReadable, options: Options) => R,
): <S extends Readable>(store: S, options?: Options) => Extended<R, S, keyof StoreOverrides>;
export function defineStoreExtension(make: (store: never, options: never) => unknown) {
  if (typeof make !== "function") refuse("defineStoreExtension", make, "a function");
  return (store: Readable, options?: unknown) =>
    extend(make(checkStore("an extension of stores", store) as never, options as never), (overrides) => {
      const inner = (store as StoreOverrides).arrayExtensions ?? [];
      const own = (overrides.arrayExtensions as readonly ArrayExtension[] | undefined) ?? [];
      const added: Anything = {};
      if (inner.length + own.length > 0) added.arrayExtensions = [...inner, ...own];
      if (!(inside in overrides)) {
        const replaced = overrides.get || overrides.getRange;
        added[inside] = replaced ? undefined : store;
        // The readable keys may differ from those that the store lists.
        if (replaced && !overrides.listFolder) added.listFolder = undefined;
      }
      return proxy(store, overrides, added);
    });
}

/** Defines an extension of arrays, as {@link defineStoreExtension} does for stores. */
export function defineArrayExtension<
  R extends (ArrayOverrides & Record<string, unknown>) | Promise<ArrayOverrides & Record<string, unknown>>,
  Options = void,
>(
  make: (array: ZarrArray, options: Options) => R,
): <A extends ZarrArray>(array: A, options?: Options) => Extended<R, A, keyof ArrayOverrides>;
export function defineArrayExtension(make: (array: ZarrArray, options: never) => unknown) {
  if (typeof make !== "function") refuse("defineArrayExtension", make, "a function");
  return (array: ZarrArray, options?: unknown) =>
    extend(make(checkArray("an extension of arrays", array), options as never), (overrides) => {
      const added: Anything = {};
      const extended: ZarrArray = proxy(array, overrides, added);
      // Reads of selections go through the replaced chunks, too.
      if (overrides.getChunk) {
        added.get = async (selection?: Selection, options?: ReadOptions) =>
          (await lazy()).assemble(extended, array, selection, options);
      }
      return extended;
    });
}

function apply(what: string, value: unknown, extensions: readonly ((value: never) => unknown)[]): unknown {
  for (const extension of extensions) if (typeof extension !== "function") refuse(what, extension, "an extension");
  return extensions.reduce(
    (inner, extension) =>
      inner instanceof Promise ? inner.then((v) => extension(v as never)) : extension(inner as never),
    value,
  );
}

/** The last of the results, or a promise of it if any of them is a promise. */
type Last<All extends readonly unknown[], Final> =
  Extract<All[number], Promise<unknown>> extends never ? Final : Promise<Awaited<Final>>;

/**
 * Applies extensions to a store, the first one innermost. Returns a promise if one of them does.
 */
export function extendStore<S extends Readable>(store: S): S;
export function extendStore<S extends Readable, A>(store: S, a: (store: S) => A): Last<[A], A>;
export function extendStore<S extends Readable, A, B>(
  store: S,
  a: (store: S) => A,
  b: (store: Awaited<A>) => B,
): Last<[A, B], B>;
export function extendStore<S extends Readable, A, B, C>(
  store: S,
  a: (store: S) => A,
  b: (store: Awaited<A>) => B,
  c: (store: Awaited<B>) => C,
): Last<[A, B, C], C>;
export function extendStore<S extends Readable, A, B, C, D>(
  store: S,
  a: (store: S) => A,
  b: (store: Awaited<A>) => B,
  c: (store: Awaited<B>) => C,
  d: (store: Awaited<C>) => D,
): Last<[A, B, C, D], D>;
export function extendStore<S extends Readable, A, B, C, D, E>(
  store: S,
  a: (store: S) => A,
  b: (store: Awaited<A>) => B,
  c: (store: Awaited<B>) => C,
  d: (store: Awaited<C>) => D,
  e: (store: Awaited<D>) => E,
): Last<[A, B, C, D, E], E>;
export function extendStore(store: Readable, ...extensions: ((store: never) => unknown)[]): unknown {
  return apply("extendStore", checkStore("extendStore", store), extensions);
}

/**
 * Applies extensions to an array, the first one innermost. Returns a promise if one of them does.
 */
export function extendArray<T extends ZarrArray>(array: T): T;
export function extendArray<T extends ZarrArray, A>(array: T, a: (array: T) => A): Last<[A], A>;
export function extendArray<T extends ZarrArray, A, B>(
  array: T,
  a: (array: T) => A,
  b: (array: Awaited<A>) => B,
): Last<[A, B], B>;
export function extendArray<T extends ZarrArray, A, B, C>(
  array: T,
  a: (array: T) => A,
  b: (array: Awaited<A>) => B,
  c: (array: Awaited<B>) => C,
): Last<[A, B, C], C>;
export function extendArray(array: ZarrArray, ...extensions: ((array: never) => unknown)[]): unknown {
  return apply("extendArray", checkArray("extendArray", array), extensions);
}

// ---- consolidated metadata --------------------------------------------------------

/** The versions of Zarr that have consolidated metadata. */
export type ConsolidatedFormat = "v2" | "v3";

/** Settings of {@link withConsolidatedMetadata}. */
export interface ConsolidatedMetadataOptions {
  /** The versions to look for, in that order; both by default. */
  readonly format?: ConsolidatedFormat | ConsolidatedFormat[] | undefined;
  /** The key of v2's metadata, if it is not `.zmetadata`. */
  readonly metadataKey?: string | undefined;
}

/** A store that lists the nodes of its consolidated metadata. */
export type Listable<S extends Readable> = S & {
  contents(): { path: `/${string}`; kind: "array" | "group" }[];
};

/**
 * Returns a store with a list of the nodes that its consolidated metadata describe. Opening nodes
 * uses consolidated metadata even without this extension.
 *
 * @throws `NotFoundError` or `InvalidMetadataError` if it has none.
 */
export function withConsolidatedMetadata<S extends Readable>(
  store: S,
  options?: ConsolidatedMetadataOptions,
): Promise<Listable<S>> {
  return defineStoreExtension(consolidated)(store, options) as unknown as Promise<Listable<S>>;
}

// Not created at the module's top level, because bundlers would keep it in pages that do not use
// it.
async function consolidated(store: AsyncReadable, options: ConsolidatedMetadataOptions = {}) {
  const engines = engineStore(store);
  const openRoot = (format: 2 | 3) => engine.call(engines, { op: "open", path: "", format });
  const { usual, ...overrides } = await (await lazy()).consolidatedNodes(store, options, openRoot);
  // The engine reads the usual keys by itself. Other keys need the overrides.
  return { [inside]: usual ? engines : undefined, ...overrides };
}

/** {@link withConsolidatedMetadata}, or the store itself if it has no consolidated metadata. */
export async function withMaybeConsolidatedMetadata<S extends Readable>(
  store: S,
  options: ConsolidatedMetadataOptions = {},
): Promise<Listable<S> | S> {
  try {
    return await withConsolidatedMetadata(store, options);
  } catch (error) {
    if (!isZarrError(error, "NotFoundError", "InvalidMetadataError")) throw error;
    return store;
  }
}

// ---- merged ranges and cached bytes -----------------------------------------------

/**
 * Reports whether the engine fetches from a store by itself. It then also merges and caches by
 * itself.
 */
function ownTransport(store: Readable): boolean {
  return engineSideOf(engineStore(store)) !== undefined;
}

/**
 * Returns a store that merges ranges requested at the same time into few requests. The engine
 * always merges the ranges that it fetches by itself. This extension is for page-side stores, and
 * for programs that call `getRange`. A request is aborted when all its callers have aborted; one
 * abort does not affect the other callers.
 */
export function withRangeCoalescing<S extends Readable>(store: S, options?: RangeCoalescingOptions): S {
  return defineStoreExtension(coalescing)(store, options) as unknown as S;
}

function coalescing(store: AsyncReadable, options: RangeCoalescingOptions = {}) {
  const { coalesceSize = 32768, onFlush } = checked("withRangeCoalescing", options);
  if (!store.getRange) {
    throw new UnsupportedError("withRangeCoalescing needs a store with getRange", { feature: "getRange" });
  }
  const getRange = store.getRange.bind(store);
  let pending = new Map<`/${string}`, Waiting[]>();

  const flush = () => {
    const work = pending;
    pending = new Map();
    lazy().then(
      ({ coalesce }) => coalesce(work, getRange, coalesceSize, onFlush),
      (error) => [...work.values()].flat().map((one) => one.reject(error)),
    );
  };

  return {
    [inside]: ownTransport(store) ? engineStore(store) : undefined,
    getRange(path: `/${string}`, range: ByteRange, options: StoreOptions = {}) {
      if ("suffixLength" in range || options.cache) return getRange(path, range, options);
      return new Promise<Uint8Array | undefined>((resolve, reject) => {
        if (pending.size === 0) queueMicrotask(flush);
        const all = pending.get(path) ?? [];
        pending.set(path, all);
        all.push({ ...range, signal: options.signal, resolve, reject });
      });
    },
  };
}

/**
 * The cache of {@link withByteCaching}, such as a `Map`. `undefined` is the value of a key that is
 * known to be absent.
 */
export interface ByteCache {
  /** Reports whether the cache has the key's bytes, or its absence. */
  has(key: string): boolean;
  /** Returns the bytes of a key. */
  get(key: string): Uint8Array | undefined;
  /** Adds the bytes of a key. The cache may evict them at any time. */
  set(key: string, value: Uint8Array | undefined): unknown;
}

/**
 * Returns the name under which {@link withByteCaching} caches bytes; undefined disables caching.
 */
export type CacheKeyFor = (path: `/${string}`, range?: ByteRange) => string | undefined;

/** Settings of {@link withByteCaching}. */
export interface ByteCachingOptions {
  /** The cache; by default a new `Map`. */
  cache?: ByteCache | undefined;
  /** Selects and names the cached bytes; by default all are cached. */
  keyFor?: CacheKeyFor | undefined;
}

const keyForAll: CacheKeyFor = (path, range) => {
  if (!range) return path;
  return "suffixLength" in range ? `${path}\0-${range.suffixLength}` : `${path}\0${range.offset}+${range.length}`;
};

/**
 * Returns a store that caches the bytes it reads. With the caller's `cache` or `keyFor`, this
 * thread fetches and caches all bytes. Without either, the engine caches by itself the bytes that
 * it fetches.
 */
export function withByteCaching<S extends Readable>(store: S, options?: ByteCachingOptions): S {
  return defineStoreExtension(caching)(store, options) as unknown as S;
}

function caching(store: AsyncReadable, options: ByteCachingOptions = {}) {
  const { cache = new Map<string, Uint8Array | undefined>(), keyFor = keyForAll } = checked("withByteCaching", options);
  const keep = async (
    key: string | undefined,
    how: StoreOptions | undefined,
    read: () => ReturnType<Readable["get"]>,
  ) => {
    if (key !== undefined && how?.cache !== "reload" && cache.has(key)) return cache.get(key);
    const bytes = (await read()) ?? undefined;
    if (key !== undefined) cache.set(key, bytes);
    return bytes;
  };
  const getRange = store.getRange?.bind(store);
  return {
    [inside]: !options.cache && !options.keyFor && ownTransport(store) ? engineStore(store) : undefined,
    get: (path: `/${string}`, how?: StoreOptions) => keep(keyFor(path), how, () => store.get(path, how)),
    ...(getRange && {
      getRange: (path: `/${string}`, range: ByteRange, how?: StoreOptions) =>
        keep(keyFor(path, range), how, () => getRange(path, range, how)),
    }),
  };
}

/** @internal Applies the array extensions that a store carries. */
export async function extended<A extends ZarrArray<DataType, Readable>>(array: A): Promise<A> {
  const extensions = (array.store as StoreOverrides).arrayExtensions;
  return extensions?.length ? ((await apply("arrayExtensions", array, extensions)) as A) : array;
}
