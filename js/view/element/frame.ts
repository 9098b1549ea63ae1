// Drawings around and over a picture: axes, coastlines, the scale bar, the cursor.
import type { Coordinate } from "../../describe/field.js";
import { own } from "../../shared/attributes.js";
import { type AxisLook, type AxisSpec, drawAxis, leftRoom, place, room } from "../axes/draw.js";
import { positionOf, positionTicks, valueAt } from "../axes/positions.js";
import { degreeTicks } from "../axes/ticks.js";
import { positionTitle } from "../axes/titles.js";
import type { Pen } from "../take/svg.js";
import { spacingOf } from "./aspect.js";
import { elementAt, nearest, pointAt, seen } from "./camera.js";
import type { Coast } from "./coastlines.js";
import type { PlaneAxis, Scene } from "./scene.js";

/** The colour and the width of a line. */
type Stroke = readonly [colour: string, width: number];

/**
 * Strokes a path once with each colour and width, clipped to a margin around the picture. Restores
 * the pen's state.
 */
function stroke(pen: Pen, { picture }: Scene, margin: number, strokes: readonly Stroke[], trace: () => void): void {
  const { x, y, width, height } = picture;
  pen.save();
  pen.beginPath();
  pen.rect(x - margin, y - margin, width + 2 * margin, height + 2 * margin);
  pen.clip();
  pen.beginPath();
  trace();
  for (const [colour, width] of strokes) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  }
  pen.restore();
}

function specOf({ axis, coordinate }: PlaneAxis, from: number, to: number, period?: number): AxisSpec {
  const units = coordinate?.units ?? "";
  return {
    from,
    to,
    title: positionTitle(axis.title, coordinate),
    units: coordinate?.kind === "number" ? units : "",
    ticks: (low, high, wanted) =>
      period && coordinate
        ? meridians(coordinate, period, low, high, wanted)
        : positionTicks(coordinate, axis.length, low, high, wanted, units),
  };
}

/** Returns the marks of evenly spaced longitudes around the Earth, also beyond their ends. */
function meridians(coordinate: Coordinate, period: number, low: number, high: number, wanted: number) {
  const first = coordinate.number(0);
  const step = (360 / period) * Math.sign(coordinate.number(1) - first);
  const at = [low, high].map((position) => first + (position - 0.5) * step);
  const ticks = degreeTicks(Math.min(...at), Math.max(...at), wanted, "east");
  return {
    ...ticks,
    list: ticks.list.map(({ position, text }) => ({ position: (position - first) / step + 0.5, text })),
  };
}

/** Measures texts; pens do. */
type Measuring = Pick<Pen, "font" | "measureText">;

/** Places the axis along one edge of the picture. */
function placed(pen: Measuring, scene: Scene, side: "bottom" | "left", font: string) {
  const { plane, view, picture } = scene;
  pen.font = `12px ${font}`;
  const measure = (text: string) => pen.measureText(text).width;
  const first = elementAt(scene, picture.x - view.x, picture.y - view.y);
  const last = elementAt(scene, picture.x + picture.width - view.x, picture.y + picture.height - view.y);
  return side === "bottom"
    ? place(specOf(plane.x, first.x, last.x, scene.ground.period), side, picture.width, measure, room.right)
    : place(specOf(plane.y, first.y, last.y), side, picture.height, measure);
}

/** Returns the width of the left axis. */
export const leftWidth = (pen: Measuring, scene: Scene, font: string): number =>
  leftRoom(placed(pen, scene, "left", font));

/** Draws the axes along the picture's edges. */
export function drawAxes(context: Pen, scene: Scene, look: AxisLook): void {
  const { picture } = scene;
  const [x, y] = [placed(context, scene, "bottom", look.font), placed(context, scene, "left", look.font)];
  drawAxis(context, picture, "bottom", x, look);
  drawAxis(context, picture, "left", y, look);
  context.strokeStyle = look.line;
  context.lineWidth = 1;
  context.strokeRect(picture.x - 0.5, picture.y - 0.5, picture.width + 1, picture.height + 1);
}

