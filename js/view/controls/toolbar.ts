import { fill } from "../dom.js";
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
  /** What can be taken away, asked when the menu opens. */
  entries(): Promise<readonly MenuEntry[]>;
  /** The menu could not be loaded. */
  failed(error: unknown, again: () => void): void;
}

/** Zoom, full screen, and what can be taken away. */
export class Toolbar {
  readonly #host: HTMLElement;
  readonly #events: ToolbarEvents;
  readonly #zoom: readonly HTMLButtonElement[];
  readonly #full: HTMLButtonElement;
  readonly #menu: Panel;

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
      () => void this.#list(),
      "menu",
    );
    this.#menu.box.addEventListener("toggle", () => this.#begin());
    fill(host, ...this.#zoom, this.#full, this.#menu.button, this.#menu.box);
  }

  /** Shows what there is. */
  show({ zooms, full }: ToolbarData): void {
    for (const button of this.#zoom) button.hidden = !zooms;
    this.#full.setAttribute("aria-pressed", String(full));
    this.#full.hidden = document.fullscreenEnabled === false;
  }

  /** Takes it away. */
  close(): void {
    fill(this.#host);
  }

  async #list(): Promise<void> {
    fill(this.#menu.box);
    try {
      const [{ fillMenu }, entries] = await Promise.all([import("../options/index.js"), this.#events.entries()]);
      fillMenu(this.#menu, entries, this.#events.take);
      this.#begin();
    } catch (error) {
      this.#events.failed(error, () => void this.#list());
    }
  }

  /** Goes to the first entry, once the menu is open and filled. */
  #begin(): void {
    if (!this.#menu.open) return;
    this.#menu.place();
    this.#menu.box.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }
}
