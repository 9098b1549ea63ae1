/** The waiting callers, in order. */
const waiting: (() => void)[] = [];
/**
 * The channel of all callers. Creating a channel takes as long as some hundred messages.
 */
let channel: MessageChannel | undefined;

/** Resolves in a task of its own, after the earlier callers. A timer would take longer. */
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

/** In Node, a port with a listener would keep the process alive forever. */
function inNode(port: MessagePort): { ref?(): void; unref?(): void } {
  return port as { ref?(): void; unref?(): void };
}

/** The milliseconds of work before a thread runs other tasks. */
const share = 5;

/** Node delivers the messages of a channel without a pause, and nothing else runs in between. */
const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => unknown };

/** Resolves in a task of its own, after other tasks. */
function turn(): Promise<void> {
  return setImmediate ? new Promise<void>((resolve) => setImmediate(resolve)) : macrotask();
}

/** Divides work into short tasks. */
export class Pace {
  #until = performance.now() + share;

  /** True when the work should {@link rest}. */
  get due(): boolean {
    return performance.now() >= this.#until;
  }

  /** Lets other tasks run. Rejects with the signal's reason when it is aborted. */
  async rest(signal: AbortSignal | undefined): Promise<void> {
    await turn();
    signal?.throwIfAborted();
    this.#until = performance.now() + share;
  }
}

/** Divides the work of several callers into short tasks. They share the time of one task. */
export class Turns {
  readonly #share: number;
  /** The end of the present turn; 0 before its first work. */
  #until = 0;
  #next: Promise<void> | undefined;

  /** Takes the milliseconds of one turn. */
  constructor(share: number) {
    this.#share = share;
  }

  /** True when the callers should wait for the {@link next} turn. */
  get due(): boolean {
    const now = performance.now();
    if (this.#until === 0) {
      this.#until = now + this.#share;
      void this.#begin();
    }
    return now >= this.#until;
  }

  /** Resolves with the next turn. Rejects with the signal's reason when it is aborted. */
  async next(signal: AbortSignal | undefined): Promise<void> {
    await this.#begin();
    signal?.throwIfAborted();
  }

  #begin(): Promise<void> {
    this.#next ??= turn().then(() => {
      this.#next = undefined;
      this.#until = 0;
    });
    return this.#next;
  }
}
