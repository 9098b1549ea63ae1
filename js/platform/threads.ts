import type { MessagePort, Worker } from "node:worker_threads";
import type { Port, Scope } from "./port.js";

/**
 * Node's worker threads, for scripts that Node and pages share. It is not an import, because
 * bundlers for pages would look for the module. Undefined before Node 20.16.
 */
export const threads = globalThis.process?.getBuiltinModule?.("node:worker_threads");

/** Returns the port of a worker thread of Node. */
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

/** Returns the scope of a worker thread, by its port to the thread that started it. */
export function scopeOf(parent: MessagePort): Scope {
  return {
    post: (message, transfer = []) => parent.postMessage(message, transfer as ArrayBuffer[]),
    onmessage: (listener) => {
      parent.on("message", listener);
    },
  };
}
