import * as platform from "#platform";
import { startGo } from "#startgo";
import { EngineError, errorFromWire, type UnsupportedError, ZarrError } from "../errors.js";
import { type Build, full } from "../platform/build.js";
import type { Port } from "../platform/port.js";
import { checked } from "../shared/arguments.js";
import type { Readable } from "../stores/readable.js";
import { type CallOptions, Connection, reasonOf, type StoreCall } from "./connection.js";
import { describe, isRare } from "./description.js";
import type { AnswerValues, FromEngine, Limits, RequestEvent } from "./protocol/wire.js";
import type { EarlyOpen, FromWorker, WireMemory, WorkerBoot, WorkerEarly } from "./protocol/worker.js";

/** Settings of the engine's start. All have defaults. */
export interface InitOptions {
  /** The URL of zarr.wasm, if it is not beside the script. */
  url?: string | URL | undefined;
  /**
   * The URL of zarr-full.wasm, if it is not beside the script. It contains the rarely used codecs,
   * and replaces zarr.wasm when an array needs one.
   */
  fullUrl?: string | URL | undefined;
  /**
   * The URL of zarr-write.wasm, if it is not beside the script. It writes, and replaces the other
   * build at the first call that writes.
   */
  writeUrl?: string | URL | undefined;
  /** The compiled module of zarr.wasm. */
  module?: WebAssembly.Module | undefined;
  /**
   * By default the engine runs in a worker if the host has workers, otherwise in place. `false`
   * runs it in place. A function creates the worker from this package's `zarr-wasm/worker`.
   */
  worker?: boolean | (() => Worker) | undefined;
  /**
   * The maximum number of helpers, the workers that decode for the engine. The default is the
   * machine's number of threads minus one. Helpers start when there is work for them. 0 runs the
   * engine in place, without any worker.
   */
  workers?: number | undefined;
  /** Receives every request of every store, and every read that needed none. */
  onRequest?: ((event: RequestEvent, store: Readable | undefined) => void) | undefined;
  /** Limits on the work that data and servers can cause. Each has a default. */
  limits?: Limits | undefined;
}

/** The result of {@link memory}, in bytes. */
export interface MemoryReport {
  /** The memory of the engine, including its caches. */
  engine: number;
  /** The memory of each helper. */
  helpers: number[];
  /** Buffers that are kept for reuse. */
  buffers: number;
  /** The sum. */
  total: number;
  /** The number of JavaScript values that the engine refers to. */
  handles: number;
}

/** The code of errors after {@link terminate}. */
const terminated = "TERMINATED";

/** Starts engines of one wasm file, one at a time. */
class Launcher {
  readonly #options: InitOptions;
  readonly #build: Build;
  /** The URL of the wasm, if one was given. */
  url: string | URL | undefined;
  #connection: Promise<Connection> | undefined;
  /** The engine that runs. */
  connected: Connection | undefined;
  #module: WebAssembly.Module | undefined;
  /** Counts the engines. The end of an old engine then does not affect a new one. */
  #generation = 0;
  #worker: Port | undefined;
  #stopStarting: ((error: EngineError) => void) | undefined;
  /** Messages for the worker before its engine runs. Undefined when it runs. */
  #early: WorkerEarly[] | undefined;
  #earlyCount = 0;

  constructor(options: InitOptions, build: Build, url: string | URL | undefined) {
    this.#options = options;
    this.#build = build;
    this.url = url;
    this.#module = build ? undefined : options.module;
  }

  /** The engine that runs or starts; undefined if there is none. */
  get running(): Promise<Connection> | undefined {
    return this.#connection;
  }

  terminate(): void {
    const connection = this.#connection;
    const error = new EngineError("the engine was terminated", { code: terminated });
    this.#connection = undefined;
    this.connected = undefined;
    this.#generation++;
    // A starting worker is ended at once. The calls that wait for it are rejected after its end.
    this.#stopStarting?.(error);
    this.#worker?.terminate();
    this.#worker = undefined;
    connection?.then(
      (c) => c.close(error),
      () => {},
    );
  }

  /** Returns the running engine, or starts one. */
  connect(): Promise<Connection> {
    if (!this.#connection) {
      const generation = ++this.#generation;
      const forget = () => {
        if (this.#generation !== generation) return;
        this.#connection = undefined;
        this.connected = undefined;
      };
      this.#early = [];
      const starting = new Promise<Connection>((resolve, reject) => {
        this.#stopStarting = reject;
        this.#start(forget).then((connection) => {
          // An engine that was terminated while it started has no waiting calls.
          if (this.#generation === generation) {
            this.#early = undefined;
            this.connected = connection;
            resolve(connection);
          } else connection.close(new EngineError("the engine was terminated", { code: terminated }));
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
   * Asks the worker to request a node's documents before its engine runs. Returns a function that
   * aborts the unused requests.
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
        await boot; // the wasm can be used here too
        const why = error instanceof Error && error.message ? ` (${error.message})` : "";
        console.warn(`zarr-wasm: its worker could not be started${why}; arrays are read on this thread`);
      }
    }
    return this.#inPlace(forget);
  }

  /**
   * Returns the boot message of the worker. The page compiles the wasm while the worker's script
   * loads.
   */
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
      // In Node, Go's timers do not keep the process alive. Pending calls do.
      busy: (busy) => {
        hold ??= setInterval(() => {}, 1 << 30);
        if (busy) hold.ref?.();
        else hold.unref?.();
      },
      // The instance is garbage once nothing refers to it.
      close: () => clearInterval(hold),
      onRequest: this.#options.onRequest,
    });
    return connection;
  }

  /**
   * Rejects with an EngineError if the engine does not start in the worker, and with another error
   * if there is no worker.
   */
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

