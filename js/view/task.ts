// Tasks of the view that no caller waits for. Each of them ends here: an exception becomes an error
// that the person sees and can retry.

/** Reports a failed operation; `again` repeats it. */
export type Failed = (error: unknown, again: () => void) => void;

/** Runs a task and reports its exception. Returns whether the task succeeded. */
export function attempt(task: () => void, failed: Failed): boolean {
  try {
    task();
    return true;
  } catch (error) {
    failed(error, () => attempt(task, failed));
    return false;
  }
}

/** A task that runs in the next frame, once for all requests before it. */
export class NextFrame {
  readonly #task: () => void;
  readonly #failed: Failed;
  #frame = 0;

  constructor(task: () => void, failed: Failed) {
    this.#task = task;
    this.#failed = failed;
  }

  /** Whether the task waits for its frame. */
  get waits(): boolean {
    return this.#frame !== 0;
  }

  /** Requests the task. */
  request(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      // A retry waits for a frame too, so that it never draws twice in one.
      attempt(this.#task, (error) => this.#failed(error, () => this.request()));
    });
  }

  /** Withdraws the request. */
  cancel(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }
}
