import { HttpError, StoreError } from "./errors.js";
import type { WireByteRange, WireHttpOptions } from "./protocol.js";

/** A part of a stored object. */
export type ByteRange = { offset: number; length: number } | { suffixLength: number };

/** What a store may be given with a request. */
export interface StoreOptions {
  signal?: AbortSignal;
}

type Maybe<T> = T | null | undefined;

/**
 * A store: what zarrita calls a Readable. A `Map` is one too. Keys begin with a
 * slash; an absent key is `undefined`.
 */
export interface Readable {
  get(key: `/${string}`, options?: StoreOptions): Promise<Maybe<Uint8Array>> | Maybe<Uint8Array>;
  getRange?(
    key: `/${string}`,
    range: ByteRange,
    options?: StoreOptions,
  ): Promise<Maybe<Uint8Array>> | Maybe<Uint8Array>;
}

/** {@link Readable} by the name zarrita has for stores that answer later. */
export type AsyncReadable = Readable;

/** Settings of a {@link FetchStore}. */
export interface FetchStoreOptions {
  /**
   * Used instead of the platform's fetch, on the page's thread. Without it the
   * engine fetches in its worker, merges and retries.
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Sent with every request, and to no other origin. */
  headers?: HeadersInit | undefined;
  /** As fetch's; the default is `"same-origin"`. */
  credentials?: RequestCredentials | undefined;
  /** Statuses besides 404 that mean that a key is absent, such as 403 for buckets that may not be listed. */
  missingStatus?: readonly number[] | undefined;
  /** Ask for the end of an object by `bytes=-n`, which saves a request and, across origins, costs a preflight. */
  useSuffixRequest?: boolean | undefined;
  /** Further settings of every request, as zarrita has them. */
  overrides?: RequestInit | undefined;
}

/** A hierarchy at a URL. */
export class FetchStore implements Readable {
  /** The hierarchy's address. Its query string goes on every request. */
  readonly url: string | URL;
  readonly #base: URL;
  readonly #options: FetchStoreOptions;
  readonly #own: boolean;

  /** The URL may be relative to the page's. */
  constructor(url: string | URL, options: FetchStoreOptions = {}) {
    this.url = url;
    this.#base = absoluteUrl(url);
    this.#base.hash = "";
    const { headers, credentials, ...others } = options.overrides ?? {};
    this.#options = { ...options };
    this.#options.headers ??= headers;
    this.#options.credentials ??= credentials;
    this.#options.overrides = others;
    this.#own = (!!options.fetch && options.fetch !== globalThis.fetch) || Object.keys(others).length > 0;
  }

