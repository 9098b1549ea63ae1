// The axes around a plot: one at the left and one below.
import {
  type AxisLook,
  type AxisSpec,
  drawAxis,
  leftRoom,
  type PlacedAxis,
  place,
  type Rectangle,
  room,
} from "../axes/draw.js";
import { el } from "../dom.js";
import type { Pen } from "../take/svg.js";

/** Axes with their places around a plot. */
export interface PlacedFrame {
  /** The rectangle of the plot. */
  readonly rectangle: Rectangle;
  /** The axis below. */
  readonly bottom: PlacedAxis;
  /** The axis at the left. */
  readonly left: PlacedAxis;
}

/** The layout of a plot and its axes on a canvas. */
export class AxesFrame {
  readonly #canvas: HTMLCanvasElement;
  /** The width of the left axis. It is known only after its texts are placed. */
  #left = 60;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /** The rectangle of the plot, in CSS pixels. */
  get rectangle(): Rectangle {
    const [width, height] = [this.#canvas.clientWidth, this.#canvas.clientHeight];
    return {
      x: this.#left,
      y: room.top,
      width: Math.max(1, width - this.#left - room.right),
      height: Math.max(1, height - room.top - room.bottom),
    };
  }

  /** Places the axes. The left one comes first, because its texts decide where the plot begins. */
  place(context: CanvasRenderingContext2D, vertical: AxisSpec, horizontal: AxisSpec, font: string): PlacedFrame {
    context.font = `12px ${font}`;
    const measure = (text: string): number => context.measureText(text).width;
    const left = place(vertical, "left", this.rectangle.height, measure, room.top - 2);
    this.#left = leftRoom(left);
    const { rectangle } = this;
    return { rectangle, left, bottom: place(horizontal, "bottom", rectangle.width, measure, room.right) };
  }
}

/**
 * Draws placed axes and a border around the plot. `grid` adds lines at the marks of the left axis.
 */
export function paintFrame(pen: Pen, { rectangle, left, bottom }: PlacedFrame, look: AxisLook, grid = false): void {
  drawAxis(pen, rectangle, "left", left, look, grid);
  drawAxis(pen, rectangle, "bottom", bottom, look);
  pen.strokeStyle = look.line;
  pen.lineWidth = 1;
  pen.strokeRect(Math.round(rectangle.x) + 0.5, rectangle.y + 0.5, rectangle.width - 1, rectangle.height);
}

/** Returns a button for a plot. */
export function tool(name: string, text: string, press: () => void): HTMLButtonElement {
  return el("button", { type: "button", class: "plot-tool", "aria-label": name, title: name, onclick: press }, text);
}
