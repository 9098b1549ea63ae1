import type { TypeDescription } from "../engine/protocol/wire.js";
import { show } from "../shared/arguments.js";
import { InvalidValueError } from "./errors.js";

/** Throws for a value that a type does not have. */
export function refuseElement(type: TypeDescription, value: unknown, i: number, why = ""): never {
  const word = ArrayBuffer.isView(value) ? Object.prototype.toString.call(value).slice(8, -1) : show(value);
  throw new InvalidValueError(`element ${i}: ${word} is not a value of ${type.name}${why && `: ${why}`}`);
}
