// What can be opened besides an address that is typed: samples, folders and files of this machine, addresses of before.

import { checkLink } from "./checklink.js";
import { byId, el, fill } from "./dom.js";
import { droppedSource, hasFiles, type LocalSource, pickedSource, pickFolder } from "./files.js";
import { forgetAll, recent } from "./recent.js";
import { rewriteUrl } from "./url.js";

/** The samples that lie beside the page. */
const SAMPLES: readonly (readonly [title: string, address: string])[] = [
  ["Climate", "./sample/earth.zarr"],
  ["Microscopy", "./sample/cells.zarr"],
  ["Table", "./sample/table.zarr"],
];
/** The sample that is shown where nothing else is asked for. */
export const SAMPLE = "./sample/earth.zarr";
/** Whether the samples lie there: in the package that npm installs they do not. */
export const HAS_SAMPLES = document.documentElement.dataset.samples !== "none";

/** What is chosen to be opened. */
interface OpenersEvents {
  /** An address. */
  address(address: string): void;
  /** Something of this machine; null where it is nothing that can be opened. */
  local(source: LocalSource | null): void;
  /** A folder could not be picked. */
  failed(error: unknown): void;
  /** The address that is open; `""` where it is of this machine, or nothing is. */
  open(): string;
}

/** The menu of what can be opened, and what is dropped on the page. */
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

  /** Marks the sample that is open. */
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
