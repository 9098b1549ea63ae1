import { Panel, textButton } from "../controls/parts.js";
import { el } from "../dom.js";

/** A button that opens a panel. The panel's code is loaded when it opens. */
export class LaterControl {
  readonly element: HTMLElement;
  readonly #panel: Panel;

  /** `content` fills the panel at each opening. `failed` takes its errors. */
  constructor(
    text: string,
    { name, title }: { readonly name: string; readonly title: string },
    content: (panel: Panel) => Promise<void>,
    failed: (error: unknown, again: () => void) => void,
    ended: AbortSignal,
  ) {
    const open = () => {
      content(this.#panel).then(
        () => !ended.aborted && this.#panel.place(),
        (error: unknown) => !ended.aborted && failed(error, open),
      );
    };
    this.#panel = new Panel(
      textButton(text, () => {}),
      name,
      open,
    );
    this.#panel.button.title = title;
    this.element = el("div", {}, this.#panel.button, this.#panel.box);
  }

  /** Marks the button while the choice of its panel is shown. `off` disables it. */
  show(chosen: boolean, off = false): void {
    this.#panel.button.setAttribute("aria-pressed", String(chosen));
    this.#panel.button.disabled = off;
  }
}
