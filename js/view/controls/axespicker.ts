import type { Plane } from "../../describe/field.js";
import { el, fill } from "../dom.js";
import { choice, iconButton, labelled, offer, Panel, textButton, tick } from "./parts.js";

/** What an {@link AxesPicker} shows. */
export interface AxesPickerData {
  /** The axes that can be drawn: their positions among the field's axes, and their names. */
  readonly axes: readonly { readonly axis: number; readonly name: string }[];
  /** What is drawn. */
  readonly plane: Plane;
  /** Whether a line may be drawn, of one axis. */
  readonly lines?: boolean | undefined;
  /** Whether the first column may be at the right. */
  readonly turns?: boolean | undefined;
}

/** What an {@link AxesPicker} tells. */
export interface AxesPickerEvents {
  /** Other axes were chosen, or another direction. */
  plane(plane: Plane): void;
}

/** Which axes are drawn to the right and downwards, and from which side. */
export class AxesPicker {
  readonly #host: HTMLElement;
  readonly #events: AxesPickerEvents;
  readonly #panel: Panel;
  readonly #x: HTMLSelectElement;
  readonly #y: HTMLSelectElement;
  readonly #up: { box: HTMLInputElement; label: HTMLLabelElement };
  readonly #left: { box: HTMLInputElement; label: HTMLLabelElement };
  readonly #swap: HTMLButtonElement;
  #data: AxesPickerData = { axes: [], plane: { x: null, y: null, up: false, left: false } };

  constructor(host: HTMLElement, events: AxesPickerEvents) {
    this.#host = host;
    this.#events = events;
    const other = (x: number | null, y: number | null) => this.#tell({ ...this.#data.plane, x, y });
    const axis = (value: string) => (value === "" ? null : Number(value));
    // The axis of the other direction goes where this one was.
    this.#x = choice("To the right", (value) => {
      const { x, y } = this.#data.plane;
      other(axis(value), axis(value) === y ? x : y);
    });
    this.#y = choice("Downwards", (value) => {
      const { x, y } = this.#data.plane;
      other(axis(value) === x ? (y ?? x) : x, axis(value));
    });
    this.#swap = iconButton("swap", "Exchange the axes", () => other(this.#data.plane.y, this.#data.plane.x));
    this.#up = tick("First row at the bottom", (up) => this.#tell({ ...this.#data.plane, up }));
    this.#left = tick("First column at the right", (left) => this.#tell({ ...this.#data.plane, left }));
    this.#panel = new Panel(
      textButton("", () => {}),
      "Axes",
    );
    fill(
      this.#panel.box,
      el("div", { class: "zc-line" }, labelled("Right", this.#x), this.#swap, labelled("Down", this.#y)),
      this.#up.label,
      this.#left.label,
    );
    fill(host, this.#panel.button, this.#panel.box);
  }

  /** Shows which axes are drawn. */
  show(data: AxesPickerData): void {
    this.#data = data;
    const { axes, plane } = data;
    const all = axes.map(({ axis, name }) => [String(axis), name] as const);
    const name = (of: number | null) => axes.find(({ axis }) => axis === of)?.name ?? "";
    offer(this.#x, all);
    // A line has no second axis. Its own can not be both, unless there is another to take its place.
    const down = all.filter(([axis]) => plane.y !== null || axis !== String(plane.x));
    offer(this.#y, data.lines || plane.y === null ? [["", "none: a line"], ...down] : down);
    this.#x.value = String(plane.x ?? "");
    this.#y.value = String(plane.y ?? "");
    this.#up.box.checked = plane.up;
    this.#up.label.hidden = plane.y === null;
    this.#left.box.checked = plane.left;
    this.#left.label.hidden = !data.turns;
    this.#swap.disabled = plane.y === null;
    const text = plane.y === null ? name(plane.x) : `${name(plane.y)} × ${name(plane.x)}`;
    this.#panel.button.textContent = text;
    this.#panel.button.setAttribute("aria-label", `Axes: ${text}`);
    this.#panel.button.title = "Which axes are drawn";
    this.#host.hidden = axes.length === 0;
  }

  /** Takes it away. */
  close(): void {
    fill(this.#host);
  }

  #tell(plane: Plane): void {
    this.show({ ...this.#data, plane });
    this.#events.plane(plane);
  }
}
