import type { Field } from "../../describe/field.js";
import { drawnLabel } from "../colour/labels.js";
import { cellsOf } from "../mesh/cells.js";
import type { ViewState } from "../state.js";
import type { AxisSliders } from "./axissliders.js";
import { type Eye, panned } from "./camera.js";
import type { Cursor, Place } from "./cursor.js";
import { listen } from "./gestures.js";
import type { PictureLayout } from "./layout.js";
import type { Look } from "./look.js";
import type { LabelsOverlay } from "./overlay.js";
import type { Reading } from "./reading.js";
import type { SidePlot } from "./sideplot.js";

/** The parts of a picture that gestures and keys act on. */
interface Pointed {
  readonly field: Field;
  readonly layout: PictureLayout;
  readonly cursor: Cursor;
  readonly sidePlot: SidePlot;
  readonly sliders: AxisSliders;
  readonly labels: LabelsOverlay;
  readonly reading: Reading;
  look(): Look;
  state(): ViewState;
  /** Reports whether elements mark the same place as others. */
  synchronised(): boolean;
}

/** Events of {@link Pointing}. */
interface PointingEvents {
  /** A gesture moved the camera; null shows the whole picture. */
  moved(eye: Eye | null): void;
  /** The person changed the state. */
  changed(change: ViewState): void;
}

/** Converts gestures and keys on a picture to moves of its camera and marks of its elements. */
export class Pointing {
  readonly #of: Pointed;
  readonly #events: PointingEvents;

  /** Listens on a surface until the signal aborts. */
  constructor(surface: HTMLElement, of: Pointed, events: PointingEvents, signal: AbortSignal) {
    this.#of = of;
    this.#events = events;
    const { layout, cursor } = of;
    listen(
      surface,
      {
        zoom: (factor, x, y) => events.moved(layout.zoomed(factor, { x, y })),
        pan: (dx, dy) => events.moved(panned(layout.scene, dx, dy)),
        fit: () => events.moved(null),
        hover: (point) => cursor.go(point && layout.at(point), false),
        click: (point, more) => this.#click(layout.at(point), more),
        step: (dx, dy) => cursor.walk(dx, dy, layout.scene.ground),
        turns: () => layout.scene.globe !== undefined,
        escape: () => cursor.go(null, true),
        key: (event) => this.#key(event),
      },
      signal,
    );
  }

  #click(at: Place | null, more: boolean): void {
    const { cursor, sidePlot } = this.#of;
    cursor.go(at, true);
    if (!at) return;
    if (!sidePlot.open) this.#tellApart(at);
    sidePlot.choose(at, more);
    this.#mark(at);
  }

  /** Enter adds the element under the cursor to the series, and `l` highlights its label. */
  #key(event: KeyboardEvent): boolean {
    const { cursor, sidePlot, sliders } = this.#of;
    const { place } = cursor;
    if (event.key === "l" && place) {
      this.#tellApart(place);
      return true;
    }
    if (event.key !== "Enter" || !place) return sliders.key(event);
    this.#mark(place);
    if (this.#of.synchronised() && !sidePlot.open) return true;
    if (!sidePlot.open) sidePlot.toggle();
    sidePlot.choose(place, event.shiftKey);
    return true;
  }

  /** Reports a point along the drawn axes to the synchronised elements, which mark it. */
  #mark(pixel: Place): void {
    if (!this.#of.synchronised()) return;
    const cells = cellsOf(this.#of.field);
    const { plane } = this.#of.layout.scene;
    const [across, down] = cells ? [cells.x.name, cells.y.name] : [plane.x.axis.name, plane.y.axis.name];
    const at = cells ? cells.at(pixel.x, pixel.y) : pixel;
    if (at) this.#events.changed({ index: { ...this.#of.state().index, [across]: at.x, [down]: at.y } });
  }

  /** Highlights the label at an element, or removes the highlight. */
  #tellApart({ x, y }: Place): void {
    const { labels, reading } = this.#of;
    const own = this.#of.look().kind === "label" ? reading.layer.tiles.value(x + 0.5, y + 0.5, 0)?.value : undefined;
    const found = labels.at(x, y, reading.below) ?? own;
    if (typeof found !== "number" && typeof found !== "bigint") return;
    const label = drawnLabel(found);
    const before = this.#of.state().chosen;
    const chosen = label === 0 || label === before ? undefined : label;
    if (chosen !== before) this.#events.changed({ chosen });
  }
}
