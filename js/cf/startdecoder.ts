import { startPageWorker } from "../platform/pageworker.js";
import type { Port } from "../platform/port.js";
import { portOf, threads } from "../platform/threads.js";

// Bundlers for servers must not change this name; see platform/node.ts.
const here = import.meta.url;

/**
 * Starts the worker that decodes; undefined if the platform has no workers. Throws if it refuses.
 */
export function startDecoder(): Port | undefined {
  if (typeof Worker === "function" && typeof location !== "undefined") {
    return startPageWorker(
      new URL("./decode-worker.js", import.meta.url),
      "zarr-wasm/xarray",
      () => new Worker(new URL("./decode-worker.js", import.meta.url), { type: "module" }),
    );
  }
  return threads && portOf(new threads.Worker(new URL("./decode-worker.js", here)));
}
