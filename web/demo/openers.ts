// The menu of sources other than a typed address: samples, local folders and files, recent
// addresses.

import { checkLink } from "./checklink.js";
import { byId, el, fill } from "./dom.js";
import { droppedSource, hasFiles, type LocalSource, pickedSource, pickFolder } from "./files.js";
import { forgetAll, recent } from "./recent.js";
import { HAS_SAMPLES } from "./sample.js";
import { rewriteUrl } from "./url.js";

/** The samples beside the page. */
const SAMPLES: readonly (readonly [title: string, address: string])[] = [
  ["Climate", "./sample/earth.zarr"],
  ["Microscopy", "./sample/cells.zarr"],
  ["Table", "./sample/table.zarr"],
];

/** Callbacks of the menu. */
interface OpenersEvents {
  /** The person chose an address. */
  address(address: string): void;
  /** The person chose a local source; null if it cannot be opened. */
  local(source: LocalSource | null): void;
  /** The folder picker failed. */
  failed(error: unknown): void;
  /** Returns the open address; `""` for a local store or none. */
  open(): string;
}

/** The menu of sources, and a target for dropped files. */
export class Openers {
  readonly #events: OpenersEvents;
  readonly #menu = byId("sources", HTMLDivElement);
  readonly #samples = byId("samples", HTMLDivElement);

  constructor(events: OpenersEvents) {
    this.#events = events;
    byId("samples-section", HTMLElement).hidden = !HAS_SAMPLES;
    for (const [title, address] of SAMPLES) {
      const open = (): void => this.#open(address);
      this.#samples.append(
        el("button", { type: "button", "data-sample": address, "aria-pressed": "false", onclick: open }, title),
      );
    }
    byId("recent-clear", HTMLButtonElement).addEventListener("click", () => {
      forgetAll();
      this.#showRecent();
    });
    this.#menu.addEventListener("beforetoggle", () => this.#showRecent());
    this.#picking();
    this.#dropping();
  }

  /** Closes the menu. */
  close(): void {
    this.#menu.hidePopover();
  }

  /** Marks the open sample. */
  mark(url: string): void {
    for (const button of this.#samples.querySelectorAll<HTMLButtonElement>("[data-sample]")) {
      const sample = rewriteUrl(button.dataset.sample ?? "", document.baseURI).url;
      button.setAttribute("aria-pressed", String(sample === url));
    }
  }

  #open(address: string): void {
    this.close();
    this.#events.address(address);
  }

  #picking(): void {
    const folderInput = byId("folder-input", HTMLInputElement);
    const fileInput = byId("file-input", HTMLInputElement);
    byId("pick-folder", HTMLButtonElement).addEventListener("click", () => {
      pickFolder().then(
        (source) => (source === undefined ? folderInput.click() : source && this.#events.local(source)),
        (error: unknown) => this.#events.failed(error),
      );
    });
    byId("pick-file", HTMLButtonElement).addEventListener("click", () => fileInput.click());
    for (const input of [folderInput, fileInput]) {
      input.addEventListener("change", () => {
        const source = pickedSource(input.files);
        input.value = "";
        this.#events.local(source);
      });
    }
  }

  #dropping(): void {
    const drop = byId("drop", HTMLDivElement);
    document.addEventListener("dragover", (event) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      drop.hidden = false;
    });
    document.addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) drop.hidden = true;
    });
    document.addEventListener("drop", (event) => {
      drop.hidden = true;
      if (!event.dataTransfer || !hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      void droppedSource(event.dataTransfer).then((source) => this.#events.local(source));
    });
  }

  #showRecent(): void {
    const addresses = recent();
    byId("recent", HTMLElement).hidden = addresses.length === 0;
    fill(
      byId("recent-list", HTMLUListElement),
      ...addresses.map((address) => {
        const open = (): void => this.#open(address);
        return el("li", {}, el("button", { type: "button", title: address, onclick: open }, address));
      }),
    );
    checkLink(byId("check-link", HTMLAnchorElement), this.#events.open());
  }
}
