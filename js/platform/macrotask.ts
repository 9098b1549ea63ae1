/** The callers that wait, in order. */
const waiting: (() => void)[] = [];
/** One for all, with both ends here: to make a channel takes as long as some hundred messages. */
let channel: MessageChannel | undefined;

/** Resolves in a task of its own, after those that wait already; timers would wait for longer. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    channel ??= open();
    if (waiting.push(resolve) === 1) inNode(channel.port1).ref?.();
    channel.port2.postMessage(0);
  });
}

function open(): MessageChannel {
  const made = new MessageChannel();
  made.port1.onmessage = () => {
    waiting.shift()?.();
    if (waiting.length === 0) inNode(made.port1).unref?.();
  };
  return made;
}

/** There, a port with a listener would keep the process for ever. */
function inNode(port: MessagePort): { ref?(): void; unref?(): void } {
  return port as { ref?(): void; unref?(): void };
}

/** How many milliseconds of work a thread does before it lets others do theirs. */
const share = 5;

/** Node hands out the messages of a channel without a pause between them, and nothing else runs meanwhile. */
const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => unknown };

/** Divides work into tasks that are short. */
export class Pace {
  #until = performance.now() + share;

  /** True when the work should {@link rest}. */
  get due(): boolean {
    return performance.now() >= this.#until;
  }

  /** Lets other tasks run. Rejects with the signal's reason when it is aborted. */
  async rest(signal: AbortSignal | undefined): Promise<void> {
    await (setImmediate ? new Promise<void>((resolve) => setImmediate(resolve)) : macrotask());
    signal?.throwIfAborted();
    this.#until = performance.now() + share;
  }
}
