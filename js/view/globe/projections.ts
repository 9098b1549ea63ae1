// Map projections of the unit sphere, relative to the middle of a view. Each inverse returns
// differences from the middle, so that neither double nor single precision cancels near it. The
// shader has the same formulas; see shader.ts.
//
// Sources:
//   J. P. Snyder, Map Projections: A Working Manual, USGS Professional Paper 1395, 1987:
//   Mercator (7-1 to 7-4), orthographic (20-3 to 20-19), polar stereographic (21-5 to 21-15),
//   equidistant cylindrical (12-1 to 12-6).
//   B. Šavrič, T. Patterson, B. Jenny, The Equal Earth map projection, International Journal of
//   Geographical Information Science 33 (3), 2018.

import type { Projection as ProjectionName } from "../state.js";

/** A point of the plane, in radii of the sphere, to the right and upwards. */
export type Point = readonly [x: number, y: number];

/** The middle of a view. Angles are radians. */
export interface Middle {
  readonly longitude: number;
  readonly latitude: number;
  readonly sine: number;
  readonly cosine: number;
  /** Numbers that the projection derives from the latitude and the longitude. */
  readonly more: readonly number[];
}

/** A projection of the sphere. Its middle lies at the origin. */
interface Mapping {
  /** The latitudes that it shows, in radians. */
  readonly south: number;
  readonly north: number;
  /** Whether a meridian opposite to the middle bounds the map. */
  readonly cut: boolean;
  /** Returns the derived numbers of a middle. */
  more(longitude: number, latitude: number): readonly number[];
  /** Returns the point of a place; null if it is not shown. `turn` is east of the middle. */
  forward(middle: Middle, turn: number, latitude: number): Point | null;
  /** Returns the place of a point, east and north of the middle; null if there is none. */
  inverse(middle: Middle, x: number, y: number): readonly [turn: number, rise: number] | null;
}

const { PI, sin, cos, atan, atan2, sqrt, hypot, abs, asin, asinh, sinh, cosh, tan } = Math;

/** The latitude of the upper edge of the square of web maps. */
const square = atan(sinh(PI));

/**
 * Returns the difference of two latitudes from the difference of their sines, and their cosines.
 */
const riseOf = (difference: number, cosine: number, other: number): number =>
  cosine + other < 1e-12 ? 0 : 2 * atan(difference / (cosine + other));

const plateCarree: Mapping = {
  south: -PI / 2,
  north: PI / 2,
  cut: true,
  more: () => [],
  forward: (middle, turn, latitude) => [turn, latitude - middle.latitude],
  inverse: ({ latitude }, x, y) => (abs(x) > PI || abs(latitude + y) > PI / 2 ? null : [x, y]),
};

const orthographic: Mapping = {
  south: -PI / 2,
  north: PI / 2,
  cut: false,
  more: () => [],
  forward: ({ sine, cosine }, turn, latitude) => {
    const [s, c] = [sin(latitude), cos(latitude)];
    if (sine * s + cosine * c * cos(turn) < 0) return null;
    return [c * sin(turn), cosine * s - sine * c * cos(turn)];
  },
  inverse: ({ sine, cosine }, x, y) => {
    const square = x * x + y * y;
    if (square > 1) return null;
    const depth = sqrt(1 - square);
    const along = depth * cosine - y * sine;
    const difference = y * cosine - (sine * square) / (1 + depth);
    return [atan2(x, along), riseOf(difference, hypot(along, x), cosine)];
  },
};

const mercator: Mapping = {
  south: -square,
  north: square,
  cut: true,
  more: (_, latitude) => [asinh(tan(latitude))],
  forward: ({ more: [height = 0] }, turn, latitude) =>
    abs(latitude) > square + 1e-12 ? null : [turn, asinh(tan(latitude)) - height],
  inverse: ({ more: [height = 0], cosine }, x, y) => {
    const at = height + y;
    if (abs(x) > PI || abs(at) > PI) return null;
    return [x, riseOf((sinh(y) / cosh(at)) * cosine, 1 / cosh(at), cosine)];
  },
};

/** The polynomial of Equal Earth: y = A1 θ + A2 θ³ + A3 θ⁷ + A4 θ⁹. */
const equalEarthTerms = [0, 1.340264, 0, -0.081106, 0, 0, 0, 0.000893, 0, 0.003796] as const;
const scale = sqrt(3) / 2;
/** The parametric latitude of the poles. */
const last = PI / 3;

