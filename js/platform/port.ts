/** A worker, whatever the platform calls it. */
export interface Port {
  post(message: unknown, transfer?: readonly Transferable[]): void;
  terminate(): void;
  /** Called with each message. */
  onmessage: ((data: unknown) => void) | undefined;
  /** Called when the worker's script failed to load, threw, or ended by itself. */
  onfail: ((reason: string) => void) | undefined;
  /** Whether the worker keeps the process alive, where such a thing is. */
  hold(busy: boolean): void;
}

/** The side of a worker itself. */
export interface Scope {
  post(message: unknown, transfer?: readonly Transferable[]): void;
  onmessage: (listener: (data: unknown) => void) => void;
  /** Starts another worker of this same script; throws when the platform refuses. */
  startHelper(): Port;
}
