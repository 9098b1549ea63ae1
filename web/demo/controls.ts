// The sliders of the dimensions that are not drawn, and the tools above the picture.

import { COLORMAPS, type ColormapName, cssGradient, isColormap } from "./colormap.js";
import type { Coordinate, Dimension } from "./coords.js";
import { append, el, fill } from "./dom.js";
import { formatCount, formatShort } from "./format.js";

/** A slider and a number field for each dimension that is not drawn. */
export class Sliders {
  readonly #host: HTMLElement;
  readonly #onChange: (dimension: number, index: number) => void;
  #rows: { dimension: number; slider: HTMLInputElement; field: HTMLInputElement; meaning: HTMLElement }[] = [];
  #dimensions: readonly Dimension[] = [];

  constructor(host: HTMLElement, onChange: (dimension: number, index: number) => void) {
    this.#host = host;
    this.#onChange = onChange;
  }

  /** Makes the rows for the dimensions with the numbers listed. */
  show(dimensions: readonly Dimension[], shown: readonly number[], indices: readonly number[]): void {
    this.#dimensions = dimensions;
    this.#rows = [];
    fill(this.#host);
    this.#host.hidden = shown.length === 0;
    for (const d of shown) {
      const dimension = dimensions[d];
      if (!dimension) continue;
      const last = dimension.size - 1;
      const id = `slice-${d}`;
      const only = last <= 0;
      const slider = el("input", {
        type: "range",
        id,
        min: 0,
        max: Math.max(0, last),
        step: 1,
        disabled: only,
        "data-dimension": d,
      });
      const field = el("input", {
        type: "number",
        min: 0,
        max: Math.max(0, last),
        step: 1,
        disabled: only,
        inputmode: "numeric",
        "aria-label": `${dimension.name}, index`,
        "data-dimension": d,
      });
      const meaning = el("span", { class: "meaning" });
      slider.addEventListener("input", () => this.#changed(d, slider.valueAsNumber));
      field.addEventListener("change", () => {
        const wanted = Number.isFinite(field.valueAsNumber) ? Math.trunc(field.valueAsNumber) : 0;
        this.#changed(d, Math.max(0, Math.min(last, wanted)));
      });
      this.#rows.push({ dimension: d, slider, field, meaning });
      append(
        this.#host,
        el(
          "div",
          { class: "slider-row" },
          el("label", { for: id }, dimension.name),
          slider,
          el("span", { class: "of" }, field, el("span", { class: "muted" }, `of ${formatCount(dimension.size)}`)),
          meaning,
        ),
      );
    }
    this.set(indices, []);
  }

  #changed(d: number, index: number): void {
    this.#onChange(d, index);
  }

  /** Shows indices and what they mean. */
  set(indices: readonly number[], coordinates: readonly (Coordinate | null)[]): void {
    for (const { dimension, slider, field, meaning } of this.#rows) {
      const index = indices[dimension] ?? 0;
      if (slider.valueAsNumber !== index) slider.value = String(index);
      if (field.valueAsNumber !== index) field.value = String(index);
      const text = coordinates[dimension]?.text(index) ?? "";
      meaning.textContent = text;
      meaning.title = text;
      const size = this.#dimensions[dimension]?.size ?? 1;
      slider.setAttribute("aria-valuetext", `${index} of ${size}${text ? `, ${text}` : ""}`);
      const share = size > 1 ? (index / (size - 1)) * 100 : 0;
      slider.style.setProperty("--share", `${share}%`);
    }
  }
}

export interface ToolState {
  axes: { x: number; y: number } | null;
  field: string;
  colormap: ColormapName;
  flip: boolean;
}

export interface ToolEvents {
  axes(axes: { x: number; y: number }): void;
  field(name: string): void;
  colormap(name: ColormapName): void;
  flip(flip: boolean): void;
  range(min: number, max: number): void;
  autoRange(): void;
  zoom(factor: number): void;
  fit(): void;
}

/** Choices above the picture: which dimensions, which field, colours, contrast, zoom. */
export class Tools {
  readonly #host: HTMLElement;
  readonly #rows = select("rows");
  readonly #columns = select("columns");
  readonly #field = select("field");
  readonly #colours = select("colours");
  readonly #flip = el("input", { type: "checkbox", id: "flip" });
  readonly #min = el("input", {
    type: "number",
    step: "any",
    id: "contrast-min",
    "aria-label": "Lower end of the colours",
  });
  readonly #max = el("input", {
    type: "number",
    step: "any",
    id: "contrast-max",
    "aria-label": "Upper end of the colours",
  });
  readonly #auto = el(
    "button",
    { type: "button", class: "ghost", title: "Contrast by the 2nd and 98th percentile" },
    "Auto",
  );
  readonly #bar = el("span", { class: "colourbar", "aria-hidden": "true" });
  readonly #axesGroup = el("span", { class: "tool" });
  readonly #fieldGroup = el("span", { class: "tool" });
  readonly #pictureGroup = el("span", { class: "tools-picture" });

  constructor(host: HTMLElement, legend: HTMLElement, events: ToolEvents) {
    this.#host = host;
    for (const name of Object.keys(COLORMAPS)) append(this.#colours, el("option", { value: name }, name));
    append(this.#axesGroup, labelled("Down", this.#rows), labelled("Right", this.#columns));
    append(this.#fieldGroup, labelled("Field", this.#field));
    const zoom = (label: string, text: string, act: () => void): HTMLElement =>
      el("button", { type: "button", class: "ghost square", "aria-label": label, title: label, onclick: act }, text);
    append(
      this.#pictureGroup,
      el("span", { class: "tool" }, labelled("Colours", this.#colours)),
      el("span", { class: "tool" }, el("label", { class: "check", for: "flip" }, this.#flip, "Flip y")),
      el(
        "span",
        { class: "tool zooms" },
        zoom("Zoom out", "−", () => events.zoom(1 / 1.5)),
        el(
          "button",
          { type: "button", class: "ghost", title: "Show all of it (0)", onclick: () => events.fit() },
          "Fit",
        ),
        zoom("Zoom in", "+", () => events.zoom(1.5)),
      ),
    );
    fill(host, this.#axesGroup, this.#fieldGroup, this.#pictureGroup);
    fill(legend, this.#min, this.#bar, this.#max, this.#auto);

    const axes = (moved: "x" | "y"): void => {
      let x = Number(this.#columns.value);
      let y = Number(this.#rows.value);
      // Choosing the dimension of the other axis swaps the two.
      if (x === y && moved === "x") y = this.#axesNow.x;
      else if (x === y) x = this.#axesNow.y;
      events.axes({ x, y });
    };
    this.#columns.addEventListener("change", () => axes("x"));
    this.#rows.addEventListener("change", () => axes("y"));
    this.#field.addEventListener("change", () => events.field(this.#field.value));
    this.#colours.addEventListener("change", () => {
      if (isColormap(this.#colours.value)) events.colormap(this.#colours.value);
    });
    this.#flip.addEventListener("change", () => events.flip(this.#flip.checked));
    const range = (): void => {
      const min = this.#min.valueAsNumber;
      const max = this.#max.valueAsNumber;
      if (Number.isFinite(min) && Number.isFinite(max)) events.range(Math.min(min, max), Math.max(min, max));
    };
    this.#min.addEventListener("change", range);
    this.#max.addEventListener("change", range);
    this.#auto.addEventListener("click", () => events.autoRange());
  }

  #axesNow = { x: 1, y: 0 };

  /** Shows what can be chosen; pictures have more tools than plots and tables. */
  show(dimensions: readonly Dimension[], fields: readonly string[], picture: boolean): void {
    for (const list of [this.#rows, this.#columns]) {
      fill(list, ...dimensions.map((dimension, d) => el("option", { value: d }, dimension.name)));
    }
    fill(this.#field, ...fields.map((name) => el("option", { value: name }, name)));
    this.#axesGroup.hidden = dimensions.length < 2;
    this.#fieldGroup.hidden = fields.length === 0;
    this.#pictureGroup.hidden = !picture;
    this.#host.hidden = this.#axesGroup.hidden && this.#fieldGroup.hidden && this.#pictureGroup.hidden;
  }

  set(state: ToolState): void {
    if (state.axes) {
      this.#axesNow = state.axes;
      this.#rows.value = String(state.axes.y);
      this.#columns.value = String(state.axes.x);
    }
    if (state.field) this.#field.value = state.field;
    this.#colours.value = state.colormap;
    this.#flip.checked = state.flip;
    this.#bar.style.background = cssGradient(state.colormap);
  }

  /** Shows the ends of the colour scale. */
  setRange(min: number, max: number, manual: boolean): void {
    this.#min.value = String(Number(formatShort(min)));
    this.#max.value = String(Number(formatShort(max)));
    this.#auto.setAttribute("aria-pressed", String(!manual));
  }
}

function select(id: string): HTMLSelectElement {
  return el("select", { id: `tool-${id}` });
}

function labelled(text: string, control: HTMLElement): HTMLElement {
  return el("label", { for: control.id }, el("span", {}, text), control);
}
