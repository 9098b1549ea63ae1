// The lines and texts over a map in a projection: coastlines, graticule, outline, marks.
import { degreeTicks } from "../axes/ticks.js";
import type { Coast } from "../element/coastlines.js";
import type { Place } from "../element/cursor.js";
import type { Box } from "../element/scene.js";
import type { Theme } from "../plot/theme.js";
import type { Projection } from "../state.js";
import type { Pen } from "../take/svg.js";
import type { Along, Earth } from "./earth.js";
import type { Middle, Point } from "./projections.js";

const degree = Math.PI / 180;
/** The distance of neighbouring lines of the graticule, in CSS pixels. */
const distance = 110;
/** The number of parts of a line. */
const parts = 120;

/** The latitudes and the turns from the middle that a view shows, in radians. */
export interface Shown {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

/** The drawn map. Points are CSS pixels from the view's corner. */
interface Drawn {
  readonly name: Projection;
  readonly middle: Middle;
  readonly shown: Shown;
  readonly outline: readonly Point[];
  pointAtTurn(turn: number, latitude: number): Point | null;
}

type Stroke = readonly [colour: string, width: number];
const dark: readonly Stroke[] = [
  ["rgb(255 255 255 / 0.75)", 2.5],
  ["rgb(0 0 0 / 0.8)", 1],
];
const marked: readonly Stroke[] = [
  ["#000", 3],
  ["#fff", 1.25],
];
const crossed: readonly Stroke[] = [
  ["rgb(0 0 0 / 0.6)", 2.5],
  ["rgb(255 255 255 / 0.9)", 1],
];

function stroke(pen: Pen, strokes: readonly Stroke[], trace: () => void): void {
  pen.beginPath();
  trace();
  pen.lineJoin = "round";
  for (const [colour, width] of strokes) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  }
}

/** Draws within the view, with the pen's origin at its corner. */
function within(pen: Pen, { x, y, width, height }: Box, run: () => void): void {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  pen.translate(x, y);
  run();
  pen.restore();
}

/** Draws a line through the points that are shown. */
function traceLine(pen: Pen, points: readonly (Point | null)[]): void {
  let down = false;
  for (const point of points) {
    if (point && down) pen.lineTo(...point);
    else if (point) pen.moveTo(...point);
    down = point !== null;
  }
}

const between = (from: number, to: number, count = parts) =>
  Array.from({ length: count + 1 }, (_, k) => from + ((to - from) * k) / count);

const meridian = (map: Drawn, turn: number) =>
  between(map.shown.south, map.shown.north).map((latitude) => map.pointAtTurn(turn, latitude));

const parallel = (map: Drawn, latitude: number) =>
  between(map.shown.west, map.shown.east).map((turn) => map.pointAtTurn(turn, latitude));

/** Draws the coastlines, the graticule with its texts, and the outline of a map. */
export function draw(map: Drawn, view: Box, pen: Pen, coast: Coast | null, theme: Theme): void {
  within(pen, view, () => {
    const texts = graticule(map, view, pen);
    const middle = map.middle.longitude / degree;
    if (coast)
      stroke(pen, dark, () =>
        coast.module.traceLines(pen, coast.lines, {
          west: middle - 180,
          east: middle + 180,
          place: (longitude, latitude) =>
            map.pointAtTurn(longitude * degree - map.middle.longitude, latitude * degree) ?? [Number.NaN, Number.NaN],
        }),
      );
    stroke(pen, [[theme.line, 1.5]], () => {
      traceLine(pen, map.outline);
      pen.closePath();
    });
    write(pen, view, texts, theme.font);
  });
}

interface Text {
  readonly at: Point;
  readonly text: string;
}

