import { InvalidMetadataError } from "../errors.js";
import { refuse } from "../shared/arguments.js";

/**
 * The coefficients `[a, b, c, d, e, f]` of `x = a * col + b * row + c`,
 * `y = d * col + e * row + f`. The order is that of `spatial:transform` and of rasterio's `Affine`.
 * GDAL uses another order: see {@link affineFromGdal}.
 */
export type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** A box in world coordinates, edges included: `[xmin, ymin, xmax, ymax]`, like `spatial:bbox`. */
export type Bounds = readonly [xmin: number, ymin: number, xmax: number, ymax: number];

/** Converts GDAL's GeoTransform, in the order `[c, a, b, f, d, e]`, to an affine. */
export function affineFromGdal(geoTransform: readonly number[]): Affine {
  const [c, a, b, f, d, e] = checkNumbers("affineFromGdal", geoTransform, 6) as unknown as Affine;
  return [a, b, c, d, e, f];
}

/** Converts an affine to GDAL's GeoTransform, in the order `[c, a, b, f, d, e]`. */
export function affineToGdal(affine: Affine): [c: number, a: number, b: number, f: number, d: number, e: number] {
  const [a, b, c, d, e, f] = checkNumbers("affineToGdal", affine, 6) as unknown as Affine;
  return [c, a, b, f, d, e];
}

/** Maps `(col, row)` to `[x, y]`. */
export function applyAffine([a, b, c, d, e, f]: Affine, col: number, row: number): [x: number, y: number] {
  return [a * col + b * row + c, d * col + e * row + f];
}

/** Returns the affine that applies `inner` first and then `outer`. */
export function composeAffine(outer: Affine, inner: Affine): Affine {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [a * g + b * j, a * h + b * k, a * i + b * l + c, d * g + e * j, d * h + e * k, d * i + e * l + f];
}

/** Reports whether an affine has an inverse. */
export function isInvertible(affine: Affine): boolean {
  return inverse(affine) !== undefined;
}

/** Returns the inverse affine. Throws {@link InvalidMetadataError} if there is none. */
export function invertAffine(affine: Affine): Affine {
  const inverted = inverse(affine);
  if (inverted) return inverted;
  throw new InvalidMetadataError(`the affine [${affine.join(", ")}] has no inverse: it maps the plane to a line`);
}

function inverse([a, b, c, d, e, f]: Affine): Affine | undefined {
  // Scale each row by its largest coefficient, so that the determinant cannot underflow or
  // overflow.
  const p = Math.max(Math.abs(a), Math.abs(b));
  const q = Math.max(Math.abs(d), Math.abs(e));
  const [as, bs, ds, es] = [a / p, b / p, d / q, e / q];
  const determinant = as * es - bs * ds;
  // A smaller determinant is only the rounding error of two equal products.
  if (!(Math.abs(determinant) > 4 * Number.EPSILON)) return undefined;
  const [g, h] = [es / determinant / p, -bs / determinant / q];
  const [j, k] = [-ds / determinant / p, as / determinant / q];
  const inverted: Affine = [g, h, -(g * c + h * f), j, k, -(j * c + k * f)];
  return inverted.every(Number.isFinite) ? inverted : undefined;
}

/** The pixel size in world units: along a row of pixels (x), and along a column (y). */
export function pixelSizeOf([a, b, , d, e]: Affine): [x: number, y: number] {
  return [Math.hypot(a, d), Math.hypot(b, e)];
}

/** The smallest box that contains the mapped corners of a box of columns and rows. */
export function affineBounds(
  affine: Affine,
  [left, top, right, bottom]: readonly [left: number, top: number, right: number, bottom: number],
): Bounds {
  const corners = [applyAffine(affine, left, top), applyAffine(affine, right, top)];
  corners.push(applyAffine(affine, left, bottom), applyAffine(affine, right, bottom));
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/**
 * @internal Checks that a value is a list of n finite numbers. Throws on behalf of the function
 * `what`.
 */
export function checkNumbers(what: string, value: readonly number[], n: number): readonly number[] {
  if (!Array.isArray(value) || value.length !== n || !value.every(Number.isFinite)) {
    refuse(what, value, `a list of ${n} finite numbers`);
  }
  return value;
}
