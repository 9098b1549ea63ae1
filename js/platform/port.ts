/** A worker, whatever the platform calls it. */
export interface Port {
  post(message: unknown, transfer?: readonly Transferable[]): void;
  terminate(): void;
  /** Called with each message. */
  onmessage: ((data: unknown) => void) | undefined;
  /** Called when the worker's script failed to load, threw, or ended by itself; `ended`: it was ended after it had started. */
  onfail: ((reason: string, ended?: boolean) => void) | undefined;
  /** Whether something is awaited of the worker: it keeps the process alive, where such a thing is, or is looked after. It begins with true. */
  hold(busy: boolean): void;
}

/** The side of a worker itself. */
export interface Scope {
  post(message: unknown, transfer?: readonly Transferable[]): void;
  onmessage: (listener: (data: unknown) => void) => void;
}
