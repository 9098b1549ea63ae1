import type { Port, Scope } from "./port.js";
import { policyAfter } from "./trusted.js";

/** Milliseconds from one beat to the next, and how many of them may stay without an answer; of a worker that holds its lock, twice as many. */
const beatTime = 5_000;
const mostSilent = 12;
/** The same while it starts another: with developer tools open, Firefox may leave it waiting for ever there. */
const mostStarting = 2;

/**
 * @internal A browser's worker. A browser may end one without an event. The worker holds a lock, which is free when it has
 * ended in whatever way; where there are no locks, or it has told of none yet, silence tells. A decode may
 * take long, and a page may be suspended: only beats that come in time count. A worker of which something is awaited gets beats in any
 * case: Firefox now and then forgets the next task of a worker whose own workers ended, until a message comes. An object URL that the
 * script is at is given back with the worker, and not earlier: a worker starts others by its own address.
 */
export function portOf(worker: Worker, url?: string): Port {
  let silent = 0;
  let last = 0;
  let locked = false;
  let starting = false;
  let awaited = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  const ended = () => {
    port.hold(false);
    port.onfail?.("the browser has ended it", true);
  };
  // A read would be over before it had paid for a timer of its own.
  const beat = () => {
    if (!awaited) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const now = performance.now();
    if (now - last < 2 * beatTime) silent++;
    last = now;
    if (silent > (starting ? mostStarting : (locked ? 2 : 1) * mostSilent)) ended();
    else worker.postMessage({ beat: true });
  };
  const port: Port = {
    post: (message, transfer = []) => worker.postMessage(message, transfer as Transferable[]),
    terminate: () => {
      port.hold(false);
      port.onfail = undefined;
      worker.terminate();
      if (url) URL.revokeObjectURL(url);
    },
    onmessage: undefined,
    onfail: undefined,
    hold: (busy) => {
      awaited = busy;
      silent = 0;
      last = performance.now();
      if (busy) timer ??= setInterval(beat, beatTime);
    },
  };
  port.hold(true);
  worker.onmessage = ({ data }: MessageEvent<unknown>) => {
    silent = 0;
    const { beat, holds, starts } = data as FromScope;
    if (starts !== undefined) starting = starts;
    else if (holds) {
      locked = true;
      navigator.locks.request(holds, ended).catch(() => {});
    } else if (!beat) port.onmessage?.(data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    port.onfail?.(event.message || "its script did not load");
  };
  worker.onmessageerror = () => port.onfail?.("a message could not be read");
  return port;
}

/** What the scope of a worker says of itself, besides what the worker says. */
interface FromScope {
  /** The answer to a beat. */
  beat?: true;
  /** The name of the holds that the worker holds. */
  holds?: string;
  /** Whether it is about to start another worker, or has. */
  starts?: boolean;
}

/** What is used of a worker's global object. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<unknown>) => void) | null;
  postMessage(message: unknown, transfer?: Transferable[]): void;
  location: { href: string };
  importScripts?: (url: string) => void;
}

/** A module, as it is published, or a classic script, as some bundlers make of it: only those may import scripts, by an address that is one. */
function typeOf(scope: WorkerScope, nowhere: string): "module" | "classic" {
  try {
    scope.importScripts?.(nowhere);
  } catch (error) {
    if (!(error instanceof TypeError)) return "classic";
  }
  return "module";
}

/** The global object of a browser's worker. */
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
  hold().catch(() => {}); // a page that is not secure has none, and one without an origin may not
  return {
    post: (message, transfer = []) => scope.postMessage(message, transfer as Transferable[]),
    onmessage: (listener) => {
      scope.onmessage = ({ data }) => ((data as FromScope).beat ? tell({ beat: true }) : listener(data));
    },
  };
}

/** Starts another worker of the script of this one; throws when the platform refuses. */
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
