import type { ReadOptions } from "./readoptions.js";

/** Returns the signal of a call: `signal`, `opts.signal` as zarrita once had it, or both in one. */
export function signalOf({ signal, opts }: Pick<ReadOptions, "signal" | "opts">): AbortSignal | undefined {
  return signal && opts?.signal ? AbortSignal.any([signal, opts.signal]) : (signal ?? opts?.signal);
}
