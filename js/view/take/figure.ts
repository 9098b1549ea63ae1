import { dateTicks } from "../axes/dates.js";
import { logTicks, numberTicks } from "../axes/ticks.js";
import { axisTitle } from "../axes/titles.js";
import { shareOf } from "../colour/curve.js";
import { el } from "../dom.js";
import type { Curve } from "../paint/painter.js";
import { type Pen, SvgPen } from "./svg.js";

/** Colours and font of a figure. */
export interface FigureLook {
  /** The background. */
  readonly paper: string;
  /** The colour of texts. */
  readonly ink: string;
  /** The colour of secondary texts. */
  readonly muted: string;
  /** The colour of lines. */
  readonly line: string;
  /** The font family. */
  readonly font: string;
}

/** The colour bar below a figure. */
export interface FigureBar {
  /** The quantity of the colours. */
  readonly title: string;
  /** The units of the values. */
  readonly units: string;
  /** The 256 drawn colours, four bytes each. */
  readonly table: Uint8Array;
  /** The values with the first and the last colour. */
  readonly range: readonly [low: number, high: number];
  /** How values map to colours between them. */
  readonly curve: Curve;
  /** Whether the values are times: milliseconds since 1970. */
  readonly times?: boolean | undefined;
}

/** A drawable figure. */
export interface Figure {
  /** Its size in CSS pixels, without title and colours. */
  readonly width: number;
  readonly height: number;
  /** Its title. */
  readonly title: string;
  /** The positions along the axes that are not drawn, as text. */
  readonly subtitle: string;
  /** Colours and font. */
  readonly look: FigureLook;
  /** Draws the picture with its axes at the pen's origin. */
  draw(pen: Pen): void;
  /** The colour bar; null if there is none. */
  readonly bar: FigureBar | null;
  /** Names with their colours, such as of channels or categories. */
  readonly entries: readonly { readonly label: string; readonly colour: readonly [number, number, number] }[];
}

const margin = 14;

/** Lays out entries in lines, and returns the start of each entry. */
function laid(pen: Pen, { entries, width, look }: Figure): { x: number; label: string; colour: readonly number[] }[][] {
  pen.font = `12px ${look.font}`;
  const lines: { x: number; label: string; colour: readonly number[] }[][] = [];
  let x = Number.POSITIVE_INFINITY;
  for (const { label, colour } of entries) {
    const wide = 18 + pen.measureText(label).width;
    if (x + wide > width) {
      lines.push([]);
      x = 0;
    }
    lines.at(-1)?.push({ x, label, colour });
    x += wide + 16;
  }
  return lines;
}

/** Draws a figure with its title and its colours. Returns its full size. */
function drawAll(pen: Pen, figure: Figure): { width: number; height: number } {
  const { width, look, title, subtitle, bar } = figure;
  const lines = laid(pen, figure);
  const top = margin + (title ? 22 : 0) + (subtitle ? 18 : 0);
  const below = (bar ? 56 : 0) + (lines.length > 0 ? 8 + 20 * lines.length : 0);
  const size = { width: width + 2 * margin, height: top + figure.height + below + margin };
  pen.fillStyle = look.paper;
  pen.fillRect(0, 0, size.width, size.height);
  pen.textAlign = "left";
  pen.textBaseline = "alphabetic";
  pen.fillStyle = look.ink;
  pen.font = `600 16px ${look.font}`;
  if (title) pen.fillText(title, margin, margin + 13, width);
  pen.fillStyle = look.muted;
  pen.font = `12px ${look.font}`;
  if (subtitle) pen.fillText(subtitle, margin, top - 8, width);
  pen.save();
  pen.translate(margin, top);
  figure.draw(pen);
  pen.restore();
  pen.save();
  pen.translate(margin, top + figure.height);
  if (bar) {
    drawBar(pen, bar, width, look);
    pen.translate(0, 56);
  }
  pen.font = `12px ${look.font}`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  for (const [i, line] of lines.entries())
    for (const { x, label, colour } of line) {
      pen.fillStyle = `rgb(${colour.join(",")})`;
      pen.fillRect(x, 8 + 20 * i + 3, 12, 12);
      pen.fillStyle = look.ink;
      pen.fillText(label, x + 18, 8 + 20 * i + 9);
    }
  pen.restore();
  return size;
}

