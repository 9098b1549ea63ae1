import { PageCodecs } from "../codecs/pagecodecs.js";
import { Buffers } from "../platform/buffers.js";
import { macrotask } from "../platform/macrotask.js";
import { scrub } from "../platform/redact.js";
import type { Readable, StoreOptions } from "../stores/readable.js";
import { changeStore, Locks } from "./hostwriting.js";
import type { CodecAnswer, StoreAnswer, StoreQuestion } from "./protocol/page.js";
import type { ToEngine, WireAsk, WireByteRange, WireKeysAsk, WireWriteAsk } from "./protocol/wire.js";

/** Smaller answers are combined into one message. */
const small = 64 << 10;
/** The limits of bytes copied and questions answered before the page's thread runs other tasks. */
const atOnce = { bytes: 4 << 20, questions: 512 };
/** Stands for the length of an object that does not exist, and for an unknown size. */
const absentLength = 0xffffffff;
/** The bytes of one answer's head. In a message, the heads precede the bytes of all answers. */
const headLength = 20;

/** The functions that a host needs from its owner. */
interface HostOptions {
  /** Returns the store with that number, while it is in use. */
  store(number: number): Readable | undefined;
  /** Reads from a store. */
  read(store: Readable, question: StoreQuestion, options: StoreOptions): Promise<StoreAnswer>;
  /** Returns the marks that the call with that id passes to stores. */
  marks(id: number): object | undefined;
  send(message: ToEngine, transfer: ArrayBuffer[]): void;
}

/** A question about a key. */
type KeyQuestion = Extract<StoreQuestion, { key: string }>;

interface Answer {
  ask: number;
  bytes?: Uint8Array | undefined;
  size?: number | undefined;
  modified?: number | undefined;
}

/** The number of recent store errors that are kept until the engine reports their calls. */
const keptErrors = 256;

