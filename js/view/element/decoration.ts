import type { Theme } from "../plot/theme.js";
import type { Pen } from "../take/svg.js";
import type { Place } from "./cursor.js";
import { type Coast, drawAxes, drawCoast, drawCross, drawCursor, drawScaleBar } from "./frame.js";
import type { Scene } from "./scene.js";
import type { Sheet } from "./sheet.js";

/** What is around and over a picture: axes or a scale bar, coastlines, and marks. */
export class Decoration {
  readonly #sheet: Sheet;
  readonly #axes: boolean;
  readonly #needs: (left: number) => void;
  /** What was drawn on the sheet. */
  #drawn: readonly unknown[] = [];

  /** Draws axes, or else a scale bar. `needs` is told which room the texts of the left axis need. */
  constructor(sheet: Sheet, axes: boolean, needs: (left: number) => void) {
    this.#sheet = sheet;
    this.#axes = axes;
    this.#needs = needs;
  }

  /**
   * Draws all on the sheet, with a cross through an element and frames around others, where something of it is other than before:
   * another step along a dimension changes none of it.
   */
  show(scene: Scene, coast: Coast | null, theme: Theme, cross: Place | null, framed: readonly Place[]): void {
    const { plane, ...rest } = scene;
    const { x, y } = plane;
    const { ratio, size } = this.#sheet;
    const text = JSON.stringify([rest, theme, cross, framed, ratio, size]);
    const drawn = [text, x.axis, y.axis, x.coordinate, y.coordinate, coast];
    if (drawn.every((one, i) => one === this.#drawn[i])) return;
    this.#drawn = drawn;
    const pen = this.#sheet.over();
    if (!pen) return;
    this.draw(pen, scene, coast, theme);
    if (cross) drawCross(pen, scene, cross);
    for (const place of framed) drawCursor(pen, scene, place);
  }

  /** Draws all but the marks. */
  draw(pen: Pen, scene: Scene, coast: Coast | null, theme: Theme): void {
    const { x, y } = scene.plane;
    if (coast && x.coordinate && y.coordinate) {
      drawCoast(pen, scene, coast, { x: x.coordinate, y: y.coordinate });
    }
    if (this.#axes) this.#needs(drawAxes(pen, scene, theme));
    else drawScaleBar(pen, scene, theme.font);
  }
}
