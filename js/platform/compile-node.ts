import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { EngineError } from "../errors.js";
import { compileBytes, compileFromUrl } from "./compile.js";

/**
 * Reads (or fetches) and compiles the wasm module at a URL or a path. The hint is used if the file
 * cannot be read.
 */
export async function compileFromAnywhere(from: string, hint?: string): Promise<WebAssembly.Module> {
  if (/^https?:/.test(from)) return compileFromUrl(from);
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = new Uint8Array(await readFile(from.startsWith("file:") ? fileURLToPath(from) : from));
  } catch (cause) {
    throw new EngineError(`zarr.wasm could not be read from ${from}`, { url: from, hint, cause });
  }
  return compileBytes(bytes, from);
}
