// Asks a host what a viewer asks it, and keeps what it answered. What the answers are worth is judged elsewhere.

import { DOCUMENTS } from "./url.js";

/** An answer of a host, or that there was none. */
export interface Answer {
  readonly url: string;
  /** The HTTP status; 0 where the page was given no answer. */
  readonly status: number;
  /** The headers that the page may read, their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many bytes came. */
  readonly bytes: number;
  /** The beginning of the body as text. */
  readonly begins: string;
  /** Where the answer came from after redirects; the same address without. */
  readonly from: string;
  /** Why there was none. */
  readonly error: string;
}

/** All that was learned of a host. */
export interface Probe {
  /** The address of the folder, or of the one object. */
  readonly url: string;
  /** Whether the address is one object, such as an archive. */
  readonly object: boolean;
  /** The address of the page that asked. */
  readonly page: string;
  /** Documents of metadata, or the one object. */
  readonly documents: readonly Answer[];
  /** The document that is there; null where none is readable. */
  readonly found: Answer | null;
  /** Whether a host answered at all where the page may read nothing. */
  readonly alive: boolean;
  /** A name that cannot be there. */
  readonly missing: Answer;
  /** The first ten bytes of what is there. */
  readonly range: Answer | null;
  /** Its last ten bytes: a request that browsers announce by OPTIONS to other origins. */
  readonly suffix: Answer | null;
  /** What is known of the names in the folder: whether they were listed, or why not. Null where it was not looked at. */
  readonly listing: { readonly listed: boolean; readonly why: string } | null;
  /** What the browser noted of the answer's way, where it tells. */
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

/** Whether anything answers at an address; the page is not told what. */
async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    await fetch(url, { mode: "no-cors", cache: "no-store", credentials: "omit", signal });
    return true;
  } catch {
    return false;
  }
}

/** Puts a name behind an address, before its query. */
export function below(url: string, name: string): string {
  const at = new URL(url);
  at.pathname = `${at.pathname.replace(/\/+$/, "")}/${name}`;
  return at.href;
}

/** Asks a host. `listed` finds out whether the folder's names can be listed; it is asked last. */
export async function probe(
  url: string,
  page: string,
  signal: AbortSignal,
  listed: (url: string) => Promise<{ listed: boolean; why: string } | null>,
): Promise<Probe> {
  const object = /\.(zip|ozx|json|parq|parquet)$/i.test(new URL(url).pathname);
  const names = object ? [url] : DOCUMENTS.map((name) => below(url, name));
  // Where a file is one archive, the whole of it is not wanted.
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
