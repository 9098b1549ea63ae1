import type { Plane } from "../../describe/field.js";
import { fill } from "../dom.js";
import type { AxesChoice } from "../options/index.js";
import type { AxesPickerData } from "./data.js";
import { Panel, textButton } from "./parts.js";

/** Events of an {@link AxesPicker}. */
export interface AxesPickerEvents {
  /** The person chose other axes or another direction. */
  plane(plane: Plane): void;
  /** The code of the panel failed to load. */
  failed(error: unknown, again: () => void): void;
}

/**
 * A button that shows the drawn axes, and a panel to choose others. The panel's code is loaded when
 * it opens.
 */
export class AxesPicker {
  readonly #host: HTMLElement;
  readonly #events: AxesPickerEvents;
  readonly #panel: Panel;
  #choice: AxesChoice | null = null;
  #data: AxesPickerData = { axes: [], plane: { x: null, y: null, up: false, left: false } };

  constructor(host: HTMLElement, events: AxesPickerEvents) {
    this.#host = host;
    this.#events = events;
    this.#panel = new Panel(
      textButton("", () => {}),
      "Axes",
      () => void this.#open(),
    );
    fill(host, this.#panel.button, this.#panel.box);
  }

  /** Shows the drawn axes. */
  show(data: AxesPickerData): void {
    this.#data = data;
    const { axes, plane } = data;
    const name = (of: number | null) => axes.find(({ axis }) => axis === of)?.name ?? "";
    const text = plane.y === null ? name(plane.x) : `${name(plane.y)} × ${name(plane.x)}`;
    this.#panel.button.textContent = text;
    this.#panel.button.setAttribute("aria-label", `Axes: ${text}`);
    this.#panel.button.title = "Drawn axes";
    this.#host.hidden = axes.length === 0;
    this.#choice?.show(data);
  }

  /** Removes the control. */
  close(): void {
    fill(this.#host);
  }

  async #open(): Promise<void> {
    try {
      const { AxesChoice } = await import("../options/index.js");
      this.#choice ??= new AxesChoice(this.#panel.box, this.#data, (plane) => {
        this.show({ ...this.#data, plane });
        this.#events.plane(plane);
      });
      this.#panel.place();
    } catch (error) {
      this.#events.failed(error, () => void this.#open());
    }
  }
}
