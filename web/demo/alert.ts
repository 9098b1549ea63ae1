// Shows errors, with possible remedies and a retry button.

import { isZarrError } from "zarr-wasm";
import { checkLink } from "./checklink.js";
import { copyText, el, fill } from "./dom.js";
import { describeError, isAbort } from "./errors.js";

/** The failed action, and its address. */
type Doing = Parameters<typeof describeError>[1];

/** The box that shows an error. */
export class Alert {
  readonly #box: HTMLElement;

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  /** Shows the error of an action; `again` retries the action. */
  show(error: unknown, doing: Doing, again: () => void): void {
    const described = describeError(error, doing);
    const copy = el("button", { type: "button" }, el("span", {}, "Copy details"));
    copy.addEventListener("click", () => void copyText(described.details, copy));
    fill(
      this.#box,
      el("h3", {}, described.title),
      el("p", {}, described.text),
      el(
        "div",
        { class: "buttons" },
        // Another attempt at something unsupported fails in the same way.
        isZarrError(error, "UnsupportedError")
          ? null
          : el("button", { type: "button", class: "primary", onclick: again }, "Retry"),
        copy,
        described.host ? checkLink(el("a", { class: "button" }, "Check the host"), described.host) : null,
      ),
      described.cures.length > 0 ? el("ul", {}, ...described.cures.map((cure) => el("li", {}, cure))) : null,
      el(
        "details",
        {},
        el("summary", {}, "Details"),
        el("pre", { tabindex: 0, role: "region", "aria-label": "Details of the error" }, described.details),
      ),
    );
    this.#box.dataset.kind = isAbort(error) ? "notice" : "error";
    this.#box.hidden = false;
  }

  /** Removes the error. */
  clear(): void {
    fill(this.#box);
    this.#box.hidden = true;
  }
}
