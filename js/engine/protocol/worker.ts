/** Messages between the page and the worker, in addition to the engine's. */

import type { PackedRuns } from "../../worker/scatter.js";
import type {
  FromEngine,
  Limits,
  NodeKind,
  OpCrash,
  OpDecode,
  ToEngine,
  WireError,
  WireHelperOrder,
  WireHttpOptions,
  WireNumbered,
  WireSelector,
} from "./wire.js";

/** An operation that the worker answers. */
export interface OpMemory extends WireNumbered {
  op: "memory";
}

/** Messages of the page to a worker whose engine runs. */
export type ToWorker = ToEngine | OpMemory;

/** The message that starts a worker's engine. */
export interface WorkerBoot {
  boot: {
    version: string;
    module: WebAssembly.Module;
    /** Run as a helper, which decodes and encodes for an engine. */
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
  /** The selection of the array at the path that the page will read; null for all of it. */
  selection?: WireSelector[] | null | undefined;
  /** The time that unused answers are kept, in seconds. Without it, the page releases them. */
  seconds?: number | undefined;
}

/**
 * To a worker, before its engine runs or while it runs: requests to send at once. Without `open`,
 * aborts the unused requests.
 */
export interface WorkerEarly {
  early: number;
  open?: EarlyOpen;
}

/** Messages from a worker, in addition to the engine's. */
export type FromWorker =
  | FromEngine
  /** Buffers of answers for reuse, alone or with a message of the engine. */
  | { buffers: ArrayBuffer[]; message?: FromEngine }
  /** The engine runs. */
  | { booted: true }
  /** The engine did not start, or has ended. */
  | { fatal: WireError };

/** The value of `memory`, in bytes. */
export interface WireMemory {
  engine: number;
  helpers: number[];
  buffers: number;
  /** The number of JavaScript values that Go refers to. */
  handles: number;
}

/** Messages to a helper. */
export type ToHelper = WireHelperOrder | (OpCrash & WireNumbered);

/** Messages to the Go instance of a helper, which does not receive the memory of a place. */
export type ToGoHelper = ToHelper | (Omit<OpDecode, "place"> & { place: PackedRuns });

/** Messages from a helper. */
export type FromHelper =
  | { booted: true }
  | { fatal: WireError }
  /**
   * The end of a job, and the buffers that came with it. For an encoded chunk, `into` has the
   * encoded bytes.
   */
  | { done: number; memory: number; failed?: boolean; bytes: ArrayBuffer; into?: ArrayBuffer };
