// The three axes of a volume, and its resolutions.
import type { Coordinate, Field, FieldLevel } from "../../describe/field.js";
import { spacingOf, unitOf } from "../element/aspect.js";
import { chunksAlong, costOf } from "../element/budget.js";
import { depthAxis, type Look } from "../element/look.js";
import type { Item } from "../tiles/elements.js";

/** Numbers of three axes. */
export type Three<T = number> = readonly [T, T, T];

/** Returns a function's results for three numbers. */
export const each = <A, B>([a, b, c]: Three<A>, run: (one: A, i: 0 | 1 | 2) => B): Three<B> => [
  run(a, 0),
  run(b, 1),
  run(c, 2),
];

/** The axes of a volume: to the right, downwards and into the screen before it is turned. */
export interface Solid {
  /** Their positions among the field's axes. */
  readonly axes: Three;
  readonly names: Three<string>;
  /** The elements of the finest level along them. */
  readonly lengths: Three;
  /** The sizes of the box. The largest is 1. */
  readonly extents: Three;
  /** -1 for an axis whose first element is at the right or at the bottom, otherwise 1. */
  readonly signs: Three;
}

/** Axes with spacings that differ by this factor do not share a scale. */
const UNLIKE = 20;

/** Returns the axes of a look's volume, and the sizes of its box; null without a volume. */
export function solidOf(field: Field, look: Look, positions: readonly (Coordinate | null | undefined)[]): Solid | null {
  const depth = depthAxis(field, look);
  const { x, y, left, up } = look;
  if (depth === null || x === null || y === null) return null;
  const axes: Three = [x, y, depth];
  const placed = each(axes, (d) => ({
    axis: field.axes[d] as Field["axes"][number],
    coordinate: positions[d] ?? null,
  }));
  const lengths = each(placed, ({ axis }) => axis.length);
  const spacings = each(placed, spacingOf);
  const units = each(placed, unitOf);
  const spatial = placed.every(({ axis }) => ["x", "y", "z"].includes(axis.role.value));
  const unscaled = placed.every(({ coordinate }) => coordinate === null) || (spatial && units.every((unit) => !unit));
  /** Returns an axis's length in elements of the first one; null without a common scale. */
  const sized = (i: 1 | 2): number | null => {
    const [a, b] = [spacings[i], spacings[0]];
    if (unscaled) return lengths[i];
    if (!spatial || units[i] !== units[0] || a === null || b === null) return null;
    return a / b < UNLIKE && b / a < UNLIKE ? (lengths[i] * a) / b : null;
  };
  const wide = lengths[0];
  // An axis without a common scale is as long as the shorter one of the others.
  const high = sized(1) ?? wide;
  const deep = sized(2) ?? Math.min(wide, high);
  const most = Math.max(wide, high, deep);
  const extents: Three = [wide / most, high / most, deep / most];
  return {
    axes,
    names: each(placed, ({ axis }) => axis.name),
    lengths,
    // A box is never thinner than a sheet that can be seen.
    extents: each(extents, (extent) => Math.max(0.02, extent)),
    signs: [left ? -1 : 1, up ? -1 : 1, 1],
  };
}

/**
 * A resolution of a volume. Its numbers have the order of the array's axes: `roles` are those of
 * its fastest, its middle and its slowest axis.
 */
export interface Grid {
  readonly level: number;
  /** The distance of read elements of the level along each axis, by role. */
  readonly steps: Three;
  /** The elements along each axis, by role. */
  readonly shape: Three;
  /** The elements of the finest level that one covers, by role. */
  readonly factors: Three;
  /** The first covered element of the finest level, by role. */
  readonly starts: Three;
  readonly roles: Three<0 | 1 | 2>;
  /** The chunks to read, and their decoded bytes. */
  readonly chunks: number;
  readonly bytes: number;
}

/** The bounds of a volume in memory. */
interface Bounds {
  /** The largest number of elements of one channel. */
  readonly elements: number;
  /** The largest number of elements along an axis. */
  readonly side: number;
}

const product = (three: Three) => three[0] * three[1] * three[2];

function gridOf({ levels }: Field, { axes }: Solid, level: number, bounds: Bounds): Grid {
  const found = levels[level] as FieldLevel;
  const { array, factor, start } = found;
  const all = each(axes, (d) => array.shape[d] ?? 1);
  const steps = [...each(all, (length) => Math.ceil(length / bounds.side))] as [number, number, number];
  const shape = () => each(all, (length, i) => Math.ceil(length / steps[i]));
  while (product(shape()) > bounds.elements) {
    const now = shape();
    steps[now.indexOf(Math.max(...now)) as 0 | 1 | 2] *= 2;
  }
  const chunks = product(each(axes, (d) => chunksAlong(found, d, 0, array.shape[d] ?? 1)));
  const roles = ([0, 1, 2] as const).toSorted((a, b) => axes[b] - axes[a]) as unknown as Three<0 | 1 | 2>;
  return {
    level,
    steps: [steps[0], steps[1], steps[2]],
    shape: shape(),
    factors: each(axes, (d, i) => (factor[d] ?? 1) * steps[i]),
    starts: each(axes, (d) => start[d] ?? 0),
    roles,
    ...costOf(found, chunks),
  };
}

/**
 * Returns the resolutions to read: the finest within the bounds that is not `much`. A coarser one
 * of at most an eighth of its elements precedes it. Without a level within the bounds, it has a
 * part of the elements of the coarsest.
 */
export function gridsOf(field: Field, solid: Solid, bounds: Bounds, much: (cost: Grid) => boolean): readonly Grid[] {
  const grids = field.levels.map((_, level) => gridOf(field, solid, level, bounds));
  const fits = grids.filter((grid) => product(grid.steps) === 1);
  const fine = fits.find((grid) => !much(grid)) ?? grids.at(-1);
  if (!fine) return [];
  const coarse = grids.findLast(
    (grid) => grid.level > fine.level && product(grid.steps) === 1 && 8 * product(grid.shape) <= product(fine.shape),
  );
  return coarse ? [coarse, fine] : [fine];
}

/** Returns the selection of a part of the slowest axis of a grid, at indices of the other axes. */
export function selectionOf(
  { axes }: Solid,
  { steps, shape, roles }: Grid,
  indices: readonly number[],
  first: number,
  last: number,
): Item[] {
  return indices.map((index, d) => {
    const role = ([0, 1, 2] as const).find((one) => axes[one] === d);
    if (role === undefined) return index;
    const [from, to] = role === roles[2] ? [first, last] : [0, shape[role]];
    return { start: from * steps[role], stop: (to - 1) * steps[role] + 1, step: steps[role] };
  });
}
