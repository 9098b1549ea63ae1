import type { Takeable } from "./taking.js";

/**
 * Runs downloads and copies of the shown data, one at a time. Their code is loaded at the first
 * one.
 */
export class Downloads {
  readonly #of: () => Takeable;
  readonly #ended: AbortSignal;
  readonly #failed: (error: unknown, again: () => void) => void;
  #taking: AbortController | null = null;

  constructor(of: () => Takeable, ended: AbortSignal, failed: (error: unknown, again: () => void) => void) {
    this.#of = of;
    this.#ended = ended;
    this.#failed = failed;
  }

  /** Runs the menu entry `id` and aborts the one under way. */
  take(id: string): void {
    const controller = new AbortController();
    this.#taking?.abort();
    this.#taking = controller;
    const signal = AbortSignal.any([controller.signal, this.#ended]);
    const run = async () => (await import("../take/index.js")).take(id, this.#of(), signal);
    run().catch((error: unknown) => {
      if (!controller.signal.aborted) this.#failed(error, () => this.take(id));
    });
  }
}
