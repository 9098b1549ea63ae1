import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { compileFromAnywhere } from "./compile-node.js";
import type { Port } from "./port.js";
import { portOf } from "./port-node.js";

/** No wasm is part of this file. */
export async function embedded(): Promise<undefined> {}

/** Where zarr.wasm is, or zarr-full.wasm: beside this file, or as given, a URL or a path. */
function wasmUrl(url: string | URL | undefined, full: boolean): string {
  return String(url ?? new URL(full ? "./zarr-full.wasm" : "./zarr.wasm", import.meta.url));
}

/** Reads (or fetches) and compiles it. */
export function loadModule(url: string | URL | undefined, full: boolean): Promise<WebAssembly.Module> {
  return compileFromAnywhere(wasmUrl(url, full));
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
  return portOf(new Worker(new URL("./worker-node.js", import.meta.url)));
}

/** The user's own worker. */
export function portOfWorker(worker: unknown): Port {
  return portOf(worker as Worker);
}
