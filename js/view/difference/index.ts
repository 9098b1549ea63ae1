// Differences of two variables, or of one variable at two indices. This module is loaded when a
// difference is shown or chosen.
import type { ZarrArray } from "../../api/array.js";
import type { Description } from "../../describe/description.js";
import { describe } from "../../describe/index.js";
import { UnsupportedError } from "../../index.js";
import { openFrom } from "../../shared/openfrom.js";
import type { ViewState } from "../state.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { differenceOf } from "./field.js";

export { MinusChoice } from "./choice.js";

/** Returns the group of a node. */
const parentOf = (path: string) => path.replace(/\/[^/]*$/, "") || "/";

/** Returns the drawn field of a node, minus the field that a state subtracts. */
export async function subtracted(
  description: Description,
  minus: NonNullable<ViewState["minus"]>,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<Description> {
  const { path, node } = description;
  if (description.kind !== "array" && description.kind !== "image")
    throw new UnsupportedError(`a ${description.kind} has no difference`, { path, feature: "a difference" });
  const { field } = description;
  let second = field;
  if (minus.node !== undefined && minus.node !== path) {
    const [group, other] = await Promise.all([
      openFrom(node, node.resolve(parentOf(minus.node)), { kind: "group", signal }).catch(() => undefined),
      openFrom(node, node.resolve(minus.node), { signal }),
    ]);
    const found = await describe(other, { group, signal });
    if (found.kind !== "array" && found.kind !== "image")
      throw new UnsupportedError(`${minus.node} is a ${found.kind}, and cannot be subtracted`, {
        path: minus.node,
        feature: "a difference",
      });
    second = found.field;
  }
  return { ...description, field: await differenceOf(field, second, minus, workers, signal) };
}

/** Returns the paths of sibling arrays that can be subtracted from a node, by their metadata. */
export async function besides(description: Description, signal: AbortSignal): Promise<string[]> {
  if (description.kind !== "array") return [];
  const { path, node, field } = description;
  const group = await openFrom(node, node.resolve(parentOf(path)), { kind: "group", signal });
  const members = await group.members({ signal });
  return members
    .filter((member) => {
      if (member.kind !== "array" || member.path === path) return false;
      const array = member.node as ZarrArray | undefined;
      if (!array) return true;
      // The array must have the same length along each common axis.
      const names = array.dimensionNames ?? array.shape.map((_, d) => `dim_${d}`);
      const common = field.axes.filter(({ name }) => names.includes(name));
      return common.length > 1 && common.every(({ name, length }) => array.shape[names.indexOf(name)] === length);
    })
    .map((member) => member.path);
}
