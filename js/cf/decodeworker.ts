import { EngineError, LimitError } from "../errors.js";
import type { Port } from "../platform/port.js";
import type { FromDecoder, ToDecoder } from "./messages.js";
import type { Counts, NumberName, Numbers, Output, Plan } from "./plan.js";
import { startDecoder } from "./startdecoder.js";

/** @internal A region being decoded, on this thread or in the worker. */
export interface Region {
  /**
   * Decodes numbers as the given type, to the position described in {@link ToDecoder}. Without
   * `keep` their memory is transferred.
   */
  add(
    source: Numbers,
    from: NumberName,
    where: { at: number; run: number; runs: number; stride: number },
    keep: boolean,
  ): Promise<void>;
  /** Returns the complete region. */
  finish(): Promise<{ output: Output; counts: Counts }>;
  /** Discards the region. */
  drop(): void;
}

/**
 * A region in the worker: pending answers in the order of requests, and the error after a failure.
 */
interface Asked {
  waiting: { resolve(answer: FromDecoder): void; reject(error: Error): void }[];
  failure?: Error;
}

function fail(asked: Asked, error: Error): void {
  asked.failure = error;
  for (const { reject } of asked.waiting.splice(0)) reject(error);
}

/** The worker that decodes, after its start. */
class DecodeWorker {
  readonly #port: Port;
  readonly #asked = new Map<number, Asked>();
  #failure: Error | undefined;
  #regions = 0;

  constructor(port: Port) {
    this.#port = port;
    port.onmessage = (data) => this.#take(data as FromDecoder);
    port.onfail = (reason) => this.end(new EngineError(`the worker that decodes has stopped: ${reason}`));
    port.hold(false);
  }

  /** True after the worker has ended. */
  get ended(): boolean {
    return this.#failure !== undefined;
  }

  end(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#port.onfail = undefined;
    this.#port.terminate();
    for (const asked of this.#asked.values()) fail(asked, error);
  }

  #take(answer: FromDecoder): void {
    if ("ready" in answer) return;
    const asked = this.#asked.get(answer.id);
    if (!asked) return;
    if ("bytes" in answer) {
      fail(asked, new LimitError(`there is no memory for a result of ${answer.bytes} bytes`, { limit: "memory" }));
    } else asked.waiting.shift()?.resolve(answer);
  }

  #ask(asked: Asked, message: ToDecoder, transfer: ArrayBuffer[] = []): Promise<FromDecoder> {
    return new Promise((resolve, reject) => {
      const failure = this.#failure ?? asked.failure;
      if (failure) return reject(failure);
      asked.waiting.push({ resolve, reject });
      this.#port.post(message, transfer);
    });
  }

  /** Begins a region with the given number of elements. */
  begin(plan: Plan, count: number): Region {
    const id = ++decoded;
    const asked: Asked = { waiting: [] };
    this.#asked.set(id, asked);
    if (++this.#regions === 1) this.#port.hold(true);
    this.#port.post({ id, plan, count } satisfies ToDecoder);
    let open = true;
    const close = () => {
      if (open && --this.#regions === 0) this.#port.hold(false);
      open = false;
      this.#asked.delete(id);
    };
    return {
      add: async (source, from, where, keep) => {
        const { buffer } = source;
        const taken = !keep && buffer instanceof ArrayBuffer ? [buffer] : [];
        await this.#ask(asked, { id, source, from, ...where }, taken);
      },
      finish: async () => {
        const answer = await this.#ask(asked, { id, finish: true });
        close();
        return answer as { output: Output; counts: Counts };
      },
      drop: () => {
        close();
        if (!this.#failure) this.#port.post({ id, drop: true } satisfies ToDecoder);
      },
    };
  }
}

/** The number of regions so far. */
let decoded = 0;
let worker: Promise<DecodeWorker | undefined> | undefined;
/** Ends the worker, even during its start. */
let stop: ((error: Error) => void) | undefined;

/** Starts the worker; undefined if that fails. */
function start(): Promise<DecodeWorker | undefined> {
  return new Promise((resolve) => {
    let port: Port | undefined;
    try {
      port = startDecoder();
    } catch {
      // Ignore the error: the work can be done on this thread.
    }
    if (!port) return resolve(undefined);
    const started = port;
    const unable = () => {
      started.onfail = undefined;
      started.terminate();
      resolve(undefined);
    };
    stop = unable;
    started.hold(true);
    started.onfail = unable;
    // The first message means that the script has loaded.
    started.onmessage = () => {
      const made = new DecodeWorker(started);
      stop = (error) => made.end(error);
      resolve(made);
    };
  });
}

/**
 * @internal The worker, started on first use and after it has ended; undefined if none can start.
 */
export async function decodeWorker(): Promise<DecodeWorker | undefined> {
  worker ??= start();
  const asked = worker;
  const made = await asked;
  if (!made?.ended) return made;
  if (worker === asked) worker = undefined;
  return decodeWorker();
}

/**
 * Ends the worker that decodes. Pending regions reject with {@link EngineError}. The next region
 * starts another worker.
 */
export function terminate(): void {
  stop?.(new EngineError("the worker that decodes was terminated", { code: "TERMINATED" }));
  stop = undefined;
  worker = undefined;
}
