import { fill } from "../dom.js";
import { iconButton, Panel } from "./parts.js";

/** An entry of a menu. */
export interface MenuEntry {
  /** The entry's name in the event. */
  readonly id: string;
  /** The displayed text. */
  readonly text: string;
  /** The heading above the entry and its neighbours of the same group. */
  readonly group: string;
  /** The reason why it is disabled; undefined if it is not. */
  readonly without?: string | undefined;
}

/** Data of a {@link Toolbar}. */
export interface ToolbarData {
  /** Whether there is a picture to zoom. */
  readonly zooms: boolean;
  /** Whether the view fills the screen. */
  readonly full: boolean;
}

/** Events of a {@link Toolbar}. */
export interface ToolbarEvents {
  /** The person zoomed: in by a factor above 1, else out. */
  zoom(factor: number): void;
  /** The person asked for the whole picture. */
  fit(): void;
  /** The person entered or left full screen. */
  full(): void;
  /** The person chose a menu entry. */
  take(id: string): void;
  /** Returns the entries of the download menu; called when it opens. */
  entries(): Promise<readonly MenuEntry[]>;
  /** The menu failed to load. */
  failed(error: unknown, again: () => void): void;
}

/** Buttons for zoom and full screen, and the download menu. */
export class Toolbar {
  readonly #hosts: readonly HTMLElement[];
  readonly #events: ToolbarEvents;
  readonly #zoom: readonly HTMLButtonElement[];
  readonly #full: HTMLButtonElement;
  readonly #menu: Panel;

  /** Fills two elements: one with zoom and full screen, one with the download menu. */
  constructor({ zoom, away }: { readonly zoom: HTMLElement; readonly away: HTMLElement }, events: ToolbarEvents) {
    this.#hosts = [zoom, away];
    this.#events = events;
    zoom.classList.add("zc-tools");
    zoom.setAttribute("role", "toolbar");
    zoom.setAttribute("aria-label", "Zoom");
    this.#zoom = [
      iconButton("plus", "Zoom in", () => events.zoom(1.5)),
      iconButton("minus", "Zoom out", () => events.zoom(1 / 1.5)),
      iconButton("fit", "Show all", () => events.fit()),
    ];
    this.#full = iconButton("full", "Full screen", () => events.full());
    this.#menu = new Panel(
      iconButton("take", "Take away", () => {}, true),
      "Take away",
      () => void this.#list(),
      "menu",
    );
    this.#menu.box.addEventListener("toggle", () => this.#begin());
    fill(zoom, ...this.#zoom, this.#full);
    fill(away, this.#menu.button, this.#menu.box);
  }

  /** Shows the buttons that apply. */
  show({ zooms, full }: ToolbarData): void {
    for (const button of this.#zoom) button.hidden = !zooms;
    this.#full.setAttribute("aria-pressed", String(full));
    this.#full.hidden = document.fullscreenEnabled === false;
  }

  /** Removes the control. */
  close(): void {
    for (const host of this.#hosts) fill(host);
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

  /** Focuses the first entry, once the menu is open and filled. */
  #begin(): void {
    if (!this.#menu.open) return;
    this.#menu.place();
    this.#menu.box.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }
}
