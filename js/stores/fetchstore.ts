import { type EngineSide, engineSide } from "../engine/description.js";
import type { RequestEvent, WireHttpOptions } from "../engine/protocol/wire.js";
import { StoreError } from "../errors.js";
import { isPlatformFetch } from "../platform/ownfetch.js";
import { redact } from "../platform/redact.js";
import { absoluteUrl } from "../platform/url.js";
import { checked, refuse } from "../shared/arguments.js";
import { lazy } from "../shared/lazily.js";
import { Printed } from "../shared/printed.js";
import { EngineStore } from "./enginestore.js";
import type { ByteRange, StoreOptions } from "./readable.js";

/** Settings of a {@link FetchStore}. */
export interface FetchStoreOptions {
  /**
   * Sends the requests on the page's thread. It is called with a Request that has its Range and its
   * signal. The default is the engine's own fetching in its worker. If `globalThis.fetch` is not
   * the platform's own at the store's first read, it is the default. `false` always selects the
   * engine's.
   */
  fetch?: ((request: Request) => Promise<Response>) | false | undefined;
  /**
   * Headers of every request. They are not sent to other origins. A function is called for each
   * request and may return a promise, for tokens that expire.
   */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>) | undefined;
  /** As for fetch; the default is `"same-origin"`. */
  credentials?: RequestCredentials | undefined;
  /**
   * Statuses that mean an absent key, in addition to 404 and 410. An example is 403 for buckets
   * that may not be listed.
   *
   * The status 0 is for servers whose 404 has no CORS headers: the browser hides such answers from
   * the page. A request that is blocked twice then means an absent key, even if the server is down.
   */
  missingStatus?: readonly number[] | undefined;
  /**
   * Retries of requests that failed for a temporary reason (408, 429, 500, 502, 503, 504, no
   * answer). `attempts` is the maximum number of attempts, 4 by default. `delay` is the approximate
   * delay before the second attempt in milliseconds, 100 by default, and doubles before each
   * further one. `Retry-After` is respected.
   */
  retry?: { attempts?: number | undefined; delay?: number | undefined } | undefined;
  /**
   * The maximum number of concurrent requests to the origin, including those of other stores. The
   * default is 16, and 64 while answers are small.
   */
  concurrency?: number | undefined;
  /**
   * The time limit for the start of an answer, and for every further 256 KiB of it, in
   * milliseconds. 60000 by default; `Infinity` for no limit.
   */
  timeout?: number | undefined;
  /**
   * Request the end of an object by `bytes=-n`. This saves a request, but costs a preflight across
   * origins.
   */
  useSuffixRequest?: boolean | undefined;
  /**
   * As for fetch. By default requests use the browser's cache, except for a range of an object
   * while another range of it is being fetched. Chromium would delay that range until the other is
   * complete.
   */
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache" | undefined;
  /** Called for every request, and for every read that needed none. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /**
   * Further settings of every request, as in zarrita. With them, requests are sent on the page's
   * thread.
   */
  overrides?: RequestInit | undefined;
}

/** Further settings of one request, except `priority`, which reads use with another meaning. */
type RequestSettings = Omit<RequestInit, "signal" | "priority">;

/** A hierarchy at a URL. */
export class FetchStore extends EngineStore {
  static {
    Printed.tag(FetchStore.prototype, "FetchStore");
  }

  /** The hierarchy's address. Its query string is added to every request. */
  readonly url: string | URL;
  /** The absolute URL, if the page that created the store can resolve it. */
  readonly #base: URL | undefined;
  readonly #options: FetchStoreOptions;
  readonly #object: boolean;

  /**
   * The URL may be relative to the page's. An empty one is the folder of the reading page. Calls
   * reject with a {@link StoreError} for an invalid URL or invalid options.
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

  /** @internal The URL in a form that may be shown: without secret parts. */
  override get address(): string {
    return redact(String(this.url));
  }

  /** @internal Undefined if a subclass or the object overrides get or getRange. */
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
      // JSON cannot represent these numbers.
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

  /** Reads a key. Further settings of the request override the store's. */
  override async get(
    key: `/${string}`,
    { signal, ...init }: StoreOptions & RequestSettings = {},
  ): Promise<Uint8Array | undefined> {
    return EngineStore.prototype.get.call(this.#with(init), key, { signal } as StoreOptions);
  }

  /** Reads a range of a key. Further settings of the request override the store's. */
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

  /** Returns the store with further settings of its requests. */
  #with({ headers, ...init }: RequestSettings): FetchStore {
    if (!headers && Object.keys(init).length === 0) return this;
    const options = { ...this.#options, overrides: { ...this.#options.overrides, ...init } };
    if (init.credentials) options.credentials = init.credentials;
    if (init.cache && init.cache !== "only-if-cached") options.cache = init.cache;
    if (headers) options.headers = async () => ({ ...(await this.#headers()), ...headersOf(headers) });
    return new FetchStore(this.url, options, this.#object);
  }
}

/** Returns an absolute URL. Returns undefined for an invalid one, which the first read reports. */
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

/** Returns headers as an object. */
function headersOf(headers: HeadersInit | undefined): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    // The platform's error quotes the value, which may be a credential: it must not become the
    // cause.
    throw new StoreError("FetchStore: headers: a name or a value cannot be sent");
  }
}