/** Returns the Taylor coefficients of the polynomial at `theta`, after the constant. */
function equalEarthAt(theta: number): number[] {
  return Array.from({ length: 9 }, (_, i) => {
    const order = i + 1;
    let sum = 0;
    let choose = 1;
    for (let power = order; power <= 9; power++) {
      sum += (equalEarthTerms[power] ?? 0) * choose * theta ** (power - order);
      choose = (choose * (power + 1)) / (power + 1 - order);
    }
    return sum;
  });
}

/** Returns the sum of `terms[i] * x^(i + 1)`, and its derivative. */
function series(terms: readonly number[], x: number): readonly [sum: number, slope: number] {
  let [sum, slope] = [0, 0];
  for (let i = terms.length - 1; i >= 0; i--) {
    sum = sum * x + (terms[i] ?? 0);
    slope = slope * x + (i + 1) * (terms[i] ?? 0);
  }
  return [sum * x, slope];
}

const equalEarth: Mapping = {
  south: -PI / 2,
  north: PI / 2,
  cut: true,
  more: (_, latitude) => {
    const theta = asin(scale * sin(latitude));
    return [theta, ...equalEarthAt(theta)];
  },
  forward: ({ more: [theta0 = 0, ...terms] }, turn, latitude) => {
    const theta = asin(scale * sin(latitude));
    const [y, slope] = series(terms, theta - theta0);
    return [(turn * cos(theta)) / (scale * slope), y];
  },
  inverse: ({ more: [theta0 = 0, ...terms], cosine }, x, y) => {
    let step = y / (terms[0] ?? 1);
    let slope = 1;
    for (let turn = 0; turn < 8; turn++) {
      const [sum, here] = series(terms, step);
      step -= (sum - y) / here;
      slope = here;
    }
    const theta = theta0 + step;
    if (!(abs(theta) <= last)) return null;
    const turn = (scale * x * slope) / cos(theta);
    if (abs(turn) > PI) return null;
    const s = sin(theta) / scale;
    const difference = (2 * cos(theta0 + step / 2) * sin(step / 2)) / scale;
    return [turn, riseOf(difference, sqrt(Math.max(0, 1 - s * s)), cosine)];
  },
};

/** `pole` is 1 for the north and -1 for the south. Longitude 0 points down, or up in the south. */
const polar = (pole: 1 | -1): Mapping => ({
  south: pole > 0 ? 0 : -PI / 2,
  north: pole > 0 ? PI / 2 : 0,
  cut: false,
  /** The direction of the middle from the pole, and its point. */
  more: (longitude, latitude) => {
    const distance = 2 * tan(PI / 4 - (pole * latitude) / 2);
    const [right, up] = [sin(longitude), -pole * cos(longitude)];
    return [right, up, distance * right, distance * up];
  },
  forward: ({ longitude, more: [, , x0 = 0, y0 = 0] }, turn, latitude) => {
    if (pole * latitude < 0) return null;
    const distance = 2 * tan(PI / 4 - (pole * latitude) / 2);
    return [distance * sin(longitude + turn) - x0, -pole * distance * cos(longitude + turn) - y0];
  },
  inverse: ({ cosine, more: [right = 0, up = 0, x0 = 0, y0 = 0] }, x, y) => {
    const [px, py] = [x0 + x, y0 + y];
    // The squares of the tangents of half the distances from the pole.
    const square = (px * px + py * py) / 4;
    if (square > 1) return null;
    const before = (x0 * x0 + y0 * y0) / 4;
    const change = (x * (2 * x0 + x) + y * (2 * y0 + y)) / 4;
    const difference = (-2 * pole * change) / ((1 + square) * (1 + before));
    const turn = pole * atan2(right * py - up * px, right * px + up * py);
    return [turn, riseOf(difference, (2 * sqrt(square)) / (1 + square), cosine)];
  },
});

/** The projections by name. */
export const projections: Readonly<Record<ProjectionName, Mapping>> = {
  "plate-carree": plateCarree,
  orthographic,
  "equal-earth": equalEarth,
  mercator,
  "north-polar": polar(1),
  "south-polar": polar(-1),
};

/** Returns the middle of a view at a place, in radians. */
export function middleAt(projection: Mapping, longitude: number, latitude: number): Middle {
  return {
    longitude,
    latitude,
    sine: sin(latitude),
    // At a pole the cosine is a rounding error.
    cosine: Math.max(0, abs(latitude) > PI / 2 - 1e-12 ? 0 : cos(latitude)),
    more: projection.more(longitude, latitude),
  };
}
