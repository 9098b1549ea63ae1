import * as platform from "#platform";
import { startGo } from "#startgo";
import { EngineError, errorFromWire, type UnsupportedError, ZarrError } from "../errors.js";
import { type Build, full } from "../platform/build.js";
import type { Port } from "../platform/port.js";
import { checked } from "../refuse.js";
import type { Readable } from "../stores/readable.js";
import { type CallOptions, Connection, reasonOf } from "./connection.js";
import { describe } from "./description.js";
import type { FromEngine, RequestEvent } from "./protocol/answers.js";
import type { Limits } from "./protocol/requests.js";
import type { WireSelector } from "./protocol/types.js";
import type { EarlyOpen, FromWorker, WireMemory, WorkerBoot, WorkerEarly } from "./protocol/worker.js";

/** How the engine is started. Everything has a default. */
export interface InitOptions {
  /** Where zarr.wasm is, when it is not beside the script. */
  url?: string | URL | undefined;
  /**
   * Where zarr-full.wasm is, when it is not beside the script. It has the codecs that few arrays
   * need, and takes the place of zarr.wasm when the first of them is met.
   */
  fullUrl?: string | URL | undefined;
  /**
   * Where zarr-write.wasm is, when it is not beside the script. It writes, and takes the place of the other one with the first call that
   * does.
   */
  writeUrl?: string | URL | undefined;
  /** zarr.wasm, already compiled. */
  module?: WebAssembly.Module | undefined;
  /**
   * The engine runs in a worker where there is such a thing, else in place. `false`: in place
   * in any case. A function: makes the worker, of this package's `zarr-wasm/worker`.
   */
  worker?: boolean | (() => Worker) | undefined;
  /**
   * The most workers that help the engine's to decode; the default is one less
   * than the machine has threads. They are started when there is work for them. 0: no
   * worker at all, the engine runs in place.
   */
  workers?: number | undefined;
  /** Is told of every request of every store, and of every read that needed none. */
  onRequest?: ((event: RequestEvent, store: Readable | undefined) => void) | undefined;
  /** What data and servers can make the engine do at most; each has a default. */
  limits?: Limits | undefined;
}

/** What {@link memory} tells, in bytes. */
export interface MemoryReport {
  /** Of the engine: its caches are in there. */
  engine: number;
  /** Of each worker that helps it. */
  helpers: number[];
  /** Buffers that are kept to be used again. */
  buffers: number;
  /** All of it. */
  total: number;
  /** How many of JavaScript's values the engine refers to. */
  handles: number;
}

/** Starts engines of one wasm file, one at a time. */
class Launcher {
  readonly #options: InitOptions;
  readonly #build: Build;
  /** Where the wasm is, where that is said. */
  url: string | URL | undefined;
  #connection: Promise<Connection> | undefined;
  #module: WebAssembly.Module | undefined;
  /** Counts the engines, so that the end of an old one does not end a new one. */
  #generation = 0;
  #worker: Port | undefined;
  #stopStarting: ((error: EngineError) => void) | undefined;
  /** What the worker is told before its engine runs; undefined when it does. */
  #early: WorkerEarly[] | undefined;
  #earlyCount = 0;

  constructor(options: InitOptions, build: Build, url: string | URL | undefined) {
    this.#options = options;
    this.#build = build;
    this.url = url;
    this.#module = build ? undefined : options.module;
  }

  /** The engine that runs or starts, if one does. */
  get running(): Promise<Connection> | undefined {
    return this.#connection;
  }

  terminate(): void {
    const connection = this.#connection;
    const error = new EngineError("the engine was terminated", { code: "TERMINATED" });
    this.#connection = undefined;
    this.#generation++;
    // A worker that is still starting is ended at once; the calls that wait for it are told when it has ended.
    this.#stopStarting?.(error);
    this.#worker?.terminate();
    this.#worker = undefined;
    connection?.then(
      (c) => c.close(error),
      () => {},
    );
  }

