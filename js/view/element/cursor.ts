import type { Coordinate, Field } from "../../describe/field.js";
import { el, fill } from "../dom.js";
import type { Ground } from "./camera.js";
import type { TileLayer } from "./layer.js";
import type { Look } from "./look.js";
import type { PanelEvents } from "./panel.js";
import { detailAt, readoutOf } from "./readout.js";

/** An element of the plane. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** What is read out of. */
interface Shown {
  readonly look: Look;
  readonly layer: TileLayer;
  readonly coordinates: readonly (Coordinate | null | undefined)[];
}

/** The element under the pointer or at the cursor of the keyboard, and what is said of it. */
export class Cursor {
  readonly element = el("div", { class: "readout" });
  readonly #field: Field;
  readonly #shown: () => Shown;
  readonly #events: Pick<PanelEvents, "pointer"> & { moved(): void };
  #place: Place | null = null;
  #spoken = false;

  constructor(field: Field, shown: () => Shown, events: Pick<PanelEvents, "pointer"> & { moved(): void }) {
    this.#field = field;
    this.#shown = shown;
    this.#events = events;
  }

  /** Where it is; null where nothing is pointed at. */
  get place(): Place | null {
    return this.#place;
  }

  /** Forgets where it was, and tells nobody. */
  reset(): void {
    this.#place = null;
  }

  /** Goes to an element, or away; `spoken` where it is to be read out. */
  go(to: Place | null, spoken: boolean): void {
    if (!spoken && to?.x === this.#place?.x && to?.y === this.#place?.y) return;
    this.#place = to;
    this.#spoken = spoken;
    if (to) this.read();
    else {
      this.hint();
      this.#events.pointer(null, false);
    }
    this.#events.moved();
  }

  /** Goes by elements, as they are seen. */
  walk(dx: number, dy: number, { width, height, up, left }: Ground): void {
    const from = this.#place;
    const clamp = (value: number, most: number) => Math.max(0, Math.min(most - 1, value));
    const to = from
      ? { x: clamp(from.x + (left ? -dx : dx), width), y: clamp(from.y + (up ? -dy : dy), height) }
      : { x: (width - 1) >> 1, y: (height - 1) >> 1 };
    this.go(to, true);
  }

  /** Says what is here now. */
  read(): void {
    if (!this.#place) return;
    const { look, layer, coordinates } = this.#shown();
    const detail = detailAt(this.#field, look, layer, coordinates, this.#place);
    fill(this.element, ...readoutOf(this.#field, detail));
    this.#events.pointer(detail, this.#spoken);
    this.#spoken = false;
  }

  /** Says what a person can do. */
  hint(): void {
    const text =
      "Point at the picture for values. Wheel or + and − zoom, dragging moves, 0 shows all, arrow keys walk.";
    fill(this.element, el("span", { class: "words" }, text));
  }
}
