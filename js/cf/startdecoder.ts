import { startPageWorker } from "../platform/pageworker.js";
import type { Port } from "../platform/port.js";
import { portOf, threads } from "../platform/threads.js";

// Bundlers of servers must leave this name as it is, see platform/node.ts.
const here = import.meta.url;

/** Starts the worker that decodes; undefined where there are no workers. Throws when the platform refuses. */
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
