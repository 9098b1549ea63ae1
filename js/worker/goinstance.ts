import { createGo } from "#wasm-exec";
import type { FromEngine, WireAnswer } from "../engine/protocol/answers.js";
import type { FromPoolUser, ToGoHelper, ToPoolUser } from "../engine/protocol/jobs.js";
import type { Limits, ToEngine } from "../engine/protocol/requests.js";
import { EngineError } from "../errors.js";
import { Buffers } from "../platform/buffers.js";
import { wasmHint } from "../platform/policy.js";
import { Columns } from "./columns.js";
import { Exchange, type Settle } from "./exchange.js";
import { nameFunctions } from "./functions.js";
import { decode, encode } from "./messagetext.js";
import { gather, type Place, Target } from "./scatter.js";

/** A running Go instance. */
export interface GoHost {
  /** Gives the instance a message. */
  post(message: ToEngine | ToGoHelper | ToPoolUser): void;
  /** Bytes of the instance's memory, and how many of JavaScript's values it refers to. */
  memory(): { engine: number; handles: number };
  /** Where it puts what it decodes, when it is told of a place and of no memory: Go would refer to that for too long. */
  target: Uint8Array | undefined;
  /** Where it takes memory from that is used for a short time only. */
  buffers: Buffers;
}

/** What an instance calls. */
export interface GoListener {
  /** How many others there may be that chunks are given to, to decode. */
  helpers?: number;
  limits?: Limits | undefined;
  buffers?: Buffers;
  /** Used in place of the platform's. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** A message, and the buffers in it that may be transferred. */
  message(message: FromEngine | FromPoolUser, transfer: ArrayBuffer[]): void;
  /** The program ended or trapped; called once, and the instance is of no use from then on. */
  stopped(error: EngineError): void;
}

/** The request id of the handshake; the engine's clients count from 1. */
const helloId = 0;

/**
 * Starts the Go program and makes sure that it is of the same version. Rejects
 * with an {@link EngineError} when it does not start.
 */
export async function startGo(module: WebAssembly.Module, listener: GoListener): Promise<GoHost> {
  const { Go, global } = createGo();
  const go = new Go();
  // Garbage is first collected at GOGC times 4 MiB / 100. That compiles the collector, which costs more than a first read does, so it
  // comes late; what was taken once is never given back, so above so many bytes collections come sooner.
  go.env = { GOGC: "200", GOMEMLIMIT: "256MiB" };
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
  // A trap of wasm says neither why nor where, as Go's own messages do.
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
  // All that wakes Go's scheduler, timers and callbacks, goes through here.
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
    global.zarrScatter = (to: Uint8Array | null, n: number, place: Place) => new Target(to ?? host.target, n, place);
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

/** Keeps the beginning of what the program wrote to its standard error: Go's reason comes first. */
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
