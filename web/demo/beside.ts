// A second address beside the first one. Both views move together where their axes agree.

import { ZarrView } from "zarr-wasm/view";
import { redact } from "../../js/platform/redact.js";
import { byId, el, fill } from "./dom.js";
import { recent } from "./recent.js";
import { formatLink, parseLink } from "./state.js";
import { Hierarchy, isArray } from "./store.js";
import { baseName, relativeTo, rewriteUrl } from "./url.js";

/** The word by which both views are synchronised. */
const WORD = "beside";
/** The parts of a link that say that the views do not move together, or have own ranges. */
const APART = "apart";
const OWN = "own";

/** The second view, with its address, its node and its link to the first view. */
export class Beside {
  readonly #main: ZarrView;
  readonly #section = byId("beside", HTMLElement);
  readonly #title = byId("beside-title", HTMLHeadingElement);
  readonly #note = byId("beside-note", HTMLParagraphElement);
  readonly #node = byId("beside-node", HTMLSelectElement);
  readonly #linked = byId("beside-linked", HTMLInputElement);
  readonly #ranges = byId("beside-ranges", HTMLInputElement);
  readonly #address = byId("beside-url", HTMLInputElement);
  readonly #ask = byId("beside-ask", HTMLDivElement);
  /** The second view. It is in the page only while there is a second address. */
  readonly #view = new ZarrView();
  #opening = new AbortController();
  /** The address, as in the page's own address; `""` without a second view. */
  #url = "";

  /**
   * `open` returns the address of the first view. Calls `changed` after a change by the person.
   */
  constructor(main: ZarrView, open: () => string, changed: () => void) {
    this.#main = main;
    const view = this.#view;
    view.controls = "all";
    const button = el("button", { type: "button", slot: "compare", popovertarget: this.#ask.id }, "Second address…");
    button.title = "Show a second address beside this one; both move together";
    main.append(button);
    this.#ask.addEventListener("toggle", (event) => {
      if ((event as ToggleEvent).newState !== "open") return;
      this.#address.value = this.#url || open();
      fill(byId("beside-recent", HTMLDataListElement), ...recent().map((value) => el("option", { value })));
      this.#address.focus();
      this.#address.select();
    });
    byId("beside-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask.hidePopover();
      void this.#show(this.#address.value, this.#main.state.node ?? "", true).then(changed);
    });
    byId("beside-close", HTMLButtonElement).addEventListener("click", () => {
      this.close();
      changed();
    });
    for (const box of [this.#linked, this.#ranges]) {
      box.addEventListener("change", () => {
        this.#link();
        changed();
      });
    }
    this.#node.addEventListener("change", () => {
      const { index, camera } = view.state;
      view.state = { node: this.#node.value, index, camera };
      changed();
    });
    // Attributes also change when the first view leads.
    new MutationObserver(() => this.#url && changed()).observe(view, { attributes: true });
  }

  /** Shows the second view of a page's link, or none. */
  restore(link: string): void {
    if (link === this.link((url) => url)) return;
    if (link === "") {
      this.close();
      return;
    }
    const { state } = parseLink("", link);
    const states = (word: string) => new RegExp(`(^|&)${word}(&|$)`).test(link);
    this.#linked.checked = !states(APART);
    this.#ranges.checked = !states(OWN);
    void this.#show(state.url, state.view.node ?? "", false).then(() => {
      this.#view.state = { ...state.view, node: this.#view.state.node };
      this.#link();
    });
  }

  /** Returns the part of the page's link, with the address changed by `shared`. */
  link(shared: (url: string) => string): string {
    if (this.#url === "") return "";
    const words = [this.#linked.checked ? "" : `&${APART}`, this.#ranges.checked ? "" : `&${OWN}`];
    return formatLink(shared(this.#url), this.#view.fullState) + words.join("");
  }

  /** Removes the second view. */
  close(): void {
    this.#opening.abort();
    this.#url = "";
    this.#view.source = null;
    this.#view.remove();
    this.#section.hidden = true;
    this.#main.removeAttribute("sync");
    this.#main.removeAttribute("ranges");
  }

  /** Links the views, or lets them move apart. */
  #link(): void {
    for (const view of [this.#main, this.#view]) {
      if (this.#linked.checked) view.sync = WORD;
      else view.removeAttribute("sync");
      view.ranges = this.#ranges.checked ? "shared" : "own";
    }
    this.#ranges.disabled = !this.#linked.checked;
  }

  /** Opens an address, and shows its node of a path, or else its first one. */
  async #show(pasted: string, path: string, follow: boolean): Promise<void> {
    this.#opening.abort();
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    this.#section.append(this.#view);
    this.#section.hidden = false;
    this.#note.textContent = "Opening…";
    this.#node.hidden = true;
    this.#view.source = null;
    this.#view.hidden = true;
    this.#title.textContent = redact(pasted);
    try {
      const { url, node } = rewriteUrl(pasted, document.baseURI);
      this.#url = relativeTo(url, document.baseURI);
      const store = new Hierarchy(url);
      this.#title.textContent = store.name;
      const wanted = await this.#nodeOf(store, node === "/" ? path : node, signal);
      if (signal.aborted) return;
      if (wanted === null) {
        this.#note.textContent = "Nothing at this address can be drawn.";
        return;
      }
      const [source, names] = [(await store.top()) ?? (await store.node(wanted)), await variablesOf(store, signal)];
      if (signal.aborted) return;
      this.#note.textContent = "";
      fill(this.#node, ...[...new Set([wanted, ...names])].map((value) => el("option", { value }, baseName(value))));
      this.#node.value = wanted;
      this.#node.hidden = this.#node.options.length < 2;
      this.#view.hidden = false;
      this.#view.source = source;
      this.#view.state = { node: wanted };
      this.#link();
      if (follow) this.#view.addEventListener("ready", () => this.#follow(), { once: true, signal });
    } catch (error) {
      if (!signal.aborted) this.#note.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** Moves the second view to the place of the first one. */
  #follow(): void {
    if (this.#linked.checked) this.#main.lead();
  }

  /** Returns the path of a node that can be drawn; null if there is none. */
  async #nodeOf(store: Hierarchy, path: string, signal: AbortSignal): Promise<string | null> {
    const start = await store.start();
    const there = path === "" ? null : await store.maybe(path);
    if (there) {
      const it = await store.described(there, signal);
      if (isArray(there) || it.kind === "image") return path;
    }
    return store.firstNode(start, signal);
  }
}

/** Returns the paths of the variables of a dataset. */
async function variablesOf(store: Hierarchy, signal: AbortSignal): Promise<string[]> {
  const top = await store.top();
  const it = top && (await store.described(top, signal));
  return it?.kind === "dataset" ? it.variables.map(({ path }) => path) : [];
}
