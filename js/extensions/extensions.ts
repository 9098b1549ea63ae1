import { lazy } from "#lazy";
import type { ZarrArray } from "../api/array.js";
import type { Selection } from "../api/selection.js";
import type { ReadOptions } from "../data/readoptions.js";
import type { Chunk, DataType } from "../data/types.js";
import { engineSideOf, engineStore, inside } from "../engine/description.js";
import { engine } from "../engine/engine.js";
import type { WireNode } from "../engine/protocol/answers.js";
import { isZarrError, UnsupportedError } from "../errors.js";
import { checkArray, checked, refuse } from "../refuse.js";
import {
  type AsyncReadable,
  type ByteRange,
  checkStore,
  type Readable,
  type StoreOptions,
} from "../stores/readable.js";
import type { RangeCoalescingOptions, Waiting } from "./coalesce.js";

// Stores and arrays are extended as in zarrita: a proxy answers for what an
// extension gives and hands all else to what is inside. An extension that gives
// get() or getRange() makes its store one that lives on this thread, and the
// engine asks it for bytes. Those of this package that the engine has no need
// of name the store that the engine may use instead, under the symbol `inside`.

/** What an extension of a store may give: other ways to read, array extensions, and any members of its own. */
export interface StoreOverrides {
  /** Takes the place of the store's. */
  get?: Readable["get"];
  /** Takes the place of the store's. */
  getRange?: Readable["getRange"];
  /** Takes the place of the store's. An extension with another `get` lists only by its own. */
  listFolder?: Readable["listFolder"];
  /** Applied by `open` to every array of the store. */
  arrayExtensions?: readonly ArrayExtension[];
}

/** What an extension of an array may give: another way to get a chunk, and any members of its own. */
export interface ArrayOverrides {
  /** Takes the place of the array's; `get` then reads through it. */
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

/** Answers for the members of `own`, else for those of `overrides`, at the time when they are asked for, else as `inner`. */
function proxy<T extends object>(inner: T, overrides: Anything, own: Anything): T {
  const bound = new Map<PropertyKey, unknown>();
  const from = (name: PropertyKey) => {
    if (Object.hasOwn(own, name)) return own;
    // An extension may be an object of a class. What all objects have is not meant.
    const meant = name in Object.prototype ? Object.hasOwn(overrides, name) : name in overrides;
    return meant ? overrides : undefined;
  };
  return new Proxy(inner, {
    get(target, name) {
      const given = from(name);
      if (given) return given[name];
      const value = Reflect.get(target, name, target);
      // Methods run on what is inside: it may have private members.
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

/** Calls `make`; `wrap` gets what it returns, now or later. */
function extend<T>(result: unknown, wrap: (overrides: Anything) => T): T | Promise<T> {
  if (result instanceof Promise) return result.then((later: unknown) => extend(later, wrap));
  if (result === null || typeof result !== "object") throw new TypeError("an extension must return an object");
  return wrap(result as Anything);
}

/**
 * Makes an extension of stores of a function that is given a store and options
 * and returns, at once or later, what is to be different. What the store gives is to be awaited: a
 * store of bytes at hand may be given, too.
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
        // The keys that are read need not be those that the store lists.
        if (replaced && !overrides.listFolder) added.listFolder = undefined;
      }
      return proxy(store, overrides, added);
    });
}

/** Makes an extension of arrays, as {@link defineStoreExtension} makes one of stores. */
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
      // Whole reads go through the chunks, too.
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

/** The last of the results; a promise of it if any of them is a promise. */
type Last<All extends readonly unknown[], Final> =
  Extract<All[number], Promise<unknown>> extends never ? Final : Promise<Awaited<Final>>;

/** Applies extensions to a store, the first one innermost. Gives a promise if one of them does. */
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

/** Applies extensions to an array, the first one innermost. Gives a promise if one of them does. */
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
  /** Which to look for, in that order; both when not given. */
  readonly format?: ConsolidatedFormat | ConsolidatedFormat[] | undefined;
  /** The key of v2's, when it is not `.zmetadata`. */
  readonly metadataKey?: string | undefined;
}

/** A store that can tell what its consolidated metadata lists. */
export type Listable<S extends Readable> = S & {
  contents(): { path: `/${string}`; kind: "array" | "group" }[];
};

/**
 * A store with a list of what its consolidated metadata describes. Without any
 * it rejects with {@link NotFoundError} or {@link InvalidMetadataError}.
 * Opening nodes uses consolidated metadata without this, too.
 */
export function withConsolidatedMetadata<S extends Readable>(
  store: S,
  options?: ConsolidatedMetadataOptions,
): Promise<Listable<S>> {
  return defineStoreExtension(consolidated)(store, options) as unknown as Promise<Listable<S>>;
}

// What is made when the module is loaded, bundlers keep for pages that do not use it.
async function consolidated(store: AsyncReadable, options: ConsolidatedMetadataOptions = {}) {
  const engines = engineStore(store);
  const openRoot = (format: 2 | 3) => engine.call<WireNode>(engines, { op: "open", path: "", format });
  const { usual, ...overrides } = await (await lazy()).listed(store, options, openRoot);
  // The engine knows the usual keys by itself, and the others it has to be told.
  return { [inside]: usual ? engines : undefined, ...overrides };
}

/** {@link withConsolidatedMetadata}, or the store itself when it has none. */
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

// ---- merged ranges and kept bytes -------------------------------------------------

/** True when the engine fetches from a store by itself, and so merges and keeps by itself. */
function ownTransport(store: Readable): boolean {
  return engineSideOf(engineStore(store)) !== undefined;
}

/**
 * A store whose ranges that are asked for at once are merged into few requests.
 * What the engine fetches by itself it merges anyway; this is for stores that live
 * on this thread and for programs that call `getRange` themselves. A request is cancelled when all callers that
 * wait for it have cancelled; one that cancels does not disturb the others.
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

/** Where {@link withByteCaching} keeps bytes: a `Map` is one. `undefined` says that a key is known to be absent. */
export interface ByteCache {
  /** True when it is known what the key's bytes are, or that it has none. */
  has(key: string): boolean;
  /** The bytes of a key. */
  get(key: string): Uint8Array | undefined;
  /** Keeps the bytes of a key, as long as it likes. */
  set(key: string, value: Uint8Array | undefined): unknown;
}

/** Under which name {@link withByteCaching} keeps what it is asked for; undefined: it does not. */
export type CacheKeyFor = (path: `/${string}`, range?: ByteRange) => string | undefined;

/** Settings of {@link withByteCaching}. */
export interface ByteCachingOptions {
  /** Where the bytes are kept; a new `Map` when not given. */
  cache?: ByteCache | undefined;
  /** What is kept, and under which names; all of it when not given. */
  keyFor?: CacheKeyFor | undefined;
}

const keyForAll: CacheKeyFor = (path, range) => {
  if (!range) return path;
  return "suffixLength" in range ? `${path}\0-${range.suffixLength}` : `${path}\0${range.offset}+${range.length}`;
};

/**
 * A store that keeps the bytes that it was asked for. With a `cache` or a `keyFor` of
 * the caller's, all bytes come by this thread to be kept there; without either,
 * what the engine fetches by itself it keeps by itself.
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
