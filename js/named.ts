import type { ZarrErrorName } from "./errors.js";

/** True for errors of these classes, told by their names: each entry of the package has classes of its own. */
export function isNamed(error: unknown, ...names: ZarrErrorName[]): error is Error {
  return error instanceof Error && (names as string[]).includes(error.name);
}
