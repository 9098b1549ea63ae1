import { errorClass, errorClasses, type ZarrErrorDetails } from "../errors.js";

/**
 * A value does not fit the place it is written to: its type or shape differs, or the array cannot
 * hold it. Nothing is written.
 */
export class InvalidValueError extends errorClass("InvalidValueError", "INVALID_VALUE") {}

/**
 * A write failed before its end; `cause` has the reason. Every chunk has its old content or its new
 * one.
 */
export class WriteError extends errorClass("WriteError", "WRITE") {
  /** The keys of the written chunks. */
  readonly written: string[];

  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, details);
    this.written = [...(details.written ?? [])];
  }
}

/**
 * A change was abandoned, because others kept changing the same object, `key`, between its read and
 * its write.
 */
export class ConflictError extends errorClass("ConflictError", "CONFLICT") {}

/** A node exists already at the path of a new one. */
export class ExistsError extends errorClass("ExistsError", "EXISTS") {}

// The engine's errors become instances of these classes once this file is loaded.
Object.assign(errorClasses, { InvalidValueError, WriteError, ConflictError, ExistsError });
