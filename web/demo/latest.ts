// Runs tasks so that only the latest one counts.

/**
 * The outcome of a task under {@link Latest}. It is stale if a later task was started or the task
 * was cancelled.
 */
type Outcome<T> = { stale: true } | { stale: false; value: T };

/**
 * Runs tasks so that only the latest one counts. A new task aborts the previous one, whose result
 * or error is dropped.
 */
export class Latest {
  #controller: AbortController | null = null;

  /** Runs a task. Throws its error only if the task is the latest and was not cancelled. */
  async run<T>(task: (signal: AbortSignal) => Promise<T>): Promise<Outcome<T>> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const value = await task(controller.signal);
      return controller.signal.aborted ? { stale: true } : { stale: false, value };
    } catch (error) {
      if (controller.signal.aborted) return { stale: true };
      throw error;
    } finally {
      if (this.#controller === controller) this.#controller = null;
    }
  }

  /** Whether a task is running. */
  get busy(): boolean {
    return this.#controller !== null;
  }

  /** Aborts the running task, if any. */
  cancel(): void {
    this.#controller?.abort();
    this.#controller = null;
  }
}
