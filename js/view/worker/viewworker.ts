import { Pace } from "../../platform/macrotask.js";
import type { Port } from "../../platform/port.js";
import { startViewWorker } from "./start.js";
import type { Extreme, FromViewWorker, Result, Task, ToViewWorker } from "./tasks.js";

/**
 * @internal The error of a task whose worker has stopped. The task's transferred buffers are lost.
 */
export class Stopped extends Error {}

/** A started worker, and the tasks that wait for its answers. */
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

/** Starts the worker; undefined if that is impossible. */
function start(): Promise<Running | undefined> {
  return new Promise((resolve) => {
    let port: Port | undefined;
    try {
      if (breaks < mostBreaks) port = startViewWorker();
    } catch {
      // The platform refuses to start it. The reason does not matter, because the page can do the
      // work itself.
    }
    if (!port) return resolve(undefined);
    const started = port;
    started.onfail = () => {
      started.onfail = undefined;
      started.terminate();
      resolve(undefined);
    };
    // The first message reports that its script has loaded.
    started.onmessage = () => resolve(new Running(started));
  });
}

/** The number of broken workers, and the number after which the page does the work itself. */
let breaks = 0;
const mostBreaks = 2;
let worker: Promise<Running | undefined> | undefined;
let users = 0;

/**
 * The worker of all views of a page. It starts on first use, and ends when the last view closes.
 */
export class ViewWorker {
  #open = true;

  /** Counts as a user of the worker. */
  constructor() {
    users++;
  }

  /** Starts the worker ahead of the first task. */
  start(): void {
    if (this.#open) worker ??= start();
  }

  /**
   * Runs a task in the worker, or in short pieces in the page if there is no worker. Transfers the
   * buffers.
   *
   * @throws {@link Stopped} if the worker has stopped.
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
        // Without transferred buffers the task still has its inputs.
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

  /**
   * Reduces a line to `count` stretches: the least and the largest number of each, NaN if all are
   * missing.
   */
  minmax(values: ArrayLike<number>, count: number): Promise<Extreme> {
    return this.do({ task: "extremes", values, count });
  }

  /** Ends this use of the worker. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    if (--users > 0) return;
    const ending = worker;
    worker = undefined;
    void ending?.then((running) => running?.end(new Stopped("the view was closed")));
  }
}
