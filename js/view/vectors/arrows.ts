// The arrows of a vector field on the screen: their places, directions and lengths.
import { pointAt, seen } from "../element/camera.js";
import type { Scene } from "../element/scene.js";

/** The distance of arrows in CSS pixels, which the longest one covers. */
export const spacing = 30;

/** Every `step`-th element from `start` to before `stop`. */
export interface Strided {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
}

/** Sampled components: rows of columns. Missing ones are NaN. */
export interface Sampled {
  readonly columns: Strided;
  readonly rows: Strided;
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** An arrow around its middle, in CSS pixels of the stage. */
export interface Arrow {
  readonly x: number;
  readonly y: number;
  /** Its unit direction on the screen. */
  readonly dx: number;
  readonly dy: number;
  /** The magnitude of the vector. */
  readonly magnitude: number;
}

/** The number of elements of a range. */
export const countOf = ({ start, stop, step }: Strided): number => Math.max(0, Math.ceil((stop - start) / step));

/**
 * Returns the sampled elements in view. The steps are powers of two and the same elements are taken
 * wherever the view moves, so that arrows rest on their elements.
 */
export function samplesOf(scene: Scene): { readonly columns: Strided; readonly rows: Strided } {
  const { ground, eye } = scene;
  const view = seen(scene);
  const along = (from: number, to: number, length: number, size: number): Strided => {
    const step = 2 ** Math.max(0, Math.ceil(Math.log2(spacing / size)));
    const first = Math.min(Math.floor(length / 2), step >> 1);
    const start = first + step * Math.max(0, Math.floor((Math.max(0, from) - first) / step));
    return { start, stop: Math.max(start, Math.min(length, Math.ceil(to) + 1)), step };
  };
  const { width, height, aspect, period } = ground;
  const whole = period !== undefined && (view.left < 0 || view.right > width);
  return {
    columns: along(whole ? 0 : view.left, whole ? width : view.right, width, eye.zoom),
    rows: along(view.top, view.bottom, height, eye.zoom * aspect),
  };
}

/**
 * Returns the arrows of sampled components in a scene. Arrows closer than half their distance are
 * left out.
 */
export function arrowsOf(scene: Scene, { columns, rows, x, y }: Sampled): Arrow[] {
  const { plane, view, picture } = scene;
  // The components point to where the coordinates increase.
  const rises = (coordinate: Scene["plane"]["x"]["coordinate"]) =>
    coordinate && coordinate.length > 1 && coordinate.number(coordinate.length - 1) < coordinate.number(0) ? -1 : 1;
  const [east, north] = [rises(plane.x.coordinate), rises(plane.y.coordinate)];
  const width = countOf(columns);
  const arrows: Arrow[] = [];
  const taken = new Set<string>();
  const unit = (px: number, py: number) => {
    const length = Math.hypot(px, py);
    return [px / length, py / length] as const;
  };
  const around = (column: number, row: number, dx: number, dy: number) => {
    const [a, b] = [pointAt(scene, column - dx, row - dy), pointAt(scene, column + dx, row + dy)];
    return unit(b.x - a.x, b.y - a.y);
  };
  const period = scene.globe ? undefined : scene.ground.period;
  for (let i = 0; i < x.length; i++) {
    const [u, v] = [x[i] as number, y[i] as number];
    const magnitude = Math.hypot(u, v);
    if (!(magnitude > 0)) continue;
    const middle = columns.start + (i % width) * columns.step + 0.5;
    const column = period ? middle + period * Math.round((scene.eye.x - middle) / period) : middle;
    const row = rows.start + Math.floor(i / width) * rows.step + 0.5;
    const at = pointAt(scene, column, row);
    const [px, py] = [view.x + at.x, view.y + at.y];
    const inside =
      px >= picture.x && px <= picture.x + picture.width && py >= picture.y && py <= picture.y + picture.height;
    if (!inside) continue;
    const cell = `${Math.floor((2 * px) / spacing)},${Math.floor((2 * py) / spacing)}`;
    if (taken.has(cell)) continue;
    const [ex, ey] = around(column, row, 0.25 * east, 0);
    const [nx, ny] = around(column, row, 0, 0.25 * north);
    const [dx, dy] = unit(u * ex + v * nx, u * ey + v * ny);
    if (Number.isNaN(dx) || Number.isNaN(dy)) continue;
    taken.add(cell);
    arrows.push({ x: px, y: py, dx, dy, magnitude });
  }
  return arrows;
}

/** Returns the smallest of 1, 2 and 5 with a power of ten that is at least a positive number. */
export function roundUp(value: number): number {
  const ten = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((n) => n * ten >= value) ?? 10) * ten;
}
