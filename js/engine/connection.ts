import { inEngine, registry } from "../codecs/registry.js";
import { abortError, EngineError, errorFromWire } from "../errors.js";
import { lazy } from "../shared/lazily.js";
import type { Readable } from "../stores/readable.js";
import { wantedBudgets } from "./budgets.js";
import { describe, engineSideOf, type OnRequest, tell } from "./description.js";
import type { Host } from "./host.js";
import type { NearChunks } from "./nearchunks.js";
import type { WireColumnBlock } from "./protocol/columns.js";
import type {
  AnswerValues,
  FromEngine,
  NodeRef,
  OpOpen,
  WireAsk,
  WireBlock,
  WireError,
  WireMember,
  WireNode,
  WireOperation,
} from "./protocol/wire.js";
import type { OpMemory, ToWorker, WireMemory } from "./protocol/worker.js";

/** The transport of messages to one engine. */
export interface Transport {
  post(message: ToWorker, transfer: ArrayBuffer[]): void;
  /** Ends the engine. */
  close(): void;
  /** Reports whether calls are pending. */
  busy?(busy: boolean): void;
  /** Receives the requests of all stores. */
  onRequest?: OnRequest | undefined;
}

/** Options of a call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
  onPartial?: ((partial: WireBlock | WireColumnBlock, start: number[]) => void) | undefined;
  /** The marks that a store on the page receives with the requests for this call. */
  marks?: object | undefined;
  /** Buffers in the operation that are transferred. */
  transfer?: ArrayBuffer[] | undefined;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  onProgress: CallOptions["onProgress"];
  onPartial: CallOptions["onPartial"];
  marks: CallOptions["marks"];
  /** Keeps the store alive while the engine may ask for its bytes. */
  store: Readable | undefined;
}

/** An operation of the engine or of the worker. */
type Sent = WireOperation | Pick<OpMemory, "op">;

/** The values of their answers. */
interface Values extends AnswerValues {
  memory: WireMemory;
}
type StoreOperation = Exclude<Extract<WireOperation, { store: number }>, { op: "store" | "close" } | { node: number }>;
type NodeOperation = Extract<WireOperation, { node: number }>;
/** An operation with one of its members replaced. */
export type Without<O, Name extends string, Instead = unknown> = O extends O ? Omit<O, Name> & Instead : never;

/**
 * An operation on a store without its number, or on a node with its reference in place of its
 * handle.
 */
export type StoreCall = Without<StoreOperation, "store"> | Without<NodeOperation, "node", { node: NodeRef }>;

