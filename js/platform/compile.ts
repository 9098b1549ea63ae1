import { EngineError } from "../errors.js";
import { refusalOf, wasmHint, watchPolicy } from "./policy.js";

/**
 * Fetches and compiles the wasm module. Compiles it while it arrives if the server sends its media
 * type.
 */
export async function compileFromUrl(url: string): Promise<WebAssembly.Module> {
  let response: Response;
  watchPolicy();
  try {
    response = await fetch(url);
  } catch (cause) {
    const refusal = await refusalOf(url);
    const why = refusal ? `: ${refusal}` : "";
    throw new EngineError(`zarr.wasm could not be fetched from ${url}${why}`, { url, status: 0, cause });
  }
  const type = response.headers.get("Content-Type") ?? "";
  if (!response.ok) {
    throw new EngineError(`zarr.wasm could not be fetched from ${url}: HTTP status ${response.status}`, {
      url,
      status: response.status,
      hint: "copy zarr.wasm beside the script, or say where it is: init({ url })",
    });
  }
  try {
    if (/^application\/wasm\b/i.test(type)) return await WebAssembly.compileStreaming(response);
    return await compileBytes(await response.arrayBuffer(), url, type);
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    throw compileError(url, cause);
  }
}

/** Compiles the bytes of zarr.wasm. */
export async function compileBytes(bytes: BufferSource, url: string, type = ""): Promise<WebAssembly.Module> {
  const head = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, Math.min(4, bytes.byteLength))
    : new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength));
  if (head[0] === 0x3c || /^text\/html\b/i.test(type)) {
    const hint =
      "with Vite 7 and older, in development: optimizeDeps: { exclude: ['zarr-wasm'] } in vite.config; " +
      "otherwise say where zarr.wasm is: init({ url })";
    throw new EngineError(`${url} returned an HTML page instead of zarr.wasm; ${hint}`, { url, hint });
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw compileError(url, cause);
  }
}

function compileError(url: string, cause: unknown): EngineError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const hint = wasmHint(message);
  const about = hint ? `${hint} (${message})` : message;
  return new EngineError(`zarr.wasm from ${url} could not be compiled: ${about}`, { url, hint, cause });
}
