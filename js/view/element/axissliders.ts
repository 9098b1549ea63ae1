import type { Coordinate, Field } from "../../describe/field.js";
import { type SliderAxis, Sliders, type SlidersEvents } from "../controls/sliders.js";
import { el } from "../dom.js";
import { type Look, takenAxes } from "./look.js";

/** Sliders of the axes that are not drawn, and their keys. */
export class AxisSliders {
  readonly element = el("div", { class: "steps" });
  readonly #field: Field;
  readonly #events: SlidersEvents;
  readonly #sliders: Sliders;
  #axes: readonly SliderAxis[] = [];

  constructor(field: Field, events: SlidersEvents) {
    this.#field = field;
    this.#events = events;
    this.#sliders = new Sliders(this.element, events);
  }

  /** The axes that are not drawn. */
  get axes(): readonly SliderAxis[] {
    return this.#axes;
  }

  /** Shows the indices of a look. */
  show(look: Look, coordinates: readonly (Coordinate | null | undefined)[]): void {
    const taken = takenAxes(this.#field, look);
    this.#axes = this.#field.axes.flatMap(({ name, title, length }, axis) =>
      taken.includes(axis)
        ? []
        : [{ axis, name, title, length, index: look.indices[axis] ?? 0, coordinate: coordinates[axis] ?? null }],
    );
    this.#sliders.show(this.#axes);
  }

  /** Handles a key: `[` and `]` step along the first axis, and the space bar plays it. */
  key(event: KeyboardEvent): boolean {
    const first = this.#axes.find(({ length }) => length > 1);
    if (!first) return false;
    const step = { "[": -1, PageUp: -1, "]": 1, PageDown: 1 }[event.key];
    if (step !== undefined) {
      const index = Math.max(0, Math.min(first.length - 1, first.index + step));
      if (index !== first.index) this.#events.index(first.axis, index, step);
      return true;
    }
    if (event.key !== " ") return false;
    this.#sliders.toggle(first.axis);
    return true;
  }

  /** Ends playing. */
  close(): void {
    this.#sliders.close();
  }
}