  /** @internal What the engine needs to fetch by itself; undefined when it must ask the page. */
  toWire(): { url: string; options: WireHttpOptions } | undefined {
    if (this.#own) return undefined;
    const { headers, credentials, missingStatus, useSuffixRequest } = this.#options;
    const options: WireHttpOptions = {};
    if (headers) options.headers = Object.fromEntries(new Headers(headers));
    if (credentials) options.credentials = credentials;
    if (missingStatus) options.missingStatus = [...missingStatus];
    if (useSuffixRequest) options.useSuffixRequest = true;
    return { url: this.#base.href, options };
  }

  /** All bytes of a key; undefined when it is absent. Throws {@link HttpError}. */
  async get(key: `/${string}`, options: StoreOptions = {}): Promise<Uint8Array | undefined> {
    const response = await this.#fetch(key, {}, options);
    return response && (await body(response));
  }

  /** Some bytes of a key; undefined when it is absent. Throws {@link HttpError}. */
  async getRange(key: `/${string}`, range: ByteRange, options: StoreOptions = {}): Promise<Uint8Array | undefined> {
    let wanted = range;
    if ("suffixLength" in range && !this.#options.useSuffixRequest) {
      const head = await this.#fetch(key, { method: "HEAD" }, options);
      if (!head) return undefined;
      const size = Number(head.headers.get("Content-Length") ?? Number.NaN);
      // Of a compressed answer the length is not that of the object.
      if (Number.isNaN(size) || head.headers.has("Content-Encoding")) {
        const whole = await this.get(key, options);
        return whole && cut(whole, range);
      }
      const length = Math.min(range.suffixLength, size);
      wanted = { offset: size - length, length };
    }
    const length = "suffixLength" in wanted ? wanted.suffixLength : wanted.length;
    if (length === 0) return new Uint8Array();
    const value =
      "suffixLength" in wanted
        ? `bytes=-${wanted.suffixLength}`
        : `bytes=${wanted.offset}-${wanted.offset + wanted.length - 1}`;
    const response = await this.#fetch(key, { headers: { Range: value } }, options);
    if (!response) return undefined;
    const bytes = await body(response);
    if (response.status !== 206) return cut(bytes, wanted);
    if (bytes.length !== length) {
      throw new HttpError(`${response.url || key}: ${bytes.length} bytes came where ${length} were asked for`, {
        status: 206,
        url: response.url,
        key,
      });
    }
    return bytes;
  }

  async #fetch(key: string, init: RequestInit, { signal }: StoreOptions): Promise<Response | undefined> {
    const { fetch: own, headers, credentials, missingStatus, overrides } = this.#options;
    const url = keyUrl(this.#base, key);
    const all = new Headers(headers);
    for (const [name, value] of new Headers(init.headers)) all.set(name, value);
    const settings: RequestInit = { ...overrides, ...init, headers: all };
    if (credentials) settings.credentials = credentials;
    if (signal) settings.signal = signal;
    const request = new Request(url, settings);
    let response: Response;
    try {
      response = await (own ? own(request) : globalThis.fetch(request));
    } catch (cause) {
      if (signal?.aborted) throw cause;
      throw new HttpError(`${url.href}: no answer that can be read`, {
        status: 0,
        url: url.href,
        key,
        hint: "the server may not be reachable, or may not allow this page to read it (CORS)",
        cause,
      });
    }
    if (response.status === 404 || missingStatus?.includes(response.status)) return undefined;
    if (response.status === 200 || response.status === 206) return response;
    throw new HttpError(`${url.href}: HTTP status ${response.status} ${response.statusText}`.trimEnd(), {
      status: response.status,
      url: url.href,
      key,
    });
  }
}

async function body(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const html = response.headers.get("Content-Type")?.startsWith("text/html");
  if (html && bytes[0] === 0x3c) {
    throw new HttpError(`${response.url}: an HTML page came where data was expected`, {
      status: response.status,
      url: response.url,
      hint: "the server may answer with a page of its own where there is no file",
    });
  }
  return bytes;
}

function keyUrl(base: URL, key: string): URL {
  const segments = key.replace(/^\/+/, "").split("/");
  if (segments.includes(".") || segments.includes("..")) {
    throw new StoreError(`a key may not hold the segments "." and "..": ${key}`, { key });
  }
  const url = new URL(base);
  url.pathname = [url.pathname.replace(/\/+$/, ""), ...segments.map(encodeURIComponent)].join("/");
  return url;
}

/** @internal A URL in full: relative ones are relative to the page. */
export function absoluteUrl(url: string | URL): URL {
  const base = typeof document === "undefined" ? globalThis.location?.href : document.baseURI;
  try {
    return new URL(url, base);
  } catch (cause) {
    const hint = base === undefined ? "without a page there is nothing that a URL could be relative to" : undefined;
    throw new StoreError(`${JSON.stringify(String(url))} is not a URL`, { hint, cause });
  }
}

/** @internal Cuts the name of a metadata document off a URL's path, so that the URL of the document names the node. */
export function nodeUrl(url: string | URL): URL {
  const node = new URL(absoluteUrl(url));
  node.pathname = node.pathname.replace(/\/(zarr\.json|\.zarray|\.zgroup|\.zmetadata|\.zattrs)\/?$/, "/");
  return node;
}

/** @internal How the engine reaches a store. */
export function storeToWire(
  store: Readable,
): { kind: "http"; url: string; options: WireHttpOptions } | { kind: "host"; ranges: boolean } {
  const http = store instanceof FetchStore ? store.toWire() : undefined;
  return http ? { kind: "http", ...http } : { kind: "host", ranges: typeof store.getRange === "function" };
}

/**
 * @internal
 * Reads a key for the engine. The bytes are the engine's to take: a copy, where
 * the store may still need its own.
 */
export async function readFromHost(
  store: Readable,
  key: string,
  range: WireByteRange | undefined,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const path = `/${key.replace(/^\/+/, "")}` as const;
  const ranged = range !== undefined && typeof store.getRange === "function";
  const found = await (ranged ? store.getRange?.(path, range, { signal }) : store.get(path, { signal }));
  if (found === undefined || found === null) return undefined;
  if (!(found instanceof Uint8Array)) throw new TypeError(`the store gave no Uint8Array for ${path}`);
  const wanted = range === undefined || ranged ? found : cut(found, range);
  const { buffer } = wanted;
  const own = store instanceof FetchStore && buffer instanceof ArrayBuffer && buffer.byteLength === wanted.length;
  return own ? new Uint8Array(buffer) : new Uint8Array(wanted);
}

function cut(bytes: Uint8Array, range: ByteRange): Uint8Array {
  if ("suffixLength" in range) return bytes.subarray(Math.max(0, bytes.length - range.suffixLength));
  return bytes.subarray(range.offset, range.offset + range.length);
}
