// Differences of two variables, or of one variable at two indices. This module is loaded when a
// difference is shown or chosen.
import type { Description } from "../../describe/description.js";
import { UnsupportedError } from "../../index.js";
import { fieldAt, siblings } from "../computed/siblings.js";
import type { ViewState } from "../state.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { differenceOf } from "./field.js";

export { MinusChoice } from "./choice.js";

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
  const own = minus.node === undefined || minus.node === path;
  const second = own ? field : await fieldAt(node, minus.node ?? path, signal);
  const difference = await differenceOf(field, second, minus, workers, signal);
  return { ...description, title: difference.title, field: difference };
}

/**
 * Returns the paths of sibling arrays that can be subtracted from a node, by their metadata; null
 * if the store does not list them.
 */
export async function subtractable(description: Description, signal: AbortSignal): Promise<string[] | null> {
  const found = await siblings(description, signal);
  return found?.filter(({ common }) => common > 1).map(({ path }) => path) ?? null;
}