/** Draws coastlines over a field of longitudes and latitudes. */
export function drawCoast(
  context: Pen,
  scene: Scene,
  coast: Coast,
  axes: { readonly x: Coordinate; readonly y: Coordinate },
): void {
  const { ground, view } = scene;
  const { left, right } = ground.period ? seen(scene) : { left: 0, right: ground.width };
  const ends = [left, right].map((at) => valueAt(axes.x, at));
  const [west, east] = [Math.min(...ends), Math.max(...ends)] as [number, number];
  const across = inverse(axes.x);
  const down = inverse(axes.y);
  const strokes = [["rgb(255 255 255 / 0.75)", 2.5] as const, ["rgb(0 0 0 / 0.8)", 1] as const];
  stroke(context, scene, 0, strokes, () => {
    coast.module.traceLines(context, coast.lines, {
      west,
      east,
      place: (longitude, latitude) => {
        const point = pointAt(scene, across(longitude), down(latitude));
        return [view.x + point.x, view.y + point.y];
      },
    });
    context.lineJoin = "round";
  });
}

/**
 * Returns a function from a value of a monotonic coordinate to its element, with the fraction. It
 * extrapolates a little beyond the ends.
 */
function inverse(coordinate: Coordinate): (value: number) => number {
  const last = coordinate.length - 1;
  if (last < 1) return () => 0.5;
  const run = { first: 0, last, rising: coordinate.number(last) > coordinate.number(0) };
  return (value) => positionOf(coordinate, value, run);
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

/**
 * Returns the length of a scale bar in CSS pixels, and its text. Returns null if the axis is not a
 * length.
 */
function scaleBar(
  along: PlaneAxis,
  zoom: number,
  most: number,
): { readonly pixels: number; readonly text: string } | null {
  const { axis, coordinate } = along;
  const unit = own(lengths, coordinate?.units || axis.units);
  const step = spacingOf(along);
  if (unit === undefined || step === null) return null;
  const spacing = step * unit;
  const longest = (most / zoom) * spacing;
  if (!(longest > 0) || !Number.isFinite(longest)) return null;
  const ten = 10 ** Math.floor(Math.log10(longest));
  const length = ([5, 2, 1].find((n) => n * ten <= longest) ?? 1) * ten;
  const [name, size] = printed.find(([, size]) => length >= size * 0.999) ?? ["nm", 1e-9];
  return { pixels: (length / spacing) * zoom, text: `${Number((length / size).toPrecision(3))} ${name}` };
}

/** Draws a scale bar into the picture's corner if the axis to the right is a length. */
export function drawScaleBar(context: Pen, { plane, eye, picture }: Scene, font: string): void {
  const bar = scaleBar(plane.x, eye.zoom, Math.min(160, picture.width / 3));
  if (!bar) return;
  const { pixels, text } = bar;
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

/** Draws a frame around an element, with a visible minimum size. */
export function drawCursor(context: Pen, scene: Scene, cursor: { readonly x: number; readonly y: number }): void {
  const { view } = scene;
  const x = nearest(scene, cursor.x + 0.5) - 0.5;
  const a = pointAt(scene, x, cursor.y);
  const b = pointAt(scene, x + 1, cursor.y + 1);
  const width = Math.max(7, Math.abs(b.x - a.x));
  const height = Math.max(7, Math.abs(b.y - a.y));
  const strokes = [["#000", 3] as const, ["#fff", 1.25] as const];
  stroke(context, scene, 4, strokes, () => {
    context.rect(view.x + (a.x + b.x - width) / 2, view.y + (a.y + b.y - height) / 2, width, height);
  });
}

/** Draws a cross over the whole picture, through an element. */
export function drawCross(context: Pen, scene: Scene, at: { readonly x: number; readonly y: number }): void {
  const { view, picture } = scene;
  const point = pointAt(scene, nearest(scene, at.x + 0.5), at.y + 0.5);
  const [x, y] = [view.x + point.x, view.y + point.y];
  const strokes = [["rgb(0 0 0 / 0.6)", 2.5] as const, ["rgb(255 255 255 / 0.9)", 1] as const];
  stroke(context, scene, 0, strokes, () => {
    context.moveTo(picture.x, y);
    context.lineTo(picture.x + picture.width, y);
    context.moveTo(x, picture.y);
    context.lineTo(x, picture.y + picture.height);
  });
}
