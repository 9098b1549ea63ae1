import { BoolArray } from "../data/arrays.js";
import { product, strides } from "../data/shape.js";
import type { WireIndices } from "../engine/protocol/wire.js";
import { InvalidSelectionError } from "../errors.js";
import { type IndexList, indices } from "./selection.js";

/**
 * Encodes the coordinates of single elements for the engine: a list for each dimension, or a mask
 * of the whole array.
 */
export function points(coords: readonly (IndexList | number)[] | BoolArray, shape: readonly number[]): WireIndices[] {
  const what = "vindex: a coordinate";
  if (coords instanceof BoolArray) return unravel(coords, shape).map((list) => indices(list, what));
  if (!Array.isArray(coords)) {
    throw new InvalidSelectionError("vindex: expected a list of coordinates for each dimension");
  }
  const single = (c: unknown) => typeof c === "number" || typeof c === "bigint";
  const all = coords.map((c: unknown) => indices(single(c) ? [c] : c, what));
  // An integer stands for a list that repeats it, as long as the other lists.
  const lengths = all.flatMap((c, d) => (single(coords[d]) ? [] : c.indices.length));
  const length = lengths.includes(0) ? 0 : Math.max(8, ...lengths);
  return all.map((c, d) => (single(coords[d]) ? { indices: repeated(c.indices, length) } : c));
}

function repeated(bytes: Uint8Array, length: number): Uint8Array {
  const all = new Uint8Array(length);
  new BigInt64Array(all.buffer).fill(new BigInt64Array(bytes.buffer)[0] as bigint);
  return all;
}

/** Returns the coordinates of the elements that a mask selects, a list for each dimension. */
function unravel(mask: BoolArray, shape: readonly number[]): Float64Array[] {
  if (mask.length !== product(shape)) {
    throw new InvalidSelectionError(`a mask of ${mask.length} for an array of ${product(shape)} elements`);
  }
  const steps = strides(shape);
  let count = 0;
  for (let i = 0; i < mask.length; i++) if (mask[i]) count++;
  const lists = shape.map(() => new Float64Array(count));
  for (let i = 0, k = 0; i < mask.length; i++) {
    if (!mask[i]) continue;
    for (const [d, list] of lists.entries()) list[k] = Math.floor(i / (steps[d] as number)) % (shape[d] as number);
    k++;
  }
  return lists;
}
