import { Pace } from "../../platform/macrotask.js";
import type { Port } from "../../platform/port.js";
import { startViewWorker } from "./start.js";
import type { Extreme, FromViewWorker, Result, Task, ToViewWorker } from "./tasks.js";

/** @internal Says that the worker has stopped, and with it what it was given. */
export class Stopped extends Error {}

/** A worker that has started, and what waits for its answers. */
class Running {
  readonly #port: Port;
  readonly #asked = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #number = 0;
  ended = false;

  constructor(port: Port) {
    this.#port = port;
    port.onmessage = (data) => this.#take(data as FromViewWorker);
    port.hold(false);
    port.onfail = (reason) => {
      breaks++;
      this.end(new Stopped(`the view's worker has stopped: ${reason}`));
    };
  }

  do(task: Task, transfer: readonly ArrayBuffer[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#number;
      if (this.#asked.size === 0) this.#port.hold(true);
      this.#port.post({ id, task } satisfies ToViewWorker, transfer);
      this.#asked.set(id, { resolve, reject });
    });
  }

  #take(answer: FromViewWorker): void {
    if ("ready" in answer) return;
    const asked = this.#asked.get(answer.id);
    this.#asked.delete(answer.id);
    if (this.#asked.size === 0) this.#port.hold(false);
    if ("result" in answer) asked?.resolve(answer.result);
    else asked?.reject(new Error(answer.error));
  }

  end(error: Error): void {
    this.ended = true;
    this.#port.onfail = undefined;
    this.#port.terminate();
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
  }
}

/** Starts it; undefined where that cannot be. */
function start(): Promise<Running | undefined> {
  return new Promise((resolve) => {
    let port: Port | undefined;
    try {
      if (breaks < mostBreaks) port = startViewWorker();
    } catch {
      // The platform refuses: what it says does not matter, because the work can be done here.
    }
    if (!port) return resolve(undefined);
    const started = port;
    started.onfail = () => {
      started.onfail = undefined;
      started.terminate();
      resolve(undefined);
    };
    // Its first message tells that its script has loaded.
    started.onmessage = () => resolve(new Running(started));
  });
}

/** How many workers have broken, and with how many no other is started. */
let breaks = 0;
const mostBreaks = 2;
let worker: Promise<Running | undefined> | undefined;
let users = 0;

/** The worker of all views of a page: started when it is first asked for, ended when the last one has closed. */
export class ViewWorker {
  #open = true;

  /** Counts as one that uses it. */
  constructor() {
    users++;
  }

  /** Starts the worker ahead of the first task. */
  start(): void {
    if (this.#open) worker ??= start();
  }

  /**
   * Does a task: in the worker, or here in short pieces of time where there is none. The buffers are transferred. Rejects with a
   * {@link Stopped} where the worker has ended meanwhile.
   */
  async do<T extends Task>(task: T, transfer: readonly ArrayBuffer[] = []): Promise<Result<T>> {
    if (!this.#open) throw new Stopped("the view was closed");
    worker ??= start();
    const asked = worker;
    const running = await asked;
    if (running?.ended) {
      if (worker === asked) worker = undefined;
      return this.do(task, transfer);
    }
    if (running) {
      return (running.do(task, transfer) as Promise<Result<T>>).catch((error: unknown) => {
        // What was not transferred is here still.
        if (transfer.length > 0 || !this.#open || !(error instanceof Stopped)) throw error;
        return this.do(task);
      });
    }
    const { work } = await import("../loops/index.js");
    const steps = work(task);
    const pace = new Pace();
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (pace.due) await pace.rest(undefined);
    }
  }

  /** Reduces a line to so many stretches: the least and the largest number of each, NaN where all of them are missing. */
  minmax(values: ArrayLike<number>, count: number): Promise<Extreme> {
    return this.do({ task: "extremes", values, count });
  }

  /** Ends the use. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    if (--users > 0) return;
    const ending = worker;
    worker = undefined;
    void ending?.then((running) => running?.end(new Stopped("the view was closed")));
  }
}
