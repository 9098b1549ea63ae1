import type { WireFetch, WireFound } from "../engine/protocol.js";
import { bodyOf } from "../platform/body.js";
import { refusalOf, watchPolicy } from "../platform/policy.js";
import type { FetchStoreOptions } from "./fetchstore.js";

/** Sends a request of the engine's on the page's own thread, by the fetch and with the settings of a store's user. */
export async function sendOnPage(
  { url, limits, ...init }: WireFetch,
  { fetch: own = globalThis.fetch, credentials, overrides }: FetchStoreOptions,
  more: RequestInit,
): Promise<WireFound> {
  const headers = new Headers(more.headers);
  for (const [name, value] of Object.entries(init.headers)) headers.set(name, value);
  const settings: RequestInit = { ...overrides, ...init, ...more, headers };
  if (credentials) settings.credentials = credentials;
  watchPolicy();
  let response: Response;
  try {
    response = await own(new Request(url, settings));
  } catch (error) {
    const refused = await refusalOf(url);
    if (refused === undefined) throw error;
    return { refused };
  }
  const { status, type } = response;
  const found: WireFound = { status, type, headers: Object.fromEntries(response.headers) };
  const limit = limits[[200, 206].indexOf(status)];
  if (init.method === "HEAD" || limit === undefined) await response.body?.cancel();
  else {
    const body = await bodyOf(response, limit);
    if (typeof body === "number") found.large = body;
    else found.bytes = body;
  }
  return found;
}
