import type { Port, Scope } from "./port.js";

/** A browser's worker. */
export function portOf(worker: Worker): Port {
  const port: Port = {
    post: (message, transfer = []) => worker.postMessage(message, transfer as Transferable[]),
    terminate: () => worker.terminate(),
    onmessage: undefined,
    onfail: undefined,
    hold: () => {},
  };
  worker.onmessage = ({ data }: MessageEvent<unknown>) => port.onmessage?.(data);
  worker.onerror = (event) => {
    event.preventDefault();
    port.onfail?.(event.message || "its script did not load");
  };
  worker.onmessageerror = () => port.onfail?.("a message could not be read");
  return port;
}

/** What is used of a worker's global object. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<unknown>) => void) | null;
  postMessage(message: unknown, transfer?: Transferable[]): void;
  location: { href: string };
  importScripts?: () => void;
}

/** A module, as it is published, or a classic script, as some bundlers make of it: only there importScripts is allowed. */
function typeOf(scope: WorkerScope): "module" | "classic" {
  try {
    scope.importScripts?.();
    return scope.importScripts ? "classic" : "module";
  } catch {
    return "module";
  }
}

/** The global object of a browser's worker. */
export function workerScope(): Scope {
  const scope = globalThis as unknown as WorkerScope;
  return {
    post: (message, transfer = []) => scope.postMessage(message, transfer as Transferable[]),
    onmessage: (listener) => {
      scope.onmessage = ({ data }) => listener(data);
    },
    startHelper: () => {
      if (typeof Worker !== "function") throw new Error("workers may not start workers here");
      return portOf(new Worker(scope.location.href, { type: typeOf(scope), name: "zarr-wasm helper" }));
    },
  };
}