  /** The engine that runs, or the next one. */
  connect(): Promise<Connection> {
    if (!this.#connection) {
      const generation = ++this.#generation;
      const forget = () => {
        if (this.#generation === generation) this.#connection = undefined;
      };
      this.#early = [];
      const starting = new Promise<Connection>((resolve, reject) => {
        this.#stopStarting = reject;
        this.#start(forget).then((connection) => {
          // No call waits for an engine that was terminated while it started.
          if (this.#generation === generation) {
            this.#early = undefined;
            resolve(connection);
          } else connection.close(new EngineError("the engine was terminated", { code: "TERMINATED" }));
        }, reject);
      });
      starting.catch(forget);
      this.#connection = starting;
    }
    return this.#connection;
  }

  /** True while the engine starts. */
  get starting(): boolean {
    return this.#early !== undefined;
  }

  /**
   * Lets the worker ask for what opening a node will need, before its engine does. The function
   * that it returns ends what of it has not been used.
   */
  early(
    store: Readable,
    { path, kind, format, consolidated, sparing, bare, selection, seconds }: Omit<EarlyOpen, "url" | "options">,
  ): () => void {
    const wire = describe(store, () => 0);
    if (!("http" in wire)) return () => {};
    const early = ++this.#earlyCount;
    const post = (message: WorkerEarly) => (this.#worker ? this.#worker.post(message) : this.#early?.push(message));
    const { url, options } = wire.http;
    post({ early, open: { path, kind, format, consolidated, sparing, bare, selection, seconds, url, options } });
    return () => post({ early });
  }

  async #start(forget: () => void): Promise<Connection> {
    const { worker, workers } = this.#options;
    if (this.url === undefined) this.#module ??= await platform.embedded();
    if (workers !== 0 && (typeof worker === "function" || (worker !== false && platform.wantsWorker()))) {
      const boot = this.#boot();
      try {
        const started = typeof worker === "function" ? platform.portOfWorker(worker()) : platform.startWorker();
        this.#worker = started;
        for (const message of this.#early ?? []) started.post(message);
        return await this.#inWorker(started, boot, forget);
      } catch (error) {
        if (error instanceof EngineError) throw error;
        await boot; // the wasm is of use here too
        const why = error instanceof Error && error.message ? ` (${error.message})` : "";
        console.warn(`zarr-wasm: its worker could not be started${why}; arrays are read on this thread`);
      }
    }
    return this.#inPlace(forget);
  }

  /** How the worker is started. The wasm is compiled from here, while the worker's script loads. */
  async #boot(): Promise<WorkerBoot> {
    this.#module ??= await platform.loadModule(this.url, this.#build);
    const workers = this.#options.workers ?? platform.threads() - 1;
    return { boot: { version: ZARR_WASM_VERSION, module: this.#module, workers, limits: this.#options.limits } };
  }

  async #inPlace(forget: () => void): Promise<Connection> {
    this.#module ??= await platform.loadModule(this.url, this.#build);
    let connection: Connection | undefined;
    let stopped: EngineError | undefined;
    const host = await startGo(this.#module, {
      limits: this.#options.limits,
      message: (message) => connection?.receive(message as FromEngine),
      stopped: (error) => {
        stopped = error;
        forget();
        connection?.fail(error);
      },
    });
    if (stopped) throw stopped;
    let hold: ReturnType<typeof setInterval> | undefined;
    connection = new Connection({
      post: (message) => {
        if (message.op !== "memory") return host.post(message);
        const value: WireMemory = { ...host.memory(), helpers: [], buffers: host.buffers.size };
        connection?.receive({ id: message.id, ok: true, value });
      },
      // In Node, Go's timers do not keep the process: calls do.
      busy: (busy) => {
        hold ??= setInterval(() => {}, 1 << 30);
        if (busy) hold.ref?.();
        else hold.unref?.();
      },
      // Without references to it the instance is garbage.
      close: () => clearInterval(hold),
      onRequest: this.#options.onRequest,
    });
    return connection;
  }

  /** Rejects with an EngineError when the engine does not start in the worker, with another when there is no worker. */
  #inWorker(worker: Port, boot: Promise<WorkerBoot>, forget: () => void): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = new Connection({
        post: (message, transfer) => worker.post(message, transfer),
        close: () => worker.terminate(),
        busy: (busy) => worker.hold(busy),
        onRequest: this.#options.onRequest,
      });
      const end = (error: EngineError) => {
        worker.terminate();
        forget();
        connection.fail(error);
        reject(error);
      };
      let booted = false;
      worker.onmessage = (data) => {
        const message = data as FromWorker;
        if ("booted" in message) {
          booted = true;
          worker.hold(false);
          resolve(connection);
        } else if ("fatal" in message) {
          const error = errorFromWire(message.fatal);
          end(error instanceof EngineError ? error : new EngineError(error.message, { cause: error }));
        } else if ("buffers" in message) {
          connection.recycle(message.buffers);
          if (message.message) connection.receive(message.message);
        } else {
          connection.receive(message);
        }
      };
      worker.onfail = (reason, ended) => {
        if (booted || ended) return end(new EngineError(`the engine's worker failed: ${reason}`));
        worker.terminate();
        reject(new Error(reason));
      };
      boot.then((message) => worker.post(message), end);
    });
  }
}

