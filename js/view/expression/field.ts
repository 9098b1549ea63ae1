import type { Description } from "../../describe/description.js";
import type { Field } from "../../describe/field.js";
import { isZarrError, UnsupportedError } from "../../index.js";
import { checkNumbers, computedField, type FieldOperand, refusal } from "../computed/align.js";
import { fieldAt, parentOf, siblings } from "../computed/siblings.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { rememberComputed } from "./computed.js";
import {
  compiled,
  type Expression,
  ExpressionError,
  nearest,
  parseExpression,
  type Variable,
  written,
} from "./grammar.js";
import { unitsOfExpression } from "./units.js";

/** The name of the shown variable in an expression, whatever it is called. */
const own = "this";

/** Returns the field of a variable in an expression, by default one of the group of the node. */
async function fieldOfVariable(
  { name, at }: Variable,
  description: Description & { readonly field: Field },
  signal: AbortSignal,
): Promise<Field> {
  const { field, node, path } = description;
  if (name === own || name === field.name) return field;
  const { path: other } = node.resolve(name.startsWith("/") ? name : `${parentOf(path).replace(/\/$/, "")}/${name}`);
  if (other === path) return field;
  try {
    return await fieldAt(node, other, signal);
  } catch (error) {
    if (!isZarrError(error, "NotFoundError")) throw error;
    const others = (await siblings(description, signal).catch(() => null)) ?? [];
    const names = [...(field.name === "" ? [] : [field.name]), ...others.map((one) => one.name)];
    const near = nearest(name, names) || names.slice(0, 8).join(", ");
    throw new ExpressionError(
      `there is no variable ${written(name)}`,
      at,
      near === "" ? `${own} is the shown variable.` : `The nearest names: ${near}`,
    );
  }
}

/** Returns the index of a variable along each axis that its places name. */
async function indexOf(
  { name, places, at }: Variable,
  { axes }: Field,
  signal: AbortSignal,
): Promise<FieldOperand["index"]> {
  const index: Record<string, number> = Object.create(null);
  for (const place of places) {
    const axis = axes.find((one) => one.name === place.axis);
    if (!axis) {
      const names = axes.map((one) => one.name).join(", ");
      throw new ExpressionError(`${written(name)} has no axis ${place.axis}`, at, `Its axes: ${names}`);
    }
    if ("index" in place) {
      if (place.index >= axis.length)
        throw new ExpressionError(`${axis.name} has the indices 0 to ${axis.length - 1}, not ${place.index}`, at);
      index[axis.name] = place.index;
      continue;
    }
    const coordinate = await axis.coordinate(signal);
    const found = coordinate?.find(place.position);
    if (found === undefined || !coordinate) {
      const example = coordinate ? `, as in ${axis.name}=${coordinate.text(0)}` : "";
      throw new ExpressionError(
        `${place.position} is no position along ${axis.name}`,
        at,
        `A position is a number, a date or a name${example}; ${axis.name}:0 is the first index.`,
      );
    }
    index[axis.name] = found;
  }
  return { ...index };
}

/** Reports whether values run both ways from 0: differences, and ratios of them. */
function isDiverging(expression: Expression): boolean {
  if (expression.kind !== "apply") return false;
  const { operation, of } = expression;
  const constant = (one: Expression | undefined): boolean =>
    one?.kind === "number" || (one?.kind === "apply" && one.of.every(constant));
  const [a, b] = of;
  if (operation === "-") return !of.some(constant);
  if (operation === "negate" || operation === "/") return a !== undefined && isDiverging(a);
  return operation === "*" && of.some((one, i) => isDiverging(one) && constant(i === 0 ? b : a));
}

/** Throws if an operand has an axis that the result lacks, without an index along it. */
function checkAxes({ name, at }: Variable, { field, index }: FieldOperand, first: Field): void {
  const extra = field.axes.find(
    (axis) =>
      axis.length > 1 && !Object.hasOwn(index, axis.name) && !first.axes.some((other) => other.name === axis.name),
  );
  if (!extra) return;
  const word = written(name);
  throw new ExpressionError(
    `${word} has the axis ${extra.name}, which ${first.path} lacks`,
    at,
    `Choose an index along it: ${word}[${extra.name}:0]`,
  );
}

/**
 * Returns the field of an expression of a node's variables. It has the axes of the shown variable
 * if that is in the expression, and else those of the variable with the most axes.
 */
export async function expressionField(
  description: Description,
  text: string,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<Field> {
  const { path } = description;
  if (description.kind !== "array" && description.kind !== "image")
    throw new UnsupportedError(`a ${description.kind} has no expressions`, { path, feature: "an expression" });
  const expression = parseExpression(text);
  const { variables, program } = compiled(expression);
  if (variables.length === 0)
    throw new ExpressionError(
      "an expression names at least one variable",
      expression.at,
      `${own} is the shown variable.`,
    );
  const operands = await Promise.all(
    variables.map(async (variable): Promise<FieldOperand> => {
      const field = await fieldOfVariable(variable, description, signal);
      checkNumbers(field);
      return { field, index: await indexOf(variable, field, signal) };
    }),
  );
  const free = ({ field, index }: FieldOperand) => field.axes.filter(({ name }) => !Object.hasOwn(index, name)).length;
  const [widest] = [...operands].sort((a, b) => free(b) - free(a)) as [FieldOperand, ...FieldOperand[]];
  const shown = operands.find(({ field }) => field === description.field);
  const first = (shown && free(shown) === free(widest) ? shown : widest).field;
  if (first.plane.value.y === null && description.field.plane.value.y !== null)
    throw refusal(path, `the result has only the axis ${first.axes[0]?.name}, and is no picture`);
  for (const [i, operand] of operands.entries()) checkAxes(variables[i] as Variable, operand, first);
  const unitsOf = (variable: Variable) => operands[variables.indexOf(variable)]?.field.units ?? "";
  const known = operands.map(({ field }) => field.units).filter((units) => units !== "");
  const same = new Map(variables.map((one) => [one.name, unitsOf(one)]));
  const { units, why } = unitsOfExpression(expression, ({ name }) => same.get(name) ?? "", known);
  const result = {
    name: text.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "expression",
    title: text.trim(),
    units,
    why: why === "" ? "an expression is chosen" : `an expression is chosen; no units: ${why}`,
    diverging: isDiverging(expression),
  };
  const field = await computedField(first, operands, program, result, workers, signal);
  rememberComputed(field, { expression, variables, operands, units, why });
  return field;
}