/** Answers the engine's questions about stores and codecs on this thread. */
export class Host {
  readonly #options: HostOptions;
  readonly #asks = new Map<number, AbortController>();
  readonly #codecs = new PageCodecs();
  readonly #locks = new Locks();
  /** Small answers that wait to be sent, and the number of bytes in them. */
  #answers: Answer[] = [];
  #gathered = 0;
  #copied = 0;
  #tick: Promise<void> | undefined;
  /** The number of keys that stores are reading. */
  #reading = 0;
  /** True if the gathered answers are to be sent in a task of its own. */
  #flushing = false;
  #ended = false;
  readonly #thrown = new Map<number, unknown>();
  /** Buffers that the engine has returned. */
  readonly buffers = new Buffers();

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Answers all questions of a message. */
  async answer(message: WireAsk): Promise<void> {
    // An engine in place asks from within Go. It must return before it can take an answer.
    await undefined;
    if ("keys" in message) return this.#keys(message);
    await this.#later(message.ask, async (signal) => {
      if (!("store" in message)) this.#send(message.ask, await this.#codecs.answer(message), false);
      else if (isChange(message)) this.#send(message.ask, await this.#change(message, signal), false);
      else this.#send(message.ask, await this.#read(message.store, message, signal, message.mark), true);
    });
  }

  /** Aborts a question whose answer is no longer needed. */
  abort(ask: number): void {
    this.#asks.get(ask)?.abort();
    this.#locks.release(ask);
  }

  /** Returns the error that answering a question threw. */
  thrown(ask: number): unknown {
    return this.#thrown.get(ask);
  }

  /** Takes buffers that the engine no longer needs. */
  recycle(buffers: ArrayBuffer[]): void {
    for (const buffer of buffers) this.buffers.giveBack(buffer);
  }

  /** Aborts all questions. */
  end(): void {
    this.#ended = true;
    for (const controller of this.#asks.values()) controller.abort();
    this.#locks.end();
  }

  async #keys({ ask, store: number, keys, count, ranges, mark, fresh }: WireKeysAsk): Promise<void> {
    const names = count === 1 ? [keys] : keys.split("\n");
    for (let i = 0; i < count && !this.#ended; i++) {
      if (this.#copied >= atOnce.bytes || (i > 0 && i % atOnce.questions === 0)) await this.#pause();
      const question: KeyQuestion = { key: names[i] as string };
      const range = ranges && rangeOf(ranges, i);
      if (range) question.range = range;
      if (fresh) question.fresh = true;
      this.#key(ask + i, number, question, mark);
    }
    this.#sendGathered();
  }

  #key(ask: number, number: number, question: KeyQuestion, mark: number | undefined): void {
    const { key, range } = question;
    const store = this.#options.store(number);
    // A Map answers at once and needs no promise. A Map with a get of its own may throw, or answer
    // later.
    if (store instanceof Map && store.get === Map.prototype.get && range === undefined) {
      const found: unknown = store.get(`/${key}`);
      if (found === undefined || found instanceof Uint8Array) {
        this.#give({ ask, bytes: found, size: found?.length });
        return;
      }
    }
    void this.#later(ask, async (signal) => {
      this.#reading++;
      let found: StoreAnswer;
      try {
        found = await this.#read(number, question, signal, mark);
      } finally {
        this.#reading--;
      }
      const { bytes, size, modified } = found;
      if (this.#copied >= atOnce.bytes) await this.#pause();
      this.#give({ ask, bytes, size, modified });
      this.#flush();
    });
  }

  /** Sends the gathered answers: at once if no other key is being read, otherwise soon. */
  #flush(): void {
    if (this.#reading === 0) this.#sendGathered();
    else if (!this.#flushing) {
      this.#flushing = true;
      // A timer would take a millisecond, and in browsers soon four.
      void macrotask().then(() => {
        this.#flushing = false;
        this.#sendGathered();
      });
    }
  }

  async #read(number: number, question: StoreQuestion, signal: AbortSignal, mark = 0): Promise<StoreAnswer> {
    const store = this.#options.store(number);
    if (!store) throw new Error("the store is no longer in use");
    return this.#options.read(store, question, { ...this.#options.marks(mark), signal });
  }

  async #change(message: WireWriteAsk, signal: AbortSignal): Promise<StoreAnswer> {
    if ("unlock" in message) {
      this.#locks.release(message.unlock);
      return {};
    }
    const store = this.#options.store(message.store);
    if (!store) throw new Error("the store is no longer in use");
    if ("lock" in message) return { confirmed: await this.#locks.take(store, message.ask, message.lock, { signal }) };
    await changeStore(store, message, { signal });
    return {};
  }

  /** Runs the function that answers a question. Sends a thrown error as the answer. */
  async #later(ask: number, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    this.#asks.set(ask, controller);
    try {
      await run(controller.signal);
    } catch (error) {
      const text = error instanceof Error ? error.message || error.name : String(error);
      if (this.#ended) return;
      this.#thrown.set(ask, error);
      const [oldest] = this.#thrown.keys();
      if (this.#thrown.size > keptErrors) this.#thrown.delete(oldest as number);
      this.#options.send({ op: "answer", ask, error: scrub(text) }, []);
    } finally {
      this.#asks.delete(ask);
    }
  }

  /** Answers with a key's bytes without taking ownership of them. */
  #give(answer: Answer): void {
    const { ask, bytes, size, modified } = answer;
    const length = bytes?.length ?? 0;
    if (bytes && length >= small) {
      const found: StoreAnswer = { bytes };
      if (size !== undefined) found.size = size;
      if (modified !== undefined) found.modified = modified;
      this.#send(ask, found, false);
      return;
    }
    this.#answers.push(answer);
    this.#gathered += length;
    if (this.#gathered >= atOnce.bytes) this.#sendGathered();
  }

  /** Sends one answer. With `own`, transfers its bytes without a copy. */
  #send(ask: number, { bytes, ...rest }: StoreAnswer | CodecAnswer, own: boolean): void {
    if (this.#ended) return;
    if (!bytes) {
      this.#options.send({ op: "answer", ask, ...rest }, []);
      return;
    }
    let whole = bytes as Uint8Array<ArrayBuffer>;
    const { length } = whole;
    if (!own || whole.byteOffset !== 0) {
      whole = this.buffers.lend(length);
      whole.set(bytes);
      this.#count(length);
    }
    this.#options.send({ op: "answer", ask, ...rest, bytes: whole.buffer, length }, [whole.buffer]);
  }

  /** Sends the gathered answers. */
  #sendGathered(): void {
    const answers = this.#answers;
    if (answers.length === 0 || this.#ended) return;
    const length = headLength * answers.length + this.#gathered;
    this.#answers = [];
    this.#gathered = 0;
    const all = this.buffers.lend(length);
    const head = new Uint32Array(all.buffer, 0, (headLength / 4) * answers.length);
    let at = headLength * answers.length;
    // There may be thousands of answers: all heads share one array.
    const date = new Float64Array(1);
    const words = new Uint32Array(date.buffer);
    let i = 0;
    for (const { ask, bytes, size = absentLength, modified = 0 } of answers) {
      date[0] = modified;
      head[i++] = ask;
      head[i++] = bytes ? bytes.length : absentLength;
      head[i++] = Math.min(size, absentLength);
      head[i++] = words[0] as number;
      head[i++] = words[1] as number;
      if (!bytes) continue;
      all.set(bytes, at);
      at += bytes.length;
    }
    this.#count(length);
    this.#options.send({ op: "answer", answers: all.buffer, count: answers.length, length }, [all.buffer]);
  }

  #count(bytes: number): void {
    this.#copied += bytes;
    if (this.#copied >= atOnce.bytes / 4) this.#pause();
  }

  /** Lets the thread run other tasks. */
  #pause(): Promise<void> {
    this.#tick ??= macrotask().then(() => {
      this.#copied = 0;
      this.#tick = undefined;
    });
    return this.#tick;
  }
}

function isChange(message: WireAsk): message is WireWriteAsk {
  return (
    "put" in message || "delete" in message || "deleteFolder" in message || "lock" in message || "unlock" in message
  );
}

function rangeOf(ranges: readonly number[], i: number): WireByteRange | undefined {
  const offset = ranges[2 * i] ?? 0;
  const length = ranges[2 * i + 1] ?? -1;
  if (length < 0) return undefined;
  return offset < 0 ? { suffixLength: length } : { offset, length };
}
