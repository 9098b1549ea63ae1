import type { ToWorker } from "../engine/protocol/worker.js";
import { macrotask } from "../platform/macrotask.js";

/** The milliseconds of work that the engine gets before new messages are read. */
const share = 2;

/**
 * Passes messages to the engine in order. Cancellations overtake the others: a cancelled call that
 * still waits is never started. Without this, the engine would start most calls, and send their
 * requests, before it received their cancellation.
 */
export class Intake {
  readonly #give: (message: ToWorker) => void;
  /** Waiting messages by the number of the call, or by a negative number. */
  readonly #waiting = new Map<number, ToWorker>();
  #others = 0;
  /**
   * How long the engine has worked without a pause, and when it stopped, both in milliseconds.
   */
  #spent = 0;
  #until = 0;
  #resting = false;

  constructor(give: (message: ToWorker) => void) {
    this.#give = give;
  }

  /** Takes a message. */
  take(message: ToWorker): void {
    if (message.op === "cancel") {
      const targets = message.targets.filter((id) => !this.#waiting.delete(id));
      if (targets.length > 0) this.#give({ op: "cancel", targets });
      return;
    }
    this.#waiting.set("id" in message ? message.id : --this.#others, message);
    if (this.#resting) return;
    this.#spent = Math.max(0, this.#spent - (performance.now() - this.#until));
    this.#work();
  }

  #work(): void {
    const began = performance.now() - this.#spent;
    for (const [number, message] of this.#waiting) {
      if (this.#spent >= share) break;
      this.#waiting.delete(number);
      this.#give(message);
      this.#until = performance.now();
      this.#spent = this.#until - began;
    }
    if (this.#waiting.size > 0) void this.#rest();
  }

  async #rest(): Promise<void> {
    this.#resting = true;
    await macrotask();
    this.#resting = false;
    this.#spent = 0;
    this.#work();
  }
}
