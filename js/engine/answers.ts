import { PageCodecs } from "../codecs/pagecodecs.js";
import { Buffers } from "../platform/buffers.js";
import { macrotask } from "../platform/macrotask.js";
import { scrub } from "../platform/redact.js";
import type { Readable, StoreOptions } from "../stores/readable.js";
import { changeStore, Locks } from "./hostwriting.js";
import type { WireAsk, WireCodecAnswer, WireFound, WireKeysAsk, WireQuestion } from "./protocol/questions.js";
import type { ToEngine } from "./protocol/requests.js";
import type { WireByteRange } from "./protocol/types.js";
import type { WireWriteAsk } from "./protocol/writes.js";

/** Answers that are smaller go together in one message. */
const small = 64 << 10;
/** The most bytes that are copied, and questions that are answered, before the page's thread is let go. */
const atOnce = { bytes: 4 << 20, questions: 512 };
/** Stands for the length of what does not exist, and for a size that is not known. */
const absentLength = 0xffffffff;
/** How many bytes stand before the bytes of all answers of a message, for each. */
const headLength = 20;

/** What a host needs of its surroundings. */
interface HostOptions {
  /** The store of that number, while it is in use. */
  store(number: number): Readable | undefined;
  /** Asks a store. */
  read(store: Readable, question: WireQuestion, options: StoreOptions): Promise<WireFound>;
  /** What the call of that id gives to stores. */
  marks(id: number): object | undefined;
  send(message: ToEngine, transfer: ArrayBuffer[]): void;
}

/** What is asked for a key. */
type KeyQuestion = Extract<WireQuestion, { key: string }>;

interface Answer {
  ask: number;
  bytes?: Uint8Array | undefined;
  size?: number | undefined;
  modified?: number | undefined;
}

/** How many of the errors that stores threw last are kept until the engine tells whose they are. */
const keptErrors = 256;

/** Answers the engine's questions about what lives here: stores and codecs. */
export class Host {
  readonly #options: HostOptions;
  readonly #asks = new Map<number, AbortController>();
  readonly #codecs = new PageCodecs();
  readonly #locks = new Locks();
  /** Small answers that wait to be sent, and how many questions that may still join them. */
  #answers: Answer[] = [];
  #gathered = 0;
  #copied = 0;
  #tick: Promise<void> | undefined;
  #flush: ReturnType<typeof setTimeout> | undefined;
  #ended = false;
  readonly #thrown = new Map<number, unknown>();
  /** Buffers that came back from the engine. */
  readonly buffers = new Buffers();

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Answers all questions of a message. */
  async answer(message: WireAsk): Promise<void> {
    // An engine in place asks from within Go: come back to it only after it has returned.
    await undefined;
    if ("keys" in message) return this.#keys(message);
    await this.#later(message.ask, async (signal) => {
      if (!("store" in message)) this.#send(message.ask, await this.#codecs.answer(message), false);
      else if (isChange(message)) this.#send(message.ask, await this.#change(message, signal), false);
      else this.#send(message.ask, await this.#read(message.store, message, signal, message.mark), true);
    });
  }

  /** The answer to a question is no longer wanted. */
  abort(ask: number): void {
    this.#asks.get(ask)?.abort();
    this.#locks.release(ask);
  }

  /** What was thrown when a question was to be answered. */
  thrown(ask: number): unknown {
    return this.#thrown.get(ask);
  }

  /** Takes buffers that the engine has no use for any more. */
  recycle(buffers: ArrayBuffer[]): void {
    for (const buffer of buffers) this.buffers.giveBack(buffer);
  }

  /** No answer is wanted any more. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#flush);
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
    // What a map has, or has not, needs no promise; one with a get of its own may throw, or answer later.
    if (store instanceof Map && store.get === Map.prototype.get && range === undefined) {
      const found: unknown = store.get(`/${key}`);
      if (found === undefined || found instanceof Uint8Array) {
        this.#give({ ask, bytes: found, size: found?.length });
        return;
      }
    }
    void this.#later(ask, async (signal) => {
      const { bytes, size, modified } = await this.#read(number, question, signal, mark);
      if (this.#copied >= atOnce.bytes) await this.#pause();
      this.#give({ ask, bytes, size, modified });
      this.#flush ??= setTimeout(() => this.#sendGathered(), 0);
    });
  }

  async #read(number: number, question: WireQuestion, signal: AbortSignal, mark = 0): Promise<WireFound> {
    const store = this.#options.store(number);
    if (!store) throw new Error("the store is no longer in use");
    return this.#options.read(store, question, { ...this.#options.marks(mark), signal });
  }

  async #change(message: WireWriteAsk, signal: AbortSignal): Promise<WireFound> {
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

  /** Runs what answers a question. What it throws is the answer, too. */
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

  /** Gives the bytes of a key, which stay the store's. */
  #give(answer: Answer): void {
    const { ask, bytes, size, modified } = answer;
    const length = bytes?.length ?? 0;
    if (bytes && length >= small) {
      const found: WireFound = { bytes };
      if (size !== undefined) found.size = size;
      if (modified !== undefined) found.modified = modified;
      this.#send(ask, found, false);
      return;
    }
    this.#answers.push(answer);
    this.#gathered += length;
    if (this.#gathered >= atOnce.bytes) this.#sendGathered();
  }

  /** Sends one answer, with bytes that are the engine's to take or to copy. */
  #send(ask: number, { bytes, ...rest }: WireFound | WireCodecAnswer, own: boolean): void {
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

  /** Sends what has been gathered. */
  #sendGathered(): void {
    if (this.#flush !== undefined) clearTimeout(this.#flush);
    this.#flush = undefined;
    const answers = this.#answers;
    if (answers.length === 0 || this.#ended) return;
    const length = headLength * answers.length + this.#gathered;
    this.#answers = [];
    this.#gathered = 0;
    const all = this.buffers.lend(length);
    const head = new Uint32Array(all.buffer, 0, (headLength / 4) * answers.length);
    let at = headLength * answers.length;
    // There may be thousands: a head takes no array of its own.
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

  /** Lets the thread do what else it has to. */
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
