/** What prints as one line: as a text, and by `console.log` in Node. */
export abstract class Printed {
  /** @internal The name of a class, for consoles: that of its code is another one. It is no getter, because they call none. */
  static tag(prototype: Printed, name: string): void {
    Object.defineProperty(prototype, Symbol.toStringTag, { value: name });
  }

  /** The name of its class. */
  declare readonly [Symbol.toStringTag]: string;

  /** A line that tells what this is and where. */
  abstract toString(): string;

  /** @internal */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return String(this);
  }
}
