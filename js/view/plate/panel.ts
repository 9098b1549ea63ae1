// A panel that shows a plate.
import type { Field, PlateDescription } from "../../describe/index.js";
import { describe } from "../../describe/index.js";
import { openFrom } from "../../shared/openfrom.js";
import { append, el } from "../dom.js";
import type { Panel, PanelEvents } from "../element/panel.js";
import { Plate } from "./plate.js";
import type { thumbnail } from "./thumbnail.js";

/** The wells of a plate. */
export class PlatePanel implements Panel {
  readonly element = el("div", { class: "panel-fill" });
  readonly #foot = el("div", { class: "plate-foot" });
  readonly #well = el("span", { class: "plate-at" });
  readonly #channels = el("ul", { class: "plate-channels", "aria-label": "Channels" });
  readonly #plate: Plate;

  /** `draw` draws thumbnails. */
  constructor(description: PlateDescription, events: PanelEvents, draw: typeof thumbnail) {
    const { node } = description;
    this.#plate = new Plate(this.element, {
      image: async (path, signal): Promise<Field | null> => {
        const image = await openFrom(node, node.resolve(path), { signal });
        const found = await describe(image, { group: node, signal });
        const field = found.kind === "image" || found.kind === "array" ? found.field : null;
        this.#name(field);
        return field;
      },
      pointed: (name) => this.#point(name),
      thumbnail: draw,
      opened: (path) => events.open(path),
    });
    this.#plate.show(description);
    this.#point(null);
    append(this.#foot, this.#well, this.#channels);
    append(this.element, this.#foot);
    queueMicrotask(() => events.ready());
  }

  /** Shows the well under the pointer, or the possible actions. */
  #point(name: string | null): void {
    this.#well.textContent = name === null ? "Point at a well for its name. A click opens it." : `Well ${name}`;
  }

  /** Shows the channels of the pictures, which are those of the first image. */
  #name(field: Field | null): void {
    const drawn = field?.channels?.list.filter(({ visible }) => visible) ?? [];
    if (drawn.length === 0 || this.#channels.childElementCount > 0) return;
    const entries = drawn.map(({ label, colour }) => {
      const swatch = el("i", { "aria-hidden": "true" });
      swatch.style.background = `rgb(${colour.value.join(" ")})`;
      return el("li", {}, swatch, label);
    });
    append(this.#channels, ...entries);
  }

  show(): void {}

  cancel(): void {
    this.#plate.cancel();
  }

  close(): void {
    this.#plate.close();
  }
}
