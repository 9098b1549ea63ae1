// Sends a viewer's requests to a host and records the answers. The module hostjudge judges them.

import { DOCUMENTS } from "./url.js";

/** An answer of a host, or the lack of one. */
export interface Answer {
  readonly url: string;
  /** The HTTP status; 0 if the page received no answer. */
  readonly status: number;
  /** The headers that the page may read, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The number of received bytes. */
  readonly bytes: number;
  /** The beginning of the body as text. */
  readonly begins: string;
  /** The address after redirects. */
  readonly from: string;
  /** The reason for a missing answer. */
  readonly error: string;
}

/** All findings about a host. */
export interface Probe {
  /** The address of the folder, or of the single object. */
  readonly url: string;
  /** Whether the address is one object, such as an archive. */
  readonly object: boolean;
  /** The address of the page that sent the requests. */
  readonly page: string;
  /** Metadata documents, or the single object. */
  readonly documents: readonly Answer[];
  /** The document that exists; null if none is readable. */
  readonly found: Answer | null;
  /** Whether the host answered at all, even if the page may read nothing. */
  readonly alive: boolean;
  /** The answer for a name that cannot exist. */
  readonly missing: Answer;
  /** The first ten bytes of the object. */
  readonly range: Answer | null;
  /** Its last ten bytes. Browsers send an OPTIONS request to other origins first. */
  readonly suffix: Answer | null;
  /**
   * Whether the folder's names were listed, or the reason why not. Null if this was not checked.
   */
  readonly listing: { readonly listed: boolean; readonly why: string } | null;
  /** The browser's record of the transfer, if available. */
  readonly way: { readonly encoded: number; readonly decoded: number; readonly protocol: string } | null;
}

const PATIENCE = 20_000;

async function ask(url: string, init: RequestInit, signal: AbortSignal): Promise<Answer> {
  const empty = { url, status: 0, headers: {}, bytes: 0, begins: "", from: url };
  try {
    const both = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
    const response = await fetch(url, { cache: "no-store", credentials: "omit", ...init, signal: both });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return {
      ...empty,
      status: response.status,
      headers: Object.fromEntries(response.headers),
      bytes: bytes.length,
      begins: new TextDecoder().decode(bytes.subarray(0, 256)),
      from: response.url || url,
      error: "",
    };
  } catch (error) {
    signal.throwIfAborted();
    return { ...empty, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Reports whether anything answers at an address. The page cannot read the answer. */
async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    await fetch(url, { mode: "no-cors", cache: "no-store", credentials: "omit", signal });
    return true;
  } catch {
    return false;
  }
}

/** Appends a name to an address, before its query. */
export function below(url: string, name: string): string {
  const at = new URL(url);
  at.pathname = `${at.pathname.replace(/\/+$/, "")}/${name}`;
  return at.href;
}

/** Probes a host. `listed` reports whether the folder's names can be listed; it runs last. */
export async function probe(
  url: string,
  page: string,
  signal: AbortSignal,
  listed: (url: string) => Promise<{ listed: boolean; why: string } | null>,
): Promise<Probe> {
  const object = /\.(zip|ozx|json|parq|parquet)$/i.test(new URL(url).pathname);
  const names = object ? [url] : DOCUMENTS.map((name) => below(url, name));
  // An archive is a single file, so only its beginning is fetched.
  const some: RequestInit = object ? { headers: { Range: "bytes=0-255" } } : {};
  const documents = await Promise.all(names.map((name) => ask(name, some, signal)));
  const found = documents.find(({ status }) => status === 200 || status === 206) ?? null;
  const none = object
    ? url.replace(/(\.\w+)([?#]|$)/, ".no-such-object-48151623$1$2")
    : below(url, "no-such-object-48151623");
  const [missing, range, suffix, alive] = await Promise.all([
    ask(none, {}, signal),
    found && ask(found.url, { headers: { Range: "bytes=0-9" } }, signal),
    found && ask(found.url, { headers: { Range: "bytes=-10" } }, signal),
    found !== null || answers(documents.find(({ status }) => status === 0)?.url ?? url, signal),
  ]);
  const listing = object || !found ? null : await listed(url);
  const entry = performance.getEntriesByName(found?.url ?? "").at(0) as PerformanceResourceTiming | undefined;
  const way = entry && {
    encoded: entry.encodedBodySize,
    decoded: entry.decodedBodySize,
    protocol: entry.nextHopProtocol,
  };
  return { url, object, page, documents, found, alive, missing, range, suffix, listing, way: way ?? null };
}
