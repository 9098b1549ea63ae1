// The orthographic view of a box, and the rays of its pixels.
import type { Viewport } from "../element/camera.js";
import { each, type Grid, type Solid, type Three } from "./solid.js";

/** The direction and the magnification of the view of a box. */
export interface Eye {
  /** The turn about its vertical axis, and the tilt towards the viewer, in degrees. */
  readonly turn: number;
  readonly tilt: number;
  /** The magnification; at 1 the box fits however it is turned. */
  readonly zoom: number;
  /** The middle of the view from that of the box, in sizes of its longest edge. */
  readonly x: number;
  readonly y: number;
}

/** The view of a box that shows three of its sides. */
export const firstEye: Eye = { turn: 30, tilt: 25, zoom: 1, x: 0, y: 0 };

const degree = Math.PI / 180;
const margin = 0.95;
const zooms = { least: 0.25, most: 64 };

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

/** Returns the nearest eye that keeps a part of the box in view. */
export const bounded = ({ turn, tilt, zoom, x, y }: Eye): Eye => ({
  turn: turn - 360 * Math.round(turn / 360),
  tilt: clamp(tilt, -90, 90),
  zoom: clamp(zoom, zooms.least, zooms.most),
  x: clamp(x, -0.9, 0.9),
  y: clamp(y, -0.9, 0.9),
});

/** Returns the CSS pixels of the longest edge of a box that is not turned. */
const scaleOf = ({ extents }: Solid, { zoom }: Eye, { width, height }: Viewport): number =>
  (Math.max(1, Math.min(width, height)) * margin * zoom) / Math.hypot(...extents);

/** The directions of the screen in the box: to the right, downwards and away from the viewer. */
function directions({ turn, tilt }: Eye): { right: Three; down: Three; into: Three } {
  const [s, c] = [Math.sin(turn * degree), Math.cos(turn * degree)];
  const [u, v] = [Math.sin(tilt * degree), Math.cos(tilt * degree)];
  return { right: [c, 0, s], down: [s * u, v, -c * u], into: [-s * v, u, c * v] };
}

const dot = (a: Three, b: Three) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Turns a box by a drag in CSS pixels. */
export const turned = (eye: Eye, dx: number, dy: number): Eye =>
  bounded({ ...eye, turn: eye.turn - dx * 0.4, tilt: eye.tilt + dy * 0.4 });

/** Moves a box by CSS pixels. */
export function shifted(solid: Solid, eye: Eye, view: Viewport, dx: number, dy: number): Eye {
  const scale = scaleOf(solid, eye, view);
  return bounded({ ...eye, x: eye.x - dx / scale, y: eye.y - dy / scale });
}

/** Zooms about a point of the view. */
export function zoomed(solid: Solid, eye: Eye, view: Viewport, factor: number, px: number, py: number): Eye {
  const { zoom } = bounded({ ...eye, zoom: eye.zoom * factor });
  const [before, after] = [eye, { ...eye, zoom }].map((one) => 1 / scaleOf(solid, one, view)) as [number, number];
  const by = before - after;
  return bounded({ ...eye, zoom, x: eye.x + (px - view.width / 2) * by, y: eye.y + (py - view.height / 2) * by });
}

/**
 * Returns the point of the view at a place in elements of the finest level, and its distance from
 * the middle, away from the viewer.
 */
export function pointOf(solid: Solid, eye: Eye, view: Viewport, place: Three): { x: number; y: number; depth: number } {
  const { lengths, extents, signs } = solid;
  const at = each(place, (one, i) => signs[i] * (one / lengths[i] - 0.5) * extents[i]);
  const { right, down, into } = directions(eye);
  const scale = scaleOf(solid, eye, view);
  return {
    x: view.width / 2 + (dot(at, right) - eye.x) * scale,
    y: view.height / 2 + (dot(at, down) - eye.y) * scale,
    depth: dot(at, into),
  };
}

/**
 * The rays of a view in elements of a grid, in its order. The ray of the device pixel at x and y is
 * `origin + right * x + down * y + into * t`. A length of 1 along `t` is the box's longest edge.
 */
export interface Rays {
  readonly origin: Three;
  readonly right: Three;
  readonly down: Three;
  readonly into: Three;
  /** The elements in the box's longest edge, negative along axes that run backwards. */
  readonly pace: Three;
  /** The direction away from the viewer, of length 1. */
  readonly light: Three;
}

/** Returns the rays of a view, with `ratio` device pixels per CSS pixel. */
export function raysOf(solid: Solid, grid: Grid, eye: Eye, view: Viewport, ratio: number): Rays {
  const { lengths, extents, signs } = solid;
  const scale = scaleOf(solid, eye, view);
  const { right, down, into } = directions(eye);
  // Grid elements per longest edge, along the axis of each role.
  const pace = each(extents, (extent, i) => (signs[i] * lengths[i]) / extent / grid.factors[i]);
  const ordered = (of: (role: 0 | 1 | 2) => number) => each(grid.roles, of);
  const across = eye.x - view.width / 2 / scale;
  const along = eye.y - view.height / 2 / scale;
  return {
    origin: ordered(
      (i) => (lengths[i] / 2 - grid.starts[i]) / grid.factors[i] + pace[i] * (across * right[i] + along * down[i]),
    ),
    right: ordered((i) => (pace[i] * right[i]) / scale / ratio),
    down: ordered((i) => (pace[i] * down[i]) / scale / ratio),
    // No component is 0, because rays divide by it.
    into: ordered((i) => pace[i] * (Math.abs(into[i]) < 1e-8 ? 1e-8 : into[i])),
    pace: ordered((i) => pace[i]),
    light: ordered((i) => into[i]),
  };
}

/** Returns the ray of a device pixel, from the plane through the middle of the box. */
export const rayAt = ({ origin, right, down }: Rays, x: number, y: number): Three =>
  each(origin, (one, i) => one + right[i] * x + down[i] * y);

/** The shown part of a box, in elements of a grid and in its order. */
export interface Part {
  readonly low: Three;
  readonly high: Three;
}

/**
 * Calls `visit` for each element of a part that a ray meets, from the nearest on, with the length
 * of the ray in it.
 */
export function walk(
  from: Three,
  into: Three,
  { low, high }: Part,
  visit: (x: number, y: number, z: number, length: number) => void,
): void {
  const ends = each(into, (step, i) => {
    const [a, b] = [(low[i] - from[i]) / step, (high[i] - from[i]) / step];
    return step > 0 ? ([a, b] as const) : ([b, a] as const);
  });
  let t = Math.max(...ends.map(([near]) => near));
  const end = Math.min(...ends.map(([, far]) => far));
  if (!(t < end)) return;
  const [first, last] = [each(low, Math.floor), each(high, (one) => Math.ceil(one) - 1)];
  const cell = [...each(from, (one, i) => clamp(Math.floor(one + into[i] * t), first[i], last[i]))] as [
    number,
    number,
    number,
  ];
  for (;;) {
    const next = each(cell as Three, (at, i) => (at + (into[i] > 0 ? 1 : 0) - from[i]) / into[i]);
    const then = Math.min(...next);
    const stop = Math.min(then, end);
    visit(...cell, Math.max(0, stop - t));
    if (then >= end) return;
    t = Math.max(t, stop);
    const axis = next.indexOf(then) as 0 | 1 | 2;
    cell[axis] += into[axis] > 0 ? 1 : -1;
    if (cell[axis] < first[axis] || cell[axis] > last[axis]) return;
  }
}
