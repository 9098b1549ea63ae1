import { lazy } from "#lazy";
import { type EngineSide, engineSide } from "../engine/description.js";
import type { RequestEvent } from "../engine/protocol/answers.js";
import type { WireHttpOptions } from "../engine/protocol/requests.js";
import { StoreError } from "../errors.js";
import { isPlatformFetch } from "../platform/ownfetch.js";
import { redact } from "../platform/redact.js";
import { absoluteUrl } from "../platform/url.js";
import { Printed } from "../printed.js";
import { checked, refuse } from "../refuse.js";
import { EngineStore } from "./enginestore.js";
import type { ByteRange, StoreOptions } from "./readable.js";

/** Settings of a {@link FetchStore}. */
export interface FetchStoreOptions {
  /**
   * Sends the requests, on the page's thread: it is called with a Request that has its Range and its signal. The default
   * is the engine's own fetching in its worker, or `globalThis.fetch` where that is not the platform's own when the store is
   * first read. `false` makes it the engine's in any case.
   */
  fetch?: ((request: Request) => Promise<Response>) | false | undefined;
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
   * What is done when a request fails for a reason that may pass (408, 429, 500, 502, 503, 504, no answer): how
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
export class FetchStore extends EngineStore {
  static {
    Printed.tag(FetchStore.prototype, "FetchStore");
  }

  /** The hierarchy's address. Its query string goes on every request. */
  readonly url: string | URL;
  /** The URL in full, where the page that made the store has one for it. */
  readonly #base: URL | undefined;
  readonly #options: FetchStoreOptions;
  readonly #object: boolean;

  /**
   * The URL may be relative to the page's; an empty one is the folder of the page that reads. Calls reject with a
   * {@link StoreError} where it is no URL, and where options are not valid.
   */
  constructor(url: string | URL, options?: FetchStoreOptions);
  /** @internal With `object`, the URL is that of one object, which is read whatever its key. */
  constructor(url: string | URL, options?: FetchStoreOptions, object?: boolean);
  constructor(url: string | URL, options: FetchStoreOptions = {}, object = false) {
    super();
    this.#object = object;
    if (typeof url !== "string" && !(url instanceof URL)) refuse("FetchStore: url", url, "a URL");
    checked("FetchStore", options);
    this.url = url;
    if (url !== "") this.#base = parsed(url);
    const { headers, credentials, ...others } = options.overrides ?? {};
    this.#options = { ...options };
    this.#options.headers ??= headers;
    this.#options.credentials ??= credentials;
    this.#options.overrides = others;
    checkHeaders(this.#options);
  }

  /** @internal The URL as it may be shown: without what may be secret. */
  override get address(): string {
    return redact(String(this.url));
  }

  /** @internal Undefined when ways to read have been replaced, by a subclass or on the object. */
  override get [engineSide](): EngineSide | undefined {
    const { get, getRange } = FetchStore.prototype;
    if (this.get !== get || this.getRange !== getRange) return undefined;
    return {
      describe: (number) => ({ http: { ...this.#toWire(), host: number(this) } }),
      tell: this.#options.onRequest,
      headers: () => this.#headers(),
      send: async (request, options) => (await lazy()).sendOnPage(request, this.#options, options),
    };
  }

  #toWire(): { url: string; options: WireHttpOptions } {
    const { headers, credentials, missingStatus, useSuffixRequest, retry, concurrency, timeout, cache } = this.#options;
    const { fetch, overrides } = this.#options;
    const options: WireHttpOptions = {};
    if (typeof headers === "function") options.hostHeaders = true;
    else if (headers) options.headers = headersOf(headers);
    if (credentials) options.credentials = credentials;
    if (missingStatus) options.missingStatus = [...missingStatus];
    if (useSuffixRequest) options.useSuffixRequest = true;
    const numbers = { concurrency, attempts: retry?.attempts, retryDelay: retry?.delay, timeout };
    for (const [name, n] of Object.entries(numbers) as [keyof typeof numbers, number | undefined][]) {
      // JSON has no such numbers.
      if (n !== undefined) options[name] = Number.isNaN(n) ? -2 : n >= 2 ** 31 ? -1 : n;
    }
    if (cache) options.cache = cache;
    const sender = fetch ?? globalThis.fetch;
    if ((sender && !isPlatformFetch(sender)) || Object.keys(overrides ?? {}).length > 0) options.hostFetch = true;
    if (this.#object) options.object = true;
    return { url: (this.#base ?? absoluteUrl(this.url)).href, options };
  }

  async #headers(): Promise<Record<string, string>> {
    const { headers } = this.#options;
    return headersOf(typeof headers === "function" ? await headers() : headers);
  }

  /** As of every store; further settings of a request go before the store's. */
  override async get(
    key: `/${string}`,
    { signal, ...init }: StoreOptions & RequestSettings = {},
  ): Promise<Uint8Array | undefined> {
    return EngineStore.prototype.get.call(this.#with(init), key, { signal } as StoreOptions);
  }

  /** Likewise. */
  override async getRange(
    key: `/${string}`,
    range: ByteRange,
    { signal, ...init }: StoreOptions & RequestSettings = {},
  ): Promise<Uint8Array | undefined> {
    return EngineStore.prototype.getRange.call(this.#with(init), key, range, { signal } as StoreOptions);
  }

  /** @internal */
  protected override again(): FetchStore {
    return new FetchStore(this.url, this.#options, this.#object);
  }

  /** The store with further settings of its requests. */
  #with({ headers, ...init }: RequestSettings): FetchStore {
    if (!headers && Object.keys(init).length === 0) return this;
    const options = { ...this.#options, overrides: { ...this.#options.overrides, ...init } };
    if (init.credentials) options.credentials = init.credentials;
    if (init.cache && init.cache !== "only-if-cached") options.cache = init.cache;
    if (headers) options.headers = async () => ({ ...(await this.#headers()), ...headersOf(headers) });
    return new FetchStore(this.url, options, this.#object);
  }
}

/** A URL in full; undefined where there is none, which the first read reports. */
function parsed(url: string | URL): URL | undefined {
  try {
    return absoluteUrl(url);
  } catch {
    return undefined;
  }
}

/** Rejects headers that cannot be sent. The engine checks the other settings. */
function checkHeaders({ headers }: FetchStoreOptions): void {
  if (headers && typeof headers !== "function") headersOf(headers);
}

/** Headers as an object. */
function headersOf(headers: HeadersInit | undefined): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    // The platform's error quotes the value, which may be a credential, so it is no cause.
    throw new StoreError("FetchStore: headers: a name or a value cannot be sent");
  }
}
