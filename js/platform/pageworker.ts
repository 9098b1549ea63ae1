import type { Port } from "./port.js";
import { absoluteUrl } from "./url.js";

/**
 * Milliseconds between two beats, and the maximum number of unanswered beats. The maximum is
 * doubled for a worker that holds its lock.
 */
const beatTime = 5_000;
const mostSilent = 12;
/**
 * The maximum number of unanswered beats while the worker starts another. With open developer
 * tools, Firefox may block it there forever.
 */
const mostStarting = 2;

/**
 * @internal Returns the port of a browser's worker. A browser may end a worker without an event.
 * The worker holds a lock, which is released at its end. Without locks, or before the worker has
 * named its lock, unanswered beats mean that it has ended. Only beats on time count, because a
 * decode may take long and a page may be suspended.
 *
 * A worker with pending calls always gets beats. Firefox sometimes forgets the next task of a
 * worker whose own workers have ended, until a message arrives. The object URL of a script is
 * revoked at the worker's end and not earlier, because a worker starts others by its own address.
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
  // Most reads end before a timer of their own would be worth its cost.
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

/** Messages from the scope of a worker, in addition to the worker's own. */
export interface FromScope {
  /** The answer to a beat. */
  beat?: true;
  /** The name of the lock that the worker holds. */
  holds?: string;
  /** True before the worker starts another worker, and false after that. */
  starts?: boolean;
}

/** The policy that makes script addresses trusted. */
interface Policy {
  createScriptURL(url: string): string;
}

/** The policies by name. Each can be created only once. */
const policies = /* @__PURE__ */ new Map<string, Policy>();

/**
 * @internal Returns the policy of this name, which `trusted-types` may have to allow. Called after
 * the platform refused a worker because it takes no text for a script's address. This happens with
 * Content-Security-Policy `require-trusted-types-for 'script'`, on pages and in workers. Rethrows a
 * refusal that has another cause.
 */
export function policyAfter(name: string, refusal: unknown): Policy {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };
  if (!trustedTypes || !(refusal instanceof TypeError)) throw refusal;
  const policy = policies.get(name) ?? trustedTypes.createPolicy(name, { createScriptURL: (url) => url });
  policies.set(name, policy);
  return policy;
}

/**
 * @internal Starts a worker of the package by its script's URL and the name of its policy. Throws
 * if the platform refuses. `start` creates the worker if the script has the page's origin. Bundlers
 * find the file by `new URL("./name", import.meta.url)`. The caller must contain this literally, in
 * `new Worker` too.
 */
export function startPageWorker(script: URL, name: string, start: () => Worker): Port {
  const { origin, href } = absoluteUrl(script);
  // A worker's script must have the page's origin. Its imports may have another.
  return origin === location.origin ? started(href, name, start) : startScript(`import ${JSON.stringify(href)};`, name);
}

/** @internal Starts a worker from a script's text. */
export function startScript(script: string, name: string): Port {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  return started(url, name, () => new Worker(url, { type: "module" }));
}

function started(url: string, name: string, start: () => Worker): Port {
  try {
    return portOf(start(), url);
  } catch (refusal) {
    return portOf(new Worker(policyAfter(name, refusal).createScriptURL(url), { type: "module" }), url);
  }
}
