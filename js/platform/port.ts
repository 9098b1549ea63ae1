/** A worker on any platform. */
export interface Port {
  post(message: unknown, transfer?: readonly Transferable[]): void;
  terminate(): void;
  /** Called with each message. */
  onmessage: ((data: unknown) => void) | undefined;
  /**
   * Called if the worker's script failed to load, threw, or ended by itself. `ended` is true if the
   * worker ended after its start.
   */
  onfail: ((reason: string, ended?: boolean) => void) | undefined;
  /**
   * Sets whether calls to the worker are pending. Then it keeps a Node process alive, and browsers'
   * workers are monitored. The initial value is true.
   */
  hold(busy: boolean): void;
}

/** The port inside a worker. */
export interface Scope {
  post(message: unknown, transfer?: readonly Transferable[]): void;
  onmessage: (listener: (data: unknown) => void) => void;
}
