import type { Coordinate, Field } from "../../describe/field.js";
import { el, fill } from "../dom.js";
import { type Ground, turned } from "./camera.js";
import type { TileLayer } from "./layer.js";
import type { Look } from "./look.js";
import type { PanelEvents } from "./panel.js";
import { detailAt, readoutOf } from "./readout.js";

/** An element of the plane. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** The picture that the readout describes. */
interface Shown {
  readonly look: Look;
  readonly layer: TileLayer;
  readonly coordinates: readonly (Coordinate | null | undefined)[];
}

/** The element under the pointer or the keyboard cursor, and its readout. */
export class Cursor {
  readonly element = el("div", { class: "readout" });
  readonly #field: Field;
  readonly #shown: () => Shown;
  readonly #events: Pick<PanelEvents, "pointer"> & { moved(): void };
  #place: Place | null = null;
  #spoken = false;
  #turns = false;

  constructor(field: Field, shown: () => Shown, events: Pick<PanelEvents, "pointer"> & { moved(): void }) {
    this.#field = field;
    this.#shown = shown;
    this.#events = events;
  }

  /** The current element; null if there is none. */
  get place(): Place | null {
    return this.#place;
  }

  /** Forgets the place without an event. */
  reset(): void {
    this.#place = null;
  }

  /** Moves to an element or away; `spoken` if the readout is announced. */
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

  /** Moves by elements in directions of the screen. */
  walk(dx: number, dy: number, { width, height, up, left, period }: Ground): void {
    const from = this.#place;
    const clamp = (value: number, most: number) => Math.max(0, Math.min(most - 1, value));
    const across = (value: number) => (period ? turned(value, period) : clamp(value, width));
    const to = from
      ? { x: across(from.x + (left ? -dx : dx)), y: clamp(from.y + (up ? -dy : dy), height) }
      : { x: (width - 1) >> 1, y: (height - 1) >> 1 };
    this.go(to, true);
  }

  /** Updates the readout of the current element. */
  read(): void {
    if (!this.#place) return;
    const { look, layer, coordinates } = this.#shown();
    const detail = detailAt(this.#field, look, layer, coordinates, this.#place);
    fill(this.element, ...readoutOf(this.#field, detail));
    this.#events.pointer(detail, this.#spoken);
    this.#spoken = false;
  }

  /** Sets whether arrow keys turn the map, for the hint. */
  set turns(turns: boolean) {
    if (turns === this.#turns) return;
    this.#turns = turns;
    if (!this.#place) this.hint();
  }

  /** Shows the possible actions. */
  hint(): void {
    const arrows = this.#turns ? "turn the map" : "move the cursor";
    const text = globalThis.matchMedia?.("(pointer: coarse)").matches
      ? "Tap the picture for values. Pinch to zoom, drag to move."
      : `Point at the picture for values. Zoom with the wheel or + and −, drag to move, press 0 to show all, and use arrow keys to ${arrows}.`;
    fill(this.element, el("span", { class: "words" }, text));
  }
}
