// What the controls are made of: buttons, fields for numbers, panels that open beside a button.
import { minus } from "../axes/ticks.js";
import { append, type Child, el, fill } from "../dom.js";

const SVG = "http://www.w3.org/2000/svg";

/** Lines of icons in a square of 16. */
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

/** A line icon, hidden from assistive technology: the name of its button says the same. */
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

/** A button that shows an icon and has a name. */
export function iconButton(icon: IconName, label: string, press: () => void): HTMLButtonElement {
  return el(
    "button",
    { type: "button", class: "zc-button zc-square", "aria-label": label, title: label, onclick: press },
    drawn(icon),
  );
}

/** A button that shows words. */
export function textButton(text: string, press: () => void): HTMLButtonElement {
  return el("button", { type: "button", class: "zc-button", onclick: press }, text);
}

/** Gives a button another icon and name; its focus stays. */
export function turn(button: HTMLButtonElement, icon: IconName, label: string): void {
  if (button.getAttribute("aria-label") === label) return;
  button.setAttribute("aria-label", label);
  button.title = label;
  fill(button, drawn(icon));
}

/** A number as short as it can be told: six digits that count. */
export function short(value: number): string {
  return Number.isFinite(value) ? minus(Number(value.toPrecision(6))) : "";
}

/** The number that a person wrote, or NaN. A decimal comma is taken where it cannot be anything else. */
export function numberIn(text: string): number {
  const plain = text
    .trim()
    .replace(/^[−–]/, "-")
    .replace(/([eE])[−–]/, "$1-")
    .replace(/^([^.,]*),([^.,]*)$/, "$1.$2");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
}

/** The reason for which a text is no whole number from 0 to a last one. */
export const wholeNumber = (last: number) => `Write a whole number from 0 to ${last}.`;

/** The reason for which two numbers are no range; undefined for a range. */
export function rangeReason([low, high]: readonly [number, number]): string | undefined {
  if (Number.isNaN(low) || Number.isNaN(high)) return "Write a number. For example: 0.5";
  return low < high ? undefined : "The lowest value must be below the highest.";
}

/** Counts elements that others refer to by id. */
let ids = 0;

/** A text field. Enter and leaving take its text; Escape, or leaving a text that is refused, restores it. */
export class Field {
  /** The field. */
  readonly input: HTMLInputElement;
  readonly #reason = el("div", { id: `zc-reason-${++ids}`, class: "zc-reason", popover: "manual", role: "alert" });
  #shown = "";

  /** Makes one. `take` uses the text, and returns the reason and an example where it cannot. */
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
        // Takes back the text only; the panel around it stays.
        event.preventDefault();
      }
    });
  }

  /** Marks the text as refused and shows the reason below the field; undefined ends this. */
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

  /** Shows a text, but leaves alone what is being written. */
  set(text: string): void {
    const writing = this.input.value !== this.#shown && this.input.matches(":focus");
    const same = text === this.#shown;
    this.#shown = text;
    if (same && writing) return;
    this.input.value = text;
    this.#refuse(undefined);
  }
}

/** Places a popover below what it belongs to, or above where there is more room, inside the window. */
function beside(box: HTMLElement, of: HTMLElement): void {
  const anchor = of.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const { innerWidth, innerHeight } = window;
  const below = anchor.bottom + 4 + height <= innerHeight || anchor.top < innerHeight - anchor.bottom;
  const top = below ? Math.min(anchor.bottom + 4, innerHeight - height - 4) : anchor.top - 4 - height;
  box.style.left = `${Math.max(4, Math.min(anchor.left, innerWidth - width - 4))}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

/** A button and a panel that opens beside it, over everything else. Escape and a press elsewhere close it. */
export class Panel {
  /** The button. */
  readonly button: HTMLButtonElement;
  /** The panel. */
  readonly box: HTMLDivElement;

  /** Makes both; they have to be put into the page. `opening` fills the panel before it is seen. */
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
      // The view's own keys do not work in here.
      event.stopPropagation();
      if (event.key !== "Escape") return;
      this.close();
      button.focus();
    });
  }

  /** Puts it beside its button, after what it shows has changed. */
  place(): void {
    beside(this.box, this.button);
  }

  /** Whether it is open. */
  get open(): boolean {
    return this.box.matches(":popover-open");
  }

  /** Closes it. */
  close(): void {
    if (this.open) this.box.hidePopover();
  }
}

/** A label around what it names. */
export function labelled(text: string, ...children: Child[]): HTMLLabelElement {
  return el("label", { class: "zc-label" }, el("span", {}, text), ...children);
}

/** A box to tick, with its name beside it. */
export function tick(text: string, change: (on: boolean) => void): { box: HTMLInputElement; label: HTMLLabelElement } {
  const box = el("input", { type: "checkbox" });
  box.addEventListener("change", () => change(box.checked));
  return { box, label: el("label", { class: "zc-tick" }, box, el("span", {}, text)) };
}

/** A choice of one; `options` are values and what is shown of them. */
export function choice(label: string, change: (value: string) => void): HTMLSelectElement {
  const select = el("select", { "aria-label": label });
  select.addEventListener("change", () => change(select.value));
  return select;
}

/** Gives a choice its options, only where they are others than before, so that an open list stays open. */
export function offer(select: HTMLSelectElement, options: readonly (readonly [value: string, text: string])[]): void {
  const same =
    options.length === select.options.length &&
    options.every(([value, text], i) => select.options[i]?.value === value && select.options[i]?.text === text);
  if (same) return;
  fill(select);
  for (const [value, text] of options) append(select, el("option", { value }, text));
}
