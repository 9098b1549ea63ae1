import type { Field } from "../../describe/field.js";
import { parentOf } from "../computed/siblings.js";
import { choice, labelled, numberIn, offer, Field as TextField, textButton, wholeNumber } from "../controls/parts.js";
import { append, el, fill } from "../dom.js";
import type { ViewState } from "../state.js";

type Minus = NonNullable<ViewState["minus"]>;

/** Data of a {@link MinusChoice}. */
export interface MinusData {
  /** The drawn field. */
  readonly field: Field;
  /** The paths of other arrays that can be subtracted; null if the store does not list them. */
  readonly others: readonly string[] | null;
  /** The axes that are not drawn. */
  readonly axes: readonly {
    readonly axis: number;
    readonly name: string;
    readonly length: number;
    readonly index: number;
  }[];
  /** The current subtraction. */
  readonly minus: Minus | undefined;
}

const nameOf = (path: string) => path.split("/").at(-1) ?? path;

/** A choice of the subtracted variable, and of its index along each axis. */
export class MinusChoice {
  readonly #host: HTMLElement;
  readonly #chosen: (minus: Minus | undefined) => void;

  constructor(host: HTMLElement, chosen: (minus: Minus | undefined) => void) {
    this.#host = host;
    this.#chosen = chosen;
  }

  /** Shows the choices. */
  show({ field, others, axes, minus }: MinusData): void {
    const path = minus?.node ?? field.path;
    const index = new Map(Object.entries(minus?.index ?? {}));
    const select = choice("Subtracted variable", () => say());
    const paths = [field.path, ...new Set([...(others ?? []), path])].filter((one, i, all) => all.indexOf(one) === i);
    offer(
      select,
      paths.map((one) => [one, one === field.path ? `${nameOf(one)} (this one)` : nameOf(one)] as const),
    );
    select.value = path;
    const typed = others ? undefined : this.#path(field.path, select, () => say());
    const fields = axes
      .filter(({ length }) => length > 1)
      .map(({ name, length, index: now }) => {
        const input = new TextField(
          `Index of ${name} in the subtracted variable`,
          (text) => {
            const at = numberIn(text);
            if (text.trim() === "") index.delete(name);
            else if (Number.isInteger(at) && at >= 0 && at < length) index.set(name, at);
            else return wholeNumber(length - 1);
            input.set(text.trim());
            say();
            return undefined;
          },
          { placeholder: "as drawn", inputmode: "numeric" },
        );
        input.set(String(index.get(name) ?? ""));
        const here = textButton(`${now}`, () => {
          index.set(name, now);
          input.set(String(now));
          say();
        });
        here.title = here.ariaLabel = `The current index of ${name}: ${now}`;
        return el("div", { class: "zc-line" }, labelled(name, input.input), here);
      });
    const note = el("p", { class: "zc-note" });
    const subtract = textButton("Subtract", () => {
      const node = select.value === field.path ? {} : { node: select.value };
      this.#chosen(index.size > 0 ? { ...node, index: Object.fromEntries(index) } : node);
    });
    const say = () => {
      const none = select.value === field.path && index.size === 0;
      subtract.disabled = none;
      note.textContent = none
        ? "Choose another variable, or an index of an axis. Axes without an index follow the sliders."
        : "If either value is missing, the difference is missing.";
    };
    const nothing = textButton("Nothing", () => this.#chosen(undefined));
    nothing.disabled = minus === undefined;
    say();
    fill(
      this.#host,
      labelled("Subtract", select),
      typed,
      ...fields,
      note,
      el("div", { class: "zc-line" }, subtract, nothing),
    );
  }

  /** Returns a field for the path of a variable that the store does not list. */
  #path(own: string, select: HTMLSelectElement, chosen: () => void): HTMLElement {
    const group = parentOf(own).replace(/\/$/, "");
    const input = new TextField(
      "Path of another variable",
      (text) => {
        const name = text.trim();
        if (name === "") return "Write the name of a variable, as in the addresses of its chunks.";
        const path = name.startsWith("/") ? name : `${group}/${name}`;
        if (![...select.options].some(({ value }) => value === path))
          append(select, el("option", { value: path }, nameOf(path)));
        select.value = path;
        input.set(name);
        chosen();
        return undefined;
      },
      { placeholder: `${group}/…` },
    );
    return el(
      "div",
      {},
      labelled("Path", input.input),
      el("p", { class: "zc-note" }, "The store does not list its variables."),
    );
  }
}
