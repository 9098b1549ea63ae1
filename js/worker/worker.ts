/**
 * The script of the worker with the engine, and of the helpers that decode and encode for it. It is
 * one self-contained file. Use its URL only in `init({ worker: () => new Worker(url, { type:
 * "module" }) })`.
 */
import { startHelper, workerScope } from "#port";
import type { FromEngine, FromPoolUser, Limits } from "../engine/protocol/wire.js";
import type {
  FromHelper,
  FromWorker,
  ToHelper,
  ToWorker,
  WireMemory,
  WorkerBoot,
  WorkerEarly,
} from "../engine/protocol/worker.js";
import { EngineError, errorToWire } from "../errors.js";
import { EarlyRequests } from "./early.js";
import { type GoHost, startGo } from "./goinstance.js";
import { Pool } from "./helperpool.js";
import { Intake } from "./intake.js";

const scope = workerScope();
const early = new EarlyRequests();
let take: ((message: ToWorker & ToHelper) => void) | undefined;

function fail(error: unknown): void {
  send({ fatal: errorToWire(error) });
}

function send(message: FromWorker | FromHelper, transfer?: readonly ArrayBuffer[]): void {
  scope.post(message, transfer);
}

/** Buffers of answers that return to the page with the next message. */
let unsent: ArrayBuffer[] = [];

/**
 * Sends a message of the engine together with the unsent buffers, because each message wakes the
 * page's thread.
 */
function tell(message: FromEngine, transfer: ArrayBuffer[]): void {
  const buffers = unsent;
  unsent = [];
  if (buffers.length === 0) send(message, transfer);
  else send({ buffers, message }, [...transfer, ...buffers]);
}

/**
 * Returns a buffer to the page. Large ones go at once, because the page may be filling others of
 * that size.
 */
function giveBack(buffer: ArrayBuffer): void {
  unsent.push(buffer);
  if (unsent.reduce((sum, { byteLength }) => sum + byteLength, 0) < worthWaking) return;
  const buffers = unsent;
  unsent = [];
  send({ buffers }, buffers);
}

async function boot({ version, module, helper, workers, limits }: WorkerBoot["boot"]): Promise<void> {
  if (version !== ZARR_WASM_VERSION) {
    throw new EngineError(
      `the worker's script has version ${ZARR_WASM_VERSION}, but the page's has version ${version}`,
    );
  }
  take = await (helper ? help(module) : lead(module, workers ?? 0, limits));
  send({ booted: true });
}

/** Runs the engine. */
async function lead(
  module: WebAssembly.Module,
  workers: number,
  limits: Limits | undefined,
): Promise<(message: ToWorker) => void> {
  let host: GoHost | undefined;
  const pool = new Pool({ module, most: workers, start: startHelper, tell: (message) => host?.post(message) });
  host = await startGo(module, {
    helpers: workers,
    limits,
    buffers: pool.buffers,
    fetch: early.fetch,
    message: (message, transfer) => {
      if ("job" in message || "pipeline" in message || "grow" in message || "drop" in message || "tick" in message)
        pool.receive(message);
      else tell(message, transfer);
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
    // The engine has copied the bytes of an answer.
    if (message.op !== "answer") return;
    const buffer = "answers" in message ? message.answers : message.bytes;
    if (buffer && buffer.byteLength >= worthSending) giveBack(buffer);
  });
  return (message) => intake.take(message);
}

/**
 * The minimum size of a returned buffer, in bytes. Allocating a smaller one is faster than sending
 * it.
 */
const worthSending = 64 << 10;
/** Returned buffers of this total size, in bytes, are sent at once, in a separate message. */
const worthWaking = 1 << 20;

/** Runs a helper. */
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
    // The engine decodes or encodes during the call.
    if ((message.op !== "decode" && message.op !== "encode") || !answer) return;
    const { ok, value } = answer as { ok?: boolean; value?: ArrayBuffer };
    const { id, bytes } = message;
    const into = message.op === "decode" ? message.into : value;
    const done: FromHelper = { done: id, memory: host.memory().engine, bytes };
    if (!ok) done.failed = true;
    if (into) done.into = into;
    send(done, into ? [bytes, into] : [bytes]);
  };
}

scope.onmessage((data) => {
  const message = data as WorkerBoot | WorkerEarly | (ToWorker & ToHelper);
  if ("boot" in message) boot(message.boot).catch(fail);
  else if (!("early" in message)) take?.(message);
  else if (message.open) early.begin(message.early, message.open);
  else early.end(message.early);
});
