// A dialog with the keys of the page and of the view.

import type { KeySection } from "zarr-wasm/view";
import { el, fill } from "./dom.js";

const PAGE: KeySection = {
  title: "Page",
  keys: [
    [["/"], "go to the address box"],
    [["←", "→", "↑", "↓", "Home", "End"], "go through the contents; letters find names, * opens all siblings"],
    [["Enter"], "open a node"],
    [["Esc"], "close a panel on a narrow screen, or end a search"],
    [["?"], "show these keys"],
  ],
};

/** Returns the focused element, even inside the view. */
function focused(): Element | null {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}

/** The help. `?` opens it, except in text fields. */
export class Help {
  readonly #dialog: HTMLDialogElement;
  readonly #list: HTMLElement;
  readonly #keys: () => Promise<readonly KeySection[]>;
  /** The element that receives the focus on closing. */
  #before: Element | null = null;

  constructor(dialog: HTMLDialogElement, list: HTMLElement, keys: () => Promise<readonly KeySection[]>) {
    this.#dialog = dialog;
    this.#list = list;
    this.#keys = keys;
    dialog.addEventListener("close", () => {
      if (this.#before instanceof HTMLElement) this.#before.focus();
    });
    // The listener captures the key before the view, which would show only its own keys.
    document.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
        const [at] = event.composedPath();
        if (at instanceof Element && at.matches("input, select, textarea")) return;
        event.preventDefault();
        event.stopPropagation();
        void this.open();
      },
      { capture: true },
    );
  }

  /** Opens the dialog. */
  async open(): Promise<void> {
    if (this.#dialog.open) return;
    this.#before = focused();
    const sections = [PAGE, ...(await this.#keys().catch(() => []))];
    if (this.#dialog.open) return;
    fill(
      this.#list,
      ...sections.flatMap(({ title, keys }) => [
        el("h3", { class: "help-section" }, title),
        el(
          "dl",
          {},
          ...keys.flatMap(([names, does]) => [
            el("dt", {}, ...names.flatMap((name, i) => [i > 0 && " ", el("kbd", {}, name)])),
            el("dd", {}, does),
          ]),
        ),
      ]),
    );
    this.#dialog.showModal();
  }
}
