import { EngineError } from "../errors.js";
import type { GoHost, GoListener } from "../worker/goinstance.js";

// Converts errors of the engine in place to this file's classes. The engine in place is a file of
// its own with its own class EngineError.
function ours(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "EngineError" || error instanceof EngineError) return error;
  return new EngineError(error.message, { ...error, cause: error.cause });
}

async function inPlace<T>(run: (engine: typeof import("../worker/inplace.js")) => Promise<T>): Promise<T> {
  const engine = await import("../worker/inplace.js").catch((cause: unknown) => {
    const hint = "in a service worker, import from zarr-wasm/inline";
    throw new EngineError("the engine's script could not be loaded", { hint, cause });
  });
  return run(engine).catch((error: unknown) => {
    throw ours(error);
  });
}

/** Starts the engine on this thread. */
export function startGo(module: WebAssembly.Module, listener: GoListener): Promise<GoHost> {
  const stopped = (error: EngineError) => listener.stopped(ours(error) as EngineError);
  return inPlace((engine) => engine.startGo(module, { ...listener, stopped }));
}

/** Fetches and compiles zarr.wasm for the engine on this thread. */
export function compileFromUrl(url: string): Promise<WebAssembly.Module> {
  return inPlace((engine) => engine.compileFromUrl(url));
}
