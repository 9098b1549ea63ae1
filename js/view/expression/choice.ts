import { labelled, textButton } from "../controls/parts.js";
import { el, fill } from "../dom.js";
import type { Computed } from "./computed.js";
import { parseExpression, words, written } from "./grammar.js";

/** Data of an {@link ExpressionChoice}. */
export interface ExpressionData {
  /** The shown expression; undefined if there is none. */
  readonly text: string | undefined;
  /** The result of the shown expression. */
  readonly computed: Computed | undefined;
  /** The names of the variables, the shown one first. */
  readonly names: readonly string[];
  /** Whether the store lists its variables. */
  readonly listed: boolean;
  /** The name of an axis that is not drawn; undefined if there is none. */
  readonly axis: string | undefined;
}

/** Events of an {@link ExpressionChoice}. */
interface ExpressionEvents {
  /** Rejects if an expression cannot be computed. */
  check(text: string): Promise<void>;
  /** The person chose an expression, or removed it. */
  chosen(text: string | undefined): void;
}

let ids = 0;

/** Returns the texts that complete the last word of a text by one of the names. */
export function completions(text: string, names: readonly string[]): string[] {
  const [word = ""] = /[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.exec(text) ?? [];
  const before = text.slice(0, text.length - word.length);
  const lower = word.toLowerCase();
  return [...names.map(written), ...words.map((one) => (one === "pi" ? one : `${one}(`))]
    .filter((name) => name.toLowerCase().startsWith(lower) && name !== word)
    .slice(0, 24)
    .map((name) => before + name);
}

/** A field for an expression, with completion of names and the first mistake below it. */
export class ExpressionChoice {
  /** The field. */
  readonly input: HTMLInputElement;
  readonly #events: ExpressionEvents;
  readonly #note = el("p", { class: "zc-note", role: "status" });
  readonly #shown: string;

  constructor(
    host: HTMLElement,
    { text = "", computed, names, listed, axis }: ExpressionData,
    events: ExpressionEvents,
  ) {
    this.#events = events;
    this.#shown = text;
    const list = el("datalist", { id: `zc-names-${++ids}` });
    const [first = "this"] = names.map(written);
    this.input = el("input", {
      type: "text",
      "aria-label": "Expression",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: `${first} - 273.15`,
      list: list.id,
    });
    this.input.style.width = "100%";
    this.#note.style.margin = "0";
    this.input.value = text;
    const complete = () => fill(list, ...completions(this.input.value, names).map((value) => el("option", { value })));
    complete();
    this.input.addEventListener("input", () => {
      complete();
      this.#say(this.#mistake());
    });
    this.input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" && !event.isComposing) void this.#choose();
      else if (event.key === "Escape" && this.input.value !== this.#shown) {
        // Escape restores the text and keeps the panel open.
        this.input.value = this.#shown;
        this.#say(undefined);
        event.preventDefault();
      }
    });
    if (computed)
      this.#note.textContent = computed.units === "" ? `No units: ${computed.why}.` : `In ${computed.units}.`;
    const nothing = textButton("Nothing", () => events.chosen(undefined));
    nothing.disabled = text === "";
    const other =
      axis === undefined ? [] : [` At another index: ${first}[${axis}:0]; at a position: ${first}[${axis}=…].`];
    const help = el(
      "p",
      { class: "zc-note" },
      `Operators: + - * / ^ < <= > >= == !=. Functions: ${words.filter((one) => one !== "pi").join(", ")}; pi.`,
      ...other,
      !listed && " The store does not list its variables: write a name, or a path in quotes.",
    );
    help.style.margin = "0";
    fill(
      host,
      labelled("Expression", this.input, list),
      this.#note,
      help,
      el(
        "div",
        { class: "zc-line" },
        textButton("Calculate", () => void this.#choose()),
        nothing,
      ),
    );
  }

  /** Returns the first mistake of the text; undefined if there is none. */
  #mistake(): unknown {
    try {
      parseExpression(this.input.value);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Shows an error below the field; undefined removes it. */
  #say(error: unknown): void {
    const { message = "", hint = "" } = Object(error) as Partial<Error & { hint: string }>;
    this.#note.textContent = [message && `${message}.`, hint].filter(Boolean).join(" ");
    if (error === undefined) this.input.removeAttribute("aria-invalid");
    else this.input.setAttribute("aria-invalid", "true");
  }

  async #choose(): Promise<void> {
    const { value } = this.input;
    try {
      parseExpression(value);
      this.#note.textContent = "Checking the variables…";
      await this.#events.check(value);
    } catch (error) {
      if (this.input.value === value) this.#say(error);
      return;
    }
    if (this.input.value === value) this.#events.chosen(value.trim());
  }
}
