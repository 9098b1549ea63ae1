import { adoptStyles, append, el } from "../dom.js";
import { css } from "./dialogstyles.js";

/** A dialog over the view. Closing removes it. */
export class Dialog {
  /** The content. */
  readonly body = el("div", { class: "zc-body" });
  readonly #dialog: HTMLDialogElement;

  /** Opens the dialog below a root of the view. Calls `closed` once. */
  constructor(root: ParentNode & Node, title: string, closed: () => void = () => {}) {
    this.#dialog = el(
      "dialog",
      { class: "zc-dialog", "aria-label": title },
      el("div", { class: "zc-head" }, el("h2", { class: "zc-title" }, title)),
      this.body,
    );
    // Keys of the view do not act in the dialog.
    this.#dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.#dialog.addEventListener("close", () => {
      this.#dialog.remove();
      closed();
    });
    adoptStyles(root, css);
    append(root, this.#dialog);
    this.#dialog.showModal();
  }

  /** Closes the dialog. */
  close(): void {
    if (this.#dialog.open) this.#dialog.close();
  }
}
