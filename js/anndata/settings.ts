import type { ReadOptions } from "../data/readoptions.js";
import { aFunction, aNumber, aSignal, aText, type Check, checked, type Settings } from "../shared/arguments.js";

/** The read options that also apply to calls that read several arrays. */
export type ReadSettings = Pick<ReadOptions, "signal" | "opts" | "onProgress" | "priority" | "view">;

const unsupported: Check = [() => false, "no value, because only reads of arrays have this option"];

const settings: Settings = {
  signal: [aSignal],
  onProgress: [aFunction],
  priority: [aNumber],
  view: [aText],
  out: [unsupported],
  as: [unsupported],
  onChunk: [unsupported],
  useSharedArrayBuffer: [unsupported],
};

/**
 * Returns a function that makes options for each read of one call. `onProgress` then receives the
 * sums over all chunks known so far.
 */
export function sharing(what: string, options: ReadSettings): () => ReadSettings {
  const { onProgress, signal, opts, priority, view } = checked(what, options, settings);
  const others = { signal, opts, priority, view };
  if (!onProgress) return () => others;
  const reads: [done: number, total: number][] = [];
  const sum = (i: 0 | 1) => reads.reduce((n, read) => n + read[i], 0);
  return () => {
    const at = reads.push([0, 0]) - 1;
    return {
      ...others,
      onProgress: (done, total) => {
        reads[at] = [done, total];
        onProgress(sum(0), sum(1));
      },
    };
  };
}
