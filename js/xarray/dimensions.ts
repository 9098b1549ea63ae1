// The names of an array's dimensions, wherever a convention keeps them.
import type { ZarrArray } from "../api/array.js";
import { isNczarr, nameOf, nczarrArray } from "../nczarr/index.js";
import { checkArray } from "../refuse.js";

/** What {@link dimensionsOf} tells. */
export interface Dimensions {
  /** A name for each dimension, `null` for one without. */
  names: (string | null)[];
  /** The shape: of a scalar that NCZarr stores as one element it is empty. */
  shape: number[];
  /** Why names that are written are not taken. They are never guessed. */
  problem?: string | undefined;
}

/**
 * The names of an array's dimensions: `dimension_names` of Zarr v3; `_ARRAY_DIMENSIONS`, as xarray writes it in v2 (and did in
 * v3); or the dimensions that NCZarr refers to. Names that are not as many as the dimensions are a problem, and none is taken.
 */
export function dimensionsOf(array: ZarrArray): Dimensions {
  checkArray("dimensionsOf", array);
  const { shape, dimensionNames } = array;
  if (dimensionNames) return { names: dimensionNames, shape };
  const said = isNczarr(array) ? nczarrArray(array) : undefined;
  const names: (string | null)[] = shape.map(() => null);
  if (said && "problem" in said) return { names, shape, problem: said.problem };
  if (said) return { names: said.references.map(nameOf), shape: said.scalar ? [] : shape };
  const written = array.attrs._ARRAY_DIMENSIONS;
  if (written === undefined || written === null) return { names, shape };
  const count = Array.isArray(written) ? `${written.length} names` : "no list of names";
  const problem = `_ARRAY_DIMENSIONS of ${array.path} are ${count} for ${shape.length} dimensions`;
  return { names, shape, problem };
}
