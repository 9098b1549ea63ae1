import compressed from "#wasm-gzip";
import script from "#worker-text";
import { compileBytes, compileFromUrl } from "./compile.js";
import { absoluteUrl } from "./stores.js";

/** The wasm that is part of this file, compiled. */
export async function embedded(): Promise<WebAssembly.Module> {
  const bytes = new Response(
    new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip")),
  ).arrayBuffer();
  return compileBytes(await bytes, "this script");
}

/** Where another zarr.wasm is. */
export function wasmUrl(url: string | URL | undefined): string {
  return absoluteUrl(url ?? "").href;
}

/** Fetches and compiles another zarr.wasm. */
export function loadModule(url: string | URL | undefined): Promise<WebAssembly.Module> {
  return url === undefined ? embedded() : compileFromUrl(wasmUrl(url));
}

/** True where a worker is of use: on a page. */
export function wantsWorker(): boolean {
  return typeof document !== "undefined" && typeof Worker === "function";
}

/** Starts the worker that is part of this file; throws when the platform refuses. */
export function startWorker(): Worker {
  return new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
}
