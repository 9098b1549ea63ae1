import { more } from "#more";
import { wantedBudgets } from "./caches.js";
import { cut } from "./cut.js";
import { engine } from "./engine.js";
import { StoreError } from "./errors.js";
import { Printed } from "./printed.js";
import type {
  CacheBudgets,
  RequestEvent,
  RequestStats,
  WireByteRange,
  WireFetch,
  WireFound,
  WireHttpOptions,
  WireQuestion,
} from "./protocol.js";
import { checked, refuse } from "./refuse.js";

/** A part of a stored object. */
export type ByteRange = { offset: number; length: number } | { suffixLength: number };

/** What a store may be given with a request; besides, it is given what an array's `getChunk` was, where the store is the page's own. */
export interface StoreOptions {
  /** Aborted when nobody waits for the bytes any more. */
  signal?: AbortSignal;
}

/**
 * A store: what zarrita calls a Readable. A `Map` is one too. Keys begin with a
 * slash; an absent key is `undefined`.
 */
export interface Readable {
  /** All bytes of a key. */
  get(key: `/${string}`, options?: StoreOptions): Promise<Uint8Array | undefined> | Uint8Array | undefined;
  /** Some bytes of a key. A store without it is asked for all. */
  getRange?(
    key: `/${string}`,
    range: ByteRange,
    options?: StoreOptions,
  ): Promise<Uint8Array | undefined> | Uint8Array | undefined;
}

/** A store that answers later. */
export interface AsyncReadable {
  /** See {@link Readable.get}. */
  get(key: `/${string}`, options?: StoreOptions): Promise<Uint8Array | undefined>;
  /** See {@link Readable.getRange}. */
  getRange?(key: `/${string}`, range: ByteRange, options?: StoreOptions): Promise<Uint8Array | undefined>;
}

/** A store that answers at once. */
export interface SyncReadable {
  /** See {@link Readable.get}. */
  get(key: `/${string}`, options?: StoreOptions): Uint8Array | undefined;
  /** See {@link Readable.getRange}. */
  getRange?(key: `/${string}`, range: ByteRange, options?: StoreOptions): Uint8Array | undefined;
}

/** Settings of a {@link FetchStore}. */
export interface FetchStoreOptions {
  /**
   * Used instead of the platform's fetch, on the page's thread, with a Request that
   * has its Range and its signal. Without it the engine fetches in its worker.
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * Sent with every request, and to no other origin. A function is called for each
   * request, and may give a promise: for tokens that expire.
   */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>) | undefined;
  /** As fetch's; the default is `"same-origin"`. */
  credentials?: RequestCredentials | undefined;
  /**
   * Statuses besides 404 and 410 that mean that a key is absent, such as 403 for buckets that may not be listed. 0 is
   * for servers whose answers for absent keys the browser keeps from the page (a 404 without CORS headers): what is
   * blocked twice is then absent, and so is what fails because the server is down.
   */
  missingStatus?: readonly number[] | undefined;
  /**
   * What is done when a request fails of what may pass (408, 429, 500, 502, 503, 504, no answer): how
   * often it is sent in all, 4 by default, and how many milliseconds about are waited before the second
   * time, 100 by default and twice as long before each further one. `Retry-After` is kept.
   */
  retry?: { attempts?: number | undefined; delay?: number | undefined } | undefined;
  /**
   * How many requests are under way at once to the origin, those of other stores there too; by default 16, and 64 as
   * long as answers are small.
   */
  concurrency?: number | undefined;
  /**
   * Milliseconds to wait for an answer to begin, and for every further 256 KiB of it, before it
   * counts as failed; 60000 by default, `Infinity` for without end.
   */
  timeout?: number | undefined;
  /** Ask for the end of an object by `bytes=-n`, which saves a request and, across origins, costs a preflight. */
  useSuffixRequest?: boolean | undefined;
  /**
   * As fetch's. Without it requests use the browser's cache, save for a range of an
   * object of which another is under way: Chromium would let it wait for the other.
   */
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache" | undefined;
  /** Is told of every request, and of every read that needed none. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Further settings of every request, as zarrita has them; then requests are sent on the page's thread. */
  overrides?: RequestInit | undefined;
}