/** Returns the launchers of all builds. */
const launchersOf = (options: InitOptions) =>
  [options.url, options.fullUrl, options.writeUrl].map((url, build) => new Launcher(options, build as Build, url));

/**
 * Forwards calls to the running engine: that of zarr.wasm, or of the last build that replaced it.
 */
class Engine {
  #launchers = launchersOf({});
  #build: Build = 0;
  /** The options of {@link init}. */
  options: InitOptions = {};

  get #current(): Launcher {
    return this.#launchers[this.#build] as Launcher;
  }

  /** The engine that runs; undefined if none runs. */
  get connected(): Connection | undefined {
    return this.#current.connected;
  }

  async init(options: InitOptions | undefined): Promise<void> {
    if (options !== undefined) {
      // A later build may be starting. The engines of earlier ones have retired.
      if (this.#launchers.slice(this.#build).some(({ running }) => running)) {
        throw new EngineError("the engine has already been started", {
          hint: "call init() first, or terminate() before",
        });
      }
      checked("init", options);
      this.options = { ...options };
      this.#launchers = launchersOf(this.options);
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

  async call<Op extends StoreCall["op"]>(
    store: Readable,
    operation: StoreCall & { op: Op },
    options: CallOptions = {},
  ): Promise<AnswerValues[Op]> {
    const { signal } = options;
    if (signal?.aborted) throw reasonOf(signal);
    const run = async (connecting: Promise<Connection>): Promise<AnswerValues[Op]> => {
      const connection = await orAborted(connecting, signal);
      // Another engine may have taken over in the meantime.
      if (connection.retired) return this.call<Op>(store, operation, options);
      return orAborted(connection.call<Op>(store, operation, options), signal);
    };
    const connecting = this.#connect(store);
    connecting.catch(() => {}); // if the store is invalid, no call waits for it
    const call: StoreCall = operation;
    const endEarly = call.op === "open" && this.#current.starting ? this.#current.early(store, call) : undefined;
    try {
      return await run(connecting);
    } catch (error) {
      if (!(error instanceof ZarrError && error.rare)) throw error;
      return await run(this.#connectFull(error));
    } finally {
      endEarly?.();
    }
  }

  preload(store?: Readable, early?: Pick<EarlyOpen, "path" | "selection">): void {
    this.#connect(store).catch(() => {});
    if (store && early) this.#current.early(store, { ...early, seconds: 30 });
  }

  /**
   * Replaces the running engine by that of a build, once that runs. Until then, and if it does not
   * start, the earlier engine continues.
   */
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

  /**
   * Returns the running engine, or starts one. A store of a rare kind starts the complete build,
   * which spares its page the download of zarr.wasm.
   */
  #connect(store?: Readable): Promise<Connection> {
    const launcher = this.#current;
    if (!store || this.#build || launcher.running || !isRare(describe(store, () => 0))) return launcher.connect();
    return this.takeOver(full).catch((error: EngineError) => {
      if (error.code === terminated) throw error;
      // zarr.wasm reports that the store needs the build that did not start.
      return this.#current.connect();
    });
  }

  async #connectFull(error: ZarrError): Promise<Connection> {
    try {
      return await this.takeOver(this.#build || full);
    } catch (cause) {
      if ((cause as EngineError).code === terminated) throw cause;
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

/** @internal The engine of this page (or process). It starts at the first call. */
export const engine: Engine = /* @__PURE__ */ new Engine();

/**
 * Sets the engine's options and starts it. Programs do not need to call it. Resolves when the
 * engine runs; rejects with {@link EngineError}. `preload()` only starts it before the first call.
 */
export function init(options?: InitOptions): Promise<void> {
  return engine.init(options);
}

/**
 * Reports the engine's memory. The engine does not return memory but reuses it; {@link terminate}
 * frees all of it. The call does not start an engine.
 */
export function memory(): Promise<MemoryReport> {
  return engine.memory();
}

/**
 * Ends the engine and frees its memory. Running calls reject with {@link EngineError}; the next
 * call starts another engine.
 */
export function terminate(): void {
  engine.terminate();
}
