// The names of an array's dimensions, in any convention.
import type { ZarrArray } from "../api/array.js";
import { isNczarr, nameOf, nczarrArray } from "../nczarr/index.js";
import { checkArray } from "../shared/arguments.js";

/** The result of {@link dimensionsOf}. */
export interface Dimensions {
  /** A name for each dimension; `null` for an unnamed one. */
  names: (string | null)[];
  /** The shape. It is empty for a scalar that NCZarr stores as one element. */
  shape: number[];
  /** The reason why written names are ignored. Names are never guessed. */
  problem?: string | undefined;
}

/**
 * Returns the names of an array's dimensions. They come from `dimension_names` in Zarr v3, from
 * `_ARRAY_DIMENSIONS`, as xarray writes it in v2 (and once did in v3), or from NCZarr references. A
 * wrong number of names is a problem, and none is used.
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
  const count = Array.isArray(written) ? `${written.length} names` : "not a list of names";
  const problem = `_ARRAY_DIMENSIONS of ${array.path} are ${count} for ${shape.length} dimensions`;
  return { names, shape, problem };
}
