import type { Port } from "./port.js";
import { absoluteUrl } from "./url.js";

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
export interface FromScope {
  /** The answer to a beat. */
  beat?: true;
  /** The name of the holds that the worker holds. */
  holds?: string;
  /** Whether it is about to start another worker, or has. */
  starts?: boolean;
}

/** The policy that makes script addresses trusted. */
interface Policy {
  createScriptURL(url: string): string;
}

/** By their names; each can be made once. */
const policies = /* @__PURE__ */ new Map<string, Policy>();

/**
 * @internal The policy of this name, which `trusted-types` may have to allow, after the platform refused to start a worker because it
 * takes no text for a script's address (Content-Security-Policy `require-trusted-types-for 'script'`, of a page or of a worker).
 * Otherwise throws the refusal.
 */
export function policyAfter(name: string, refusal: unknown): Policy {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };
  if (!trustedTypes || !(refusal instanceof TypeError)) throw refusal;
  const policy = policies.get(name) ?? trustedTypes.createPolicy(name, { createScriptURL: (url) => url });
  policies.set(name, policy);
  return policy;
}

/**
 * @internal Starts a worker of the package's by its script's URL and the name of its policy; throws when the platform refuses. `start`
 * makes the worker where the script is of the page's origin. Bundlers find the file by `new URL("./name", import.meta.url)`, which
 * must stand literally at the caller, in `new Worker` too.
 */
export function startPageWorker(script: URL, name: string, start: () => Worker): Port {
  const { origin, href } = absoluteUrl(script);
  // A worker's script must be of the page's origin; what it imports need not.
  return origin === location.origin ? started(href, name, start) : startScript(`import ${JSON.stringify(href)};`, name);
}

/** @internal Starts a worker of a script that is at hand. */
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
