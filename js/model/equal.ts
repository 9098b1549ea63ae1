import { refuse } from "../refuse.js";
import { canonical, checkDepth, isObject, type Json, type JsonObject, membersOf } from "./json.js";
import { isGroup, type Model } from "./node.js";

/** Settings of {@link equalStructure}. */
export interface EqualOptions {
  /** `false`: the user's attributes do not count. */
  attributes?: boolean | undefined;
}

/**
 * Whether two hierarchies have the same structure (ZEP 6, "Motivation and Scope"): the same tree of nodes with the same metadata. They are
 * compared as JSON values: the order of members does not count, and 1 is 1.0, but 0 is not `false`.
 */
export function equalStructure(a: Model, b: Model, { attributes = true }: EqualOptions = {}): boolean {
  const of = (model: Model) => {
    const root = checkModel("equalStructure", model);
    return canonical(attributes ? root : reduced(root, ({ attributes: _, ...others }) => others));
  };
  return of(a) === of(b);
}

/** Whether two hierarchies have the same layout: nodes of the same names and of the same types, whatever their metadata is. */
export function equalLayout(a: Model, b: Model): boolean {
  const of = (model: Model) => canonical(reduced(checkModel("equalLayout", model), () => ({})));
  return of(a) === of(b);
}

/** A model with less of each node; of a group the members stay. */
function reduced(model: JsonObject, keep: (node: JsonObject) => JsonObject, depth = 0): JsonObject {
  checkDepth(depth);
  const { members, ...others } = model;
  if (!isGroup(model)) return keep(model);
  const below = isObject(members)
    ? Object.fromEntries(
        membersOf(members).map(([name, one]): [string, Json] => [
          name,
          isObject(one) ? reduced(one, keep, depth + 1) : one,
        ]),
      )
    : (members ?? {});
  return { ...keep(others), members: below };
}

/** @internal A model, or else an error of the function that was given it. */
export function checkModel(what: string, model: Model): JsonObject {
  // Nodes, trees and promises are objects as well, which have no properties to compare.
  if (!isObject(model) || model.zarr_format === undefined)
    refuse(what, model, "a model, as await toModel(group) gives it,");
  return model;
}
