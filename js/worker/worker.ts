/**
 * The script of the worker that holds the engine, and of those that help it to decode.
 * It is one self-contained file; give its URL only to
 * `init({ worker: () => new Worker(url, { type: "module" }) })`.
 */
import { workerScope } from "#port";
import type {
  FromEngine,
  FromHelper,
  FromPoolUser,
  FromWorker,
  Limits,
  ToEngine,
  ToHelper,
  WireMemory,
  WorkerBoot,
  WorkerEarly,
} from "../engine/protocol.js";
import { EngineError, errorToWire } from "../errors.js";
import { EarlyRequests } from "./early.js";
import { type GoHost, startGo } from "./goinstance.js";
import { Pool } from "./helperpool.js";
import { Intake } from "./inbox.js";

const scope = workerScope();
const early = new EarlyRequests();
let take: ((message: ToEngine & ToHelper) => void) | undefined;

function fail(error: unknown): void {
  send({ fatal: errorToWire(error) });
}

function send(message: FromWorker | FromHelper, transfer?: readonly ArrayBuffer[]): void {
  scope.post(message, transfer);
}

async function boot({ version, module, helper, workers, limits }: WorkerBoot["boot"]): Promise<void> {
  if (version !== ZARR_WASM_VERSION) {
    throw new EngineError(`the worker's script is of version ${ZARR_WASM_VERSION}, the page's of version ${version}`);
  }
  take = await (helper ? help(module) : lead(module, workers ?? 0, limits));
  send({ booted: true });
}

/** The engine itself. */
async function lead(
  module: WebAssembly.Module,
  workers: number,
  limits: Limits | undefined,
): Promise<(message: ToEngine) => void> {
  let host: GoHost | undefined;
  const pool = new Pool({ module, most: workers, start: scope.startHelper, tell: (message) => host?.post(message) });
  host = await startGo(module, {
    helpers: workers,
    limits,
    buffers: pool.buffers,
    fetch: early.fetch,
    message: (message, transfer) => {
      if ("job" in message || "pipeline" in message || "grow" in message || "drop" in message || "tick" in message)
        pool.receive(message);
      else send(message, transfer);
    },
    stopped: fail,
  });
  const { post, memory } = host;
  const intake = new Intake((message) => {
    if (message.op === "memory") {
      const value: WireMemory = { ...memory(), helpers: pool.memory, buffers: pool.buffers.size };
      send({ id: message.id, ok: true, value });
      return;
    }
    if (message.op === "crash" && message.helpers) {
      pool.crash({ ...message, op: "crash" });
      return;
    }
    post(message);
    // The engine has copied what came with an answer.
    if (message.op !== "answer") return;
    const buffer = "answers" in message ? message.answers : message.bytes;
    if (buffer && buffer.byteLength >= worthSending) send({ buffers: [buffer] }, [buffer]);
  });
  return (message) => intake.take(message);
}

/** A smaller buffer is made faster than sent. */
const worthSending = 64 << 10;

/** One that decodes for an engine. */
async function help(module: WebAssembly.Module): Promise<(message: ToHelper) => void> {
  let answer: FromEngine | FromPoolUser | undefined;
  const host = await startGo(module, {
    message: (message) => {
      answer = message;
    },
    stopped: fail,
  });
  return (message) => {
    answer = undefined;
    if (message.op === "decode" && message.place) {
      const { memory, ...place } = message.place;
      host.target = new Uint8Array(memory);
      host.post({ ...message, place });
      host.target = undefined;
    } else host.post(message);
    // The engine decodes while it is told to.
    if (message.op !== "decode" || !answer) return;
    const { id, bytes, into } = message;
    const done: FromHelper = { done: id, memory: host.memory().engine, bytes };
    if (!(answer as { ok?: boolean }).ok) done.failed = true;
    if (into) done.into = into;
    send(done, into ? [bytes, into] : [bytes]);
  };
}

scope.onmessage((data) => {
  const message = data as WorkerBoot | WorkerEarly | (ToEngine & ToHelper);
  if ("boot" in message) boot(message.boot).catch(fail);
  else if (!("early" in message)) take?.(message);
  else if (message.open) early.begin(message.early, message.open);
  else early.end(message.early);
});
