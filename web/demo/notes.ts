// Sentences beside what is shown: what of an address was changed, what of a link was not understood.

import { el, fill } from "./dom.js";

/** The list of notes; each can be dismissed. */
export class Notes {
  readonly #list: HTMLElement;
  readonly #here = new Set<string>();

  constructor(list: HTMLElement) {
    this.#list = list;
  }

  /** Adds a sentence, once. */
  add(text: string): void {
    if (this.#here.has(text)) return;
    this.#here.add(text);
    const item = el("li", {}, el("span", {}, text));
    const dismiss = (): void => {
      item.remove();
      this.#list.hidden = this.#list.childElementCount === 0;
    };
    item.append(
      el("button", { type: "button", class: "ghost square", "aria-label": "Dismiss", onclick: dismiss }, "×"),
    );
    this.#list.append(item);
    this.#list.hidden = false;
  }

  /** Takes all away. */
  clear(): void {
    this.#here.clear();
    fill(this.#list);
    this.#list.hidden = true;
  }
}
