import { parentPort, Worker } from "node:worker_threads";
import type { Port, Scope } from "./port.js";
import { portOf, scopeOf } from "./threads.js";

/** Returns the scope of a worker thread of Node. */
export function workerScope(): Scope {
  if (!parentPort) throw new Error("this is the script of a worker");
  return scopeOf(parentPort);
}

/** Starts another worker thread with the script of this one. */
export function startHelper(): Port {
  return portOf(new Worker(new URL(import.meta.url)));
}
