/** The callers that wait, in order. */
const waiting: (() => void)[] = [];
/** One for all, with both ends here: to make a channel takes as long as some hundred messages. */
let channel: MessageChannel | undefined;

/** Where the platform has it, as Node: there a channel's messages are handed out without a pause between them. */
const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => unknown };

/** Resolves in a task of its own, after those that wait already; timers would wait for longer. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediate) {
      setImmediate(resolve);
      return;
    }
    if (!channel) {
      channel = new MessageChannel();
      channel.port1.onmessage = () => waiting.shift()?.();
    }
    waiting.push(resolve);
    channel.port2.postMessage(0);
  });
}

/** How many milliseconds of work a thread does before it lets others do theirs. */
const share = 5;

/** Divides work into tasks that are short. */
export class Pace {
  #until = performance.now() + share;

  /** True when the work should {@link rest}. */
  get due(): boolean {
    return performance.now() >= this.#until;
  }

  /** Lets other tasks run. Rejects with the signal's reason when it is aborted. */
  async rest(signal: AbortSignal | undefined): Promise<void> {
    await macrotask();
    signal?.throwIfAborted();
    this.#until = performance.now() + share;
  }
}
