import type { Port } from "../platform/port.js";
import { portOf } from "../platform/port-browser.js";
import { trustedWorker } from "../platform/trusted.js";
import { absoluteUrl } from "../platform/url.js";

// Bundlers find the worker's file by `new URL("./name", import.meta.url)`, which must stand here literally.

/** Starts the worker that decodes; undefined where there are no workers. Throws when the platform refuses. */
export function startDecoder(): Port | undefined {
  if (typeof Worker !== "function") return undefined;
  const { origin, href } = absoluteUrl(new URL("./decode-worker.js", import.meta.url));
  // A worker's script must be of the page's origin; what it imports need not.
  const own = origin === location.origin;
  const url = own
    ? href
    : URL.createObjectURL(new Blob([`import ${JSON.stringify(href)};`], { type: "text/javascript" }));
  try {
    return portOf(
      own
        ? new Worker(new URL("./decode-worker.js", import.meta.url), { type: "module" })
        : new Worker(url, { type: "module" }),
      url,
    );
  } catch (refusal) {
    return portOf(trustedWorker(url, "zarr-wasm/xarray", refusal), url);
  }
}
