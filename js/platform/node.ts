import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Build } from "./build.js";
import { compileFromAnywhere } from "./compile-node.js";
import type { Port } from "./port.js";
import { portOf } from "./threads.js";

// Bundlers of servers must leave these names as they are: a file of a page's, which is what some of
// them make of `new URL("./name", import.meta.url)`, is nothing that Node can load.
const here = import.meta.url;

/** No wasm is part of this file. */
export async function embedded(): Promise<undefined> {}

/** Reads (or fetches) and compiles the wasm of a build: as given, a URL or a path, or the one beside this file. */
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

/** How many threads the machine has. */
export function threads(): number {
  return availableParallelism();
}

/** Starts the worker. */
export function startWorker(): Port {
  return portOf(new Worker(new URL("./worker-node.js", here)));
}

/** The user's own worker. */
export function portOfWorker(worker: unknown): Port {
  return portOf(worker as Worker);
}
