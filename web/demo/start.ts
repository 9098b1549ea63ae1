// The page's first script. It starts the engine and opens the address of the link, while the
// scripts of the view load and compile.

import { init, open, type RequestEvent } from "zarr-wasm";
import { HAS_SAMPLES, SAMPLE } from "./sample.js";
import type { Early } from "./store.js";
import { rewriteUrl } from "./url.js";

/** Opens the address of the page's link, or the sample. Returns null if there is none to open. */
function early(): Early | null {
  const [hash, query] = [location.hash.slice(1), location.search].map((text) => new URLSearchParams(text).get("url"));
  const address = (hash ?? query) || (HAS_SAMPLES ? SAMPLE : "");
  // Local data need the person.
  if (address === "" || address.startsWith("local:")) return null;
  try {
    const { url } = rewriteUrl(address, document.baseURI);
    const node = open(url);
    node.catch(() => {}); // the page opens the address again, and shows the error
    return { url, node };
  } catch {
    return null; // the page shows the error
  }
}

const waiting: RequestEvent[] = [];
let take = (event: RequestEvent): void => void waiting.push(event);
init({ onRequest: (event) => take(event) }).catch(() => {
  // The first call reports why the engine does not start.
});
const opened = early();
const { run } = await import("./main.js");
if (document.readyState === "loading") await new Promise((resolve) => addEventListener("DOMContentLoaded", resolve));
run(opened, (to) => {
  take = to;
  for (const event of waiting.splice(0)) to(event);
});
