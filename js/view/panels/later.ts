import { adoptStyles, el } from "../dom.js";
import type { Panel, PanelEvents } from "../element/panel.js";
import type { ViewState } from "../state.js";
import type { Figure } from "../take/figure.js";

/** The lazily loaded module of panels. */
type Panels = typeof import("../panels/index.js");

/** A panel that loads its code first. */
export class LaterPanel implements Panel {
  readonly element = el("div", { class: "later" });
  readonly #make: (panels: Panels, state: ViewState) => Panel;
  readonly #events: PanelEvents;
  #state: ViewState;
  #panel: Panel | null = null;
  #closed = false;

  constructor(state: ViewState, events: PanelEvents, make: (panels: Panels, state: ViewState) => Panel) {
    this.#state = state;
    this.#events = events;
    this.#make = make;
    void this.#load();
  }

  show(state: ViewState): void {
    this.#state = state;
    this.#panel?.show(state);
  }

  get pending(): boolean {
    return this.#panel ? this.#panel.pending === true : !this.#closed;
  }

  figure(): HTMLCanvasElement {
    const canvas = this.#panel?.figure?.();
    if (!canvas) throw new DOMException("There is no figure.", "InvalidStateError");
    return canvas;
  }

  drawing(): Figure {
    const panel = this.#panel as { drawing?(): Figure } | null;
    if (!panel?.drawing) throw new DOMException("There is no figure.", "InvalidStateError");
    return panel.drawing();
  }

  cancel(): void {
    this.#panel?.cancel();
  }

  close(): void {
    this.#closed = true;
    this.#panel?.close();
  }

  async #load(): Promise<void> {
    try {
      const panels = await import("../panels/index.js");
      if (this.#closed) return;
      adoptStyles(this.element, panels.css);
      this.#panel = this.#make(panels, this.#state);
      this.element.appendChild(this.#panel.element);
    } catch (error) {
      if (!this.#closed) this.#events.failed(error, () => void this.#load());
    }
  }
}