/** What else is set for one request. The `priority` of a read is another one. */
type RequestSettings = Omit<RequestInit, "signal" | "priority">;

/** A hierarchy at a URL. */
export class FetchStore extends Printed implements AsyncReadable {
  static {
    Printed.tag(FetchStore.prototype, "FetchStore");
  }

  /** The hierarchy's address. Its query string goes on every request. */
  readonly url: string | URL;
  readonly #base: URL | undefined;
  readonly #options: FetchStoreOptions;
  readonly #own: boolean;

  /**
   * The URL may be relative to the page's; an empty one is the folder of the page that reads. Throws {@link StoreError} for what
   * is no URL, and for options that are not valid.
   */
  constructor(url: string | URL, options: FetchStoreOptions = {}) {
    super();
    if (typeof url !== "string" && !(url instanceof URL)) refuse("FetchStore: url", url, "a URL");
    checked("FetchStore", options);
    this.url = url;
    if (url !== "") this.#base = absoluteUrl(url);
    const { headers, credentials, ...others } = options.overrides ?? {};
    this.#options = { ...options };
    this.#options.headers ??= headers;
    this.#options.credentials ??= credentials;
    this.#options.overrides = others;
    this.#own = (!!options.fetch && options.fetch !== globalThis.fetch) || Object.keys(others).length > 0;
    checkOptions(this.#options);
  }

  /** @internal The URL as it may be shown: without what may be secret. */
  get address(): string {
    return String(this.url)
      .replace(/[?#].*/, "")
      .replace(/\/\/[^/]*@/, "//");
  }

  override toString(): string {
    return `<${this[Symbol.toStringTag]} ${this.address}>`;
  }

  /** What the engine sent for this store so far, in numbers. */
  stats(): Promise<RequestStats> {
    return engine.call<RequestStats>(this, { op: "stats" });
  }

  /** @internal What the engine needs to fetch by itself. */
  toWire(): { url: string; options: WireHttpOptions; events: boolean } {
    const { headers, credentials, missingStatus, useSuffixRequest, retry, concurrency, timeout, cache, onRequest } =
      this.#options;
    const options: WireHttpOptions = {};
    if (typeof headers === "function") options.hostHeaders = true;
    else if (headers) options.headers = Object.fromEntries(new Headers(headers));
    if (credentials) options.credentials = credentials;
    if (missingStatus) options.missingStatus = [...missingStatus];
    if (useSuffixRequest) options.useSuffixRequest = true;
    if (concurrency !== undefined) options.concurrency = concurrency;
    if (retry?.attempts !== undefined) options.retries = retry.attempts - 1 || -1;
    if (retry?.delay !== undefined) options.retryDelay = Math.max(retry.delay, 0.001); // 0 is the default there
    if (timeout !== undefined) options.timeout = timeout < 2 ** 31 ? timeout : -1;
    if (cache) options.cache = cache;
    if (this.#own) options.hostFetch = true;
    return { url: (this.#base ?? absoluteUrl("")).href, options, events: !!onRequest };
  }

  /** @internal The headers of a request, for the engine. */
  async headers(): Promise<Record<string, string>> {
    const { headers } = this.#options;
    return Object.fromEntries(new Headers(typeof headers === "function" ? await headers() : headers));
  }

  /** @internal Sends a request for the engine. */
  async send(request: WireFetch, options: StoreOptions): Promise<WireFound> {
    return (await more()).sendOnPage(request, this.#options, options);
  }

  /** @internal */
  tell(event: RequestEvent): void {
    this.#options.onRequest?.(event);
  }

  /**
   * All bytes of a key; undefined when it is absent. It is read by the rules by which the engine reads chunks, and
   * past its caches; further settings of a request go before the store's. Rejects with {@link HttpError}, {@link LimitError}, {@link StoreError} for what is no key, or the signal's reason.
   */
  async get(
    key: `/${string}`,
    { signal, ...init }: StoreOptions & RequestSettings = {},
  ): Promise<Uint8Array | undefined> {
    return this.#with(init).#read("get", { op: "get", key }, signal);
  }

  /** Some bytes of a key, likewise; {@link StoreError} or {@link HttpError} for a range beyond its end. */
  async getRange(
    key: `/${string}`,
    range: ByteRange,
    { signal, ...init }: StoreOptions & RequestSettings = {},
  ): Promise<Uint8Array | undefined> {
    const { suffixLength, offset, length } = Object(range);
    const wire: WireByteRange =
      suffixLength === undefined
        ? { offset: Number(offset), length: Number(length) }
        : { suffixLength: Number(suffixLength) };
    return this.#with(init).#read("getRange", { op: "get", key, range: wire }, signal);
  }

  /** The store with further settings of its requests. */
  #with({ headers, ...init }: RequestSettings): FetchStore {
    if (!headers && Object.keys(init).length === 0) return this;
    const options = { ...this.#options, overrides: { ...this.#options.overrides, ...init } };
    if (init.credentials) options.credentials = init.credentials;
    if (headers)
      options.headers = async () => ({ ...(await this.headers()), ...Object.fromEntries(new Headers(headers)) });
    return new FetchStore(this.url, options);
  }

  async #read(
    what: string,
    operation: { op: "get"; key: string; range?: WireByteRange },
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array | undefined> {
    checked(what, { signal });
    if (typeof operation.key !== "string") refuse(`${what}: key`, operation.key, "a text");
    const bytes = await engine.call<ArrayBuffer | null>(this, operation, { signal });
    return bytes ? new Uint8Array(bytes) : undefined;
  }
}

/** Refuses options that mean nothing, before a request is sent with them. */
function checkOptions(options: FetchStoreOptions): void {
  const { headers, missingStatus, retry, concurrency, timeout, cache, credentials, onRequest } = options;
  const refuse = (what: string, expected: string) => {
    throw new StoreError(`FetchStore: ${what}: ${expected} expected`);
  };
  const whole = (name: string, n: number | undefined, from: number, to: number) => {
    if (n !== undefined && !(Number.isInteger(n) && n >= from && n <= to))
      refuse(`${name} ${n}`, `a whole number from ${from} to ${to}`);
  };
  const oneOf = (value: string | undefined, all: readonly string[], name: string) => {
    if (value !== undefined && !all.includes(value))
      refuse(`${name} ${JSON.stringify(value)}`, `one of ${all.join(", ")}`);
  };
  oneOf(credentials, ["omit", "same-origin", "include"], "credentials");
  oneOf(cache, ["default", "no-store", "reload", "no-cache", "force-cache"], "cache");
  for (const [name, value] of Object.entries({ fetch: options.fetch, onRequest })) {
    if (value !== undefined && typeof value !== "function") refuse(name, "a function");
  }
  if (headers && typeof headers !== "function") {
    let all: Headers;
    try {
      all = new Headers(headers);
    } catch (cause) {
      throw new StoreError(`FetchStore: headers: ${cause}`, { cause });
    }
    if (all.has("Range")) refuse("headers", "no Range");
  }
  for (const status of missingStatus ?? []) if (status !== 0) whole("missingStatus", status, 400, 599);
  whole("retry.attempts", retry?.attempts, 1, 100);
  const delay = retry?.delay;
  if (delay !== undefined && !(delay >= 0 && delay <= 1e6)) refuse("retry.delay", "milliseconds, at most 1e6");
  whole("concurrency", concurrency, 1, 1000);
  if (timeout !== undefined && !(timeout > 0)) refuse("timeout", "milliseconds, more than 0");
}

/** @internal A URL in full: relative ones are relative to the page, and an empty one is the page's folder. */
export function absoluteUrl(url: string | URL): URL {
  const base = typeof document === "undefined" ? globalThis.location?.href : document.baseURI;
  try {
    return new URL(url || ".", base);
  } catch (cause) {
    const other = base ? "relative to the page" : "a store of files (@zarrita/storage)";
    const hint = `give one in full, or ${other}`;
    throw new StoreError(`"${url}" is not a URL: ${hint}`, { hint, cause });
  }
}

/** @internal Cuts the name of a metadata document off a URL's path, so that the URL of the document names the node. */
export function nodeUrl(url: string | URL): URL {
  const node = new URL(absoluteUrl(url));
  node.pathname = node.pathname.replace(/\/(zarr\.json|\.zarray|\.zgroup|\.zmetadata|\.zattrs)\/?$/, "/");
  return node;
}

/** @internal On an extended store: the store that the engine may use in its place, if there is one. */
export const inside: unique symbol = /* @__PURE__ */ Symbol("zarr-wasm.inside");

/** @internal The store that the engine uses for a store. */
export function engineStore(store: Readable & { [inside]?: Readable | undefined }): Readable {
  return store[inside] ? engineStore(store[inside]) : store;
}

/** A FetchStore, and not one whose ways to read have been replaced: by an extension, a subclass, or on the object. */
function isFetchStore(store: Readable): store is FetchStore {
  const { get, getRange } = FetchStore.prototype;
  return store instanceof FetchStore && !(inside in store) && store.get === get && store.getRange === getRange;
}

/** @internal What is a store, or else an error. */
export function checkStore<S extends Readable>(what: string, store: S, expected = "a store"): S {
  if (typeof store?.get !== "function" || Array.isArray(store)) refuse(what, store, expected);
  return store;
}

/** @internal How the engine reaches a store. */
export function storeToWire(
  store: Readable,
): { caches?: CacheBudgets } & (
  | { kind: "http"; url: string; options: WireHttpOptions; events: boolean }
  | { kind: "host"; ranges: boolean; memory: boolean }
) {
  const caches = wantedBudgets;
  if (isFetchStore(store)) return { kind: "http", ...store.toWire(), caches };
  return { kind: "host", ranges: typeof store.getRange === "function", memory: store instanceof Map, caches };
}

/** @internal Answers a question of the engine's. */
export async function answerForStore(
  store: Readable,
  question: WireQuestion,
  options: StoreOptions,
): Promise<WireFound> {
  if ("key" in question) {
    const bytes = await readFromHost(store, question.key, question.range, options);
    return bytes ? { bytes } : {};
  }
  if (!(store instanceof FetchStore)) throw new TypeError("the store is not one at a URL");
  return "fetch" in question ? store.send(question.fetch, options) : { headers: await store.headers() };
}

/** @internal Tells a store of a request. */
export function tellStore(store: Readable | undefined, event: RequestEvent): void {
  try {
    if (store && isFetchStore(store)) store.tell(event);
  } catch (error) {
    // The caller is the engine, which is not to blame.
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Reads a key for the engine. The bytes may be the store's own. */
async function readFromHost(
  store: Readable,
  key: string,
  range: WireByteRange | undefined,
  options: StoreOptions,
): Promise<Uint8Array | undefined> {
  const path = `/${key.replace(/^\/+/, "")}` as const;
  const ranged = range !== undefined && typeof store.getRange === "function";
  const found = await (ranged ? store.getRange?.(path, range, options) : store.get(path, options));
  if (found === undefined || found === null) return undefined;
  if (!(found instanceof Uint8Array)) throw new TypeError(`the store gave no Uint8Array for ${path}`);
  return range === undefined || ranged ? found : cut(found, range);
}
