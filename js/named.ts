import type { ZarrErrorName } from "./errors.js";

/**
 * Reports whether an error is of one of these classes. It compares names, because each entry of the
 * package has classes of its own.
 */
export function isNamed(error: unknown, ...names: ZarrErrorName[]): error is Error {
  return error instanceof Error && (names as string[]).includes(error.name);
}
