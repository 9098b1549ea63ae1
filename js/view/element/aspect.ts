import type { Coordinate } from "../../describe/field.js";
import type { PlaneAxis } from "./scene.js";

/** A picture longer than this many times its width is stretched, because it would be a hairline. */
const LONGEST = 12;
/**
 * The spacings of two spatial axes differ by less than this factor, or they do not share a scale.
 */
const UNLIKE = 20;

/** Returns the distance of neighbours along an axis; null if it has none. */
export function spacingOf({ axis, coordinate }: PlaneAxis): number | null {
  if (coordinate?.kind !== "number" || axis.length < 2) return null;
  const step = Math.abs(coordinate.number(axis.length - 1) - coordinate.number(0)) / (axis.length - 1);
  return step > 0 && Number.isFinite(step) ? step : null;
}

const degrees = /^(?:°|deg(?:ree)?s?)/i;

/** Returns the unit for comparison: degrees east and degrees north are both degrees. */
export function unitOf({ axis, coordinate }: PlaneAxis): string {
  const units = coordinate?.units || axis.units;
  return degrees.test(units) ? "°" : units;
}

/**
 * Returns an element's height divided by its width. For spatial axes of one unit it is the ratio of
 * their spacings. For axes that are not spatial, the picture fills the view. Otherwise it is 1.
 */
export function aspectOf(
  { x, y }: { readonly x: PlaneAxis; readonly y: PlaneAxis },
  view: { readonly width: number; readonly height: number },
): number {
  const [width, height] = [x.axis.length || 1, y.axis.length || 1];
  const filled = view.height / height / (view.width / width);
  const [ux, uy] = [unitOf(x), unitOf(y)];
  const [sx, sy] = [spacingOf(x), spacingOf(y)];
  const spatial = (one: PlaneAxis) => ["x", "y", "z"].includes(one.axis.role.value);
  let aspect = 1;
  if (spatial(x) && spatial(y) && ux === uy && ux !== "" && sx !== null && sy !== null) {
    const ratio = sy / sx;
    aspect = ratio < UNLIKE && ratio > 1 / UNLIKE ? ratio : filled;
  } else if (!spatial(x) || !spatial(y)) {
    // Axes that are not spatial have no common scale: time and depth, or variable and sample.
    const named = x.coordinate !== null || y.coordinate !== null;
    aspect = named ? filled : 1;
  }
  const shape = (height * aspect) / width;
  return shape > LONGEST || shape < 1 / LONGEST ? filled : aspect;
}

/** The number of positions that are compared with even ones. */
const LOOKS = 64;

const periods = new WeakMap<Coordinate, number | undefined>();

/**
 * Returns the columns around the Earth of evenly spaced longitudes that go all the way round;
 * undefined for others. The first longitude may be repeated at the end.
 */
export function periodOf({ axis, coordinate }: PlaneAxis): number | undefined {
  if (coordinate?.kind !== "number" || axis.length < 4) return undefined;
  if (periods.has(coordinate)) return periods.get(coordinate);
  const last = axis.length - 1;
  const [west, east] = [coordinate.number(0), coordinate.number(last)];
  const step = (east - west) / last;
  const period = Math.round(360 / Math.abs(step));
  const even = Array.from({ length: LOOKS }, (_, k) => Math.round((k * last) / (LOOKS - 1))).every(
    (i) => Math.abs(coordinate.number(i) - (west + i * step)) < Math.abs(step) / 20,
  );
  const round = Math.abs(period * Math.abs(step) - 360) < Math.abs(step) / 20;
  const found = even && round && (period === axis.length || period === last) ? period : undefined;
  periods.set(coordinate, found);
  return found;
}
