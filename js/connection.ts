import { more } from "#more";
import { inEngine, registry } from "./codecs.js";
import { abortError, EngineError, errorFromWire } from "./errors.js";
import type { Host } from "./host.js";
import type { FromEngine, ToEngine, WireAsk, WireBlock, WireMemory, WireOperation } from "./protocol.js";
import { answerForStore, type Readable, storeToWire, tellStore } from "./stores.js";

/** The way to one engine. */
export interface Transport {
  post(message: ToEngine, transfer: ArrayBuffer[]): void;
  /** Ends the engine. */
  close(): void;
  /** Tells whether there are calls that wait. */
  busy?(busy: boolean): void;
}

/** What a call may bring along. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
  onPart?: ((part: WireBlock, start: number[]) => void) | undefined;
  /** What a store of the page's is given with the requests for this call. */
  marks?: object | undefined;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  onProgress: CallOptions["onProgress"];
  onPart: CallOptions["onPart"];
  marks: CallOptions["marks"];
  /** Keeps the store alive while the engine may ask for its bytes. */
  store: Readable | undefined;
}

type StoreOperation = Exclude<Extract<WireOperation, { store: number }>, { op: "store" | "close" }>;

/** Any of the operations about a store, without its number. */
export type StoreCall = StoreOperation extends infer O ? (O extends StoreOperation ? Omit<O, "store"> : never) : never;

/**
 * The bookkeeping of one engine: requests and their answers, the stores it knows,
 * and the questions it asks of stores that live here.
 */
