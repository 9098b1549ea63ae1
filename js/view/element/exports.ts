import type { Field } from "../../describe/field.js";
import { el } from "../dom.js";
import { cellsOf } from "../mesh/cells.js";
import type { Theme } from "../plot/theme.js";
import { formatMembers, type ViewState } from "../state.js";
import type { Figure } from "../take/figure.js";
import type { Pen } from "../take/svg.js";
import type { AxisSliders } from "./axissliders.js";
import type { Canvases } from "./canvases.js";
import { subtitleParts } from "./caption.js";
import type { Decoration } from "./decoration.js";
import { meaningOf } from "./figure.js";
import type { PictureLayout } from "./layout.js";
import type { Look } from "./look.js";
import type { PanelEvents } from "./panel.js";
import type { Positions } from "./positions.js";
import type { Reading } from "./reading.js";
import type { Regional } from "./regional.js";
import type { Takeable } from "./taking.js";
import type { VolumeSlot } from "./volumeslot.js";

/** The parts of a picture that exports use. */
interface Exported {
  readonly field: Field;
  /** Whether the source is an image with levels. */
  readonly image: boolean;
  readonly canvases: Canvases;
  readonly layout: PictureLayout;
  readonly decoration: Decoration;
  readonly positions: Positions;
  readonly reading: Reading;
  readonly sliders: AxisSliders;
  readonly volume: VolumeSlot;
  readonly loading: PanelEvents["loading"];
  look(): Look;
  regional(): Regional;
  theme(): Theme;
  /** Returns the state with its current ranges. */
  state(): ViewState;
  /** The element of the page. */
  host(): HTMLElement;
  /** Draws what is available. */
  draw(): void;
  /** Shows an index of an axis. Fulfils when it is painted. */
  go(axis: number, index: number, signal: AbortSignal): Promise<void>;
}

/** A picture for downloads and copies: as seen, or as data. */
export class PictureExports {
  readonly #of: Exported;

  constructor(of: Exported) {
    this.#of = of;
  }

  /** Draws the picture as seen, without its title. */
  canvas(): HTMLCanvasElement {
    const { ratio } = this.#of.canvases;
    const { width, height } = this.#of.layout.size;
    const canvas = el("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const context = canvas.getContext("2d");
    if (!context) return canvas;
    context.fillStyle = this.#of.theme().paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(ratio, ratio);
    this.#drawOn(context);
    return canvas;
  }

  /** Returns the picture as seen, with its title and its colours, once its region can be drawn. */
  async figure(): Promise<Figure> {
    await this.#of.regional().ready();
    const { field, reading, layout } = this.#of;
    const look = this.#of.look();
    return {
      ...layout.size,
      ...meaningOf(field, look, reading.contrast),
      subtitle: this.#subtitle(),
      look: this.#of.theme(),
      draw: (pen) => this.#drawOn(pen),
    };
  }

  /** Returns the source of downloads and copies. */
  takeable(): Takeable {
    const { field, image, layout, reading, sliders, loading } = this.#of;
    const { minus, diagram } = this.#of.state();
    return {
      attributes: () => formatMembers(this.#of.state()),
      kind: image ? "image" : "array",
      made:
        minus !== undefined
          ? "It is a difference of two arrays."
          : diagram
            ? "It is a diagram of a region."
            : cellsOf(field) && "It is a map of a curvilinear grid.",
      element: this.#of.host(),
      region: () => this.#of.regional().around,
      axes: sliders.axes,
      wish: () => {
        const look = this.#of.look();
        const { x, y, indices } = look;
        const { channels } = field;
        return {
          field,
          level: reading.layer.tiles.level,
          x,
          y,
          indices,
          channels: channels && look.channels.length > 0 ? { axis: channels.axis, list: look.channels } : undefined,
          part: layout.eye ? layout.chosen : undefined,
          member: this.#of.state().member,
        };
      },
      subtitle: () => this.#subtitle(),
      figure: () => this.figure(),
      go: this.#of.go,
      progress: (done, total) => loading({ done, total }),
    };
  }

  #subtitle(): string {
    const { field, positions } = this.#of;
    return subtitleParts(field, this.#of.look(), positions).join(", ");
  }

  /** Draws the picture as seen, with its decoration. */
  #drawOn(pen: Pen): void {
    this.#of.draw();
    const { view: volume } = this.#of.volume;
    if (volume) {
      volume.draw(pen, this.#of.theme());
      return;
    }
    const { scene } = this.#of.layout;
    const { view, picture } = scene;
    if (this.#of.look().kind === "channel") {
      pen.fillStyle = "#000";
      pen.fillRect(picture.x, picture.y, picture.width, picture.height);
    }
    pen.imageSmoothingEnabled = false;
    pen.save();
    pen.beginPath();
    pen.rect(picture.x, picture.y, picture.width, picture.height);
    pen.clip();
    pen.drawImage(this.#of.canvases.canvas, view.x, view.y, view.width, view.height);
    pen.restore();
    this.#of.decoration.draw(pen, scene, this.#of.positions.coast, this.#of.theme());
    this.#of.regional().paint(pen);
  }
}
