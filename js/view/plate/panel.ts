// A panel that shows a plate.
import type { Field, PlateDescription } from "../../describe/index.js";
import { describe } from "../../describe/index.js";
import { openFrom } from "../../shared/openfrom.js";
import { el } from "../dom.js";
import type { Panel, PanelEvents } from "../element/panel.js";
import { Plate } from "./plate.js";
import type { thumbnail } from "./thumbnail.js";

/** The wells of a plate. */
export class PlatePanel implements Panel {
  readonly element = el("div", { class: "panel-fill" });
  readonly #plate: Plate;

  /** `draw` draws thumbnails. */
  constructor(description: PlateDescription, events: PanelEvents, draw: typeof thumbnail) {
    const { node } = description;
    this.#plate = new Plate(this.element, {
      image: async (path, signal): Promise<Field | null> => {
        const image = await openFrom(node, node.resolve(path), { signal });
        const found = await describe(image, { group: node, signal });
        return found.kind === "image" || found.kind === "array" ? found.field : null;
      },
      thumbnail: draw,
      opened: (path) => events.open(path),
    });
    this.#plate.show(description);
    queueMicrotask(() => events.ready());
  }

  show(): void {}

  cancel(): void {
    this.#plate.cancel();
  }

  close(): void {
    this.#plate.close();
  }
}
