/** Locks that are held or waited for on this thread, where the platform has none. */
const held = new Map<string, Promise<unknown>>();

/**
 * Calls a function while no one else of this origin, in whatever tab or worker, holds the lock of a name. Where there are
 * no Web Locks, it holds for this thread.
 */
export async function hold(name: string, run: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const { locks } = globalThis.navigator ?? {};
  if (locks) {
    await locks.request(name, signal ? { signal } : {}, run);
    return;
  }
  await queue(held, name, run, signal);
}

/** Calls a function when all that came before it, by the same name, is done. One that waits can be given up. */
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
