// Parts of controls: buttons, number fields, and panels that open beside a button.
import { minus } from "../axes/ticks.js";
import { append, type Child, el, fill } from "../dom.js";

const SVG = "http://www.w3.org/2000/svg";

/** Paths of line icons, in a square of 16. */
const lines = {
  play: "M5 3l8 5l-8 5z",
  pause: "M5 3v10M11 3v10",
  previous: "M10 3.5L5.5 8L10 12.5",
  next: "M6 3.5L10.5 8L6 12.5",
  options: "M3 5h6M12 5h1M3 11h1M7 11h6M9 3.5h3v3H9zM4 9.5h3v3H4z",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10M6 6h4v4H6z",
  full: "M9.5 2.5h4v4M13.5 2.5L9 7M6.5 13.5h-4v-4M2.5 13.5L7 9",
  take: "M8 2.5v7.5M4.5 7L8 10.5L11.5 7M2.5 13.5h11",
  swap: "M3 5.5h9M9.5 3L12 5.5L9.5 8M13 10.5H4M6.5 8L4 10.5L6.5 13",
} as const;

/** The name of an icon. */
type IconName = keyof typeof lines;

/** Returns a line icon, hidden from assistive technology because its button has the same name. */
function drawn(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "zc-icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", lines[name]);
  svg.append(path);
  return svg;
}

/** Returns a button with an icon and an accessible name, which `named` shows beside the icon. */
export function iconButton(icon: IconName, label: string, press: () => void, named = false): HTMLButtonElement {
  const look = named ? "zc-button" : "zc-button zc-square";
  return el(
    "button",
    { type: "button", class: look, "aria-label": label, title: label, onclick: press },
    drawn(icon),
    named && el("span", {}, label),
  );
}

/** Returns a button with a text. */
export function textButton(text: string, press: () => void): HTMLButtonElement {
  return el("button", { type: "button", class: "zc-button", onclick: press }, text);
}

/** Replaces a button's icon and name, and keeps its focus. */
export function turn(button: HTMLButtonElement, icon: IconName, label: string): void {
  if (button.getAttribute("aria-label") === label) return;
  button.setAttribute("aria-label", label);
  button.title = label;
  fill(button, drawn(icon));
}

/** Formats a number with at most six significant digits. */
export function short(value: number): string {
  return Number.isFinite(value) ? minus(Number(value.toPrecision(6))) : "";
}

/**
 * Parses a number that a person wrote, or returns NaN. Accepts a decimal comma if the text has no
 * other reading.
 */
export function numberIn(text: string): number {
  const plain = text
    .trim()
    .replace(/^[−–]/, "-")
    .replace(/([eE])[−–]/, "$1-")
    .replace(/^([^.,]*),([^.,]*)$/, "$1.$2");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
}

/** Explains why a text is not a whole number from 0 to `last`. */
export const wholeNumber = (last: number) => `Write a whole number from 0 to ${last}.`;

/** Explains why two numbers are not a range; returns undefined for a range. */
export function rangeReason([low, high]: readonly [number, number]): string | undefined {
  if (Number.isNaN(low) || Number.isNaN(high)) return "Write a number. For example: 0.5";
  return low < high ? undefined : "The lowest value must be below the highest.";
}

/** Numbers the elements that others refer to by id. */
let ids = 0;

/**
 * A text field. Enter and leaving submit its text. Escape, or leaving a rejected text, restores the
 * shown one.
 */
export class Field {
  /** The field. */
  readonly input: HTMLInputElement;
  readonly #reason = el("div", { id: `zc-reason-${++ids}`, class: "zc-reason", popover: "manual", role: "alert" });
  #shown = "";

