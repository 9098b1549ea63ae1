import type { ReadOptions } from "./readoptions.js";

/**
 * Returns the signal of a call: `signal`, `opts.signal` of earlier versions of zarrita, or both in
 * one.
 */
export function signalOf({ signal, opts }: Pick<ReadOptions, "signal" | "opts">): AbortSignal | undefined {
  return signal && opts?.signal ? AbortSignal.any([signal, opts.signal]) : (signal ?? opts?.signal);
}
