import { bodyOf, encodingOf, lengthOf, locationOf } from "../platform/body.js";
import { refusalOf, watchPolicy } from "../platform/policy.js";
import { canParse, scrub } from "../platform/redact.js";

/** Bodies up to this length are sent together with their heads. */
const short = 64 << 10;

/** The headers that Go reads, in the order of the message. */
const shown = ["content-length", "content-type", "content-range", "etag", "retry-after", "last-modified", "location"];

/**
 * Receives the results of a request. The first result is its head, and the body if that is short.
 * After a request for the body, `null` reports every further 256 KiB. The last result is the body,
 * or, if it is too long, its length as a number, -1 if unknown. `undefined` reports a failure with
 * its reason, and `false` an address that cannot be parsed.
 */
export type Settle = (
  id: number,
  what: Uint8Array | null | number | false | undefined,
  more?: Uint8Array | { name: string; message: string },
) => void;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

interface Running {
  control: AbortController;
  /** Reads the body. Set after the head was sent, until the body is read. */
  body?: (limit: number, came: () => void) => Promise<Uint8Array | number>;
}

/**
 * Sends requests for Go and reads their responses. Each call between Go and JavaScript takes time,
 * and fetch alone would take forty such calls. store/httpstore/fetch_js.go is the other side, which
 * makes all decisions.
 */
export class Exchange {
  readonly #running = new Map<number, Running>();
  readonly #fetch: Fetch;
  readonly #settle: Settle;

  constructor(fetch: Fetch, settle: Settle) {
    this.#fetch = fetch;
    this.#settle = settle;
    watchPolicy();
  }

  /**
   * Sends a request. `text` has a line each for the method, URL, Range, cache mode, credentials and
   * redirect mode, then the names and values of further headers. Lines of unset values are empty.
   * Only bodies of status 200 and 206 are read, of at most `whole` and `part` bytes. A request that
   * writes has a body of its own.
   */
  async send(id: number, text: string, whole: number, part: number, own?: Uint8Array<ArrayBuffer>): Promise<void> {
    const request: Running = { control: new AbortController() };
    this.#running.set(id, request);
    const [url, init] = requestOf(text);
    if (!canParse(url)) {
      this.#running.delete(id);
      this.#settle(id, false);
      return;
    }
    try {
      if (own) init.body = own;
      const response = await this.#fetch(url, { ...init, signal: request.control.signal });
      const body = await shortBody(response, init.method === "HEAD", whole, part);
      if (this.#running.get(id) !== request) return;
      if (body instanceof Uint8Array) {
        this.#running.delete(id);
        this.#settle(id, headOf(response, url), body);
        return;
      }
      request.body = body ?? ((limit, came) => bodyOf(response, limit, came));
      this.#settle(id, headOf(response, url));
    } catch (reason) {
      const refusal = await refusalOf(url);
      this.#fail(id, refusal ? new DOMException(refusal, "SecurityError") : reason);
    }
  }

  /** Reads the body of a request after its head, if it has at most `limit` bytes. */
  async read(id: number, limit: number): Promise<void> {
    const request = this.#running.get(id);
    try {
      const body = await request?.body?.(limit, () => {
        if (this.#running.has(id)) this.#settle(id, null);
      });
      if (body === undefined || !this.#running.delete(id)) return;
      if (typeof body === "number") request?.control.abort();
      this.#settle(id, body);
    } catch (reason) {
      this.#fail(id, reason);
    }
  }

  /** Aborts a request. Nothing more is reported of it. */
  end(id: number): void {
    const request = this.#running.get(id);
    this.#running.delete(id);
    request?.control.abort();
  }

  #fail(id: number, reason: unknown): void {
    const { name, message, cause } = Object(reason);
    const parts = [message || "the request failed", Object(cause).message].filter(
      (part) => typeof part === "string" && part,
    );
    if (this.#running.delete(id)) this.#settle(id, undefined, { name: `${name}`, message: scrub(parts.join(": ")) });
  }
}

function requestOf(text: string): [string, RequestInit] {
  const [method, url = "", range, cache, credentials, redirect, ...others] = text.split("\n");
  const init: RequestInit = {};
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < others.length; i += 2) headers[others[i] as string] = others[i + 1] as string;
  if (range) headers.Range = range;
  if (range || others.length > 1) init.headers = headers;
  if (method) init.method = method;
  if (cache) init.cache = cache as RequestCache;
  if (credentials) init.credentials = credentials as RequestCredentials;
  if (redirect) init.redirect = redirect as RequestRedirect;
  return [url, init];
}

const noBytes = new Uint8Array();

/**
 * Returns the body if it is short, and no bytes if it is not needed. For a body that fails or
 * exceeds the limit, returns a function with the same outcome.
 */
async function shortBody(
  response: Response,
  bodiless: boolean,
  whole: number,
  part: number,
): Promise<Uint8Array | undefined | (() => Promise<number>)> {
  if (bodiless) return noBytes;
  const { status } = response;
  const limit = status === 200 ? whole : status === 206 ? part : undefined;
  const length = lengthOf(response.headers);
  if (length === undefined || length > Math.min(short, limit ?? short)) return undefined;
  try {
    // An unneeded body is read too, so that the connection can be reused.
    const body = await bodyOf(response, limit ?? short);
    if (limit === undefined) return noBytes;
    return typeof body === "number" ? () => Promise.resolve(body) : body;
  } catch (reason) {
    // The failure is reported after the status.
    return limit === undefined ? noBytes : () => Promise.reject(reason);
  }
}

/**
 * Returns a response's head: a text with a line each for status, type, encoding, "no-store" if it
 * is set, and headers.
 */
function headOf({ status, type, headers }: Response, url: string): Uint8Array {
  const value = (name: string) => (name === "location" ? locationOf(headers, url) : headers.get(name)) ?? "";
  const unkept = /(^|,)\s*no-store\s*(,|$)/i.test(value("cache-control")) ? "no-store" : "";
  const head = [status, type, encodingOf(headers), unkept, ...shown.map(value)].join("\n");
  const bytes = new Uint8Array(head.length);
  // Headers are bytes, and fetch returns each as a character.
  for (let i = 0; i < head.length; i++) bytes[i] = head.charCodeAt(i);
  return bytes;
}
