import type { Plane } from "../../describe/field.js";
import type { AxesPickerData } from "../controls/data.js";
import { choice, iconButton, labelled, offer, tick } from "../controls/parts.js";
import { append, el } from "../dom.js";

/** A choice of the axes to the right and downwards, and of their directions. */
export class AxesChoice {
  readonly #x: HTMLSelectElement;
  readonly #y: HTMLSelectElement;
  readonly #up: { box: HTMLInputElement; label: HTMLLabelElement };
  readonly #left: { box: HTMLInputElement; label: HTMLLabelElement };
  readonly #swap: HTMLButtonElement;
  #plane: Plane;

  /** Calls `chosen` after a change of the axes or of a direction. */
  constructor(host: HTMLElement, data: AxesPickerData, chosen: (plane: Plane) => void) {
    this.#plane = data.plane;
    const other = (x: number | null, y: number | null) => chosen({ ...this.#plane, x, y });
    const axis = (value: string) => (value === "" ? null : Number(value));
    // The axes swap if the new one was in the other direction.
    this.#x = choice("To the right", (value) => {
      const { x, y } = this.#plane;
      other(axis(value), axis(value) === y ? x : y);
    });
    this.#y = choice("Downwards", (value) => {
      const { x, y } = this.#plane;
      other(axis(value) === x ? (y ?? x) : x, axis(value));
    });
    this.#swap = iconButton("swap", "Exchange the axes", () => other(this.#plane.y, this.#plane.x));
    this.#up = tick("First row at the bottom", (up) => chosen({ ...this.#plane, up }));
    this.#left = tick("First column at the right", (left) => chosen({ ...this.#plane, left }));
    append(
      host,
      el("div", { class: "zc-line" }, labelled("Right", this.#x), this.#swap, labelled("Down", this.#y)),
      this.#up.label,
      this.#left.label,
    );
    this.show(data);
  }

  /** Shows the drawn axes. */
  show({ axes, plane, lines, turns }: AxesPickerData): void {
    this.#plane = plane;
    const all = axes.map(({ axis, name }) => [String(axis), name] as const);
    offer(this.#x, all);
    // A line has no second axis to swap with, so its own axis is not offered downwards.
    const down = all.filter(([axis]) => plane.y !== null || axis !== String(plane.x));
    offer(this.#y, lines || plane.y === null ? [["", "none: a line"], ...down] : down);
    this.#x.value = String(plane.x ?? "");
    this.#y.value = String(plane.y ?? "");
    this.#up.box.checked = plane.up;
    this.#up.label.hidden = plane.y === null;
    this.#left.box.checked = plane.left;
    this.#left.label.hidden = !turns;
    this.#swap.disabled = plane.y === null;
  }
}
