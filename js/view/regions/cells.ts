// The elements of regions. An element belongs to a region if its middle lies inside, by the
// even-odd rule.
import { LimitError } from "../../index.js";
import type { RegionState } from "../state.js";

/** A corner: column and row, in elements of the finest level. */
export type Corner = readonly [x: number, y: number];

/** The form and the corners of a region. */
export type Shape = Pick<RegionState, "kind" | "points">;

/** A rectangle of elements; the ends are exclusive. */
export interface Part {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The size of a plane, and the columns after which it repeats. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly period?: number | undefined;
}

/** The largest number of turns around the Earth that a region covers. */
const mostTurns = 8;

/** The steps of corners per element. Edges between such corners compare exactly with middles. */
const steps = 16;

/** Rounds a corner to a sixteenth of an element. */
export const rounded = ([x, y]: Corner): Corner => [Math.round(x * steps) / steps, Math.round(y * steps) / steps];

/** Returns the corners of a region in their order around it. */
export function cornersOf({ kind, points }: Shape): readonly Corner[] {
  const corners = points.map(rounded);
  if (kind !== "box") return corners;
  const [[a = 0, b = 0] = [], [c = 0, d = 0] = []] = corners as unknown as [number, number][];
  const [left, right, top, bottom] = [Math.min(a, c), Math.max(a, c), Math.min(b, d), Math.max(b, d)];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** Returns the first element with its middle at a position or beyond. */
const firstAt = (position: number) => Math.ceil(position - 0.5);

/** Returns the first and the exclusive last row or column of corners. */
function span(corners: readonly Corner[], d: 0 | 1): readonly [from: number, to: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const corner of corners) [least, most] = [Math.min(least, corner[d]), Math.max(most, corner[d])];
  return [firstAt(least), firstAt(most)];
}

/**
 * Returns the rectangles of the plane that contain a region: one, or two around the seam of a plane
 * that repeats. They have no common elements.
 */
export function partsOf(shape: Shape, { width, height, period }: Plane): Part[] {
  const corners = cornersOf(shape);
  const rows = span(corners, 1);
  const [top, bottom] = [Math.max(0, rows[0]), Math.min(height, rows[1])];
  const [from, to] = span(corners, 0);
  const part = (left: number, right: number): Part[] =>
    left < right && top < bottom ? [{ left, right, top, bottom }] : [];
  if (!period) return part(Math.max(0, from), Math.min(width, to));
  if (to - from > mostTurns * period)
    throw new LimitError(`the region goes around the Earth more than ${mostTurns} times`, {
      limit: "turns of a region",
      max: mostTurns,
    });
  if (to - from >= period) return part(0, period);
  const left = ((from % period) + period) % period;
  const right = left + to - from;
  return right <= period ? part(left, right) : [...part(left, period), ...part(0, right - period)];
}

/** Returns the first column whose middle lies on an edge in a row, or to the right of it. */
function crossing([x0, y0]: Corner, [x1, y1]: Corner, row: number): number {
  const [dx, dy, up] = [x1 - x0, y1 - y0, row + 0.5 - y0];
  // The quotient is rounded, and the products are not.
  const beyond = (column: number) => (column + 0.5 - x0) * dy >= up * dx;
  let column = firstAt(x0 + (up * dx) / dy);
  while (beyond(column - 1)) column--;
  while (!beyond(column)) column++;
  return column;
}

/** Marks the elements of a part, whose columns are moved by `shift`, that lie inside corners. */
function mark(corners: readonly Corner[], { left, top, right, bottom }: Part, shift: number, mask: Uint8Array): void {
  const width = right - left;
  // Each edge toggles the elements from its crossing on.
  const toggles = new Uint8Array((width + 1) * (bottom - top));
  for (const [i, corner] of corners.entries()) {
    const next = corners[(i + 1) % corners.length] as Corner;
    const [low, high] = corner[1] < next[1] ? [corner, next] : [next, corner];
    for (let row = Math.max(top, firstAt(low[1])); row < Math.min(bottom, firstAt(high[1])); row++) {
      const at = Math.max(0, Math.min(width, crossing(low, high, row) - shift - left));
      const place = (row - top) * (width + 1) + at;
      toggles[place] = (toggles[place] as number) ^ 1;
    }
  }
  for (let row = 0; row < bottom - top; row++) {
    let inside = 0;
    for (let column = 0; column < width; column++) {
      inside ^= toggles[row * (width + 1) + column] as number;
      if (inside) mask[row * width + column] = 1;
    }
  }
}

/**
 * Returns 1 for each element of a part inside the region, row by row; null if all are. Points on a
 * left or an upper edge are inside. An element inside several turns of the plane counts once.
 */
export function maskOf(shape: Shape, part: Part, { period }: Plane): Uint8Array | null {
  if (shape.kind === "box") return null;
  const corners = cornersOf(shape);
  const mask = new Uint8Array((part.right - part.left) * (part.bottom - part.top));
  const [from, to] = span(corners, 0);
  const first = period ? Math.floor((from - part.right) / period) : 0;
  const last = period ? Math.ceil((to - part.left) / period) : 0;
  for (let turn = first; turn <= last; turn++) mark(corners, part, turn * (period ?? 0), mask);
  return mask;
}

/** The largest number of elements that are read at once, unless one chunk has more. */
export const mostElements = 1 << 20;

/** Returns the longest run of whole chunks with at most `count` elements; at least one chunk. */
const run = (chunk: number, count: number) => Math.max(1, Math.floor(count / chunk)) * chunk;

/** Divides a part into blocks along the borders of chunks. */
export function blocksOf({ left, top, right, bottom }: Part, chunkX: number, chunkY: number): Part[] {
  const [wide, high] = [Math.max(1, chunkX), Math.max(1, chunkY)];
  const columns = run(wide, Math.max(1, Math.floor(mostElements / Math.min(high, bottom - top))));
  const rows = run(high, Math.max(1, Math.floor(mostElements / Math.min(columns, right - left))));
  const blocks: Part[] = [];
  for (let y = top; y < bottom; y = (Math.floor(y / rows) + 1) * rows)
    for (let x = left; x < right; x = (Math.floor(x / columns) + 1) * columns)
      blocks.push({
        left: x,
        right: Math.min(right, (Math.floor(x / columns) + 1) * columns),
        top: y,
        bottom: Math.min(bottom, (Math.floor(y / rows) + 1) * rows),
      });
  return blocks;
}