/** Settles as the promise does, or rejects as soon as the signal is aborted. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(reasonOf(signal));
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Those of all builds. */
const launchersOf = (options: InitOptions) =>
  [options.url, options.fullUrl, options.writeUrl].map((url, build) => new Launcher(options, build as Build, url));

/** Hands calls to the engine that runs: that of zarr.wasm, or that of the last build that took over when it was needed. */
class Engine {
  #launchers = launchersOf({});
  #build: Build = 0;

  get #current(): Launcher {
    return this.#launchers[this.#build] as Launcher;
  }

  async init(options: InitOptions | undefined): Promise<void> {
    if (options !== undefined) {
      if (this.#current.running) {
        throw new EngineError("the engine has already been started", {
          hint: "call init() first, or terminate() before",
        });
      }
      checked("init", options);
      this.#launchers = launchersOf({ ...options });
      this.#build = 0;
    }
    await this.#current.connect();
  }

  async memory(): Promise<MemoryReport> {
    const running = await this.#current.running;
    if (!running) return { engine: 0, helpers: [], buffers: 0, total: 0, handles: 0 };
    const { engine, helpers, buffers, handles, host } = await running.memory();
    const all = buffers + host;
    const total = helpers.reduce((sum, bytes) => sum + bytes, engine + all);
    return { engine, helpers, buffers: all, total, handles };
  }

  terminate(): void {
    for (const launcher of this.#launchers) launcher.terminate();
    this.#build = 0;
  }

  async call<T>(store: Readable, operation: Parameters<Connection["call"]>[1], options: CallOptions = {}): Promise<T> {
    const { signal } = options;
    if (signal?.aborted) throw reasonOf(signal);
    const run = async (connecting: Promise<Connection>): Promise<T> => {
      const connection = await orAborted(connecting, signal);
      // Another one may have taken over since this was asked for.
      if (connection.retired) return this.call(store, operation, options);
      return orAborted(connection.call(store, operation, options) as Promise<T>, signal);
    };
    const connecting = this.#current.connect();
    connecting.catch(() => {}); // no call waits for it where the store is not valid
    const endEarly =
      operation.op === "open" && this.#current.starting ? this.#current.early(store, operation) : undefined;
    try {
      return await run(connecting);
    } catch (error) {
      if (!(error instanceof ZarrError && error.rare)) throw error;
      return await run(this.#connectFull(error));
    } finally {
      endEarly?.();
    }
  }

  preload(store?: Readable, path = "", selection?: WireSelector[] | null): void {
    this.#current.connect().catch(() => {});
    if (store) this.#current.early(store, { path, selection, seconds: 30 });
  }

  /** Lets a build take over as soon as its engine runs; until then, and when it does not start, the one before goes on. */
  async takeOver(build: Build, url?: string | URL): Promise<Connection> {
    const launcher = this.#launchers[build] as Launcher;
    launcher.url ??= url;
    const connection = await launcher.connect();
    const before = this.#current.running;
    if (this.#build > build) connection.retire();
    else if (this.#build < build) {
      this.#build = build;
      before?.then(
        (c) => c.retire(),
        () => {},
      );
    }
    return connection;
  }

  async #connectFull(error: ZarrError): Promise<Connection> {
    try {
      return await this.takeOver(this.#build || full);
    } catch (cause) {
      const hint = "say where it is: init({ fullUrl })";
      const Same = error.constructor as typeof UnsupportedError;
      throw new Same(`${error.message}, and zarr-full.wasm, which has it, could not be started`, {
        ...error,
        hint,
        cause,
      });
    }
  }
}

/** @internal The engine of this page (or process). It starts with the first call. */
export const engine: Engine = /* @__PURE__ */ new Engine();

/**
 * Says how the engine is to be started, and starts it. No program needs to. Resolves when it runs; rejects
 * with {@link EngineError}. To start it ahead of the first call, and no more, there is `preload()`.
 */
export function init(options?: InitOptions): Promise<void> {
  return engine.init(options);
}

/**
 * Tells how much memory the engine has taken. It keeps what it has taken, and
 * uses it again; {@link terminate} frees all of it. Nothing is started by asking.
 */
export function memory(): Promise<MemoryReport> {
  return engine.memory();
}

/** Ends the engine and frees its memory. Calls that are running reject with {@link EngineError}; the next call starts another one. */
export function terminate(): void {
  engine.terminate();
}
