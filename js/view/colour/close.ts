import type { Field } from "../../describe/field.js";
import type { Close } from "../worker/tasks.js";

/** Returns the sentence for integers that a range in float64 does not show. */
export function closeText(field: Field, [least, most]: Close, where = ""): string {
  return `Values${where} from ${field.text(least)} to ${field.text(most)} are too close for float64`;
}

/** Returns the expression of their exact differences from the least; `""` for times. */
export function closeExpression({ values }: Field, [least]: Close): string {
  if (values !== "number") return "";
  return least < 0n ? `this + ${-least}` : `this - ${least}`;
}
