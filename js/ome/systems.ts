import type { Group } from "../api/group.js";
import { isNamed, NotFoundError } from "../errors.js";
import { type Transform, transformOf } from "./transform.js";
import type { Reference, Transformation } from "./transformation.js";

/** A transformation between two coordinate systems. */
export interface Edge {
  from: string;
  to: string;
  /** The number of input coordinates. */
  axes: number;
  transformation: Transformation;
  /** The group that contains its parameters, if they are in an array. */
  group: Group;
}

const clean = (path: string) =>
  path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");

/** The key of a coordinate system in the graph: its name and the path of its group or array. */
export function keyOf(of: string | Partial<Reference>, under = ""): string {
  const { name = null, path = null } = typeof of === "string" ? { name: of } : of;
  return JSON.stringify([name ?? "", clean(`${under}/${path ?? ""}`)]);
}

const tell = (key: string) => {
  const [name, path] = JSON.parse(key) as [string, string];
  return [name && JSON.stringify(name), path && `of ${path}`].filter(Boolean).join(" ");
};

/** Returns the map from one system to another with the fewest usable transformations. */
export async function route(
  edges: readonly Edge[],
  from: string | Partial<Reference>,
  to: string | Partial<Reference>,
  complete: (one: Transformation, group: Group) => Promise<Transformation>,
): Promise<Transform> {
  const [start, end] = [keyOf(from), keyOf(to)];
  const next = new Map<string, (readonly [edge: Edge, back: boolean])[]>();
  const add = (key: string, edge: Edge, back: boolean) => {
    const list = next.get(key);
    if (list) list.push([edge, back]);
    else next.set(key, [[edge, back]]);
  };
  for (const edge of edges) {
    add(edge.from, edge, false);
    add(edge.to, edge, true);
  }
  const maps = new Map<Edge, Promise<Transform>>();
  const mapOf = (edge: Edge): Promise<Transform> => {
    const known =
      maps.get(edge) ?? complete(edge.transformation, edge.group).then((one) => transformOf(one, edge.axes));
    maps.set(edge, known);
    return known;
  };
  let refused: unknown;
  const reached = new Map<string, Transform | undefined>([[start, undefined]]);
  // The loop also visits the systems that it adds.
  for (const [key, so] of reached) {
    if (key === end) break;
    for (const [edge, back] of next.get(key) ?? []) {
      const other = back ? edge.from : edge.to;
      if (reached.has(other)) continue;
      try {
        const map = await mapOf(edge);
        const step = back ? map.inverse() : map;
        reached.set(other, so ? so.followedBy(step) : step);
      } catch (error) {
        if (!isNamed(error, "UnsupportedError")) throw error;
        refused ??= error;
      }
    }
  }
  const found = reached.get(end);
  if (found) return found;
  const some = next.get(start)?.[0];
  if (start === end && some) {
    const [edge, back] = some;
    const { matrix } = await mapOf(edge);
    return transformOf({ type: "identity" }, back ? matrix.length : edge.axes);
  }
  if (refused) throw refused;
  throw new NotFoundError(`no transformation leads from ${tell(start)} to ${tell(end)}`);
}
