import { BoolArray } from "../data/arrays.js";
import { product, strides } from "../data/shape.js";
import type { WireInteger } from "../engine/protocol.js";
import { InvalidSelectionError } from "../errors.js";
import { type IndexList, integer, integers } from "./selection.js";

/** Makes messages' data of the coordinates of single elements: a list for each dimension, or a mask of the whole array. */
export function points(coords: readonly (IndexList | number)[] | BoolArray, shape: readonly number[]): WireInteger[][] {
  if (coords instanceof BoolArray) return unravel(coords, shape);
  if (!Array.isArray(coords)) {
    throw new InvalidSelectionError("vindex: a list of coordinates for each dimension expected");
  }
  const what = "vindex: a coordinate";
  const all = coords.map((c: unknown) =>
    typeof c === "number" || typeof c === "bigint" ? integer(c, what) : integers(c, what),
  );
  // An integer stands for a list of itself, as long as the others are.
  const lengths = all.flatMap((c) => (Array.isArray(c) ? [c.length] : []));
  const length = lengths.includes(0) ? 0 : Math.max(1, ...lengths);
  return all.map((c) => (Array.isArray(c) ? c : new Array<WireInteger>(length).fill(c)));
}

/** The coordinates of what a mask selects, a list for each dimension. */
function unravel(mask: BoolArray, shape: readonly number[]): number[][] {
  if (mask.length !== product(shape)) {
    throw new InvalidSelectionError(`a mask of ${mask.length} for an array of ${product(shape)} elements`);
  }
  const steps = strides(shape);
  const lists: number[][] = shape.map(() => []);
  for (const [i, set] of mask.entries()) {
    if (set)
      for (const [d, list] of lists.entries()) list.push(Math.floor(i / (steps[d] as number)) % (shape[d] as number));
  }
  return lists;
}
