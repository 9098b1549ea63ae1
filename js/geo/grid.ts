import { InvalidMetadataError } from "../errors.js";
import { refuse } from "../refuse.js";
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
 * What a transform's integers are: with `"pixel"` the corners of pixels, whose centres lie half a pixel further; with `"node"` their
 * centres (`spatial:registration`).
 */
export type Registration = "pixel" | "node";

/** Pixels in the world: a georeference, or a level of a pyramid. */
export interface Grid {
  /** From columns and rows to the world. */
  readonly transform?: Affine | undefined;
  /** What the transform's integers are; `"pixel"` by default. */
  readonly registration?: Registration | undefined;
  /** How many pixels there are: rows, columns. */
  readonly shape?: readonly [height: number, width: number] | undefined;
  /** The names of the dimensions along which rows and columns are counted. */
  readonly dimensions?: readonly [y: string, x: string] | undefined;
}

/** Rows and columns: from the first to before the second. */
export interface PixelWindow {
  /** The rows. */
  rows: [start: number, stop: number];
  /** The columns. */
  cols: [start: number, stop: number];
}

/** A selection by the names of dimensions, as `array.get` takes it. */
export type BoxSelection = Record<string, { start: number; stop: number; step: null }>;

/**
 * Where the centre of a pixel lies, `[x, y]`. Rows and columns may be fractions, and lie outside. A grid without a transform is an
 * {@link InvalidMetadataError}.
 */
export function pixelToWorld(grid: Grid, row: number, col: number): [x: number, y: number] {
  checkGrid("pixelToWorld", grid);
  checkPlace("pixelToWorld", row, col);
  return applyAffine(centres(grid), col, row);
}

/**
 * The row and column whose centre is at a place, as fractions: {@link pixelToWorld}'s inverse. Rounding gives the pixel that has the place. A
 * grid without a transform, or with one that has no inverse, is an {@link InvalidMetadataError}.
 */
export function worldToPixel(grid: Grid, x: number, y: number): [row: number, col: number] {
  checkGrid("worldToPixel", grid);
  checkPlace("worldToPixel", x, y);
  const [col, row] = applyAffine(invertAffine(centres(grid)), x, y);
  return [row, col];
}

/** The row and column of the pixel that has a place; undefined where the place lies outside the grid. Errors are {@link worldToPixel}'s. */
export function pixelAt(grid: Grid, x: number, y: number): [row: number, col: number] | undefined {
  const window = windowOf(grid, [x, y, x, y]);
  return window && [window.rows[0], window.cols[0]];
}

/** The outer edges of a grid's pixels; undefined where the transform or the shape is not known. */
export function gridBounds(grid: Grid): Bounds | undefined {
  if (!grid.transform || !grid.shape) return undefined;
  const [height, width] = grid.shape;
  const bounds = affineBounds(corners(grid), [0, 0, width, height]);
  return bounds.every(Number.isFinite) ? bounds : undefined;
}

/**
 * The pixels that a box of the world touches: of a rotated grid, the rows and columns of the box's corners. Edges that meet count for
 * nothing, but a box without area has the pixel that it lies in. Undefined where it touches none. Errors are {@link worldToPixel}'s; a grid
 * without a shape is one as well.
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
 * {@link windowOf} as a selection of an array whose dimensions have the grid's names, to be handed to its `get`. Dimensions that are not
 * the grid's are read whole. Undefined where the box touches no pixel.
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

/** The transform whose integers are pixels' centres. */
function centres({ transform, registration }: Grid): Affine {
  if (!transform) throw new InvalidMetadataError("the grid has no affine transform");
  return registration === "node" ? transform : composeAffine(transform, [1, 0, 0.5, 0, 1, 0.5]);
}

/** The transform whose integers are pixels' corners. */
function corners({ transform, registration }: Grid): Affine {
  if (!transform) throw new InvalidMetadataError("the grid has no affine transform");
  return registration === "node" ? composeAffine(transform, [1, 0, -0.5, 0, 1, -0.5]) : transform;
}

/** The pixels between two places of an axis, whose pixels end at integers. */
function span(from: number, to: number, length: number): [start: number, stop: number] | undefined {
  // What rounding adds to an edge must not add a pixel.
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
