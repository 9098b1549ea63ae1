import type { Camera as Placement } from "../paint/painter.js";

/** The drawn plane. */
export interface Ground {
  /** Columns and rows, in elements of the finest level. */
  readonly width: number;
  readonly height: number;
  /** An element's height divided by its width. */
  readonly aspect: number;
  /** Whether the first column is at the right. */
  readonly left: boolean;
  /** Whether the first row is at the bottom. */
  readonly up: boolean;
  /** The columns after which the plane repeats, as around the Earth; undefined if it does not. */
  readonly period?: number | undefined;
}

/** The part of the canvas that shows the plane, in CSS pixels. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** The middle of the view, in elements, and the width of an element in CSS pixels. */
export interface Eye {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** A map in a projection, in place of evenly drawn rows and columns. */
export interface Projected {
  /** The rectangle of elements in view. */
  readonly seen: Rectangle;
  /** Returns the element at a point of the viewport; NaN outside the map. */
  elementAt(px: number, py: number): { x: number; y: number };
  /** Returns the point of the viewport at an element's corner; NaN if it is not shown. */
  pointAt(x: number, y: number): { x: number; y: number };
  /** Turns the map by CSS pixels. */
  panned(dx: number, dy: number): Eye;
  /** Zooms about a point of the viewport. */
  zoomed(factor: number, px: number, py: number): Eye;
}

/** An eye with its ground and viewport. */
export interface Gaze {
  readonly globe?: Projected | undefined;
  readonly eye: Eye;
  readonly ground: Ground;
  readonly view: Viewport;
}

/** A rectangle in elements. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The largest width of an element, in CSS pixels. */
const MOST = 256;
/** The part of the picture that stays in view, in CSS pixels. */
const KEPT = 40;

/** Returns the eye that sees the whole ground. */
export function fitted({ width, height, aspect }: Ground, view: Viewport): Eye {
  const zoom = Math.min(view.width / Math.max(1, width), view.height / (Math.max(1, height) * aspect));
  return { x: width / 2, y: height / 2, zoom: zoom > 0 && Number.isFinite(zoom) ? zoom : 1 };
}

/** Returns the nearest eye with an allowed zoom and a part of the picture in view. */
export function bounded(eye: Eye, ground: Ground, view: Viewport): Eye {
  const { zoom: fit } = fitted(ground, view);
  const most = Math.max(MOST, fit * 4, MOST / ground.aspect);
  const zoom = Math.min(most, Math.max(Math.min(1, fit) / 2, eye.zoom));
  const reachX = Math.max(0, (view.width / 2 - KEPT) / zoom);
  const reachY = Math.max(0, (view.height / 2 - KEPT) / (zoom * ground.aspect));
  const x = ground.period ? turned(eye.x, ground.period) : Math.min(ground.width + reachX, Math.max(-reachX, eye.x));
  const y = Math.min(ground.height + reachY, Math.max(-reachY, eye.y));
  return { x, y, zoom };
}

/** Returns the column from 0 to the period that repeats at `x`. */
export const turned = (x: number, period: number): number => ((x % period) + period) % period;

/** Returns the repetition of a column that is nearest to the middle of the view. */
export const nearest = ({ eye, ground }: Gaze, x: number): number =>
  ground.period ? x + ground.period * Math.round((eye.x - x) / ground.period) : x;

const signs = ({ left, up }: Ground) => [left ? -1 : 1, up ? -1 : 1] as const;

/** Returns the element at a point of the viewport, with its fraction. */
export function elementAt({ eye, ground, view, globe }: Gaze, px: number, py: number): { x: number; y: number } {
  if (globe) return globe.elementAt(px, py);
  const [sx, sy] = signs(ground);
  return {
    x: eye.x + (sx * (px - view.width / 2)) / eye.zoom,
    y: eye.y + (sy * (py - view.height / 2)) / (eye.zoom * ground.aspect),
  };
}

/** Returns the point of the viewport at an element's corner. */
export function pointAt({ eye, ground, view, globe }: Gaze, x: number, y: number): { x: number; y: number } {
  if (globe) return globe.pointAt(x, y);
  const [sx, sy] = signs(ground);
  return {
    x: view.width / 2 + sx * (x - eye.x) * eye.zoom,
    y: view.height / 2 + sy * (y - eye.y) * eye.zoom * ground.aspect,
  };
}

/** Zooms about a point of the viewport. */
export function zoomed(gaze: Gaze, factor: number, px: number, py: number): Eye {
  const { eye, ground, view, globe } = gaze;
  if (globe) return globe.zoomed(factor, px, py);
  const { zoom } = bounded({ ...eye, zoom: eye.zoom * factor }, ground, view);
  const at = elementAt(gaze, px, py);
  const then = elementAt({ eye: { ...eye, zoom }, ground, view }, px, py);
  return bounded({ x: eye.x + at.x - then.x, y: eye.y + at.y - then.y, zoom }, ground, view);
}

/** Moves the picture by CSS pixels. */
export function panned({ eye, ground, view, globe }: Gaze, dx: number, dy: number): Eye {
  if (globe) return globe.panned(dx, dy);
  const [sx, sy] = signs(ground);
  const moved = { ...eye, x: eye.x - (sx * dx) / eye.zoom, y: eye.y - (sy * dy) / (eye.zoom * ground.aspect) };
  return bounded(moved, ground, view);
}

/** Returns the rectangle of elements in view; it may reach beyond the ground. */
export function seen({ eye, ground, view, globe }: Gaze): Rectangle {
  if (globe) return globe.seen;
  // A plane that repeats is shown at most once.
  const w = Math.min(view.width / 2 / eye.zoom, (ground.period ?? Number.POSITIVE_INFINITY) / 2);
  const h = view.height / 2 / (eye.zoom * ground.aspect);
  return { left: eye.x - w, top: eye.y - h, right: eye.x + w, bottom: eye.y + h };
}

/** Returns the parts of a rectangle inside a plane that repeats: one, or two around its seam. */
export function unrolled({ left, right, ...rows }: Rectangle, period: number): readonly [Rectangle, Rectangle?] {
  if (left < 0)
    return [
      { left: 0, right, ...rows },
      { left: left + period, right: period, ...rows },
    ];
  if (right > period)
    return [
      { left, right: period, ...rows },
      { left: 0, right: right - period, ...rows },
    ];
  return [{ left, right, ...rows }];
}

/** Returns the placement of elements for a painter, in device pixels. */
export function placement(gaze: Gaze, ratio: number): Placement {
  const { eye, ground } = gaze;
  const [sx, sy] = signs(ground);
  const origin = pointAt(gaze, 0, 0);
  return {
    scaleX: sx * eye.zoom * ratio,
    scaleY: sy * eye.zoom * ground.aspect * ratio,
    originX: origin.x * ratio,
    originY: origin.y * ratio,
  };
}
