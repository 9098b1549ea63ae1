import compressed from "#wasm-zstd";
import script from "#worker-text";
import type { Build } from "./build.js";
import { compileBytes, compileFromUrl } from "./compile.js";
import { portOf, startScript } from "./pageworker.js";
import type { Port } from "./port.js";
import { unpack } from "./unpack.js";
import { absoluteUrl } from "./url.js";

/** Compiles the wasm that is part of this file. It has all codecs. */
export async function embedded(): Promise<WebAssembly.Module> {
  return compileBytes(await unpack(compressed), "this script");
}

/** Returns the embedded wasm. With a URL, fetches and compiles that one. */
export async function loadModule(url: string | URL | undefined, _build: Build): Promise<WebAssembly.Module> {
  return url === undefined ? embedded() : compileFromUrl(absoluteUrl(url).href);
}

/** Reports whether a worker can be started: on pages and in workers, but not in service workers. */
export function wantsWorker(): boolean {
  return typeof Worker === "function";
}

/** Returns the number of the machine's threads, or 2 if the browser does not report it. */
export function threads(): number {
  return globalThis.navigator?.hardwareConcurrency ?? 2;
}

/** Starts the worker that is part of this file. Throws if the platform refuses. */
export function startWorker(): Port {
  return startScript(script, "zarr-wasm");
}

/** Returns the port of the user's own worker. */
export function portOfWorker(worker: unknown): Port {
  return portOf(worker as Worker);
}
