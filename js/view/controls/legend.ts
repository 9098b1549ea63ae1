import { append, el, fill } from "../dom.js";
import { choice, labelled, offer } from "./parts.js";

/** A category and its colour. */
export interface LegendEntry {
  /** Its name. */
  readonly label: string;
  /** Its colour: red, green and blue from 0 to 255. */
  readonly colour: readonly [red: number, green: number, blue: number];
}

/** Data of a {@link Legend}. */
export interface LegendData {
  /** The title: the name of the categories' quantity. */
  readonly title: string;
  /** The categories. */
  readonly entries: readonly LegendEntry[];
}

/** The legend of categories and flags. */
export class Legend {
  readonly #host: HTMLElement;

  constructor(host: HTMLElement) {
    this.#host = host;
    host.classList.add("zc-legend");
    host.setAttribute("role", "group");
  }

  /** Shows categories. */
  show({ title, entries }: LegendData): void {
    const list = el("ul", {});
    for (const { label, colour } of entries) {
      const swatch = el("i", { "aria-hidden": "true" });
      swatch.style.background = `rgb(${colour.join(" ")})`;
      append(list, el("li", {}, swatch, el("span", {}, label)));
    }
    this.#host.setAttribute("aria-label", `Colours of ${title}`);
    fill(this.#host, el("div", { class: "zc-title" }, title), list);
  }

  /** Removes the control. */
  close(): void {
    fill(this.#host);
  }
}

/** Data of a {@link LabelsControl}. */
export interface LabelsControlData {
  /** The names of the label images. */
  readonly names: readonly string[];
  /** The drawn one; null if there is none. */
  readonly chosen: string | null;
  /** The opacity, from 0 to 1. */
  readonly opacity: number;
}

/** Events of a {@link LabelsControl}. */
export interface LabelsControlEvents {
  /** The person chose labels or none, or an opacity. */
  labels(name: string | null, opacity: number): void;
}

/** A choice of the label image over the picture, and of its opacity. */
export class LabelsControl {
  readonly #host: HTMLElement;
  readonly #select: HTMLSelectElement;
  readonly #opacity = el("input", { type: "range", min: 0, max: 100, step: 1, "aria-label": "Opacity of the labels" });

  constructor(host: HTMLElement, events: LabelsControlEvents) {
    this.#host = host;
    const tell = () => {
      this.#opacity.disabled = this.#select.value === "";
      // A label image may have any name, so the first entry of the list, by its position, means
      // none.
      const name = this.#select.selectedIndex === 0 ? null : this.#select.value;
      events.labels(name, Number(this.#opacity.value) / 100);
    };
    this.#select = choice("Labels", tell);
    this.#opacity.addEventListener("input", tell);
    host.classList.add("zc-line");
    fill(host, labelled("Labels", this.#select), this.#opacity);
  }

  /** Shows the label images. */
  show({ names, chosen, opacity }: LabelsControlData): void {
    offer(this.#select, [["", "none"], ...names.map((name) => [name, name] as const)]);
    this.#select.selectedIndex = chosen === null ? 0 : names.indexOf(chosen) + 1;
    this.#opacity.value = String(Math.round(100 * opacity));
    this.#opacity.setAttribute("aria-valuetext", `${Math.round(100 * opacity)} %`);
    this.#opacity.disabled = chosen === null;
    this.#host.hidden = names.length === 0;
  }

  /** Removes the control. */
  close(): void {
    fill(this.#host);
  }
}
