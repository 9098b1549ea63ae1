/** Locks that are held or waited for on this thread, for platforms without Web Locks. */
const held = new Map<string, Promise<unknown>>();

/**
 * Calls a function while holding the lock of a name, which all tabs and workers of the origin
 * share. Without Web Locks, it holds for this thread only.
 */
export async function hold(name: string, run: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const { locks } = globalThis.navigator ?? {};
  if (locks) {
    await locks.request(name, signal ? { signal } : {}, run);
    return;
  }
  await queue(held, name, run, signal);
}

/** Calls a function after all earlier calls of the same name. A waiting call can be aborted. */
export async function queue(
  lasts: Map<string, Promise<unknown>>,
  name: string,
  run: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const before = lasts.get(name);
  let waits = true;
  const turn = (async () => {
    await before?.catch(() => undefined);
    signal?.throwIfAborted();
    waits = false;
    await run();
  })();
  lasts.set(name, turn);
  const forget = () => {
    if (lasts.get(name) === turn) lasts.delete(name);
  };
  turn.then(forget, forget);
  if (!signal) return turn;
  await new Promise<void>((done, fail) => {
    const abort = () => {
      if (waits) fail(signal.reason);
    };
    signal.addEventListener("abort", abort);
    turn.then(done, fail).finally(() => signal.removeEventListener("abort", abort));
  });
}
