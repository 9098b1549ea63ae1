import { Panel, textButton } from "../controls/parts.js";
import type { MinusData } from "../difference/choice.js";
import { el } from "../dom.js";

/** The choices of now, without the siblings. */
type Shown = Omit<MinusData, "others">;

/** Events of the subtraction. */
export interface SubtractionEvents {
  /** The person chose a subtraction. */
  minus(minus: MinusData["minus"]): void;
  /** An operation failed. */
  failed(error: unknown, again: () => void): void;
}

/** The button that opens the choice of a subtraction. Its code is loaded when it opens. */
export class SubtractionControl {
  readonly element: HTMLElement;
  readonly #panel: Panel;
  readonly #shown: () => Shown;
  readonly #others: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly #events: SubtractionEvents;
  readonly #ended: AbortSignal;

  constructor(
    shown: () => Shown,
    others: (signal: AbortSignal) => Promise<readonly string[]>,
    events: SubtractionEvents,
    ended: AbortSignal,
  ) {
    this.#shown = shown;
    this.#others = others;
    this.#events = events;
    this.#ended = ended;
    this.#panel = new Panel(
      textButton("Compare", () => {}),
      "Compare with",
      () => void this.#fill(),
    );
    this.#panel.button.title = "Subtract another variable or another index";
    this.element = el("div", {}, this.#panel.button, this.#panel.box);
  }

  /** Marks the button if there is a subtraction. */
  show(minus: MinusData["minus"]): void {
    this.#panel.button.setAttribute("aria-pressed", String(minus !== undefined));
  }

  async #fill(): Promise<void> {
    try {
      const { MinusChoice } = await import("../difference/index.js");
      const others = await this.#others(this.#ended);
      if (this.#ended.aborted) return;
      const choice = new MinusChoice(this.#panel.box, (minus) => {
        this.#panel.close();
        this.#events.minus(minus);
      });
      choice.show({ ...this.#shown(), others });
      this.#panel.place();
    } catch (error) {
      if (!this.#ended.aborted) this.#events.failed(error, () => void this.#fill());
    }
  }
}