export class Connection {
  readonly #transport: Transport;
  readonly #pending = new Map<number, Pending>();
  readonly #known = new WeakMap<Readable, { number: number; ready: Promise<unknown> }>();
  readonly #stores = new Map<number, WeakRef<Readable>>();
  readonly #collected = new FinalizationRegistry<number>((number) => {
    this.#stores.delete(number);
    if (!this.#failure) void this.#request({ op: "close", store: number }, {}).catch(() => {});
  });
  /** Answers the engine's questions; made with the first. */
  #host: Promise<Host> | undefined;
  #codecNames = "[]";
  #lastId = 0;
  /** Calls that the engine has to be told are aborted. */
  readonly #cancelled: number[] = [];
  #lastStore = 0;
  #failure: EngineError | undefined;
  /** Calls that have not settled. */
  #calls = 0;
  #retired = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends a request about a store, after the engine has been told of the store. */
  async call(store: Readable, operation: StoreCall, options: CallOptions): Promise<unknown> {
    this.#calls++;
    try {
      this.#tellOfCodecs();
      if (options.signal?.aborted) throw reasonOf(options.signal);
      const { number, ready } = this.#register(store);
      // The engine takes both in this order, and what is wrong with the store is told first.
      const request = this.#request({ ...operation, store: number } as StoreOperation, options, store);
      return (await Promise.all([request, ready]))[0];
    } finally {
      this.#calls--;
      if (this.#retired) this.retire();
    }
  }

  /** True when calls should go to another engine. */
  get retired(): boolean {
    return this.#retired;
  }

  /** Ends the engine as soon as its calls have settled. */
  retire(): void {
    this.#retired = true;
    if (this.#calls === 0) this.close(new EngineError("another engine has taken over"));
  }

  /** What the engine holds. */
  async memory(): Promise<WireMemory & { host: number }> {
    const told = (await this.#request({ op: "memory" }, {})) as WireMemory;
    return { ...told, host: (await this.#host?.catch(() => undefined))?.buffers.size ?? 0 };
  }

  /** Takes a message of the engine. */
  receive(message: FromEngine): void {
    if ("ask" in message) this.#answer(message);
    else if ("aborted" in message) this.#withHost((host) => host.abort(message.aborted));
    else if ("event" in message) tellStore(this.#stores.get(message.store)?.deref(), message.event);
    else if ("progress" in message) {
      const { done, total } = message.progress;
      this.#tell(message.id, ({ onProgress }) => onProgress?.(done, total));
    } else if ("part" in message) this.#tell(message.id, ({ onPart }) => onPart?.(message.part, message.start));
    else {
      const pending = this.#pending.get(message.id);
      if (message.ok) pending?.resolve(message.value);
      else pending?.reject(errorFromWire(message.error));
    }
  }

  /** Takes buffers that the engine has no use for any more. */
  recycle(buffers: ArrayBuffer[]): void {
    this.#withHost((host) => host.recycle(buffers));
  }

  /** Rejects all that is pending, each with an error of its own; later calls are rejected as well. */
  fail(error: EngineError): void {
    if (this.#failure) return;
    this.#failure = error;
    for (const pending of [...this.#pending.values()]) pending.reject(copy(error));
    this.#withHost((host) => host.end());
  }

  /** {@link fail}, and ends the engine. */
  close(error: EngineError): void {
    this.#cancelled.push(...this.#pending.keys());
    this.#cancel();
    this.fail(error);
    this.#transport.close();
  }

  #register(store: Readable): { number: number; ready: Promise<unknown> } {
    let known = this.#known.get(store);
    if (!known) {
      const number = ++this.#lastStore;
      known = { number, ready: this.#request({ op: "store", store: number, ...storeToWire(store) }, {}) };
      this.#known.set(store, known);
      this.#stores.set(number, new WeakRef(store));
      this.#collected.register(store, number);
      known.ready.catch(() => this.#known.delete(store));
    }
    return known;
  }

  #request(
    operation: WireOperation,
    { signal, onProgress, onPart, marks }: CallOptions,
    store?: Readable,
  ): Promise<unknown> {
    if (this.#failure) return Promise.reject(copy(this.#failure));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const abort = () => {
        end();
        this.#cancelSoon(id);
        reject(reasonOf(signal));
      };
      const end = () => {
        this.#pending.delete(id);
        if (this.#pending.size === 0) this.#transport.busy?.(false);
        signal?.removeEventListener("abort", abort);
      };
      if (this.#pending.size === 0) this.#transport.busy?.(true);
      this.#pending.set(id, {
        resolve: (value) => {
          end();
          resolve(value);
        },
        reject: (error) => {
          end();
          reject(error);
        },
        onProgress,
        onPart,
        marks,
        store,
      });
      signal?.addEventListener("abort", abort);
      this.#send({ ...operation, id });
    });
  }

  /** Those who abort many calls abort them together: the engine then lets go of all of them before it goes on. */
  #cancelSoon(id: number): void {
    if (this.#cancelled.push(id) === 1) queueMicrotask(() => this.#cancel());
  }

  #cancel(): void {
    const targets = this.#cancelled.splice(0);
    if (targets.length > 0) this.#send({ op: "cancel", targets });
  }

  #send(message: ToEngine, transfer: ArrayBuffer[] = []): void {
    if (!this.#failure) this.#transport.post(message, transfer);
  }

  #tell(id: number, tell: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    try {
      tell(pending);
    } catch (error) {
      // What the caller's function throws is the caller's: the call ends with it.
      this.#cancelSoon(id);
      pending.reject(error);
    }
  }

  /** Tells the engine which codecs the page has, when they have changed. */
  #tellOfCodecs(): void {
    const names = [...registry].flatMap(([name, make]) => (make === inEngine ? [] : name));
    const told = JSON.stringify(names);
    if (told !== this.#codecNames) this.#send({ op: "codecs", names });
    this.#codecNames = told;
  }

  #answer(message: WireAsk): void {
    this.#host ??= more().then(
      ({ Host }) =>
        new Host({
          store: (number) => this.#stores.get(number)?.deref(),
          read: answerForStore,
          marks: (id) => this.#pending.get(id)?.marks,
          send: (message, transfer) => this.#send(message, transfer),
        }),
    );
    this.#host
      .then((host) => host.answer(message))
      .catch((error: unknown) => {
        // The script did not load. The next question tries again.
        this.#host = undefined;
        const count = "count" in message ? message.count : 1;
        for (let i = 0; i < count; i++) this.#send({ op: "answer", ask: message.ask + i, error: String(error) });
      });
  }

  #withHost(run: (host: Host) => void): void {
    this.#host?.then(run, () => {});
  }
}

/** What a call rejects with whose signal is aborted. */
export function reasonOf(signal: AbortSignal | undefined): unknown {
  return signal?.reason ?? abortError();
}

/** An error with a stack of its own, for one of several calls that fail of the same cause. */
function copy(error: EngineError): EngineError {
  return new EngineError(error.message, { ...error, cause: error.cause });
}
