import { StoreError } from "../errors.js";

/** @internal A URL in full: relative ones are relative to the page. */
export function absoluteUrl(url: string | URL): URL {
  const base = typeof document === "undefined" ? globalThis.location?.href : document.baseURI;
  try {
    return new URL(url, base);
  } catch (cause) {
    const hint = base === undefined ? "without a page there is nothing that a URL could be relative to" : undefined;
    throw new StoreError(`${JSON.stringify(String(url))} is not a URL`, { hint, cause });
  }
}

/** @internal Cuts the name of a metadata document off a URL's path, so that the URL of the document names the node. */
export function nodeUrl(url: string | URL): URL {
  const node = new URL(absoluteUrl(url));
  node.pathname = node.pathname.replace(/\/(zarr\.json|\.zarray|\.zgroup|\.zmetadata|\.zattrs)\/?$/, "/");
  return node;
}
