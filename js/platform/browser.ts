import { EngineError } from "../errors.js";
import type { Build } from "./build.js";
import { portOf, startPageWorker } from "./pageworker.js";
import type { Port } from "./port.js";
import { compileFromUrl } from "./startgo-browser.js";
import { absoluteUrl } from "./url.js";

// Bundlers find the files by `new URL("./name", import.meta.url)`, which must
// stand here literally. Turbopack's URLs, and those of webpack in Next.js, have a path
// and no origin: hence absoluteUrl.

/** No wasm is part of this file. */
export async function embedded(): Promise<undefined> {}

/** Where the wasm of a build is. */
function wasmUrl(url: string | URL | undefined, build: Build): string {
  if (url !== undefined) return absoluteUrl(url).href;
  try {
    return absoluteUrl(build ? new URL("./zarr-full.wasm", import.meta.url) : new URL("./zarr.wasm", import.meta.url))
      .href;
  } catch (cause) {
    throw new EngineError("the script does not know where it came from", { hint: "init({ url }) of zarr.wasm", cause });
  }
}

/** Fetches and compiles it. Where the short way fails, the long one does better or tells why. */
export async function loadModule(url: string | URL | undefined, build: Build): Promise<WebAssembly.Module> {
  const from = wasmUrl(url, build);
  try {
    return await WebAssembly.compileStreaming(fetch(from));
  } catch {
    return compileFromUrl(from);
  }
}

/** True where a worker can be started: on pages and in workers, but not in service workers. */
export function wantsWorker(): boolean {
  return typeof Worker === "function";
}

/** How many threads the machine has, as far as it says. */
export function threads(): number {
  return globalThis.navigator?.hardwareConcurrency ?? 2;
}

/** Starts the worker; throws when the platform refuses. */
export function startWorker(): Port {
  return startPageWorker(
    new URL("./worker.js", import.meta.url),
    "zarr-wasm",
    () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
  );
}

/** The user's own worker. */
export function portOfWorker(worker: unknown): Port {
  return portOf(worker as Worker);
}
