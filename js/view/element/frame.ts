// What is drawn around and over a picture: axes, coastlines, the scale bar, the cursor.
import type { Axis, Coordinate } from "../../describe/field.js";
import { type AxisLook, type AxisSpec, drawAxis, leftRoom, type PlacedAxis, place, room } from "../axes/draw.js";
import { positionTicks, valueAt } from "../axes/positions.js";
import type { Pen } from "../take/svg.js";
import { type Eye, elementAt, type Ground, pointAt, type Viewport } from "./camera.js";

/** An axis of the plane, and its positions where they are known. */
export interface PlaneAxis {
  readonly axis: Axis;
  readonly coordinate: Coordinate | null;
}

/** A rectangle on the stage, in CSS pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where the picture is on its stage. */
export interface Layout {
  /** The part of the stage that shows elements. */
  readonly view: Box;
  /** The part of that where the field is. */
  readonly picture: Box;
}

/** The room that axes take on the stage. `left` is what the texts of the left axis need. */
export function viewOf(stage: Viewport, axes: boolean, left: number): Box {
  if (!axes) return { x: 0, y: 0, width: stage.width, height: stage.height };
  return {
    x: left,
    y: room.top,
    width: Math.max(1, stage.width - left - room.right),
    height: Math.max(1, stage.height - room.top - room.bottom),
  };
}

