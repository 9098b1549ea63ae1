import type { Coordinate, Field } from "../../describe/field.js";
import { positionOf, valueAt } from "../axes/positions.js";

/** The largest deviation of even positions, in elements. */
const slack = 0.01;
const degree = Math.PI / 180;

/** The elements of a grid along its longitudes or its latitudes, in degrees. */
export interface Along {
  readonly length: number;
  /** The mean degrees between neighbours, negative if they fall. */
  readonly step: number;
  /** The edges of the elements, rising: negated if the degrees fall. Null if they are even. */
  readonly edges: Float64Array | null;
  /** Returns the degrees at a position; element i lies between i and i + 1. */
  at(position: number): number;
  /** Returns the position of degrees. It extrapolates beyond the ends. */
  position(degrees: number): number;
}

/** The grid of a map. */
export interface Earth {
  readonly across: Along;
  readonly down: Along;
  /** The columns around the Earth. */
  readonly around: number;
}

/** Converts the numbers of a coordinate to degrees and back. */
interface Scale {
  degrees(value: number): number;
  value(degrees: number): number;
}

const same: Scale = { degrees: (value) => value, value: (degrees) => degrees };
/** The radius of Web Mercator in metres, as in js/geo, which would be a chunk of its own. */
const webMercatorRadius = 6378137;
/** Web Mercator: metres to the east and to the north (EPSG:3857). */
const metres: { readonly x: Scale; readonly y: Scale } = {
  x: {
    degrees: (value) => value / webMercatorRadius / degree,
    value: (degrees) => degrees * degree * webMercatorRadius,
  },
  y: {
    degrees: (value) => Math.atan(Math.sinh(value / webMercatorRadius)) / degree,
    // The poles are infinitely far.
    value: (degrees) => Math.asinh(Math.tan(Math.max(-89.9, Math.min(89.9, degrees)) * degree)) * webMercatorRadius,
  },
};

function alongOf(coordinate: Coordinate, scale: Scale, linear: boolean): Along | null {
  const { length } = coordinate;
  if (coordinate.kind !== "number" || length < 2) return null;
  const last = length - 1;
  const first = coordinate.number(0);
  const step = (coordinate.number(last) - first) / last;
  const rising = step > 0;
  let even = linear;
  for (let i = 0; i < last; i++) {
    const [a, b] = [coordinate.number(i), coordinate.number(i + 1)];
    if (!(rising ? b > a : b < a)) return null;
    even &&= Math.abs(a - first - i * step) <= Math.abs(step) * slack;
  }
  const position = even
    ? (degrees: number) => (scale.value(degrees) - first) / step + 0.5
    : (degrees: number) => positionOf(coordinate, scale.value(degrees), { first: 0, last, rising });
  const at = even
    ? (position: number) => scale.degrees(first + (position - 0.5) * step)
    : (position: number) => scale.degrees(valueAt(coordinate, position));
  const sign = rising ? 1 : -1;
  return {
    length,
    step: (at(length) - at(0)) / length,
    edges: even ? null : Float64Array.from({ length: length + 1 }, (_, i) => sign * at(i)),
    at,
    position,
  };
}

const known = new WeakMap<Coordinate, WeakMap<Coordinate, Earth | null>>();

/** Returns the grid of longitudes and latitudes of a field; null if its coordinates form none. */
export function earthOf({ place }: Field, x: Coordinate | null, y: Coordinate | null): Earth | null {
  if (!x || !y || !place) return null;
  const others = known.get(x) ?? new WeakMap<Coordinate, Earth | null>();
  known.set(x, others);
  let earth = others.get(y);
  if (earth === undefined) {
    const across = alongOf(x, place.lonLat ? same : metres.x, true);
    const down = alongOf(y, place.lonLat ? same : metres.y, place.lonLat);
    earth = across && down && { across, down, around: 360 / Math.abs(across.step) };
    others.set(y, earth);
  }
  return earth;
}

/** Returns the element at a longitude and a latitude, with its fraction. Columns go round once. */
export function elementOf({ across, down, around }: Earth, longitude: number, latitude: number) {
  const x = across.edges ? searched(across, longitude) : wrapped(across.position(longitude), around);
  return { x, y: down.position(latitude) };
}

/** Returns the position of a longitude among uneven ones; NaN if there is none. */
function searched({ edges, step, length, position }: Along, longitude: number): number {
  const [low = 0, sign] = [edges?.[0], Math.sign(step)];
  const turned = sign * longitude - 360 * Math.floor((sign * longitude - low) / 360);
  return turned < (edges?.[length] ?? 0) ? position(sign * turned) : Number.NaN;
}

/** Returns the number from 0 to before `around` that differs by a multiple of it. */
const wrapped = (x: number, around: number): number => x - around * Math.floor(x / around);
