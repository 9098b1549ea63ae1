import type { Field } from "../../describe/field.js";
import type { FieldOperand } from "../computed/align.js";
import type { Expression, Variable } from "./grammar.js";

/** The origin of a computed field. */
export interface Computed {
  readonly expression: Expression;
  readonly variables: readonly Variable[];
  /** The operand of each variable. */
  readonly operands: readonly FieldOperand[];
  /** The units as text, and why there are none. */
  readonly units: string;
  readonly why: string;
}

const known = new WeakMap<Field, Computed>();

/** Records the expression of a field. */
export const rememberComputed = (field: Field, computed: Computed): void => void known.set(field, computed);

/** Returns the expression of a field; undefined for others. */
export const computedOf = (field: Field): Computed | undefined => known.get(field);

/** Reports whether a program can read all operands by the names of their dimensions. */
export const isProgrammable = ({ operands }: Computed): boolean =>
  operands.every(
    ({ field: { levels } }) =>
      levels.length === 1 && levels[0]?.array.dimensionNames?.every((name) => typeof name === "string"),
  );
