import { append, el, fill } from "../dom.js";
import { iconButton, Panel } from "./parts.js";

/** An entry of a menu. */
export interface MenuEntry {
  /** Names it in the event. */
  readonly id: string;
  /** What is shown. */
  readonly text: string;
  /** The heading that it stands below, with those before it of the same. */
  readonly group: string;
  /** Why it cannot be used; undefined where it can. */
  readonly without?: string | undefined;
}

/** What a {@link Toolbar} shows. */
export interface ToolbarData {
  /** Whether there is a picture to zoom. */
  readonly zooms: boolean;
  /** Whether the view fills the screen. */
  readonly full: boolean;
  /** What can be taken away. */
  readonly take: readonly MenuEntry[];
}

/** What a {@link Toolbar} tells. */
export interface ToolbarEvents {
  /** Zoom in, above 1, or out. */
  zoom(factor: number): void;
  /** Show all. */
  fit(): void;
  /** Fill the screen, or no longer. */
  full(): void;
  /** An entry of the menu was chosen. */
  take(id: string): void;
}

/** Zoom, full screen, and what can be taken away. */
export class Toolbar {
  readonly #host: HTMLElement;
  readonly #events: ToolbarEvents;
  readonly #zoom: readonly HTMLButtonElement[];
  readonly #full: HTMLButtonElement;
  readonly #menu: Panel;
  #entries: readonly MenuEntry[] = [];

  constructor(host: HTMLElement, events: ToolbarEvents) {
    this.#host = host;
    this.#events = events;
    host.classList.add("zc-tools");
    host.setAttribute("role", "toolbar");
    host.setAttribute("aria-label", "Tools");
    this.#zoom = [
      iconButton("plus", "Zoom in", () => events.zoom(1.5)),
      iconButton("minus", "Zoom out", () => events.zoom(1 / 1.5)),
      iconButton("fit", "Show all", () => events.fit()),
    ];
    this.#full = iconButton("full", "Full screen", () => events.full());
    this.#menu = new Panel(
      iconButton("take", "Take away", () => {}),
      "Take away",
      () => this.#list(),
      "menu",
    );
    this.#menu.box.addEventListener("keydown", (event) => this.#key(event));
    this.#menu.box.addEventListener("toggle", () => {
      if (this.#menu.open) this.#items()[0]?.focus();
    });
    fill(host, ...this.#zoom, this.#full, this.#menu.button, this.#menu.box);
  }

  /** Shows what there is. */
  show({ zooms, full, take }: ToolbarData): void {
    for (const button of this.#zoom) button.hidden = !zooms;
    this.#full.setAttribute("aria-pressed", String(full));
    this.#full.hidden = document.fullscreenEnabled === false;
    this.#entries = take;
    this.#menu.button.hidden = take.length === 0;
  }

  /** Takes it away. */
  close(): void {
    fill(this.#host);
  }

  #items(): HTMLElement[] {
    return [...this.#menu.box.querySelectorAll<HTMLElement>("[role=menuitem]")];
  }

  #list(): void {
    fill(this.#menu.box);
    let group = "";
    let box: HTMLElement = this.#menu.box;
    for (const entry of this.#entries) {
      if (entry.group !== group) {
        group = entry.group;
        box = el(
          "div",
          { role: "group", "aria-label": group },
          el("div", { class: "zc-kind", "aria-hidden": "true" }, group),
        );
        append(this.#menu.box, box);
      }
      const item = el(
        "button",
        { type: "button", role: "menuitem", class: "zc-item", tabindex: -1, "aria-disabled": entry.without && "true" },
        entry.text,
        entry.without ? el("small", {}, entry.without) : null,
      );
      item.addEventListener("click", () => {
        if (entry.without) return;
        this.#menu.close();
        this.#menu.button.focus();
        this.#events.take(entry.id);
      });
      append(box, item);
    }
  }

  #key(event: KeyboardEvent): void {
    const items = this.#items();
    const at = items.indexOf(event.target as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Tab") this.#menu.close();
    if (to === undefined) return;
    items[to % items.length]?.focus();
    event.preventDefault();
  }
}
