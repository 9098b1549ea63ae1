import type { Port } from "../../platform/port.js";
import { portOf } from "../../platform/port-browser.js";
import { absoluteUrl } from "../../platform/url.js";

// Bundlers find the worker's file by `new URL("./name", import.meta.url)`, which must stand here literally.

/** Starts the worker of views; undefined where there are no workers. Throws when the platform refuses. */
export function startViewWorker(): Port | undefined {
  if (typeof Worker !== "function" || typeof location === "undefined") return undefined;
  const { origin, href } = absoluteUrl(new URL("./view-worker.js", import.meta.url));
  if (origin === location.origin) {
    return portOf(new Worker(new URL("./view-worker.js", import.meta.url), { type: "module" }));
  }
  // A worker's script must be of the page's origin; what it imports need not.
  const script = new Blob([`import ${JSON.stringify(href)};`], { type: "text/javascript" });
  return portOf(new Worker(URL.createObjectURL(script), { type: "module" }));
}
