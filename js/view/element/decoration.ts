import type { Theme } from "../plot/theme.js";
import type { Pen } from "../take/svg.js";
import type { Canvases } from "./canvases.js";
import type { Place } from "./cursor.js";
import { type Coast, drawAxes, drawCoast, drawCross, drawCursor, drawScaleBar } from "./frame.js";
import type { Scene } from "./scene.js";

/** Draws axes or a scale bar, coastlines, and marks around and over a picture. */
export class Decoration {
  readonly #canvases: Canvases;
  readonly #axes: boolean;
  readonly #needs: (left: number) => void;
  /** The inputs of the last drawing. */
  #drawn: readonly unknown[] = [];

  /**
   * Draws axes, or otherwise a scale bar. Calls `needs` with the width of the left axis's texts.
   */
  constructor(canvases: Canvases, axes: boolean, needs: (left: number) => void) {
    this.#canvases = canvases;
    this.#axes = axes;
    this.#needs = needs;
  }

  /**
   * Draws everything on the stage, with a cross through one element and frames around others. Skips
   * the drawing if nothing has changed, such as at a step along a dimension.
   */
  show(scene: Scene, coast: Coast | null, theme: Theme, cross: Place | null, framed: readonly Place[]): void {
    const { plane, ...rest } = scene;
    const { x, y } = plane;
    const { ratio, size } = this.#canvases;
    const text = JSON.stringify([rest, theme, cross, framed, ratio, size]);
    const drawn = [text, x.axis, y.axis, x.coordinate, y.coordinate, coast];
    if (drawn.every((one, i) => one === this.#drawn[i])) return;
    this.#drawn = drawn;
    const pen = this.#canvases.over();
    if (!pen) return;
    this.draw(pen, scene, coast, theme);
    if (cross) drawCross(pen, scene, cross);
    for (const place of framed) drawCursor(pen, scene, place);
  }

  /** Draws everything except the marks. */
  draw(pen: Pen, scene: Scene, coast: Coast | null, theme: Theme): void {
    const { x, y } = scene.plane;
    if (coast && x.coordinate && y.coordinate) {
      drawCoast(pen, scene, coast, { x: x.coordinate, y: y.coordinate });
    }
    if (this.#axes) this.#needs(drawAxes(pen, scene, theme));
    else drawScaleBar(pen, scene, theme.font);
  }
}
