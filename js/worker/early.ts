import { likelyDocuments } from "../data/documents.js";
import type { EarlyOpen } from "../engine/protocol.js";
import { watchPolicy } from "../platform/policy.js";

interface EarlyRequest {
  /** The open that began it. */
  by: number;
  response: Promise<Response>;
  credentials: RequestCredentials | undefined;
  cache: RequestCache | undefined;
  abort(): void;
}

/**
 * Requests for metadata that are sent while the engine still starts. They are those that the engine
 * will send first, as zarr/meta's Likely names them; {@link fetch} hands each of them to the
 * engine once, when it asks for the same.
 */
export class EarlyRequests {
  readonly #requests = new Map<string, EarlyRequest>();

  /** Sends what opening a node will ask for, in one request each, if that can be told from here. */
  begin(by: number, { url, options, seconds, ...node }: EarlyOpen): void {
    const { credentials, cache, headers, hostHeaders, hostFetch, concurrency } = options;
    if (headers || hostHeaders || hostFetch) return;
    watchPolicy();
    const urls = documentUrls(url, node);
    if (this.#requests.size + urls.length > (concurrency ?? 16)) return;
    if (seconds) setTimeout(() => this.end(by), 1000 * seconds);
    for (const url of urls) {
      if (this.#requests.has(url)) continue;
      const control = new AbortController();
      const init: RequestInit = { signal: control.signal };
      if (credentials) init.credentials = credentials;
      if (cache) init.cache = cache;
      const response = fetch(url, init);
      response.catch(() => {}); // it may never be asked for
      this.#requests.set(url, { by, response, credentials, cache, abort: () => control.abort() });
    }
  }

  /** Ends the requests that were not asked for. */
  end(by: number): void {
    for (const [url, request] of this.#requests) {
      if (request.by !== by) continue;
      this.#requests.delete(url);
      request.abort();
    }
  }

  /** The platform's fetch, but for what has been sent already. */
  readonly fetch = (url: string, init: RequestInit): Promise<Response> => {
    const early = this.#requests.get(url);
    const same =
      !init.method &&
      Object.keys(init.headers ?? {}).length === 0 &&
      init.credentials === early?.credentials &&
      init.cache === early?.cache;
    if (!early || !same) return fetch(url, init);
    this.#requests.delete(url);
    init.signal?.addEventListener("abort", early.abort);
    return early.response;
  };
}

/** Where the documents of a node are; none where the engine may write an address in another way. */
function documentUrls(
  store: string,
  { path, format, kind, consolidated }: Omit<EarlyOpen, "url" | "options">,
): string[] {
  const { protocol, username, password, host, origin, pathname, search } = new URL(store);
  const segments = path.split("/").filter(Boolean);
  const plain =
    /^https?:$/.test(protocol) &&
    !username &&
    !password &&
    /^[\w.:[\]-]+$/.test(host) &&
    /^(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*$/i.test(pathname + search) &&
    segments.every((segment) => /^[\w.~-]+$/.test(segment) && !/^\.\.?$/.test(segment));
  if (!plain) return [];
  const folder = [pathname.replace(/\/$/, ""), ...segments].join("/");
  const names = likelyDocuments(format, kind, consolidated !== false);
  return names.map((name) => `${origin}${folder}/${name}${search}`);
}
