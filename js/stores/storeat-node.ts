import { pathToFileURL } from "node:url";
import { nodeUrl } from "../platform/url.js";
import { FetchStore } from "./fetchstore.js";
import { FileStore } from "./filestore.js";
import type { Readable } from "./readable.js";

/** @internal The store of what is at a URL or a path. A letter and a colon is a drive, no scheme. Where there is a page, as in tests that make one, what is relative is relative to it. */
export function storeAt(target: string | URL): Readable {
  const text = String(target);
  const relative = !/^[a-z][a-z\d+.-]+:/i.test(text);
  const path = relative && text !== "" && globalThis.location === undefined;
  const url = nodeUrl(path ? pathToFileURL(text) : target);
  return url.protocol === "file:" ? new FileStore(url) : new FetchStore(url);
}
