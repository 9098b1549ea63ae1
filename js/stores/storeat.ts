import { nodeUrl } from "../data/documents.js";
import { absoluteUrl, lastSegment } from "../platform/url.js";
import { FetchStore } from "./fetchstore.js";
import type { Readable } from "./readable.js";

/** @internal Whether a text without a scheme is the path of a file, and no relative URL. */
export const files = false;

/** @internal The store of what is at a URL. */
export const storeAt = (url: string | URL): Readable => new FetchStore(nodeUrl(absoluteUrl(url)));

/** @internal The store and the key of the one object at a URL. */
export function objectAt(url: string | URL): { store: Readable; key: string } {
  return { store: new FetchStore(url, {}, true), key: lastSegment(absoluteUrl(url)) };
}
