import { StoreError } from "../errors.js";
import { redact } from "./redact.js";

/**
 * @internal Returns an absolute URL. Relative URLs are relative to the page, and an empty one is
 * the page's folder.
 */
export function absoluteUrl(url: string | URL): URL {
  const base = typeof document === "undefined" ? globalThis.location?.href : document.baseURI;
  try {
    return new URL(url || ".", base);
  } catch {
    // The platform's error contains the address with its secrets: it must not become the cause.
    const other = base ? "relative to the page" : "a store that reads files (FileSystemStore of @zarrita/storage)";
    const hint = `give one in full, or ${other}`;
    throw new StoreError(`${JSON.stringify(redact(String(url)))} is not a URL: ${hint}`, { hint });
  }
}

/** @internal Returns the last segment of a URL's path, or "object" if there is none. */
export function lastSegment(url: URL): string {
  return url.pathname.match(/[^/]+(?=\/*$)/)?.[0] ?? "object";
}