/** Draws a bar of 256 colours between the ends of the range, with its title and its ticks. */
function drawBar(
  pen: Pen,
  { title, units, table, range, curve, times }: FigureBar,
  full: number,
  look: FigureLook,
): void {
  const width = Math.min(full, 480);
  const left = (full - width) / 2;
  const [low, high] = range;
  const one = low === high;
  const ticksOf = times ? dateTicks : curve.kind === "log" && !one ? logTicks : numberTicks;
  const { list, common } = ticksOf(low, high, Math.max(2, Math.floor(width / 80)));
  pen.textBaseline = "alphabetic";
  pen.textAlign = "center";
  pen.fillStyle = look.ink;
  pen.font = `12px ${look.font}`;
  pen.fillText(axisTitle(title, units, common), full / 2, 14, full);
  // The bar is linear or logarithmic like its ticks.
  const even: Curve = curve.kind === "log" ? curve : { kind: "linear" };
  for (let i = 0; i < 256; i++) {
    const share = one ? 0.5 : (i + 0.5) / 256;
    const at = 4 * Math.round(255 * (curve.kind === "power" ? share ** curve.exponent : share));
    pen.fillStyle = `rgb(${table[at]},${table[at + 1]},${table[at + 2]})`;
    // Each colour overlaps the next, which covers it, so that no seam is visible.
    pen.fillRect(left + (i * width) / 256, 20, (Math.min(2, 256 - i) * width) / 256, 12);
  }
  pen.strokeStyle = look.line;
  pen.lineWidth = 1;
  pen.strokeRect(left - 0.5, 19.5, width + 1, 13);
  pen.fillStyle = look.ink;
  pen.textBaseline = "top";
  pen.beginPath();
  let right = Number.NEGATIVE_INFINITY;
  for (const { position, text } of list) {
    const x = left + shareOf(position, range, even) * width;
    const half = pen.measureText(text).width / 2;
    if (x - half < right + 6) continue;
    right = x + half;
    pen.moveTo(x, 32);
    pen.lineTo(x, 37);
    pen.fillText(text, x, 40);
  }
  pen.stroke();
}

/** Returns a function that measures texts on an unused context. */
function measurer(): (text: string, font: string) => number {
  const context = el("canvas", { width: 1, height: 1 }).getContext("2d");
  return (text, font) => {
    if (!context) return 7 * text.length;
    context.font = font;
    return context.measureText(text).width;
  };
}

/** Returns a figure as SVG. Axes, texts and lines are vectors, and the picture is an image. */
export function figureSvg(figure: Figure, measure: (text: string, font: string) => number = measurer()): string {
  const pen = new SvgPen(measure);
  const { width, height } = drawAll(pen, figure);
  return pen.document(width, height, [figure.title, figure.subtitle].filter(Boolean).join(", "));
}

/** Draws a figure on a canvas, with `ratio` pixels per CSS pixel. */
export function figureCanvas(figure: Figure, ratio = 2): HTMLCanvasElement {
  const size = drawAll(new SvgPen(measurer()), { ...figure, draw: () => {} });
  const canvas = el("canvas", { width: Math.round(size.width * ratio), height: Math.round(size.height * ratio) });
  const context = canvas.getContext("2d");
  if (!context) throw new DOMException("The figure is too large.", "EncodingError");
  context.scale(ratio, ratio);
  drawAll(context, figure);
  return canvas;
}

/** Encodes a canvas as PNG. */
export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) =>
      blob ? resolve(blob) : reject(new DOMException("The figure is too large.", "EncodingError")),
    );
  });
}
