import { more } from "#more";
import { registry } from "./codecs.js";
import { abortError, EngineError, errorFromWire } from "./errors.js";
import type { PageCodecs } from "./page-codecs.js";
import type { FromEngine, ToEngine, WireAsk, WireCodecAsk, WireDecodeAsk, WireOperation } from "./protocol.js";
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
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  onProgress: CallOptions["onProgress"];
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
  readonly #asks = new Map<number, AbortController>();
  readonly #collected = new FinalizationRegistry<number>((number) => {
    this.#stores.delete(number);
    if (!this.#failure) void this.#request({ op: "close", store: number }, {}).catch(() => {});
  });
  #codecs: Promise<PageCodecs> | undefined;
  #codecNames = "[]";
  #lastId = 0;
  #lastStore = 0;
  #failure: EngineError | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends a request about a store, after the engine has been told of the store. */
  async call(store: Readable, operation: StoreCall, options: CallOptions): Promise<unknown> {
    this.#tellOfCodecs();
    const number = await this.#register(store);
    if (options.signal?.aborted) throw reasonOf(options.signal);
    return this.#request({ ...operation, store: number } as StoreOperation, options, store);
  }

  /** Takes a message of the engine. */
  receive(message: FromEngine): void {
    if ("ask" in message) void ("store" in message ? this.#answer(message) : this.#runCodec(message));
    else if ("aborted" in message) this.#asks.get(message.aborted)?.abort();
    else if ("event" in message) tellStore(this.#stores.get(message.store)?.deref(), message.event);
    else if ("progress" in message) this.#progress(message.id, message.progress.done, message.progress.total);
    else {
      const pending = this.#pending.get(message.id);
      if (message.ok) pending?.resolve(message.value);
      else pending?.reject(errorFromWire(message.error));
    }
  }

  /** Rejects all that is pending, each with an error of its own; later calls are rejected as well. */
  fail(error: EngineError): void {
    if (this.#failure) return;
    this.#failure = error;
    for (const pending of [...this.#pending.values()]) pending.reject(copy(error));
    for (const controller of this.#asks.values()) controller.abort();
  }

  /** {@link fail}, and ends the engine. */
  close(error: EngineError): void {
    for (const id of this.#pending.keys()) this.#send({ op: "cancel", target: id });
    this.fail(error);
    this.#transport.close();
  }

  #register(store: Readable): Promise<number> {
    let known = this.#known.get(store);
    if (!known) {
      const number = ++this.#lastStore;
      known = { number, ready: this.#request({ op: "store", store: number, ...storeToWire(store) }, {}) };
      this.#known.set(store, known);
      this.#stores.set(number, new WeakRef(store));
      this.#collected.register(store, number);
      known.ready.catch(() => this.#known.delete(store));
    }
    const { number, ready } = known;
    return ready.then(() => number);
  }

  #request(operation: WireOperation, { signal, onProgress }: CallOptions, store?: Readable): Promise<unknown> {
    if (this.#failure) return Promise.reject(copy(this.#failure));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const abort = () => {
        end();
        this.#send({ op: "cancel", target: id });
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
        store,
      });
      signal?.addEventListener("abort", abort);
      this.#send({ ...operation, id });
    });
  }

  #send(message: ToEngine, transfer: ArrayBuffer[] = []): void {
    if (!this.#failure) this.#transport.post(message, transfer);
  }

  #progress(id: number, done: number, total: number): void {
    const pending = this.#pending.get(id);
    try {
      pending?.onProgress?.(done, total);
    } catch (error) {
      // What the caller's function throws is the caller's: the call ends with it.
      this.#send({ op: "cancel", target: id });
      pending?.reject(error);
    }
  }

  /** Tells the engine which codecs the page has, when they have changed. */
  #tellOfCodecs(): void {
    const names = [...registry.keys()];
    const told = JSON.stringify(names);
    if (told !== this.#codecNames) this.#send({ op: "codecs", names });
    this.#codecNames = told;
  }

  async #runCodec(message: WireCodecAsk | WireDecodeAsk): Promise<void> {
    const { ask } = message;
    try {
      this.#codecs ??= more().then(({ PageCodecs }) => new PageCodecs());
      const answer = await (await this.#codecs).answer(message);
      this.#send({ op: "answer", ask, ...answer });
    } catch (error) {
      this.#send({ op: "answer", ask, error: messageOf(error) });
    }
  }

  async #answer({ ask, store: number, ...question }: WireAsk): Promise<void> {
    const controller = new AbortController();
    this.#asks.set(ask, controller);
    try {
      // An engine in place asks from within Go: come back to it only after it has returned.
      await undefined;
      const store = this.#stores.get(number)?.deref();
      if (!store) throw new Error("the store is no longer in use");
      const found = await answerForStore(store, question, controller.signal);
      this.#send({ op: "answer", ask, ...found }, found.bytes ? [found.bytes.buffer] : []);
    } catch (error) {
      this.#send({ op: "answer", ask, error: messageOf(error) });
    } finally {
      this.#asks.delete(ask);
    }
  }
}

/** What a call rejects with whose signal is aborted. */
export function reasonOf(signal: AbortSignal | undefined): unknown {
  return signal?.reason ?? abortError();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** An error with a stack of its own, for one of several calls that fail of the same cause. */
function copy(error: EngineError): EngineError {
  return new EngineError(error.message, { ...error, cause: error.cause });
}
