import { adoptStyles, append, el } from "../dom.js";
import { css } from "./dialogstyles.js";

/** A dialog over the view; it is gone when it is closed. */
export class Dialog {
  /** What it shows. */
  readonly body = el("div", { class: "zc-body" });
  readonly #dialog: HTMLDialogElement;

  /** Opens it below a root of the view; `closed` is called once. */
  constructor(root: ParentNode & Node, title: string, closed: () => void = () => {}) {
    this.#dialog = el(
      "dialog",
      { class: "zc-dialog", "aria-label": title },
      el("div", { class: "zc-head" }, el("h2", { class: "zc-title" }, title)),
      this.body,
    );
    // The view's own keys do not work in here.
    this.#dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.#dialog.addEventListener("close", () => {
      this.#dialog.remove();
      closed();
    });
    adoptStyles(root, css);
    append(root, this.#dialog);
    this.#dialog.showModal();
  }

  /** Closes it. */
  close(): void {
    if (this.#dialog.open) this.#dialog.close();
  }
}
