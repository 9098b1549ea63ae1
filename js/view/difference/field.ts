import type { Field } from "../../describe/field.js";
import { computedField, indexAlong, refusal } from "../computed/align.js";
import type { ViewState } from "../state.js";
import type { ViewWorker } from "../worker/viewworker.js";

type Minus = NonNullable<ViewState["minus"]>;

/**
 * Returns the field of the first one's values minus the second's. Both are at the same indices,
 * except for given ones. Axes match by name; an axis that the second lacks is broadcast.
 */
export async function differenceOf(
  first: Field,
  second: Field,
  { index = {} }: Minus,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<Field> {
  const { path } = second;
  if (first.units !== second.units && first.units !== "" && second.units !== "")
    throw refusal(path, `${first.name} is in ${first.units}, ${second.name} in ${second.units}`);
  const places = await Promise.all(
    second.axes.flatMap((axis) => {
      const at = indexAlong({ index }, axis);
      return at === undefined ? [] : [axis.coordinate(signal).then((found) => `${axis.name} ${found?.text(at) ?? at}`)];
    }),
  );
  const taken = [
    second.path === first.path ? "that" : second.title.value,
    places.length > 0 ? `at ${places.join(", ")}` : "",
  ];
  const result = {
    name: `${first.name}-minus-${second.name}`,
    title: `${first.title.value} − ${taken.filter(Boolean).join(" ")}`,
    units: first.units || second.units,
    why: "a subtraction is chosen",
    diverging: true,
  };
  const operands = [
    { field: first, index: {} },
    { field: second, index },
  ];
  const program = [{ operand: 0 }, { operand: 1 }, { operation: "-" }] as const;
  return computedField(first, operands, program, result, workers, signal);
}
