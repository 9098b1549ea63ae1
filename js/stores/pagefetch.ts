import type { StoreAnswer } from "../engine/protocol/page.js";
import type { WireFetch } from "../engine/protocol/wire.js";
import { bodyOf, lengthOf, locationOf, perTimeout } from "../platform/body.js";
import { refusalOf, watchPolicy } from "../platform/policy.js";
import { canParse } from "../platform/redact.js";
import type { FetchStoreOptions } from "./fetchstore.js";

/** The maximum delay of timers. */
const longest = 2 ** 31 - 1;

/**
 * Sends a request of the engine on the page's thread, with the fetch and the settings of the
 * store's user. The result has the type "slow" if the server was silent for the `timeout` of the
 * settings. This holds even if that fetch ignores the signal of its request.
 */
export async function sendOnPage(
  request: WireFetch,
  options: FetchStoreOptions,
  more: RequestInit,
): Promise<StoreAnswer> {
  const { timeout = 60_000 } = options;
  const stop = new AbortController();
  const signal = more.signal ? AbortSignal.any([more.signal, stop.signal]) : stop.signal;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let status = 0;
  const silent = new Promise<StoreAnswer>((resolve) => {
    stop.signal.addEventListener("abort", () => resolve({ status, type: "slow" }));
  });
  /** Restarts the timer: for an answer, or for `coming` bytes of its body. */
  const wait = (coming: number) => {
    clearTimeout(timer);
    if (timeout > longest) return;
    const time = Math.min(longest, timeout * (1 + Math.floor(coming / perTimeout)));
    timer = setTimeout(() => stop.abort(), time);
  };
  wait(0);
  const begins = (response: Response) => {
    ({ status } = response);
    wait(lengthOf(response.headers) ?? 0);
    return () => wait(0);
  };
  try {
    return await Promise.race([exchange(request, options, { ...more, signal }, begins), silent]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends a request. Calls `begins` with the answer, and calls its result for each further
 * {@link perTimeout} bytes of a body of unknown size.
 */
async function exchange(
  { url, limits, ...init }: WireFetch,
  { fetch: own, credentials, overrides }: FetchStoreOptions,
  more: RequestInit,
  begins: (response: Response) => () => void,
): Promise<StoreAnswer> {
  const headers = new Headers(more.headers);
  for (const [name, value] of Object.entries(init.headers)) headers.set(name, value);
  const settings: RequestInit = { ...overrides, ...init, ...more, headers };
  if (credentials) settings.credentials = credentials;
  if (!canParse(url)) return { type: "invalid" };
  watchPolicy();
  let response: Response;
  try {
    response = await (own || globalThis.fetch)(new Request(url, settings));
  } catch (error) {
    const refused = await refusalOf(url);
    if (refused === undefined) throw error;
    return { refused };
  }
  const came = begins(response);
  const { status, type } = response;
  const found: StoreAnswer = { status, type, headers: Object.fromEntries(response.headers) };
  if (response.redirected) found.url = response.url;
  const location = locationOf(response.headers, url);
  if (location) found.headers = { ...found.headers, location };
  const limit = limits[[200, 206].indexOf(status)];
  // The promise is not awaited: cancelling a clone's body ends only after the other body has ended.
  if (init.method === "HEAD" || limit === undefined) void response.body?.cancel().catch(() => {});
  else {
    const body = await bodyOf(response, limit, came);
    if (typeof body === "number") found.large = body;
    else found.bytes = body;
  }
  return found;
}
