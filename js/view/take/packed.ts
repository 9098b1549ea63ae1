// Whether stored numbers are values.
import type { Field, Packing } from "../../describe/field.js";

/** Reports whether the values equal the stored numbers. */
export const isPlain = ({ scale, offset, type }: Packing): boolean => scale === 1 && offset === 0 && !type;

/** Reports whether the stored numbers of a field differ from its physical values. */
export const isPacked = ({ values, packing }: Field): boolean =>
  values === "number" && (!isPlain(packing) || packing.missing.length > 0 || packing.valid !== null);
