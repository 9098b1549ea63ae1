import { bodyOf } from "./body.js";
import { cut } from "./cut.js";
import { HttpError, StoreError } from "./errors.js";
import type { WireFetch, WireFound } from "./protocol.js";
import type { ByteRange, FetchStore, FetchStoreOptions, StoreOptions } from "./stores.js";

/** What a {@link FetchStore} does on the page's own thread: the engine reads its stores without it. */
export class PageFetch {
  readonly #base: URL;
  readonly #options: FetchStoreOptions;

  constructor(base: URL, options: FetchStoreOptions) {
    this.#base = base;
    this.#options = options;
  }

  /** Sends a request for the engine. */
  async send({ url, limits, ...init }: WireFetch, signal: AbortSignal): Promise<WireFound> {
    const { fetch: own, credentials, overrides } = this.#options;
    const settings: RequestInit = { ...overrides, ...init, signal };
    if (credentials) settings.credentials = credentials;
    const response = await (own ?? globalThis.fetch)(new Request(url, settings));
    const { status, type, headers } = response;
    const found: WireFound = { status, type, headers: Object.fromEntries(headers) };
    const limit = limits[[200, 206].indexOf(status)];
    if (init.method === "HEAD" || limit === undefined) await response.body?.cancel();
    else {
      const body = await bodyOf(response, limit);
      if (typeof body === "number") found.large = body;
      else found.bytes = body;
    }
    return found;
  }

  /** {@link FetchStore.get} */
  async get(key: `/${string}`, options: StoreOptions): Promise<Uint8Array | undefined> {
    const response = await this.#fetch(key, {}, options);
    return response && (await body(response));
  }

  /** {@link FetchStore.getRange} */
  async getRange(key: `/${string}`, range: ByteRange, options: StoreOptions): Promise<Uint8Array | undefined> {
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
    const all = new Headers(typeof headers === "function" ? await headers() : headers);
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
    if (response.status === 404 || response.status === 410 || missingStatus?.includes(response.status))
      return undefined;
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
