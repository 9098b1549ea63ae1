import type { ColourBarData } from "../controls/data.js";
import { ColourMapPicker } from "../controls/maps.js";
import { choice, Field, labelled, numberIn, offer, rangeReason, short, textButton, tick } from "../controls/parts.js";
import { autoRange, fullRange, positive, type Range, symmetric } from "../controls/span.js";
import { append, el } from "../dom.js";
import type { Curve } from "../paint/painter.js";
import type { Statistics } from "../tiles/tiles.js";

/** Events of {@link ColourOptions}. */
interface ColourOptionsEvents {
  /** The person chose a range; `auto` if it follows the data again. */
  range(range: Range, auto: boolean): void;
  /** The person chose a curve, with a range that suits it. */
  curve(curve: Curve, range: Range): void;
  /** The person chose a colour map. */
  colormap(name: string): void;
}

/** The range as numbers, the scale and the colour map. */
export class ColourOptions {
  readonly #events: ColourOptionsEvents;
  readonly #low: Field;
  readonly #high: Field;
  readonly #curve: HTMLSelectElement;
  readonly #exponent: Field;
  readonly #stated: HTMLButtonElement;
  /** States the values that the histogram and the buttons use. */
  readonly #surveyed = el("p", { class: "zc-note" });
  readonly #symmetric: { box: HTMLInputElement; label: HTMLLabelElement };
  readonly #picker: ColourMapPicker;
  #data: ColourBarData;

  constructor(host: HTMLElement, data: ColourBarData, events: ColourOptionsEvents) {
    this.#data = data;
    this.#events = events;
    const end = (label: string, make: (value: number, range: Range) => Range) =>
      new Field(
        label,
        (text) => {
          const range = make(numberIn(text), this.#data.range);
          const reason = rangeReason(range);
          if (reason !== undefined) return reason;
          if (this.#data.curve.kind === "log" && !(range[0] > 0)) return "A logarithmic scale begins above 0.";
          events.range(range, false);
          return undefined;
        },
        { inputmode: "decimal" },
      );
    this.#low = end("Lowest value", (value, [, high]) => [value, high]);
    this.#high = end("Highest value", (value, [low]) => [low, value]);
    this.#curve = choice("Scale", (kind) => this.#turn(kind));
    offer(this.#curve, [
      ["linear", "linear"],
      ["log", "logarithm"],
      ["power", "power"],
    ]);
    this.#exponent = new Field(
      "Exponent",
      (text) => {
        const exponent = numberIn(text);
        if (!(exponent > 0 && exponent <= 10)) return "Write a number above 0, and at most 10. For example: 0.5";
        events.curve({ kind: "power", exponent }, this.#data.range);
        return undefined;
      },
      { inputmode: "decimal" },
    );
    this.#symmetric = tick("Symmetric about 0", (on) => {
      const { range, statistics } = this.#data;
      events.range(on ? symmetric(range) : statistics ? autoRange(statistics) : range, false);
    });
    this.#stated = textButton("Stated", () => this.#data.stated && events.range(this.#data.stated, false));
    this.#stated.title = "Range stated by the metadata";
    const picked = el("div", {});
    this.#picker = new ColourMapPicker(picked, { colormap: (name) => events.colormap(name) });
    append(
      host,
      el(
        "div",
        { class: "zc-line" },
        labelled("From", this.#low.input),
        labelled("to", this.#high.input),
        this.#button("Auto", "Without the lowest and highest 2 %", autoRange, true),
        this.#button("Full", "From lowest to highest", fullRange, false),
        this.#stated,
      ),
      this.#surveyed,
      el("div", { class: "zc-line" }, labelled("Scale", this.#curve), this.#exponent.input, this.#symmetric.label),
      picked,
    );
    this.show(data);
  }

  /** Shows the current choices. */
  show(data: ColourBarData): void {
    this.#data = data;
    const { range, curve, stated, colormap, maps, table, statistics } = data;
    const surveyed = statistics?.volume ? "the volume" : statistics?.whole ? "the slice" : "the part in view";
    this.#surveyed.textContent = `Auto, Full and the histogram use the values of ${surveyed}.`;
    this.#surveyed.hidden = statistics === null;
    const [low, high] = range;
    this.#low.set(short(low));
    this.#high.set(short(high));
    this.#curve.value = curve.kind;
    this.#exponent.input.hidden = curve.kind !== "power";
    this.#exponent.set(curve.kind === "power" ? short(curve.exponent) : "");
    this.#stated.hidden = stated === null;
    this.#symmetric.box.checked = low === -high;
    this.#symmetric.label.hidden = curve.kind === "log";
    this.#picker.show({ colormap, maps, table });
  }

  #button(name: string, title: string, range: (statistics: Statistics) => Range, auto: boolean): HTMLButtonElement {
    const button = textButton(name, () => {
      const { statistics, curve } = this.#data;
      if (!statistics) return;
      const found = range(statistics);
      this.#events.range(curve.kind === "log" ? positive(found, statistics) : found, auto);
    });
    button.title = title;
    return button;
  }

  #turn(kind: string): void {
    const { range, statistics } = this.#data;
    const curve: Curve = kind === "power" ? { kind, exponent: 0.5 } : kind === "log" ? { kind } : { kind: "linear" };
    this.#events.curve(curve, kind === "log" ? positive(range, statistics) : range);
  }
}
