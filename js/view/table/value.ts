// One value, large.
import { el, fill } from "../dom.js";

/** A value to be read. */
interface ShownValue {
  /** What it is. */
  readonly title: string;
  /** What it means, in words with its units. */
  readonly text: string;
  /** What is stored, where that is something else; `""` otherwise. */
  readonly stored: string;
  /** Its parts, where it has such, as a struct does. */
  readonly parts: readonly { readonly name: string; readonly text: string }[];
}

/** Longer texts are written small. */
const short = 60;

/** Shows one value. */
export class Value {
  readonly #root: HTMLElement;

  constructor(host: HTMLElement) {
    this.#root = el("div", { class: "value" });
    host.appendChild(this.#root);
  }

  /** Shows a value. */
  show({ title, text, stored, parts }: ShownValue): void {
    const long = text.length > short || text.includes("\n");
    fill(
      this.#root,
      el("div", { class: "value-title" }, title),
      parts.length > 0
        ? null
        : el("output", { class: long ? "value-text value-long" : "value-text", "aria-label": title }, text || "“”"),
      stored === "" || stored === text ? null : el("div", { class: "value-stored" }, `stored: ${stored}`),
      parts.length === 0
        ? null
        : el(
            "dl",
            { class: "value-parts" },
            ...parts.flatMap((part) => [el("dt", {}, part.name), el("dd", {}, part.text)]),
          ),
    );
  }

  /** Leaves the page. */
  close(): void {
    this.#root.remove();
  }
}
