import type { Category, Field } from "../../describe/field.js";

const booleans: readonly Category[] = [false, true].map((one) => ({
  value: Number(one),
  label: String(one),
  colour: null,
}));

/** Returns the classes of a field's values: its categories, or false and true; none for numbers. */
export const classesOf = ({ values, categories }: Pick<Field, "values" | "categories">): readonly Category[] =>
  values === "boolean" && categories.length === 0 ? booleans : categories;
