import { css as controlsCss } from "../controls/styles.js";
import { adoptStyles, el, fill } from "../dom.js";
import { theme } from "../theme.js";
import { errorWords, isFinal } from "./messages.js";
import type { Question } from "./panel.js";
import { css } from "./styles.js";

/** The surroundings of a panel: questions, errors, progress, and announcements. */
export class Shell {
  readonly #panel = el("div", { class: "panel" });
  readonly #view = el("div", { class: "view" });
  readonly #question = el("div", { class: "front", role: "group", "aria-label": "Question", hidden: true });
  readonly #failure = el("div", { class: "front failed", role: "alert", hidden: true });
  readonly #bar = el("i");
  readonly #busy = el("div", { class: "busy", role: "progressbar", "aria-label": "Loading", hidden: true }, this.#bar);
  readonly #live = el("div", { class: "live", role: "status", "aria-live": "polite" });
  #late: ReturnType<typeof setTimeout> | undefined;

  constructor(root: ShadowRoot) {
    adoptStyles(root, theme + controlsCss + css);
    fill(this.#view, this.#busy, this.#panel, this.#question, this.#failure, this.#live);
    fill(root, this.#view);
  }

  /** The controls of the element. */
  set controls(which: string) {
    this.#view.dataset.controls = which;
  }

  /** Replaces the panel. */
  put(panel: HTMLElement | null): void {
    fill(this.#panel, panel);
  }

  /** Announces a text to assistive technology. */
  say(text: string): void {
    this.#live.textContent = text;
  }

  /** Shows progress from 0 to 1; null if nothing is read. Short reads are not shown. */
  busy(share: number | null): void {
    if (share === null) {
      clearTimeout(this.#late);
      this.#late = undefined;
      this.#busy.hidden = true;
      return;
    }
    this.#bar.style.transform = `scaleX(${Math.max(0.03, share)})`;
    this.#busy.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    this.#late ??= setTimeout(() => {
      this.#busy.hidden = false;
    }, 200);
  }

  /** Shows a question, or removes it. */
  ask(question: Question | null): void {
    this.#question.hidden = question === null;
    fill(this.#question);
    if (!question) return;
    const [first, ...others] = question.answers.map(({ label, run }, i) =>
      el("button", { type: "button", class: i === 0 ? "act first" : "act", onclick: run }, label),
    );
    fill(this.#question, el("p", {}, question.text), el("div", { class: "row" }, first, ...others));
    this.say(question.text);
  }

  /**
   * Shows an error, a button that retries, and one that shows the variable without a computation;
   * or removes all.
   */
  fail(error: unknown, again?: () => void, plain?: () => void): void {
    this.#failure.hidden = error === null;
    fill(this.#failure);
    if (error === null) return;
    const { name, title, text, hint } = errorWords(error);
    fill(
      this.#failure,
      el("p", {}, el("strong", {}, title), " ", el("code", {}, name)),
      el("p", {}, text),
      hint !== "" && el("p", {}, hint),
      el(
        "div",
        { class: "row" },
        again && !isFinal(error) && el("button", { type: "button", class: "act first", onclick: again }, "Retry"),
        plain && el("button", { type: "button", class: "act", onclick: plain }, "Show the variable"),
        el("button", { type: "button", class: "act", onclick: () => this.fail(null) }, "Dismiss"),
      ),
    );
  }

  /** Removes everything. */
  clear(): void {
    this.put(null);
    this.ask(null);
    this.fail(null);
    this.busy(null);
  }
}
