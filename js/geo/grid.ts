import { InvalidMetadataError } from "../errors.js";
import { refuse } from "../shared/arguments.js";
import {
  type Affine,
  affineBounds,
  applyAffine,
  type Bounds,
  checkNumbers,
  composeAffine,
  invertAffine,
} from "./affine.js";

/**
 * The meaning of integer positions in a transform (`spatial:registration`): `"pixel"` for the
 * corners of pixels, with the centres half a pixel further; `"node"` for their centres.
 */
export type Registration = "pixel" | "node";

/** A grid of pixels in the world: a georeference, or a level of a pyramid. */
export interface Grid {
  /** Maps columns and rows to world coordinates. */
  readonly transform?: Affine | undefined;
  /** The meaning of integer positions; `"pixel"` by default. */
  readonly registration?: Registration | undefined;
  /** The number of rows and columns. */
  readonly shape?: readonly [height: number, width: number] | undefined;
  /** The names of the row and column dimensions. */
  readonly dimensions?: readonly [y: string, x: string] | undefined;
}

/** A range of rows and columns; each stop is exclusive. */
export interface PixelWindow {
  /** The rows. */
  rows: [start: number, stop: number];
  /** The columns. */
  cols: [start: number, stop: number];
}

/** A selection by dimension name, for `array.get`. */
export type BoxSelection = Record<string, { start: number; stop: number; step: null }>;

/**
 * Returns the centre of a pixel, `[x, y]`. Rows and columns may be fractional or outside the grid.
 * Throws {@link InvalidMetadataError} for a grid without a transform.
 */
export function pixelToWorld(grid: Grid, row: number, col: number): [x: number, y: number] {
  checkGrid("pixelToWorld", grid);
  checkPlace("pixelToWorld", row, col);
  return applyAffine(centres(grid), col, row);
}

/**
 * Returns the fractional row and column whose centre is at a position, as the inverse of
 * {@link pixelToWorld}. Rounding gives the pixel that contains the position. Throws
 * {@link InvalidMetadataError} for a grid without an invertible transform.
 */
export function worldToPixel(grid: Grid, x: number, y: number): [row: number, col: number] {
  checkGrid("worldToPixel", grid);
  checkPlace("worldToPixel", x, y);
  const [col, row] = applyAffine(invertAffine(centres(grid)), x, y);
  return [row, col];
}

/**
 * Returns the row and column of the pixel that contains a position; undefined outside the grid.
 * Throws like {@link worldToPixel}.
 */
export function pixelAt(grid: Grid, x: number, y: number): [row: number, col: number] | undefined {
  const window = windowOf(grid, [x, y, x, y]);
  return window && [window.rows[0], window.cols[0]];
}

/**
 * Returns the outer edges of a grid's pixels; undefined if the transform or the shape is unknown.
 */
export function gridBounds(grid: Grid): Bounds | undefined {
  if (!grid.transform || !grid.shape) return undefined;
  const [height, width] = grid.shape;
  const bounds = affineBounds(corners(grid), [0, 0, width, height]);
  return bounds.every(Number.isFinite) ? bounds : undefined;
}

/**
 * Returns the pixels that a box touches. For a rotated grid these are the rows and columns that
 * enclose the box's corners. Touching edges alone do not count, but a box without area selects the
 * pixel around it. Undefined if it touches none. Throws like {@link worldToPixel}, and also for a
 * grid without a shape.
 */
export function windowOf(grid: Grid, box: Bounds): PixelWindow | undefined {
  const [xmin, ymin, xmax, ymax] = checkNumbers("windowOf: box", box, 4) as unknown as Bounds;
  if (xmin > xmax || ymin > ymax) refuse("windowOf: box", box, "[xmin, ymin, xmax, ymax] in that order");
  checkGrid("windowOf", grid);
  if (!grid.shape) throw new InvalidMetadataError("the shape of the grid is not known");
  const [left, top, right, bottom] = affineBounds(invertAffine(corners(grid)), [xmin, ymin, xmax, ymax]);
  const rows = span(top, bottom, grid.shape[0]);
  const cols = span(left, right, grid.shape[1]);
  return rows && cols && { rows, cols };
}

/**
 * Returns {@link windowOf} as a selection for the `get` of an array with the grid's dimension
 * names. Other dimensions are read whole. Undefined if the box touches no pixel.
 *
 * @example
 * const selection = selectionOf(level, [500000, 4999000, 501000, 5000000]);
 * if (selection) await array.get(selection);
 */
export function selectionOf(grid: Grid, box: Bounds): BoxSelection | undefined {
  checkGrid("selectionOf", grid);
  if (!grid.dimensions) throw new InvalidMetadataError("the names of the grid's dimensions are not known");
  const window = windowOf(grid, box);
  if (!window) return undefined;
  const [y, x] = grid.dimensions;
  const slice = ([start, stop]: [number, number]) => ({ start, stop, step: null });
  return { [y]: slice(window.rows), [x]: slice(window.cols) };
}

/** The transform for integer positions at pixel centres. */
function centres({ transform, registration }: Grid): Affine {
  if (!transform) throw new InvalidMetadataError("the grid has no affine transform");
  return registration === "node" ? transform : composeAffine(transform, [1, 0, 0.5, 0, 1, 0.5]);
}

/** The transform for integer positions at pixel corners. */
function corners({ transform, registration }: Grid): Affine {
  if (!transform) throw new InvalidMetadataError("the grid has no affine transform");
  return registration === "node" ? composeAffine(transform, [1, 0, -0.5, 0, 1, -0.5]) : transform;
}

/** The pixels between two positions along an axis, with pixel edges at integers. */
function span(from: number, to: number, length: number): [start: number, stop: number] | undefined {
  // Rounding errors at an edge must not add a pixel.
  const slack = 1e-9 * Math.max(1, Math.abs(from), Math.abs(to));
  let start = Math.floor(from + slack);
  let stop = Math.ceil(to - slack);
  if (stop <= start) {
    // The far edge of the last pixel belongs to it.
    if (start === length && from - slack <= length) start = length - 1;
    stop = start + 1;
  }
  [start, stop] = [Math.max(0, start), Math.min(length, stop)];
  return start < stop ? [start, stop] : undefined;
}

function checkGrid(what: string, grid: Grid): void {
  if (grid === null || typeof grid !== "object") refuse(what, grid, "a georeference or a level of a pyramid");
}

function checkPlace(what: string, a: number, b: number): void {
  checkNumbers(what, [a, b], 2);
}
