import { adoptStyles, append, el, fill } from "../dom.js";
import { css } from "./choicestyles.js";
import { tick } from "./parts.js";

/** A colour map to choose. */
export interface MapName {
  /** Its name. */
  readonly name: string;
  /** Its kind. */
  readonly kind: "sequential" | "diverging" | "cyclic" | "categorical";
}

/** Data of a {@link ColourMapPicker}. */
export interface ColourMapPickerData {
  /** The map's name; `-r` at its end reverses it. */
  readonly colormap: string;
  /** The maps that can be chosen. */
  readonly maps: readonly MapName[];
  /** Returns the 256 colours of a map, four bytes each. */
  table(name: string): Uint8Array;
}

/** Events of a {@link ColourMapPicker}. */
export interface ColourMapPickerEvents {
  /** The person chose a map; `-r` at the name's end reverses it. */
  colormap(name: string): void;
}

const kinds = ["sequential", "diverging", "cyclic", "categorical"] as const;

/** Colour maps in groups, with previews. Arrow keys move through all of them. */
export class ColourMapPicker {
  readonly #host: HTMLElement;
  readonly #events: ColourMapPickerEvents;
  readonly #reversed: { box: HTMLInputElement; label: HTMLLabelElement };
  readonly #list = el("div", { class: "zc-maps", role: "radiogroup", "aria-label": "Colour map" });
  readonly #radios = new Map<string, HTMLInputElement>();
  #shown: readonly MapName[] = [];

  constructor(host: HTMLElement, events: ColourMapPickerEvents) {
    this.#host = host;
    this.#events = events;
    this.#reversed = tick("Reversed", () => this.#tell());
    fill(host, this.#reversed.label, this.#list);
  }

  #tell(): void {
    for (const [name, radio] of this.#radios)
      if (radio.checked) this.#events.colormap(this.#reversed.box.checked ? `${name}-r` : name);
  }

  /** Shows the maps and marks the chosen one. */
  show({ colormap, maps, table }: ColourMapPickerData): void {
    if (maps !== this.#shown) this.#make(maps, table);
    const reversed = colormap.endsWith("-r");
    this.#reversed.box.checked = reversed;
    this.#list.classList.toggle("zc-reversed", reversed);
    for (const [name, radio] of this.#radios) radio.checked = name === (reversed ? colormap.slice(0, -2) : colormap);
  }

  /** Removes the control. */
  close(): void {
    fill(this.#host);
  }

  #make(maps: readonly MapName[], table: (name: string) => Uint8Array): void {
    this.#shown = maps;
    adoptStyles(this.#host, css);
    this.#radios.clear();
    fill(this.#list);
    const group = `zc-map-${Math.random().toString(36).slice(2)}`;
    for (const kind of kinds) {
      const of = maps.filter((map) => map.kind === kind);
      if (of.length === 0) continue;
      append(this.#list, el("div", { class: "zc-kind" }, kind));
      for (const { name } of of) {
        const radio = el("input", { type: "radio", name: group, value: name });
        radio.addEventListener("change", () => this.#tell());
        const preview = el("canvas", { width: 256, height: 1, "aria-hidden": "true" });
        const pixels = new ImageData(256, 1);
        pixels.data.set(table(name));
        preview.getContext("2d")?.putImageData(pixels, 0, 0);
        this.#radios.set(name, radio);
        append(this.#list, el("label", { class: "zc-map" }, radio, preview, el("span", {}, name)));
      }
    }
  }
}
