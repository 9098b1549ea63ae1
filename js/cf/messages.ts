import type { Counts, NumberName, Numbers, Output, Plan } from "./plan.js";

/** @internal A message to the worker that decodes. */
export type ToDecoder =
  /** Begins a region with the given number of elements. */
  | { id: number; plan: Plan; count: number }
  /**
   * Numbers to decode as a type, and their position: `runs` runs of `run` elements. The first run
   * starts at `at`; the next ones follow at distances of `stride`.
   */
  | { id: number; source: Numbers; from: NumberName; at: number; run: number; runs: number; stride: number }
  /** Requests the complete region. */
  | { id: number; finish: true }
  /** Discards a region. */
  | { id: number; drop: true };

/** @internal A message from the worker. */
export type FromDecoder =
  /** The worker has started. */
  | { ready: true }
  /** A part is decoded. */
  | { id: number; decoded: true }
  /** A complete region. */
  | { id: number; output: Output; counts: Counts }
  /** The region does not fit in memory. */
  | { id: number; bytes: number };
