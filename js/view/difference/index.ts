// Differences of two variables, or of one at two indices. Loaded when one is asked for, or is to be chosen.
import type { ZarrArray } from "../../api/array.js";
import type { Description } from "../../describe/description.js";
import { describe } from "../../describe/index.js";
import { UnsupportedError } from "../../index.js";
import { openFrom } from "../../openfrom.js";
import type { ViewState } from "../state.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { differenceOf } from "./field.js";

export { MinusChoice } from "./choice.js";

/** The group that the node of a description is in. */
const parentOf = (path: string) => path.replace(/\/[^/]*$/, "") || "/";

/** What is drawn of a node, less what a state takes from it. */
export async function subtracted(
  description: Description,
  minus: NonNullable<ViewState["minus"]>,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<Description> {
  const { path, node } = description;
  if (description.kind !== "array" && description.kind !== "image")
    throw new UnsupportedError(`there is no difference of a ${description.kind}`, { path, feature: "a difference" });
  const { field } = description;
  let second = field;
  if (minus.node !== undefined && minus.node !== path) {
    const [group, other] = await Promise.all([
      openFrom(node, node.resolve(parentOf(minus.node)), { kind: "group", signal }).catch(() => undefined),
      openFrom(node, node.resolve(minus.node), { signal }),
    ]);
    const found = await describe(other, { group, signal });
    if (found.kind !== "array" && found.kind !== "image")
      throw new UnsupportedError(`what lies at ${minus.node} is a ${found.kind}, and cannot be taken away`, {
        path: minus.node,
        feature: "a difference",
      });
    second = found.field;
  }
  return { ...description, field: await differenceOf(field, second, minus, workers, signal) };
}

/** The paths of the arrays beside a node, whose metadata tell that they may be taken from it. */
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
      // Along its axes that are the field's, too, it is as long.
      const names = array.dimensionNames ?? array.shape.map((_, d) => `dim_${d}`);
      const common = field.axes.filter(({ name }) => names.includes(name));
      return common.length > 1 && common.every(({ name, length }) => array.shape[names.indexOf(name)] === length);
    })
    .map((member) => member.path);
}
