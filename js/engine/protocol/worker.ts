/** What the page and the worker say to each other besides the engine's messages. */

import type { FromEngine } from "./answers.js";
import type { Limits, WireHttpOptions } from "./requests.js";
import type { NodeKind, WireError, WireSelector } from "./types.js";

/** The message that starts a worker's engine. */
export interface WorkerBoot {
  boot: {
    version: string;
    module: WebAssembly.Module;
    /** Be one that decodes and encodes for an engine, and not an engine. */
    helper?: boolean;
    /** The most helpers that the engine may start. */
    workers?: number;
    limits?: Limits | undefined;
  };
}

/** A node that the engine will be asked to open. */
export interface EarlyOpen {
  url: string;
  options: WireHttpOptions;
  path: string;
  kind?: NodeKind | undefined;
  format?: 1 | 2 | 3 | undefined;
  consolidated?: boolean | undefined;
  sparing?: boolean | undefined;
  bare?: boolean | undefined;
  /** Of the array at the path, this will be read; null stands for all of it. */
  selection?: WireSelector[] | null | undefined;
  /** How long the answers are kept unused; without it, the page says when they are no longer wanted. */
  seconds?: number | undefined;
}

/**
 * To a worker, before its engine runs or while it does: what is asked for at once, and, without `open`, the
 * end of what has not been used.
 */
export interface WorkerEarly {
  early: number;
  open?: EarlyOpen;
}

/** What a worker sends besides the engine's messages. */
export type FromWorker =
  | FromEngine
  /** Buffers of answers, to be used again, alone or together with a message of the engine's. */
  | { buffers: ArrayBuffer[]; message?: FromEngine }
  /** The engine runs. */
  | { booted: true }
  /** There is no engine, or no longer. */
  | { fatal: WireError };

/** The value of `memory`, in bytes. */
export interface WireMemory {
  engine: number;
  helpers: number[];
  buffers: number;
  /** How many of JavaScript's values Go refers to. */
  handles: number;
}
