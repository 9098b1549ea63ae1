import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compileBytes, compileFromUrl } from "./compile.js";
import { EngineError } from "./errors.js";

/** No wasm is part of this file. */
export async function embedded(): Promise<undefined> {}

/** Where zarr.wasm is: beside this file, or as given, a URL or a path. */
export function wasmUrl(url: string | URL | undefined): string {
  return String(url ?? new URL("./zarr.wasm", import.meta.url));
}

/** Reads (or fetches) and compiles zarr.wasm. */
export async function loadModule(url: string | URL | undefined): Promise<WebAssembly.Module> {
  const from = wasmUrl(url);
  if (/^https?:/.test(from)) return compileFromUrl(from);
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = new Uint8Array(await readFile(from.startsWith("file:") ? fileURLToPath(from) : from));
  } catch (cause) {
    throw new EngineError(`zarr.wasm could not be read from ${from}`, { url: from, cause });
  }
  return compileBytes(bytes, from);
}

/** False: in Node the engine runs in place. */
export function wantsWorker(): boolean {
  return false;
}

/** Throws: see {@link wantsWorker}. */
export function startWorker(): Worker {
  throw new EngineError("there is no worker to be started here");
}