  /** `take` uses the text, or returns a reason with an example. */
  constructor(label: string, take: (text: string) => string | undefined, more: Record<string, string> = {}) {
    this.input = el("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-label": label, ...more });
    const commit = () => this.#refuse(this.input.value === this.#shown ? undefined : take(this.input.value));
    this.input.addEventListener("change", commit);
    this.input.addEventListener("focus", () => this.input.select());
    this.input.addEventListener("blur", () => {
      if (this.input.getAttribute("aria-invalid") === "true") this.#back();
    });
    this.input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") commit();
      else if (event.key === "Escape" && this.input.value !== this.#shown) {
        this.#back();
        // Escape restores the text and keeps the panel around it open.
        event.preventDefault();
      }
    });
  }

  /** Marks the text as rejected and shows the reason below the field; undefined removes both. */
  #refuse(reason: string | undefined): void {
    const box = this.#reason;
    if (reason === undefined) {
      this.input.removeAttribute("aria-invalid");
      this.input.removeAttribute("aria-describedby");
      box.remove();
      return;
    }
    this.input.setAttribute("aria-invalid", "true");
    this.input.setAttribute("aria-describedby", box.id);
    box.textContent = reason;
    this.input.after(box);
    box.showPopover();
    beside(box, this.input);
  }

  #back(): void {
    this.input.value = this.#shown;
    this.#refuse(undefined);
  }

  /** Shows a text, except while the person edits. */
  set(text: string): void {
    const writing = this.input.value !== this.#shown && this.input.matches(":focus");
    const same = text === this.#shown;
    this.#shown = text;
    if (same && writing) return;
    this.input.value = text;
    this.#refuse(undefined);
  }
}

/** Places a popover inside the window: below its anchor, or above if there is more room. */
function beside(box: HTMLElement, of: HTMLElement): void {
  const anchor = of.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const { innerWidth, innerHeight } = window;
  const below = anchor.bottom + 4 + height <= innerHeight || anchor.top < innerHeight - anchor.bottom;
  const top = below ? Math.min(anchor.bottom + 4, innerHeight - height - 4) : anchor.top - 4 - height;
  box.style.left = `${Math.max(4, Math.min(anchor.left, innerWidth - width - 4))}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

/**
 * A button and a panel that opens beside it, above the page. Escape and a press elsewhere close it.
 */
export class Panel {
  /** The button. */
  readonly button: HTMLButtonElement;
  /** The panel. */
  readonly box: HTMLDivElement;

  /**
   * Makes both; the caller inserts them into the page. `opening` fills the panel before it opens.
   */
  constructor(button: HTMLButtonElement, name: string, opening: () => void = () => {}, role = "dialog") {
    const id = `zc-panel-${++ids}`;
    this.button = button;
    this.box = el("div", { id, class: "zc-panel", popover: "auto", role, "aria-label": name });
    button.setAttribute("aria-haspopup", role);
    button.setAttribute("aria-expanded", "false");
    button.popoverTargetElement = this.box;
    this.box.addEventListener("beforetoggle", (event) => {
      if ((event as ToggleEvent).newState === "open") opening();
    });
    this.box.addEventListener("toggle", (event) => {
      const open = (event as ToggleEvent).newState === "open";
      button.setAttribute("aria-expanded", String(open));
      if (open) this.place();
    });
    this.box.addEventListener("keydown", (event) => {
      // Keys of the view do not act in the panel.
      event.stopPropagation();
      if (event.key !== "Escape") return;
      this.close();
      button.focus();
    });
  }

  /** Places the panel beside its button again, after its content has changed. */
  place(): void {
    beside(this.box, this.button);
  }

  /** Whether the panel is open. */
  get open(): boolean {
    return this.box.matches(":popover-open");
  }

  /** Closes the panel. */
  close(): void {
    if (this.open) this.box.hidePopover();
  }
}

/** Returns a label around the named element. */
export function labelled(text: string, ...children: Child[]): HTMLLabelElement {
  return el("label", { class: "zc-label" }, el("span", {}, text), ...children);
}

/** Returns a checkbox with its name beside it. */
export function tick(text: string, change: (on: boolean) => void): { box: HTMLInputElement; label: HTMLLabelElement } {
  const box = el("input", { type: "checkbox" });
  box.addEventListener("change", () => change(box.checked));
  return { box, label: el("label", { class: "zc-tick" }, box, el("span", {}, text)) };
}

/** Returns a select element. */
export function choice(label: string, change: (value: string) => void): HTMLSelectElement {
  const select = el("select", { "aria-label": label });
  select.addEventListener("change", () => change(select.value));
  return select;
}

/**
 * Sets a select's options of values and texts, only if they differ, so that an open list stays
 * open.
 */
export function offer(select: HTMLSelectElement, options: readonly (readonly [value: string, text: string])[]): void {
  const same =
    options.length === select.options.length &&
    options.every(([value, text], i) => select.options[i]?.value === value && select.options[i]?.text === text);
  if (same) return;
  fill(select);
  for (const [value, text] of options) append(select, el("option", { value }, text));
}