/** Where of the view the field is. */
export function pictureOf(view: Box, eye: Eye, ground: Ground): Box {
  const a = pointAt(0, 0, eye, ground, view);
  const b = pointAt(ground.width, ground.height, eye, ground, view);
  const left = Math.max(0, Math.min(a.x, b.x));
  const top = Math.max(0, Math.min(a.y, b.y));
  const right = Math.min(view.width, Math.max(a.x, b.x));
  const bottom = Math.min(view.height, Math.max(a.y, b.y));
  return { x: view.x + left, y: view.y + top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

function specOf({ axis, coordinate }: PlaneAxis, from: number, to: number): AxisSpec {
  const units = coordinate?.units ?? axis.units;
  return {
    from,
    to,
    title: axis.title,
    units: coordinate?.kind === "number" ? units : "",
    ticks: (low, high, wanted) => positionTicks(coordinate, axis.length, low, high, wanted, units),
  };
}

/** The axes along the picture's edges, with their marks. */
export function placeAxes(
  context: Pen,
  layout: Layout,
  axes: { readonly x: PlaneAxis; readonly y: PlaneAxis },
  eye: Eye,
  ground: Ground,
  look: AxisLook,
): { readonly x: PlacedAxis; readonly y: PlacedAxis; readonly left: number } {
  const { view, picture } = layout;
  context.font = `12px ${look.font}`;
  const measure = (text: string) => context.measureText(text).width;
  const first = elementAt(picture.x - view.x, picture.y - view.y, eye, ground, view);
  const last = elementAt(picture.x + picture.width - view.x, picture.y + picture.height - view.y, eye, ground, view);
  const x = place(specOf(axes.x, first.x, last.x), "bottom", picture.width, measure, room.right);
  const y = place(specOf(axes.y, first.y, last.y), "left", picture.height, measure);
  return { x, y, left: leftRoom(y) };
}

/** Draws the axes. */
export function drawAxes(
  context: Pen,
  picture: Box,
  { x, y }: { readonly x: PlacedAxis; readonly y: PlacedAxis },
  look: AxisLook,
): void {
  drawAxis(context, picture, "bottom", x, look);
  drawAxis(context, picture, "left", y, look);
  context.strokeStyle = look.line;
  context.lineWidth = 1;
  context.strokeRect(picture.x - 0.5, picture.y - 0.5, picture.width + 1, picture.height + 1);
}

/** Coastlines, and what draws them. */
export interface Coast {
  readonly module: typeof import("../coast/index.js");
  readonly lines: readonly Float32Array[];
}

/** Loads the coastlines. */
export async function loadCoast(): Promise<Coast> {
  const module = await import("../coast/index.js");
  return { module, lines: await module.coastlines() };
}

/** Draws coastlines over a field of longitudes and latitudes. */
export function drawCoast(
  context: Pen,
  { view, picture }: Layout,
  coast: Coast,
  axes: { readonly x: Coordinate; readonly y: Coordinate },
  eye: Eye,
  ground: Ground,
): void {
  const ends = [0, ground.width].map((at) => valueAt(axes.x, at));
  const [west, east] = [Math.min(...ends), Math.max(...ends)] as [number, number];
  const across = inverse(axes.x);
  const down = inverse(axes.y);
  context.save();
  context.beginPath();
  context.rect(picture.x, picture.y, picture.width, picture.height);
  context.clip();
  context.beginPath();
  coast.module.traceLines(context, coast.lines, {
    west,
    east,
    place: (longitude, latitude) => {
      const point = pointAt(across(longitude), down(latitude), eye, ground, view);
      return [view.x + point.x, view.y + point.y];
    },
  });
  context.lineJoin = "round";
  context.strokeStyle = "rgb(255 255 255 / 0.75)";
  context.lineWidth = 2.5;
  context.stroke();
  context.strokeStyle = "rgb(0 0 0 / 0.8)";
  context.lineWidth = 1;
  context.stroke();
  context.restore();
}

/** The element, with its fraction, where a rising or falling coordinate has a value; a little beyond its ends as it runs there. */
function inverse(coordinate: Coordinate): (value: number) => number {
  const last = coordinate.length - 1;
  if (last < 1) return () => 0.5;
  const rising = coordinate.number(last) > coordinate.number(0);
  return (value) => {
    let [low, high] = [0, last];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (coordinate.number(middle) <= value === rising) low = middle;
      else high = middle;
    }
    const [a, b] = [coordinate.number(low), coordinate.number(high)];
    return low + 0.5 + (value - a) / (b - a);
  };
}

const lengths: Readonly<Record<string, number>> = {
  angstrom: 1e-10,
  nm: 1e-9,
  nanometer: 1e-9,
  µm: 1e-6,
  um: 1e-6,
  micrometer: 1e-6,
  micron: 1e-6,
  mm: 1e-3,
  millimeter: 1e-3,
  cm: 1e-2,
  centimeter: 1e-2,
  m: 1,
  meter: 1,
  metre: 1,
  km: 1e3,
  kilometer: 1e3,
};
const printed = [
  ["km", 1e3],
  ["m", 1],
  ["mm", 1e-3],
  ["µm", 1e-6],
  ["nm", 1e-9],
] as const;

/** How long a scale bar is, in CSS pixels, and what is written at it. Null where the axis is no length. */
export function scaleBar(
  { axis, coordinate }: PlaneAxis,
  zoom: number,
  most: number,
): { readonly pixels: number; readonly text: string } | null {
  if (coordinate?.kind !== "number" || axis.length < 2) return null;
  const unit = lengths[coordinate.units || axis.units];
  if (unit === undefined) return null;
  const spacing = (Math.abs(coordinate.number(axis.length - 1) - coordinate.number(0)) / (axis.length - 1)) * unit;
  const longest = (most / zoom) * spacing;
  if (!(longest > 0) || !Number.isFinite(longest)) return null;
  const ten = 10 ** Math.floor(Math.log10(longest));
  const length = ([5, 2, 1].find((n) => n * ten <= longest) ?? 1) * ten;
  const [name, size] = printed.find(([, size]) => length >= size * 0.999) ?? ["nm", 1e-9];
  return { pixels: (length / spacing) * zoom, text: `${Number((length / size).toPrecision(3))} ${name}` };
}

/** Draws a scale bar into the picture's corner. */
export function drawScaleBar(
  context: Pen,
  picture: Box,
  { pixels, text }: { readonly pixels: number; readonly text: string },
  font: string,
): void {
  const x = picture.x + 14;
  const y = picture.y + picture.height - 14;
  context.save();
  context.font = `600 12px ${font}`;
  context.textBaseline = "bottom";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = "rgb(0 0 0 / 0.7)";
  context.fillStyle = "#fff";
  context.strokeText(text, x, y - 6);
  context.fillText(text, x, y - 6);
  context.fillRect(x - 1, y - 1, pixels + 2, 5);
  context.fillStyle = "rgb(0 0 0 / 0.7)";
  context.strokeRect(x, y, pixels, 3);
  context.fillStyle = "#fff";
  context.fillRect(x, y, pixels, 3);
  context.restore();
}

/** Draws a frame around an element, not smaller than can be seen. */
export function drawCursor(
  context: Pen,
  { view, picture }: Layout,
  cursor: { readonly x: number; readonly y: number },
  eye: Eye,
  ground: Ground,
): void {
  const a = pointAt(cursor.x, cursor.y, eye, ground, view);
  const b = pointAt(cursor.x + 1, cursor.y + 1, eye, ground, view);
  const width = Math.max(7, Math.abs(b.x - a.x));
  const height = Math.max(7, Math.abs(b.y - a.y));
  context.save();
  context.beginPath();
  context.rect(picture.x - 4, picture.y - 4, picture.width + 8, picture.height + 8);
  context.clip();
  for (const [colour, line] of [["#000", 3] as const, ["#fff", 1.25] as const]) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.strokeRect(view.x + (a.x + b.x - width) / 2, view.y + (a.y + b.y - height) / 2, width, height);
  }
  context.restore();
}

/** Draws a cross through an element, across the whole picture. */
export function drawCross(
  context: Pen,
  { view, picture }: Layout,
  at: { readonly x: number; readonly y: number },
  eye: Eye,
  ground: Ground,
): void {
  const point = pointAt(at.x + 0.5, at.y + 0.5, eye, ground, view);
  const [x, y] = [view.x + point.x, view.y + point.y];
  context.save();
  context.beginPath();
  context.rect(picture.x, picture.y, picture.width, picture.height);
  context.clip();
  for (const [colour, line] of [["rgb(0 0 0 / 0.6)", 2.5] as const, ["rgb(255 255 255 / 0.9)", 1] as const]) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.beginPath();
    context.moveTo(picture.x, y);
    context.lineTo(picture.x + picture.width, y);
    context.moveTo(x, picture.y);
    context.lineTo(x, picture.y + picture.height);
    context.stroke();
  }
  context.restore();
}
