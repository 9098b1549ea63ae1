import { nodeUrl } from "../data/documents.js";
import { absoluteUrl, lastSegment } from "../platform/url.js";
import { FetchStore } from "./fetchstore.js";
import type { Readable } from "./readable.js";

/** @internal True if a text without a scheme is a file's path. In pages it is a relative URL. */
export const files = false;

/** @internal Returns the store at a URL. */
export const storeAt = (url: string | URL): Readable => new FetchStore(nodeUrl(absoluteUrl(url)));

/** @internal Returns the store and the key of the object at a URL. */
export function objectAt(url: string | URL): { store: Readable; key: string } {
  return { store: new FetchStore(url, {}, true), key: lastSegment(absoluteUrl(url)) };
}
