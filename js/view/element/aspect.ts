import type { PlaneAxis } from "./scene.js";

/** A picture that is longer than this many times its width is stretched rather than drawn as a hairline. */
const LONGEST = 12;
/** Elements whose sides differ more than this are no places in one space. */
const UNLIKE = 20;

/** The distance of neighbours along an axis; null where there is none. */
export function spacingOf({ axis, coordinate }: PlaneAxis): number | null {
  if (coordinate?.kind !== "number" || axis.length < 2) return null;
  const step = Math.abs(coordinate.number(axis.length - 1) - coordinate.number(0)) / (axis.length - 1);
  return step > 0 && Number.isFinite(step) ? step : null;
}

const degrees = /^(?:°|deg(?:ree)?s?)/i;

/** The units that compare: degrees east and degrees north are both degrees. */
function unitOf({ axis, coordinate }: PlaneAxis): string {
  const units = coordinate?.units || axis.units;
  return degrees.test(units) ? "°" : units;
}

/**
 * How many times taller than wide an element is drawn: as its sides are in space, where both axes are of one unit; so that it fills the
 * view, where they are not of one space; else 1.
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
    // A time and a depth, a variable and a sample: no side is longer than the other.
    const named = x.coordinate !== null || y.coordinate !== null;
    aspect = named ? filled : 1;
  }
  const shape = (height * aspect) / width;
  return shape > LONGEST || shape < 1 / LONGEST ? filled : aspect;
}
