import type { ToEngine } from "../engine/protocol/requests.js";
import { macrotask } from "../platform/macrotask.js";

/** How many milliseconds of work the engine is given before messages that came meanwhile are looked at. */
const share = 2;

/**
 * Hands messages to the engine in their order, but for those that cancel a call: they
 * overtake, and a call whose turn has not come is not begun. Every call takes the engine some time, so of
 * many at once most would be begun, and send their requests, before it heard that they are cancelled.
 */
export class Intake {
  readonly #give: (message: ToEngine) => void;
  /** By the number of the call, or a negative one. */
  readonly #waiting = new Map<number, ToEngine>();
  #others = 0;
  /** How long the engine has worked without a pause, and until when. */
  #spent = 0;
  #until = 0;
  #resting = false;

  constructor(give: (message: ToEngine) => void) {
    this.#give = give;
  }

  /** Takes a message. */
  take(message: ToEngine): void {
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