/**
 * The state of one engine: its pending requests, its known stores, and its questions to stores on
 * this thread.
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
  readonly #numbers = new WeakMap<Readable, number>();
  /** The handles of nodes. */
  readonly #nodes = new WeakMap<NodeRef, number>();
  readonly #unused = new FinalizationRegistry<number>((handle) => this.#releaseSoon(handle));
  readonly #released: number[] = [];
  /** Answers the engine's questions. The first question creates it. */
  #host: Promise<Host> | undefined;
  #codecNames = "[]";
  #lastId = 0;
  /** The aborted calls that the engine does not know of yet. */
  readonly #cancelled: number[] = [];
  #lastStore = 0;
  #failure: EngineError | undefined;
  #near: NearChunks | undefined;
  /** Changes of stores that have not settled. */
  #changes = 0;
  /** Calls that have not settled. */
  #calls = 0;
  #retired = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends a request about a store, after the description of the store. */
  async call<Op extends StoreCall["op"]>(
    store: Readable,
    operation: StoreCall & { op: Op },
    options: CallOptions,
  ): Promise<AnswerValues[Op]> {
    this.#calls++;
    const change = "change" in operation;
    if (change) this.#outdate(1);
    try {
      this.#tellOfCodecs();
      if (options.signal?.aborted) throw reasonOf(options.signal);
      const { number, ready } = this.#register(store);
      let about: { store: number } | { node: number } = { store: number };
      if ("node" in operation) {
        const { node } = operation;
        // An error of the store takes precedence here too, because the store may need
        // zarr-full.wasm.
        const again = async () => (await Promise.all([ready, this.#reopen(store, number, node, options.signal)]))[1];
        about = { node: this.#nodes.get(node) ?? (await again()) };
      }
      // The engine handles both in this order. An error of the store takes precedence.
      const request = this.#request({ ...operation, ...about } as WireOperation, options, store);
      const value: unknown = (await Promise.all([ready, request]))[1];
      if ((value as Partial<WireNode> | null)?.hash) this.#hold(value as WireNode);
      if (operation.op === "known") for (const node of value as (WireNode | null)[]) if (node) this.#hold(node);
      if (operation.op === "members") {
        for (const { node, error } of value as WireMember[]) {
          if (node) this.#hold(node);
          if (error) await this.#reasoned(error);
        }
      }
      return value as AnswerValues[Op];
    } finally {
      this.#calls--;
      if (change) this.#outdate(-1);
      if (this.#retired) this.retire();
    }
  }

  /**
   * Returns the decoded chunks near the page; undefined during a change. Whoever has them may add
   * to them at any time: after a change, others are near.
   */
  near(make: () => NearChunks): NearChunks | undefined {
    if (this.#changes > 0) return undefined;
    this.#near ??= make();
    return this.#near;
  }

  #outdate(changes: number): void {
    this.#changes += changes;
    this.#near = undefined;
  }

  /** Returns the handle of a node, if this engine has opened it. */
  handleOf(ref: NodeRef): number | undefined {
    return this.#nodes.get(ref);
  }

  /** Opens a node that another engine opened. Rejects if its documents have another hash. */
  async #reopen(store: Readable, number: number, ref: NodeRef, signal: AbortSignal | undefined): Promise<number> {
    const { path, kind, format, hash, bare } = ref;
    const operation: OpOpen = { op: "open", store: number, path, kind, format, hash };
    if (bare) operation.bare = bare;
    const node = await this.#request(operation, { signal }, store);
    const known = this.#nodes.get(ref); // two calls may have reopened it
    if (known === undefined) this.#hold(node, ref);
    else this.#releaseSoon(node.handle as number);
    return known ?? (node.handle as number);
  }

  /** Keeps a node's handle, if it has one, while the page uses the node. */
  #hold(node: WireNode, ref?: NodeRef): void {
    const { path, kind, format, hash, bare, handle, array } = node;
    node.ref = ref ?? { path, kind, format, hash, bare, type: array?.type.name };
    if (!handle) return;
    this.#nodes.set(node.ref, handle);
    this.#unused.register(node.ref, handle);
  }

  #releaseSoon(handle: number): void {
    this.#near?.release(handle);
    if (this.#released.push(handle) > 1) return;
    queueMicrotask(() => this.#send({ op: "release", nodes: this.#released.splice(0) }));
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

  /** Returns the engine's memory, and the bytes that the page keeps for it. */
  async memory(): Promise<WireMemory & { host: number }> {
    const told = await this.#request({ op: "memory" }, {});
    const host = await this.#host?.catch(() => undefined);
    return { ...told, host: (host?.buffers.size ?? 0) + (this.#near?.size ?? 0) };
  }

  /** Handles a message of the engine. */
  receive(message: FromEngine): void {
    if ("ask" in message) this.#answer(message);
    else if ("aborted" in message) this.#withHost((host) => host.abort(message.aborted));
    else if ("event" in message)
      tell(message.event, this.#stores.get(message.store)?.deref(), this.#transport.onRequest);
    else if ("progress" in message) {
      const { done, total } = message.progress;
      this.#tell(message.id, ({ onProgress }) => onProgress?.(done, total));
    } else if ("partial" in message)
      this.#tell(message.id, ({ onPartial }) => onPartial?.(message.partial, message.start));
    else {
      if (message.outdated) this.#outdate(0);
      const pending = this.#pending.get(message.id);
      if (message.ok) pending?.resolve(message.value);
      else if (message.error.thrown === undefined) pending?.reject(errorFromWire(message.error));
      else void this.#reasoned(message.error).then((error) => pending?.reject(errorFromWire(error)));
    }
  }

  /** Takes buffers that the engine no longer needs. */
  recycle(buffers: ArrayBuffer[]): void {
    this.#withHost((host) => host.recycle(buffers));
  }

  /** Rejects all pending calls, each with an error of its own. Later calls are rejected as well. */
  fail(error: EngineError): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#outdate(0);
    for (const pending of [...this.#pending.values()]) pending.reject(copy(error));
    this.#withHost((host) => host.end());
  }

  /** Ends the engine after {@link fail}. */
  close(error: EngineError): void {
    this.#cancelled.push(...this.#pending.keys());
    this.#cancel();
    this.fail(error);
    this.#transport.close();
  }

  #register(store: Readable): { number: number; ready: Promise<unknown> } {
    let known = this.#known.get(store);
    if (!known) {
      const number = this.number(store);
      const description = JSON.stringify(describe(store, (one) => this.number(one)));
      const events = (this.#transport.onRequest ?? engineSideOf(store)?.tell) !== undefined;
      const caches = wantedBudgets;
      known = { number, ready: this.#request({ op: "store", store: number, description, events, caches }, {}) };
      this.#known.set(store, known);
      known.ready.catch(() => this.#known.delete(store));
    }
    return known;
  }

  /**
   * @internal Returns the number of a store. Stores built on the same store use the same number for
   * it, and share what the engine has cached of it.
   */
  number(store: Readable): number {
    const known = this.#numbers.get(store);
    if (known !== undefined) return known;
    const number = ++this.#lastStore;
    this.#numbers.set(store, number);
    this.#stores.set(number, new WeakRef(store));
    this.#collected.register(store, number);
    return number;
  }

  #request<Op extends Sent["op"]>(
    operation: Sent & { op: Op },
    { signal, onProgress, onPartial, marks, transfer }: CallOptions,
    store?: Readable,
  ): Promise<Values[Op]> {
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
          resolve(value as Values[Op]);
        },
        reject: (error) => {
          end();
          reject(error);
        },
        onProgress,
        onPartial,
        marks,
        store,
      });
      signal?.addEventListener("abort", abort);
      this.#send({ ...operation, id }, transfer);
    });
  }

  /**
   * Calls that are aborted in one task are cancelled by one message. The engine ends all of them
   * before it continues.
   */
  #cancelSoon(id: number): void {
    if (this.#cancelled.push(id) === 1) queueMicrotask(() => this.#cancel());
  }

  #cancel(): void {
    const targets = this.#cancelled.splice(0);
    if (targets.length > 0) this.#send({ op: "cancel", targets });
  }

  #send(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    if (!this.#failure) this.#transport.post(message, transfer);
  }

  #tell(id: number, tell: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    try {
      tell(pending);
    } catch (error) {
      // An error in the caller's function ends the call, which rejects with that error.
      this.#cancelSoon(id);
      pending.reject(error);
    }
  }

  /** Sends the names of the page's codecs to the engine if they have changed. */
  #tellOfCodecs(): void {
    const names: string[] = [];
    for (const [name, make] of registry) if (make !== inEngine) names.push(name);
    const told = JSON.stringify(names);
    if (told !== this.#codecNames) this.#send({ op: "codecs", names });
    this.#codecNames = told;
  }

  #answer(message: WireAsk): void {
    this.#host ??= lazy().then(
      ({ Host, answerForStore }) =>
        new Host({
          store: (number) => this.#stores.get(number)?.deref(),
          read: (store, question, options) => answerForStore(store, engineSideOf(store), question, options),
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

  /** Adds the error that the page threw to an error that it caused. */
  async #reasoned(error: WireError): Promise<WireError> {
    if (error.thrown !== undefined) error.reason = (await this.#host?.catch(() => undefined))?.thrown(error.thrown);
    return error;
  }

  #withHost(run: (host: Host) => void): void {
    this.#host?.then(run, () => {});
  }
}

/** Returns the rejection of a call whose signal is aborted. */
export function reasonOf(signal: AbortSignal | undefined): unknown {
  return signal?.reason ?? abortError();
}

/** Copies an error, so that each of several calls with the same failure has a stack of its own. */
function copy(error: EngineError): EngineError {
  return new EngineError(error.message, { ...error, cause: error.cause });
}
