// Notes about the address and the link: what the page changed, and what it did not understand.

import { el, fill } from "./dom.js";

/** The list of notes; each can be dismissed. */
export class Notes {
  readonly #list: HTMLElement;
  readonly #here = new Set<string>();

  constructor(list: HTMLElement) {
    this.#list = list;
  }

  /** Adds a sentence unless it is present. */
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

  /** Removes all notes. */
  clear(): void {
    this.#here.clear();
    fill(this.#list);
    this.#list.hidden = true;
  }
}
