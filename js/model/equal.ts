import { refuse } from "../shared/arguments.js";
import { canonical, checkDepth, isObject, type Json, type JsonObject, membersOf } from "./json.js";
import { isGroup, type Model } from "./node.js";

/** Options of {@link equalStructure}. */
export interface EqualOptions {
  /** `false` ignores user attributes. */
  attributes?: boolean | undefined;
}

/**
 * Reports whether two hierarchies have the same structure (ZEP 6, "Motivation and Scope"): the same
 * tree of nodes with the same metadata. Compares JSON values: the order of members does not count.
 * 1 equals 1.0, but 0 does not equal `false`.
 */
export function equalStructure(a: Model, b: Model, { attributes = true }: EqualOptions = {}): boolean {
  const of = (model: Model) => {
    const root = checkModel("equalStructure", model);
    return canonical(attributes ? root : reduced(root, ({ attributes: _, ...others }) => others));
  };
  return of(a) === of(b);
}

/**
 * Reports whether two hierarchies have the same layout: nodes with equal names and types. Ignores
 * other metadata.
 */
export function equalLayout(a: Model, b: Model): boolean {
  const of = (model: Model) => canonical(reduced(checkModel("equalLayout", model), () => ({})));
  return of(a) === of(b);
}

/** Reduces each node of a model, but keeps the members of groups. */
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

/** @internal Returns a model, or throws on behalf of the function `what`. */
export function checkModel(what: string, model: Model): JsonObject {
  // Nodes, trees and promises are objects too, but have no properties to compare.
  if (!isObject(model) || model.zarr_format === undefined)
    refuse(what, model, "a model, as await toModel(group) returns it");
  return model;
}
