import { parentPort, Worker } from "node:worker_threads";
import type { Port, Scope } from "./port.js";

/** A worker thread of Node. */
export function portOf(worker: Worker): Port {
  const port: Port = {
    post: (message, transfer = []) => worker.postMessage(message, transfer as ArrayBuffer[]),
    terminate: () => {
      port.onfail = undefined;
      void worker.terminate();
    },
    onmessage: undefined,
    onfail: undefined,
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
  };
  worker.on("message", (data) => port.onmessage?.(data));
  worker.on("error", (error) => port.onfail?.(error.message));
  worker.on("messageerror", () => port.onfail?.("a message could not be read"));
  worker.on("exit", (code) => port.onfail?.(`it ended with code ${code}`));
  return port;
}

/** What a worker thread of Node has. */
export function workerScope(): Scope {
  const parent = parentPort;
  if (!parent) throw new Error("this is the script of a worker");
  return {
    post: (message, transfer = []) => parent.postMessage(message, transfer as ArrayBuffer[]),
    onmessage: (listener) => {
      parent.on("message", listener);
    },
  };
}

/** Starts another worker thread of the script of this one. */
export function startHelper(): Port {
  return portOf(new Worker(new URL(import.meta.url)));
}
