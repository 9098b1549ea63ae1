import { EngineError } from "../errors.js";
import type { Build } from "./build.js";
import { portOf, startPageWorker } from "./pageworker.js";
import type { Port } from "./port.js";
import { compileFromUrl } from "./startgo-browser.js";
import { absoluteUrl } from "./url.js";

// Bundlers find the files by a literal `new URL("./name", import.meta.url)`. The URLs of Turbopack,
// and of webpack in Next.js, have a path and no origin: hence absoluteUrl.

/** Returns undefined: this file contains no wasm. */
export async function embedded(): Promise<undefined> {}

/** Returns the URL of a build's wasm. */
function wasmUrl(url: string | URL | undefined, build: Build): string {
  if (url !== undefined) return absoluteUrl(url).href;
  try {
    return absoluteUrl(build ? new URL("./zarr-full.wasm", import.meta.url) : new URL("./zarr.wasm", import.meta.url))
      .href;
  } catch (cause) {
    throw new EngineError("the script does not know its own address", { hint: "init({ url }) of zarr.wasm", cause });
  }
}

/**
 * Fetches and compiles the wasm. If streaming compilation fails, compileFromUrl handles the case or
 * reports the cause.
 */
export async function loadModule(url: string | URL | undefined, build: Build): Promise<WebAssembly.Module> {
  const from = wasmUrl(url, build);
  try {
    return await WebAssembly.compileStreaming(fetch(from));
  } catch {
    return compileFromUrl(from);
  }
}

/** Reports whether a worker can be started: on pages and in workers, but not in service workers. */
export function wantsWorker(): boolean {
  return typeof Worker === "function";
}

/** Returns the number of the machine's threads, or 2 if the browser does not report it. */
export function threads(): number {
  return globalThis.navigator?.hardwareConcurrency ?? 2;
}

/** Starts the worker. Throws if the platform refuses. */
export function startWorker(): Port {
  return startPageWorker(
    new URL("./worker.js", import.meta.url),
    "zarr-wasm",
    () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
  );
}

/** Returns the port of the user's own worker. */
export function portOfWorker(worker: unknown): Port {
  return portOf(worker as Worker);
}