/** Draws meridians and parallels, and returns their texts. */
function graticule(map: Drawn, { width, height }: Box, pen: Pen): Text[] {
  const { shown, middle } = map;
  if (!(shown.west <= shown.east)) return [];
  const inside = ([x, y]: Point) => x >= 0 && y >= 0 && x <= width && y <= height;
  const west = (middle.longitude + shown.west) / degree;
  const east = (middle.longitude + shown.east) / degree;
  const [south, north] = [shown.south / degree, shown.north / degree];
  // The lines of both directions have the same distance.
  const wanted = Math.max(2, Math.min(width, height) / distance);
  const span = Math.min(east - west, north - south) || 1;
  const lines = (low: number, high: number, toward: "east" | "north") =>
    degreeTicks(low, high, Math.max(2, Math.round(((high - low) / span) * wanted)), toward).list;
  const texts: Text[] = [];
  const drawn: (Point | null)[][] = [];
  const isRound = map.name === "orthographic";
  const pole = map.name.endsWith("polar")
    ? map.pointAtTurn(0, map.name === "north-polar" ? Math.PI / 2 : -Math.PI / 2)
    : null;
  const far = ([x, y]: Point) => (pole ? Math.hypot(x - pole[0], y - pole[1]) : y);
  const first = (points: readonly (Point | null)[], less: (a: Point, b: Point) => boolean) =>
    points.reduce<Point | null>(
      (best, point) => (point && inside(point) && (!best || less(point, best)) ? point : best),
      null,
    );
  for (const { position, text } of lines(south, north, "north")) {
    if (Math.abs(position) >= 90) continue;
    const points = parallel(map, position * degree);
    drawn.push(points);
    const at = first(points, (a, b) => a[0] < b[0]);
    if (at) texts.push({ at, text });
  }
  const names = new Set<string>();
  for (const { position, text } of lines(west, east, "east")) {
    // The same meridian bounds the map at both sides.
    if (names.has(text) || text.startsWith("−")) continue;
    names.add(text);
    const turn = position * degree - middle.longitude;
    const points = meridian(map, turn);
    drawn.push(points);
    const level = isRound ? map.pointAtTurn(turn, Math.max(-1, Math.min(1, middle.latitude))) : null;
    const at = isRound ? level : first(points, (a, b) => far(a) > far(b));
    if (at && inside(at)) texts.push({ at, text });
  }
  stroke(
    pen,
    [
      ["rgb(255 255 255 / 0.4)", 2],
      ["rgb(0 0 0 / 0.35)", 0.75],
    ],
    () => {
      for (const points of drawn) traceLine(pen, points);
    },
  );
  return texts;
}

/** Writes texts that do not touch each other, inside the view. */
function write(pen: Pen, { width, height }: Box, texts: readonly Text[], font: string): void {
  pen.font = `11px ${font}`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.lineWidth = 3;
  pen.lineJoin = "round";
  pen.strokeStyle = "rgb(255 255 255 / 0.85)";
  pen.fillStyle = "#000";
  const taken: { left: number; right: number; y: number }[] = [];
  for (const { at, text } of texts) {
    const size = pen.measureText(text).width;
    const left = Math.max(4, Math.min(width - size - 4, at[0] + 4));
    const y = Math.max(9, Math.min(height - 9, at[1] - 8));
    const right = left + size;
    if (taken.some((one) => Math.abs(one.y - y) < 14 && left < one.right + 8 && right > one.left - 8)) continue;
    taken.push({ left, right, y });
    pen.strokeText(text, left, y);
    pen.fillText(text, left, y);
  }
}

const degreesOf = (along: Along, position: number) => Math.max(-90, Math.min(90, along.at(position))) * degree;

/** Draws a cross along the meridian and the parallel of an element, and frames around others. */
export function mark(
  map: Drawn,
  { across, down }: Earth,
  view: Box,
  pen: Pen,
  cross: Place | null,
  framed: readonly Place[],
): void {
  const turned = (x: number) => {
    const turn = across.at(x) * degree - map.middle.longitude;
    return turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  };
  within(pen, view, () => {
    if (cross)
      stroke(pen, crossed, () => {
        traceLine(pen, meridian(map, turned(cross.x + 0.5)));
        traceLine(pen, parallel(map, degreesOf(down, cross.y + 0.5)));
      });
    for (const { x, y } of framed) {
      const point = map.pointAtTurn(turned(x + 0.5), degreesOf(down, y + 0.5));
      if (!point) continue;
      const middle = turned(x + 0.5);
      const half = (across.step * degree) / 2;
      const rows = between(degreesOf(down, y), degreesOf(down, y + 1), 4);
      const turns = between(middle - half, middle + half, 4);
      const [top, bottom] = [rows[0] ?? 0, rows[4] ?? 0];
      const [left, right] = [turns[0] ?? 0, turns[4] ?? 0];
      const points = [
        ...turns.map((turn) => map.pointAtTurn(turn, top)),
        ...rows.map((row) => map.pointAtTurn(right, row)),
        ...turns.reverse().map((turn) => map.pointAtTurn(turn, bottom)),
        ...rows.reverse().map((row) => map.pointAtTurn(left, row)),
      ];
      const far = Math.max(...points.map((one) => (one ? Math.hypot(one[0] - point[0], one[1] - point[1]) : 0)));
      stroke(pen, marked, () => {
        if (far < 5) pen.rect(point[0] - 3.5, point[1] - 3.5, 7, 7);
        else traceLine(pen, points);
      });
    }
  });
}
