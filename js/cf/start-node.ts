import { Worker } from "node:worker_threads";
import type { Port } from "../platform/port.js";
import { portOf } from "../platform/port-node.js";

// Bundlers of servers must leave this name as it is, see platform/node.ts.
const here = import.meta.url;

/** Starts the worker that decodes. */
export function startDecoder(): Port | undefined {
  return portOf(new Worker(new URL("./decode-worker-node.js", here)));
}
