/** Base of classes that print as one line: as a text, and by `console.log` in Node. */
export abstract class Printed {
  /**
   * @internal Sets the class name that consoles show. Minified code has other names. It is a
   * property and not a getter, because consoles call no getters.
   */
  static tag(prototype: Printed, name: string): void {
    Object.defineProperty(prototype, Symbol.toStringTag, { value: name });
  }

  /** The name of its class. */
  declare readonly [Symbol.toStringTag]: string;

  /** Returns one line with the kind of the value and its place. */
  abstract toString(): string;

  /** @internal */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return String(this);
  }
}
