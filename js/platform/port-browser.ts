import { type FromScope, policyAfter, portOf } from "./pageworker.js";
import type { Port, Scope } from "./port.js";

/** The used members of a worker's global object. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<unknown>) => void) | null;
  postMessage(message: unknown, transfer?: Transferable[]): void;
  location: { href: string };
  importScripts?: (url: string) => void;
}

/**
 * Returns the type of this script: a module, as published, or a classic script, which some bundlers
 * produce. Only classic scripts reach the check of the address in importScripts.
 */
function typeOf(scope: WorkerScope, nowhere: string): "module" | "classic" {
  try {
    scope.importScripts?.(nowhere);
  } catch (error) {
    if (!(error instanceof TypeError)) return "classic";
  }
  return "module";
}

/** Returns the scope of a browser's worker. */
export function workerScope(): Scope {
  const scope = globalThis as unknown as WorkerScope;
  const tell = (message: FromScope) => scope.postMessage(message);
  const hold = async () => {
    const lock = crypto.randomUUID();
    await navigator.locks.request(lock, () => {
      tell({ holds: lock });
      return new Promise(() => {});
    });
  };
  // insecure pages have no locks, and a page without an origin may not use them
  hold().catch(() => {});
  return {
    post: (message, transfer = []) => scope.postMessage(message, transfer as Transferable[]),
    onmessage: (listener) => {
      scope.onmessage = ({ data }) => ((data as FromScope).beat ? tell({ beat: true }) : listener(data));
    },
  };
}

/** Starts another worker with the script of this one. Throws if the platform refuses. */
export function startHelper(): Port {
  const scope = globalThis as unknown as WorkerScope;
  if (typeof Worker !== "function") throw new Error("workers may not start workers here");
  const start = (url: (text: string) => string) => {
    scope.postMessage({ starts: true } satisfies FromScope);
    try {
      return portOf(
        new Worker(url(scope.location.href), { type: typeOf(scope, url("http://[")), name: "zarr-wasm helper" }),
      );
    } finally {
      scope.postMessage({ starts: false } satisfies FromScope);
    }
  };
  try {
    return start((text) => text);
  } catch (refusal) {
    const policy = policyAfter("zarr-wasm", refusal);
    return start((text) => policy.createScriptURL(text));
  }
}
