/**
 * The script of the worker that holds the engine. It is one self-contained
 * file; give its URL to nobody but `init({ worker: () => new Worker(url, { type: "module" }) })`.
 */
import { compileFromUrl } from "./compile.js";
import { EngineError, errorToWire } from "./errors.js";
import { type GoHost, startGo } from "./gohost.js";
import type { FromWorker, ToEngine, WorkerBoot } from "./protocol.js";

/** What is used of a worker's global object. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<WorkerBoot | ToEngine>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

const scope = globalThis as unknown as WorkerScope;
let host: GoHost | undefined;

function fail(error: unknown): void {
  scope.postMessage({ fatal: errorToWire(error) });
}

async function boot({ version, url, module }: WorkerBoot["boot"]): Promise<void> {
  if (version !== ZARR_WASM_VERSION) {
    throw new EngineError(`the worker's script is of version ${ZARR_WASM_VERSION}, the page's of version ${version}`);
  }
  if (!module && url === undefined) throw new EngineError("the worker was not told where zarr.wasm is");
  const compiled = module ?? (await compileFromUrl(url as string));
  host = await startGo(compiled, {
    message: (message, transfer) => scope.postMessage(message, transfer),
    stopped: fail,
  });
  scope.postMessage({ booted: { version: ZARR_WASM_VERSION, module: compiled } });
}

scope.onmessage = ({ data }) => {
  if ("boot" in data) boot(data.boot).catch(fail);
  else host?.post(data);
};
