import { createGo } from "#wasm-exec";
import type { FromEngine, FromPoolUser, Limits, ToEngine, ToPoolUser, WireAnswer } from "../engine/protocol/wire.js";
import type { ToGoHelper } from "../engine/protocol/worker.js";
import { EngineError } from "../errors.js";
import { Buffers } from "../platform/buffers.js";
import { wasmHint } from "../platform/policy.js";
import { Columns } from "./columns.js";
import { Exchange, type Settle } from "./exchange.js";
import { nameFunctions } from "./functionnames.js";
import { decode, encode } from "./messagetext.js";
import { gather, type PackedRuns, Target } from "./scatter.js";

/** A running Go instance. */
export interface GoHost {
  /** Sends a message to the instance. */
  post(message: ToEngine | ToGoHelper | ToPoolUser): void;
  /**
   * Returns the bytes of the instance's memory, and the number of JavaScript values that it refers
   * to.
   */
  memory(): { engine: number; handles: number };
  /**
   * The memory for decoded elements, for orders with a place but no memory. It is not part of the
   * message, because Go would refer to it for too long.
   */
  target: Uint8Array | undefined;
  /** The pool of buffers that are used briefly. */
  buffers: Buffers;
}

/** The functions and settings that an instance uses. */
export interface GoListener {
  /** The number of helpers that may decode chunks. */
  helpers?: number;
  limits?: Limits | undefined;
  buffers?: Buffers;
  /** Replaces the platform's fetch. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Receives a message, and its transferable buffers. */
  message(message: FromEngine | FromPoolUser, transfer: ArrayBuffer[]): void;
  /** Called once, when the program ends or traps. The instance cannot be used afterwards. */
  stopped(error: EngineError): void;
}

/** The request id of the handshake; the engine's clients count from 1. */
const helloId = 0;

/**
 * Starts the Go program and checks that its version is the same.
 *
 * @throws `EngineError` if it does not start.
 */
export async function startGo(module: WebAssembly.Module, listener: GoListener): Promise<GoHost> {
  const { Go, global } = createGo();
  const go = new Go();
  // The first garbage collection is at GOGC times 4 MiB / 100. It compiles the collector, which
  // takes longer than a first read: it should come late. Memory is never returned to the host.
  // Above GOMEMLIMIT, collections are more frequent. Full caches and pools take 150 MiB of it.
  go.env = { GOGC: "200", GOMEMLIMIT: "216MiB" };
  const log = new Log();
  global.fs.writeSync = (_, bytes) => log.write(bytes);

  let running = true;
  let started = false;
  let rejectStart: (error: EngineError) => void = () => {};
  let linear: WebAssembly.Memory | undefined;
  const stop = (what: string, cause?: unknown) => {
    if (!running) return;
    running = false;
    const error = new EngineError(what + log.summary(), { cause: cause ?? log.cause() });
    if (started) listener.stopped(error);
    else rejectStart(error);
  };
  const guard = (run: () => void) => {
    if (!running) return;
    try {
      run();
    } catch (cause) {
      crash(cause);
    }
  };
  // A trap of wasm reports neither cause nor place, as Go's own messages do.
  const crash = (cause: unknown) => {
    let what = "the engine crashed";
    if (linear && cause instanceof WebAssembly.RuntimeError && cause.stack) {
      cause.stack = nameFunctions(cause.stack, linear.buffer, WebAssembly.Module.imports(module).length);
      const where = /wasm-function\[\d+\] (\S+?)(?::0x|@|\s|$)/.exec(cause.stack);
      what += `: ${cause.message}${where ? ` in ${where[1]}` : ""}`;
    }
    stop(what, cause);
  };
  go.exit = (code) => stop(`the engine exited with code ${code}`);
  // All callbacks and timers that wake Go's scheduler go through here.
  const resume = go._resume.bind(go);
  go._resume = () => guard(resume);

  return new Promise((resolve, reject) => {
    rejectStart = reject;
    let post: ((text: string, values: unknown[]) => void) | undefined;
    const buffers = listener.buffers ?? new Buffers();
    const columns = new Columns();
    const host: GoHost = {
      post: (message) => guard(() => post?.(...encode(columns.take(message)))),
      memory: () => ({
        engine: linear?.buffer.byteLength ?? 0,
        handles: go._values ? go._values.length - go._idPool.length : 0,
      }),
      target: undefined,
      buffers,
    };
    global.zarrReady = (receive: NonNullable<typeof post>) => {
      post = receive;
    };
    if (listener.fetch) global.fetch = listener.fetch;
    global.zarrExchange = (settle: Settle) => {
      const exchange = new Exchange(listener.fetch ?? ((url, init) => fetch(url, init)), settle);
      return [exchange.send, exchange.read, exchange.end].map((method) => method.bind(exchange));
    };
    global.zarrLend = (n: number) => buffers.lend(n);
    global.zarrRoom = (id: number, n: number) => columns.room(id, n);
    global.zarrScatter = (to: Uint8Array | null, n: number, place: PackedRuns) =>
      new Target(to ?? host.target, n, place);
    global.zarrGather = gather;
    global.zarrMessage = (text: string, ...values: unknown[]) => {
      const message = decode(text, values) as FromEngine | FromPoolUser;
      if (started) {
        const buffers = values.filter((value) => value instanceof ArrayBuffer);
        const made = columns.make(message, buffers);
        return listener.message(made.message, made.transfer);
      }
      const hello = message as WireAnswer;
      if (hello.id !== helloId) return;
      started = true;
      if (hello.ok) return resolve(host);
      running = false;
      // Go answers this request with no other error.
      reject(new EngineError(hello.error.message));
    };
    WebAssembly.instantiate(module, go.importObject)
      .then((instance) => {
        linear = instance.exports.mem as WebAssembly.Memory;
        go.run(instance).catch(crash);
        if (running && !post)
          throw new EngineError("zarr.wasm is not this package's: it did not report that it is ready");
        const { helpers = 0, limits = {} } = listener;
        host.post({ id: helloId, op: "hello", version: ZARR_WASM_VERSION, helpers, limits });
      })
      .catch((cause: unknown) => {
        running = false;
        if (cause instanceof EngineError) return reject(cause);
        const hint = wasmHint(String(cause));
        reject(new EngineError(`zarr.wasm could not be started${hint ? `: ${hint}` : ""}`, { hint, cause }));
      });
  });
}

/** Keeps the beginning of the program's standard error, because Go writes the cause first. */
class Log {
  #text = "";
  readonly #decoder = new TextDecoder();

  write(bytes: Uint8Array): number {
    if (this.#text.length < 4096) this.#text += this.#decoder.decode(bytes, { stream: true });
    return bytes.length;
  }

  summary(): string {
    const line = this.#text.split("\n").find((l) => /^(panic|fatal error|runtime): /.test(l));
    return line === undefined ? "" : `: ${line}`;
  }

  cause(): Error | undefined {
    return this.#text === "" ? undefined : new Error(this.#text.trim());
  }
}
