import { pathToFileURL } from "node:url";
import { nodeUrl } from "../data/documents.js";
import { absoluteUrl, lastSegment } from "../platform/url.js";
import { DirectoryStore } from "./directorystore.js";
import { FetchStore } from "./fetchstore.js";
import type { Readable } from "./readable.js";

/**
 * @internal True if a text without a scheme is a file's path. If there is a page, as in tests that
 * emulate one, it is a relative URL.
 */
export const files: boolean = globalThis.location === undefined;

/** @internal Returns the store at a URL or a path. */
export function storeAt(target: string | URL): Readable {
  const url = nodeUrl(absoluteUrl(urlOf(target)));
  return url.protocol === "file:" ? new DirectoryStore(url) : new FetchStore(url);
}

/** @internal Returns the store and the key of the object at a URL or a path. */
export function objectAt(target: string | URL): { store: Readable; key: string } {
  const url = absoluteUrl(urlOf(target));
  if (url.protocol !== "file:") return { store: new FetchStore(url, {}, true), key: lastSegment(url) };
  return { store: new DirectoryStore(new URL(".", url)), key: decodeURIComponent(lastSegment(url)) };
}

/** Returns a target as a URL. One letter and a colon are a drive, not a scheme. */
function urlOf(target: string | URL): string | URL {
  const text = String(target);
  const relative = !/^[a-z][a-z\d+.-]+:/i.test(text);
  return relative && text !== "" && files ? pathToFileURL(text) : target;
}
