/** How a dimension is played. */
interface Playing {
  /** The index to begin after. */
  readonly from: number;
  /** How many indices there are. */
  readonly length: number;
  /** Indices a second, asked at each step. */
  speed(): number;
  /** Whether the first comes after the last, asked at the end. */
  loop(): boolean;
  /** Shows an index. */
  step(index: number): void;
  /** Fulfils when what was stepped to is painted, or cannot be. */
  painted(signal: AbortSignal): Promise<void>;
}

/** Steps through a dimension: never faster than the speed, and never past a slice before it is painted. Fulfils at the end or when aborted. */
export async function play(playing: Playing, signal: AbortSignal): Promise<void> {
  // At the end, it begins again.
  let index = playing.from >= playing.length - 1 ? -1 : playing.from;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  while (!signal.aborted && playing.length > 1) {
    if (index >= playing.length - 1) {
      if (!playing.loop()) return;
      index = -1;
    }
    const due = performance.now() + 1000 / playing.speed();
    playing.step(++index);
    // What cannot be painted is said elsewhere; the next may be.
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
