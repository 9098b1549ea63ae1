// Of tasks of one kind only the latest counts.

/** The outcome of a task under {@link Latest}: stale when a later one was started, or it was cancelled, meanwhile. */
type Outcome<T> = { stale: true } | { stale: false; value: T };

/** Runs tasks of which only the latest counts: starting one aborts the one before, and its result or error is dropped. */
export class Latest {
  #controller: AbortController | null = null;

  /** Runs a task. Its error is thrown only while it is the latest and was not cancelled. */
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
