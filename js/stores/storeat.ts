import { nodeUrl } from "../platform/url.js";
import { FetchStore } from "./fetchstore.js";
import type { Readable } from "./readable.js";

/** @internal The store of what is at a URL. */
export const storeAt = (url: string | URL): Readable => new FetchStore(nodeUrl(url));
