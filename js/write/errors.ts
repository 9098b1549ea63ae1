import { errorClasses, ZarrError, type ZarrErrorDetails } from "../errors.js";

/** A value cannot be written where it is to go: it has another type or shape, or is one that the array cannot hold. Nothing is written. */
export class InvalidValueError extends ZarrError {
  override readonly name = "InvalidValueError";
  /** @internal */
  static override readonly defaultCode = "INVALID_VALUE";
}

/** A write failed before all was written; `cause` says of what. Every chunk is as it was, or as it should be. */
export class WriteError extends ZarrError {
  override readonly name = "WriteError";
  /** @internal */
  static override readonly defaultCode = "WRITE";
  /** The keys of the chunks that are written. */
  readonly written: string[];

  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, details);
    this.written = [...(details.written ?? [])];
  }
}

/** A change was given up, because others changed the same object, `key`, again and again between its reading and its writing. */
export class ConflictError extends ZarrError {
  override readonly name = "ConflictError";
  /** @internal */
  static override readonly defaultCode = "CONFLICT";
}

/** There is a node already where one is to be made. */
export class ExistsError extends ZarrError {
  override readonly name = "ExistsError";
  /** @internal */
  static override readonly defaultCode = "EXISTS";
}

// What the engine says becomes an error of these classes, once this file is loaded.
Object.assign(errorClasses, { InvalidValueError, WriteError, ConflictError, ExistsError });
