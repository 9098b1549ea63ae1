/** Settings and callbacks of `play`. */
interface Playing {
  /** The index before the first step. */
  readonly from: number;
  /** The number of indices. */
  readonly length: number;
  /** Returns indices per second; called at each step. */
  speed(): number;
  /** Reports whether to start again at the first index; called after the last one. */
  loop(): boolean;
  /** Shows an index. */
  step(index: number): void;
  /** Fulfils when the last requested index is painted or has failed. */
  painted(signal: AbortSignal): Promise<void>;
}

/**
 * Steps through a dimension. It never exceeds the speed and never leaves a slice before it is
 * painted. Fulfils at the end or on abort.
 */
export async function play(playing: Playing, signal: AbortSignal): Promise<void> {
  // Playing restarts from the first index if it begins at the last.
  let index = playing.from >= playing.length - 1 ? -1 : playing.from;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  while (!signal.aborted && playing.length > 1) {
    if (index >= playing.length - 1) {
      if (!playing.loop()) return;
      index = -1;
    }
    const due = performance.now() + 1000 / playing.speed();
    playing.step(++index);
    // The panel reports painting errors itself, and the next slice may succeed.
    await Promise.race([playing.painted(signal).catch(() => {}), aborted]);
    await pause(due - performance.now(), signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, ms));
    signal.addEventListener("abort", end);
  });
}
