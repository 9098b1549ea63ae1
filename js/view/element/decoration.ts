import type { Theme } from "../plot/theme.js";
import type { Pen } from "../take/svg.js";
import type { Canvases } from "./canvases.js";
import type { Coast } from "./coastlines.js";
import type { Place } from "./cursor.js";
import { drawAxes, drawCoast, drawCross, drawCursor, drawScaleBar, leftWidth } from "./frame.js";
import type { Scene } from "./scene.js";

/** Drawings over the elements of a picture. */
interface Overlaid {
  /** Identifies what `draw` draws. */
  readonly drawn: unknown;
  draw(pen: Pen, scene: Scene, theme: Theme): void;
}

/** Draws axes or a scale bar, coastlines, and marks around and over a picture. */
export class Decoration {
  /** Drawings between the coastlines and the marks; null for none. */
  over: Overlaid | null = null;
  readonly #canvases: Canvases;
  readonly #axes: boolean;
  /** The inputs of the last drawing. */
  #drawn: readonly unknown[] = [];

  /** Draws axes, or otherwise a scale bar. */
  constructor(canvases: Canvases, axes: boolean) {
    this.#canvases = canvases;
    this.#axes = axes;
  }

  /** Returns the width of the left axis of a scene; 0 without axes. */
  left(scene: Scene, { font }: Theme): number {
    const pen = this.#axes && this.#canvases.pen();
    return pen ? leftWidth(pen, scene, font) : 0;
  }

  /**
   * Draws everything on the sheet, with a cross through one element and frames around others. Skips
   * the drawing if nothing has changed, such as at a step along a dimension.
   */
  show(scene: Scene, coast: Coast | null, theme: Theme, cross: Place | null, framed: readonly Place[]): void {
    const { plane, ...rest } = scene;
    const { x, y } = plane;
    const { ratio, size } = this.#canvases;
    const text = JSON.stringify([rest, theme, cross, framed, ratio, size]);
    const drawn = [text, x.axis, y.axis, x.coordinate, y.coordinate, coast, this.over?.drawn];
    if (drawn.every((one, i) => one === this.#drawn[i])) return;
    const pen = this.#canvases.over();
    if (!pen) return;
    // A failed drawing is not the last one.
    this.#drawn = [];
    this.draw(pen, scene, coast, theme);
    if (scene.globe) scene.globe.mark(pen, cross, framed);
    else {
      if (cross) drawCross(pen, scene, cross);
      for (const place of framed) drawCursor(pen, scene, place);
    }
    this.#drawn = drawn;
  }

  /** Draws everything except the marks. */
  draw(pen: Pen, scene: Scene, coast: Coast | null, theme: Theme): void {
    const { x, y } = scene.plane;
    if (scene.globe) scene.globe.draw(pen, coast, theme);
    else if (coast && x.coordinate && y.coordinate) {
      drawCoast(pen, scene, coast, { x: x.coordinate, y: y.coordinate });
    }
    this.over?.draw(pen, scene, theme);
    if (scene.globe) return;
    if (this.#axes) drawAxes(pen, scene, theme);
    else drawScaleBar(pen, scene, theme.font);
  }
}
