// One value, in large letters.
import { el, fill } from "../dom.js";

/** The content of a {@link Value}. */
interface ShownValue {
  /** The name of the value. */
  readonly title: string;
  /** The value as text, with its units. */
  readonly text: string;
  /** The stored value if it differs; `""` otherwise. */
  readonly stored: string;
  /** Its parts, such as the members of a struct. */
  readonly parts: readonly { readonly name: string; readonly text: string }[];
}

/** Texts longer than this have small letters. */
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

  /** Removes the value from the page. */
  close(): void {
    this.#root.remove();
  }
}
