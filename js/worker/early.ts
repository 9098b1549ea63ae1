import { documentNames, likelyDocuments } from "../data/documents.js";
import type { EarlyOpen } from "../engine/protocol/worker.js";
import { watchPolicy } from "../platform/policy.js";
import { earlyKeys } from "./earlychunks.js";

interface EarlyRequest {
  /** The number of the open that started the request. */
  by: number;
  response: Promise<Response>;
  credentials: RequestCredentials | undefined;
  cache: RequestCache | undefined;
  abort(): void;
}

/**
 * Requests that are sent while the engine starts. They fetch the metadata that the engine will
 * request first, as zarr/meta's Likely lists it. For a selection they also fetch its chunks, once
 * the metadata are known. {@link fetch} passes each to the engine once, for an equal request.
 */
export class EarlyRequests {
  readonly #requests = new Map<string, EarlyRequest>();

  /** The opens that have not ended. */
  readonly #opens = new Set<number>();

  /** Sends the first requests of opening a node, if they can be determined here. */
  begin(by: number, { url, options, seconds, selection, ...node }: EarlyOpen): void {
    const { headers, hostHeaders, hostFetch } = options;
    // With these options, the engine decides how redirects are followed.
    if (headers || hostHeaders || hostFetch || options.credentials === "include") return;
    watchPolicy();
    const { format, kind, consolidated, sparing, bare, path } = node;
    const address = addressOf(url, path);
    if (!address) return;
    this.#opens.add(by);
    if (seconds) setTimeout(() => this.end(by), 1000 * seconds);
    const names = likelyDocuments(format, kind, consolidated !== false, sparing, bare);
    const responses = this.#ask(by, names.map(address), options);
    for (const [i, name] of names.entries()) {
      const response = responses[i];
      if (!response || selection === undefined) continue;
      if (name !== documentNames.v3 && name !== documentNames.array) continue;
      chunksOf(response, selection).then(
        (keys) => this.#opens.has(by) && this.#ask(by, keys.map(address), options),
        () => {}, // the engine reports the errors of the document
      );
    }
  }

  /** Sends all requests or none. Returns undefined for requests that were already sent. */
  #ask(by: number, urls: readonly string[], options: EarlyOpen["options"]): (Promise<Response> | undefined)[] {
    const { credentials, cache, concurrency } = options;
    if (this.#requests.size + urls.length > (concurrency ?? 16)) return [];
    return urls.map((url) => {
      if (this.#requests.has(url)) return undefined;
      const control = new AbortController();
      const init: RequestInit = { signal: control.signal };
      if (credentials) init.credentials = credentials;
      if (cache) init.cache = cache;
      const response = fetch(url, init);
      response.catch(() => {}); // it may never be awaited
      this.#requests.set(url, { by, response, credentials, cache, abort: () => control.abort() });
      return response;
    });
  }

  /** Aborts the unused requests of an open. */
  end(by: number): void {
    this.#opens.delete(by);
    for (const [url, request] of this.#requests) {
      if (request.by !== by) continue;
      this.#requests.delete(url);
      request.abort();
    }
  }

  /** The platform's fetch, which first uses requests that were already sent. */
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

/** Returns the keys of a selection's chunks if the response is the document of an array. */
async function chunksOf(response: Promise<Response>, selection: EarlyOpen["selection"]): Promise<string[]> {
  const answer = await response;
  // A clone, because the engine reads the response itself.
  return answer.ok ? earlyKeys(JSON.parse(await answer.clone().text()), selection ?? null) : [];
}

/**
 * Returns a function that gives the URLs below a node. Returns undefined if the engine may write an
 * address in another form.
 */
function addressOf(store: string, path: string): ((name: string) => string) | undefined {
  const { protocol, username, password, host, origin, pathname, search } = new URL(store);
  const segments = path.split("/").filter(Boolean);
  const plain =
    /^https?:$/.test(protocol) &&
    !username &&
    !password &&
    /^[\w.:[\]-]+$/.test(host) &&
    /^(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*$/i.test(pathname + search) &&
    segments.every((segment) => /^[\w.~-]+$/.test(segment) && !/^\.\.?$/.test(segment));
  if (!plain) return undefined;
  const folder = [pathname.replace(/\/$/, ""), ...segments].join("/");
  return (name) => `${origin}${folder}/${name}${search}`;
}
