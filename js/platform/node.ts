import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Build } from "./build.js";
import { compileFromAnywhere } from "./compile-node.js";
import type { Port } from "./port.js";
import { portOf } from "./threads.js";

// Bundlers of servers must leave these names unchanged. Some replace
// `new URL("./name", import.meta.url)` by the address of a page's file, which Node cannot load.
const here = import.meta.url;

/** Returns undefined: this file contains no wasm. */
export async function embedded(): Promise<undefined> {}

/**
 * Reads (or fetches) and compiles the wasm of a build: from the given URL or path, or from the file
 * beside this one.
 */
export function loadModule(url: string | URL | undefined, build: Build): Promise<WebAssembly.Module> {
  if (url !== undefined) return compileFromAnywhere(String(url));
  const hint =
    "keep zarr-wasm out of the server's bundle, as an external package; in Next.js: serverExternalPackages: ['zarr-wasm']";
  return compileFromAnywhere(new URL(build ? "./zarr-full.wasm" : "./zarr.wasm", here).href, hint);
}

/** True: Node has worker threads. */
export function wantsWorker(): boolean {
  return true;
}

/** Returns the number of the machine's threads. */
export function threads(): number {
  return availableParallelism();
}

/** Starts the worker. */
export function startWorker(): Port {
  return portOf(new Worker(new URL("./worker-node.js", here)));
}

/** Returns the port of the user's own worker. */
export function portOfWorker(worker: unknown): Port {
  return portOf(worker as Worker);
}
