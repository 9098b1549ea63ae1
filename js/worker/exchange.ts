import { bodyOf, encodingOf, lengthOf, locationOf } from "../platform/body.js";
import { refusalOf, watchPolicy } from "../platform/policy.js";
import { canParse, scrub } from "../platform/redact.js";

/** Bodies that are not longer come together with their heads. */
const short = 64 << 10;

/** Headers that Go looks at, in the order in which it is told of them. */
const shown = ["content-length", "content-type", "content-range", "etag", "retry-after", "last-modified", "location"];

/** In a head: the body is yet to be asked for. */
const bodyLater = 1 << 16;

/**
 * Takes what becomes of a request. First comes its head, with the body where that is short; of one that is asked for,
 * null whenever another 256 KiB have come, and then the body, or a number if it is longer than allowed: its length, -1
 * where that is not known. In place of any of them, undefined is a failure, with its reason, and false an address that cannot be parsed.
 */
export type Settle = (
  id: number,
  what: Uint8Array | null | number | false | undefined,
  reason?: { name: string; message: string },
) => void;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

interface Running {
  control: AbortController;
  /** Its body, from when its head has been told until it has been read. */
  body?: (limit: number, came: () => void) => Promise<Uint8Array | number>;
}

/**
 * Sends requests for Go: what can be done with a response without a decision is done here, because every call between Go
 * and JavaScript takes time, and fetch alone takes forty. store/httpstore/fetch_js.go is the other side, and decides.
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
   * Sends a request: its method, URL, Range, cache mode, credentials, way with redirects, and the names and values of
   * further headers, a line each, empty for what is not set. Only bodies of status 200 and
   * 206 are wanted, which may have `whole` bytes and `part`. A request that writes has a body of its own.
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
      if (body instanceof Uint8Array) this.#running.delete(id);
      else request.body = body ?? ((limit, came) => bodyOf(response, limit, came));
      this.#settle(id, headOf(response, url, body instanceof Uint8Array ? body : undefined));
    } catch (reason) {
      const refusal = await refusalOf(url);
      this.#fail(id, refusal ? new DOMException(refusal, "SecurityError") : reason);
    }
  }

  /** Reads the body of a request whose head has come, if it has no more than so many bytes. */
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

  /** Ends a request, of which nothing is told from then on. */
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
 * A body that is wanted, if it is short, and no bytes of one that is not wanted. Of one that fails, or turns out to be longer than
 * allowed, something that does so likewise.
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
    // Also where it is not wanted: read to its end, the connection can be used again.
    const body = await bodyOf(response, limit ?? short);
    if (limit === undefined) return noBytes;
    return typeof body === "number" ? () => Promise.resolve(body) : body;
  } catch (reason) {
    // It is told of after the status.
    return limit === undefined ? noBytes : () => Promise.reject(reason);
  }
}

/**
 * Status, with {@link bodyLater}, and the length of the head, uint32 both; the head, a line each: type, encoding,
 * "no-store" where that is said, and headers; the body, if it is here.
 */
function headOf({ status, type, headers }: Response, url: string, body: Uint8Array | undefined): Uint8Array {
  const value = (name: string) => (name === "location" ? locationOf(headers, url) : headers.get(name)) ?? "";
  const unkept = /(^|,)\s*no-store\s*(,|$)/i.test(value("cache-control")) ? "no-store" : "";
  const head = [type, encodingOf(headers), unkept, ...shown.map(value)].join("\n");
  const from = 8 + head.length;
  const bytes = new Uint8Array(from + (body?.length ?? 0));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, body ? status : status | bodyLater, true);
  view.setUint32(4, head.length, true);
  // Headers are bytes, and fetch gives each as a character.
  for (let i = 0; i < head.length; i++) bytes[8 + i] = head.charCodeAt(i);
  if (body) bytes.set(body, from);
  return bytes;
}
