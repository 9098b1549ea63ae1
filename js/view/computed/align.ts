// Fields computed from others of the same grid. Axes match by name.
import { stated } from "../../describe/fact.js";
import type { Axis, Field, FieldLevel } from "../../describe/field.js";
import { roundText, withUnits } from "../../describe/text.js";
import { UnsupportedError } from "../../index.js";
import type { Step } from "../worker/operations.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { computedArray, type Side } from "./array.js";

/** One operand of a computation: a field, at given indices of some of its axes. */
export interface FieldOperand {
  readonly field: Field;
  readonly index: Readonly<Record<string, number>>;
}

/** Returns the error of fields that cannot be computed with. */
export const refusal = (path: string, message: string): UnsupportedError =>
  new UnsupportedError(message, { path, feature: "a computation with these" });

/** Throws if the elements of a field are no numbers. */
export function checkNumbers({ path, values, colourAxis, plane }: Field): void {
  if (values !== "number" && values !== "boolean") throw refusal(path, `${path} has no numbers to compute with`);
  if (colourAxis !== null) throw refusal(path, `${path} has colours, which are no numbers to compute with`);
  if (plane.value.x === null) throw refusal(path, `${path} is one value`);
}

/** Throws if two axes have different positions: their elements would not correspond. */
async function compare(first: Field, second: Field, axis: Axis, other: Axis, signal: AbortSignal): Promise<void> {
  if (axis.length !== other.length)
    throw refusal(
      second.path,
      `${axis.name} has ${other.length} elements in ${second.path}, but ${axis.length} in ${first.path}`,
    );
  const [a, b] = await Promise.all([axis.coordinate(signal), other.coordinate(signal)]);
  if (!a || !b) return;
  const same = (i: number) => {
    if (a.kind !== "number" || b.kind !== "number") return a.text(i) === b.text(i);
    const [p, q] = [a.number(i), b.number(i)];
    return Math.abs(p - q) <= 1e-5 * Math.max(1e-9, Math.abs(p), Math.abs(q)) || (Number.isNaN(p) && Number.isNaN(q));
  };
  for (let i = 0; i < axis.length; i++)
    if (!same(i))
      throw refusal(
        second.path,
        `${axis.name} has other positions in ${second.path} than in ${first.path}: ${b.text(i)} is not ${a.text(i)}`,
      );
}

/** Returns the index of an operand along one of its axes; undefined if it has none. */
export const indexAlong = ({ index }: Pick<FieldOperand, "index">, { name, length }: Axis): number | undefined =>
  Object.hasOwn(index, name) ? Math.min(index[name] ?? 0, length - 1) : undefined;

/**
 * Maps the dimensions of an operand to those of the first field. A dimension that the first field
 * lacks has the operand's default index.
 */
async function dimensionsOf(first: Field, operand: FieldOperand, signal: AbortSignal): Promise<Side["dimensions"]> {
  const { field, index } = operand;
  for (const name of Object.keys(index))
    if (!field.axes.some((axis) => axis.name === name)) throw refusal(field.path, `${field.path} has no axis ${name}`);
  const dimensions = field.axes.map((axis, d): Side["dimensions"][number] => {
    const at = indexAlong(operand, axis);
    const follows = first.axes.findIndex(({ name }) => name === axis.name);
    return at === undefined && follows >= 0 ? { follows } : { index: at ?? field.indices[d] ?? 0 };
  });
  if (field === first) return dimensions;
  for (const [d, one] of dimensions.entries())
    if ("follows" in one) await compare(first, field, first.axes[one.follows] as Axis, field.axes[d] as Axis, signal);
  return dimensions;
}

/** Returns how many chunks of an operand a chunk of the result needs. */
function chunksOf({ array, dimensions }: Side, result: FieldLevel["array"]): number {
  return dimensions.reduce(
    (count, one, d) =>
      "index" in one
        ? count
        : count * Math.max(1, Math.ceil((result.chunks[one.follows] ?? 1) / (array.chunks[d] || 1))),
    1,
  );
}

/** Returns an operand at a level of the first field; undefined if it has no level of this shape. */
function sideAt({ field }: FieldOperand, finest: Side["dimensions"], { array }: FieldLevel): Side | undefined {
  const level = field.levels.find(({ array: other }) =>
    finest.every((one, d) => "index" in one || other.shape[d] === array.shape[one.follows]),
  );
  if (!level) return undefined;
  const dimensions = finest.map((one, d) => {
    if ("follows" in one) return one;
    const at = Math.floor((one.index - (level.start[d] ?? 0)) / (level.factor[d] ?? 1));
    return { index: Math.max(0, Math.min((level.array.shape[d] ?? 1) - 1, at)) };
  });
  return { array: level.array, packing: field.packing, dimensions };
}

/** The properties of a computed field that its operands do not determine. */
interface Result {
  readonly name: string;
  readonly title: string;
  readonly units: string;
  /** Why it is drawn. */
  readonly why: string;
  /** Whether its values run both ways from 0. */
  readonly diverging: boolean;
}

/**
 * Returns the field that a program computes from operands. It has the axes of `first`. Values are
 * missing where an operand is.
 */
export async function computedField(
  first: Field,
  operands: readonly FieldOperand[],
  program: readonly Step[],
  { name, title, units, why, diverging }: Result,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<Field> {
  for (const { field } of [{ field: first }, ...operands]) checkNumbers(field);
  const finest: Side["dimensions"][] = [];
  for (const operand of operands) finest.push(await dimensionsOf(first, operand, signal));
  const levels = first.levels.flatMap((level): FieldLevel[] => {
    const sides = operands.flatMap((operand, i) => sideAt(operand, finest[i] as Side["dimensions"], level) ?? []);
    if (sides.length < operands.length) return [];
    const array = computedArray(level.array, sides, program, workers);
    const reads = sides.reduce((sum, side) => sum + chunksOf(side, level.array), 0);
    return [{ ...level, array, reads }];
  });
  if (levels[0]?.factor !== first.levels[0]?.factor) {
    const other = operands.find(({ field }) => field !== first)?.field ?? first;
    throw refusal(other.path, `no level of ${other.path} has the elements of ${first.path}`);
  }
  return {
    ...first,
    name,
    title: stated(title, why),
    units,
    values: "number",
    levels,
    channels: null,
    packing: { scale: 1, offset: 0, missing: [], valid: null },
    categories: [],
    labels: false,
    range: null,
    scale: stated(diverging ? ("diverging" as const) : ("sequential" as const), why),
    members: [],
    text: (value) =>
      typeof value !== "number" || Number.isNaN(value) ? "missing" : withUnits(roundText(value), units),
  };
}
