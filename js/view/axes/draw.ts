// Axes along the edges of a rectangle: drawn on a canvas, or returned as a list of marks.
import type { Pen } from "../take/svg.js";
import type { Ticks } from "./ticks.js";
import { axisTitle } from "./titles.js";

/** The description of an axis. */
export interface AxisSpec {
  /** The position at the left or the top end. */
  readonly from: number;
  /** The position at the right or the bottom end. */
  readonly to: number;
  /** Whether equal distances mean equal ratios. */
  readonly log?: boolean;
  /** The quantity along the axis. */
  readonly title: string;
  /** The units of the mark texts; `""` if unknown. */
  readonly units: string;
  /** Returns about `wanted` marks between two positions. */
  ticks(low: number, high: number, wanted: number): Ticks;
}

/** A placed mark, in pixels from the left or the top end. */
interface Mark {
  /** The mark's position. */
  readonly at: number;
  /** The position of its text's middle. */
  readonly middle: number;
  /** The mark's text. */
  readonly text: string;
}

/** The marks that fit on an axis, and the axis's title. */
export interface PlacedAxis {
  /** The marks, in order of their pixels. */
  readonly marks: readonly Mark[];
  /** The title, with the units and the part that all mark texts leave out. */
  readonly title: string;
  /** The width of the widest text, in pixels. */
  readonly widest: number;
}

/** The rectangle that the axes surround, in CSS pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Colours and font of axes. */
export interface AxisLook {
  /** The colour of texts. */
  readonly ink: string;
  /** The colour of titles and secondary texts. */
  readonly muted: string;
  /** The colour of lines. */
  readonly line: string;
  /** The font family. */
  readonly font: string;
}

/** The font size of axes, in CSS pixels. */
const letters = 12;

/** Returns a position's share of the way between an axis's ends. */
export function shareOf({ from, to, log }: Pick<AxisSpec, "from" | "to" | "log">, position: number): number {
  if (log) return (Math.log(position) - Math.log(from)) / (Math.log(to) - Math.log(from));
  // Both terms are halved, because the difference of two huge numbers overflows.
  return (position / 2 - from / 2) / (to / 2 - from / 2);
}

/** Returns the position at a share of the way between an axis's ends. */
export function positionAt({ from, to, log }: Pick<AxisSpec, "from" | "to" | "log">, share: number): number {
  if (log) return Math.exp(Math.log(from) + share * (Math.log(to) - Math.log(from)));
  return from * (1 - share) + to * share;
}

/**
 * Places as many marks along `length` pixels as fit without touching. Texts stay between
 * `-overhang` and `length + overhang`. `measure` returns the width of a text.
 */
export function place(
  spec: AxisSpec,
  side: "bottom" | "left",
  length: number,
  measure: (text: string) => number,
  overhang = 0,
): PlacedAxis {
  const gap = side === "bottom" ? 14 : 8;
  const extent = (text: string): number => (side === "bottom" ? measure(text) : letters);
  const [low, high] = spec.from < spec.to ? [spec.from, spec.to] : [spec.to, spec.from];
  const most = Math.max(1, Math.floor(length / (side === "bottom" ? 50 : 38)));
  let marks: Mark[] = [];
  let common = "";
  for (let wanted = most; wanted >= 1; wanted--) {
    const ticks = spec.ticks(low, high, wanted);
    const all = ticks.list
      .map(({ position, text }) => {
        const at = shareOf(spec, position) * length;
        const half = Math.min(extent(text) / 2, length / 2 + overhang);
        return { at, text, middle: Math.max(half - overhang, Math.min(length + overhang - half, at)) };
      })
      .filter(({ at }) => at >= -0.01 && at <= length + 0.01)
      .sort((a, b) => a.at - b.at);
    const free = (mark: Mark, before: Mark): boolean =>
      mark.middle - before.middle >= (extent(mark.text) + extent(before.text)) / 2 + gap;
    const kept: Mark[] = [];
    for (const mark of all) {
      const before = kept.at(-1);
      if (before === undefined || free(mark, before)) kept.push(mark);
    }
    // One mark shows no scale. If coarser steps have no two, those of a finer step are thinned out.
    if (kept.length < 2 && marks.length > 0) continue;
    marks = kept;
    common = ticks.common;
    if (kept.length > 1 && kept.length === all.length) break;
  }
  const widest = Math.max(0, ...marks.map(({ text }) => measure(text)));
  return { marks, title: axisTitle(spec.title, spec.units, common), widest };
}

/** The space that texts and titles of axes take around a rectangle, in CSS pixels. */
export const room = { bottom: 46, top: 10, right: 18, beside: 10, title: 22 } as const;

/** Returns the width of a left axis. */
export function leftRoom({ widest, title }: PlacedAxis): number {
  return Math.ceil(widest) + room.beside + (title === "" ? 4 : room.title);
}

/**
 * Draws an axis along the bottom or the left of a rectangle, with grid lines if `across`. The
 * canvas's unit is the CSS pixel.
 */
export function drawAxis(
  context: Pen,
  rectangle: Rectangle,
  side: "bottom" | "left",
  { marks, title }: PlacedAxis,
  look: AxisLook,
  across = false,
): void {
  const { x, y, width, height } = rectangle;
  const bottom = y + height;
  context.save();
  context.font = `${letters}px ${look.font}`;
  context.lineWidth = 1;
  context.strokeStyle = look.line;
  context.fillStyle = look.ink;
  context.beginPath();
  for (const { at } of marks) {
    if (side === "bottom") {
      const px = Math.round(x + at) + 0.5;
      context.moveTo(px, across ? y : bottom);
      context.lineTo(px, bottom + 5);
    } else {
      const py = Math.round(y + at) + 0.5;
      context.moveTo(x - 5, py);
      context.lineTo(across ? x + width : x, py);
    }
  }
  context.stroke();
  context.textBaseline = side === "bottom" ? "top" : "middle";
  context.textAlign = side === "bottom" ? "center" : "right";
  for (const { middle, text } of marks) {
    if (side === "bottom") context.fillText(text, x + middle, bottom + 8);
    else context.fillText(text, x - 8, y + middle + 0.5);
  }
  context.fillStyle = look.muted;
  context.textAlign = "center";
  if (side === "bottom") {
    context.fillText(title, x + width / 2, bottom + 27, width + 2 * room.right);
  } else {
    const widest = Math.max(0, ...marks.map(({ text }) => context.measureText(text).width));
    context.translate(x - widest - room.beside - 10, y + height / 2);
    context.rotate(-Math.PI / 2);
    context.textBaseline = "middle";
    context.fillText(title, 0, 0, height);
  }
  context.restore();
}
