import { startPageWorker } from "../../platform/pageworker.js";
import type { Port } from "../../platform/port.js";

/**
 * Starts the worker of views; undefined if the platform has no workers. Throws if the platform
 * refuses.
 */
export function startViewWorker(): Port | undefined {
  if (typeof Worker !== "function" || typeof location === "undefined") return undefined;
  return startPageWorker(
    new URL("./view-worker.js", import.meta.url),
    "zarr-wasm/view",
    () => new Worker(new URL("./view-worker.js", import.meta.url), { type: "module" }),
  );
}
