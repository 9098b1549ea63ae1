// The page: the URL box and the samples, the tree, the node in the middle, errors, and the page's own address.

import { byId, copyText, el, fill } from "./dom.js";
import { describeError, isAbort } from "./errors.js";
import { formatBytes, formatCount, formatShape } from "./format.js";
import { showMetadata } from "./metadata.js";
import { Latest } from "./slice.js";
import { emptyState, formatState, parseState, type ViewState } from "./state.js";
import { Hierarchy, isArray, itemOfNode, type Node } from "./store.js";
import { Tree } from "./tree.js";
import { baseName, joinPath, relativeTo, rewriteUrl } from "./url.js";
import { ArrayView, type ViewChoice } from "./view.js";

const SAMPLE = "./sample/climate.zarr";
/** How long a read may take before the bar appears (ms). */
const BAR_AFTER = 100;
/** How long the page's address waits for further changes (ms). */
const ADDRESS_PAUSE = 200;

class Page {
  readonly #urlBox = byId("url", HTMLInputElement);
  readonly #notes = byId("notes", HTMLUListElement);
  readonly #alert = byId("alert", HTMLDivElement);
  readonly #status = byId("status", HTMLParagraphElement);
  readonly #traffic = byId("traffic", HTMLParagraphElement);
  readonly #busyBox = byId("busy", HTMLDivElement);
  readonly #bar = byId("progress", HTMLProgressElement);
  readonly #busyText = byId("busy-text", HTMLSpanElement);
  readonly #metadata = byId("metadata", HTMLDivElement);
  readonly #title = byId("node-title", HTMLHeadingElement);
  readonly #summary = byId("node-summary", HTMLParagraphElement);
  readonly #pathBox = byId("path", HTMLInputElement);
  readonly #groupHint = byId("group-hint", HTMLParagraphElement);
  readonly #samples = [...document.querySelectorAll<HTMLButtonElement>("button[data-sample]")];
  readonly #tree: Tree;
  readonly #view: ArrayView;
  readonly #going = new Latest();
  #store: Hierarchy | null = null;
  #state: ViewState = emptyState();
  #place: "query" | "hash" = "query";
  #barTimer: ReturnType<typeof setTimeout> | undefined;
  #addressTimer: ReturnType<typeof setTimeout> | undefined;
  #noteKeys = new Set<string>();
  /** What Retry does after a cancelled or failed step. */
  #again: () => void = () => {};

  constructor() {
    this.#tree = new Tree(
      byId("tree", HTMLDivElement),
      (path) => this.#children(path),
      (path) => void this.#goTo(path, emptyState()),
    );
    this.#view = new ArrayView({
      loading: (text) => this.#loading(text),
      progress: (done, total) => this.#progress(done, total),
      ready: (text) => this.#ready(text),
      failed: (error, action, again) => this.#failed(error, action, again),
      chosen: (choice) => this.#chosen(choice),
      note: (text) => this.#note(text),
    });
    byId("open-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#openUrl(this.#urlBox.value, emptyState());
    });
    byId("path-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#goTo(joinPath("/", this.#pathBox.value.trim()), emptyState());
    });
    byId("cancel", HTMLButtonElement).addEventListener("click", () => this.#cancel());
    for (const button of this.#samples) {
      button.addEventListener("click", () => void this.#openUrl(button.dataset.sample ?? SAMPLE, emptyState()));
    }
    // Only a hash that holds a state: the page itself writes without this event.
    window.addEventListener("hashchange", () => {
      if (parseState("", location.hash).place === "hash") this.start();
    });
    byId("skip", HTMLAnchorElement).addEventListener("click", (event) => {
      // The hash may hold the state, and must not be lost for a jump.
      event.preventDefault();
      byId("stage", HTMLElement).focus();
    });
    document.addEventListener("keydown", (event) => {
      if (
        event.key === "/" &&
        !(event.target instanceof HTMLInputElement) &&
        !event.ctrlKey &&
        !event.metaKey &&
        !event.altKey
      ) {
        event.preventDefault();
        this.#urlBox.focus();
        this.#urlBox.select();
      }
    });
  }

  /** Opens what the page's address says, or the sample. */
  start(): void {
    const { state, problems, place } = parseState(location.search, location.hash);
    this.#place = place;
    void this.#openUrl(state.url === "" ? SAMPLE : state.url, state, problems);
  }

  async #openUrl(pasted: string, wanted: ViewState, problems: string[] = []): Promise<void> {
    this.#clearNotes();
    this.#clearAlert();
    for (const problem of problems) this.#note(problem);
    this.#view.close();
    const again = (): void => void this.#openUrl(pasted, wanted);
    let store: Hierarchy;
    let node = wanted.node;
    try {
      const rewritten = rewriteUrl(pasted, document.baseURI);
      for (const text of rewritten.notes) this.#note(text);
      store = new Hierarchy(rewritten.url);
      // A link that names a node has the store's own address, an address pasted by hand may go deeper.
      if (rewritten.node !== "/") node = joinPath(rewritten.node, node.replace(/^\//, ""));
    } catch (error) {
      this.#going.cancel();
      this.#store = null;
      this.#tree.clear();
      this.#blank(pasted);
      this.#failed(error, "understanding the address", again);
      return;
    }
    this.#store = store;
    this.#urlBox.value = this.#isSample(store.url) ? pasted : store.url;
    this.#state = { ...wanted, url: relativeTo(store.url, document.baseURI), node };
    for (const button of this.#samples) {
      const sample = rewriteUrl(button.dataset.sample ?? "", document.baseURI).url;
      button.setAttribute("aria-pressed", String(sample === store.url));
    }
    this.#tree.clear();
    this.#blank(decodeName(store.url));
    this.#loading("Opening the store…");
    try {
      const outcome = await this.#going.run(async (signal) => {
        let root: Node | null = null;
        try {
          root = await store.node("/", signal);
        } catch (error) {
          // A link may name a node of a store whose root is no node itself.
          if (node === "" || node === "/" || isAbort(error)) throw error;
          await store.node(node, signal);
        }
        return root;
      });
      if (outcome.stale || this.#store !== store) return;
      const root = outcome.value;
      const name = decodeName(store.url);
      this.#tree.setRoot(root ? itemOfNode(root, name) : { path: "/", name, kind: "unknown", detail: "" });
      const target = node || (await this.#firstNode(store));
      if (this.#store !== store) return;
      void this.#tree.openRoot();
      await this.#goTo(target, this.#state, store);
    } catch (error) {
      if (this.#store === store) this.#failed(error, "opening the store", again);
    }
  }

  /** The node to begin with, when none is asked for; the search is bounded by what the page can wait for. */
  async #firstNode(store: Hierarchy): Promise<string> {
    const outcome = await this.#going.run(async (signal) => {
      const patience = new Promise<null>((resolve) => setTimeout(() => resolve(null), 8000));
      const stopped = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
      return Promise.race([store.firstPicture("/").catch(() => null), patience, stopped]);
    });
    return outcome.stale ? "/" : (outcome.value ?? "/");
  }

  /** Opens a node of the store and shows it. */
  async #goTo(path: string, wanted: ViewState, expected: Hierarchy | null = this.#store): Promise<void> {
    const store = this.#store;
    if (!store || store !== expected) return;
    this.#clearAlert();
    this.#view.close();
    this.#groupHint.hidden = true;
    this.#pathBox.value = path;
    this.#state = { ...wanted, url: this.#state.url, node: path };
    this.#writeAddress();
    this.#head(path, "");
    this.#loading(`Opening ${path}…`);
    const again = (): void => {
      store.forget(path);
      void this.#goTo(path, wanted);
    };
    try {
      const outcome = await this.#going.run((signal) => store.node(path, signal));
      if (outcome.stale || this.#store !== store) return;
      const node = outcome.value;
      void this.#tree.reveal(path);
      this.#head(
        path,
        isArray(node)
          ? `${formatShape(node.shape)} · ${node.dtype} · Zarr v${node.format}`
          : `Group · Zarr v${node.format}`,
      );
      showMetadata(this.#metadata, node, store.url);
      if (isArray(node)) {
        await this.#view.open(store, node, this.#state);
      } else {
        void this.#showHint(store, path);
        this.#ready(`The group ${path} is open.`);
      }
    } catch (error) {
      if (this.#store !== store) return;
      fill(this.#metadata, el("p", { class: "muted small" }, "No metadata: the node could not be opened."));
      this.#failed(error, `opening ${path}`, again);
    }
  }

  /** Says what can be done with a group. */
  async #showHint(store: Hierarchy, path: string): Promise<void> {
    const { items } = await store.children(path).catch(() => ({ items: [] }));
    if (this.#store !== store || this.#state.node !== path) return;
    this.#groupHint.textContent =
      items.length > 0
        ? "This is a group. Choose an array in the contents to see it."
        : "This is a group, but the store does not tell what is in it. Type the path of an array under the contents.";
    this.#groupHint.hidden = false;
  }

  async #children(path: string): ReturnType<Hierarchy["children"]> {
    const store = this.#store;
    if (!store) return { items: [], note: null };
    return store.children(path);
  }

  // ---- what the reader sees while things happen ----

  #setDataState(state: "loading" | "ready" | "error"): void {
    document.body.dataset.state = state;
  }

  #loading(text: string): void {
    this.#setDataState("loading");
    this.#clearAlert();
    this.#busyText.textContent = text;
    this.#bar.removeAttribute("value");
    if (!this.#busyBox.hidden) {
      this.#say(text);
      return;
    }
    clearTimeout(this.#barTimer);
    this.#barTimer = setTimeout(() => {
      this.#busyBox.hidden = false;
      this.#say(text);
    }, BAR_AFTER);
  }

  #progress(done: number, total: number): void {
    if (document.body.dataset.state !== "loading" || !(total > 0)) return;
    this.#bar.max = total;
    this.#bar.value = done;
    this.#busyText.textContent = `${done} of ${total} chunk${total === 1 ? "" : "s"}`;
  }

  #idle(): void {
    clearTimeout(this.#barTimer);
    this.#busyBox.hidden = true;
  }

  #ready(text: string): void {
    this.#idle();
    this.#setDataState("ready");
    this.#say(text);
    void this.#showTraffic();
  }

  /** Shows what the store's server was asked so far. */
  async #showTraffic(): Promise<void> {
    const store = this.#store;
    const stats = await store?.traffic().catch(() => undefined);
    if (!stats || this.#store !== store) return;
    this.#traffic.textContent = `${formatCount(stats.requests)} requests, ${formatBytes(stats.bytes)}`;
  }

  #cancel(): void {
    const reading = this.#view.cancel();
    this.#going.cancel();
    this.#idle();
    const path = this.#state.node;
    const wanted = this.#state;
    const again = reading || path !== "" ? (): void => void this.#goTo(path, wanted) : (): void => this.start();
    this.#showAlert(new DOMException("cancelled", "AbortError"), "reading", again);
    this.#setDataState("ready");
    this.#say("Cancelled.");
  }

  #failed(error: unknown, action: string, again: () => void): void {
    this.#idle();
    this.#showAlert(error, action, again);
    this.#setDataState("error");
    this.#say("");
  }

  #showAlert(error: unknown, action: string, again: () => void): void {
    this.#again = again;
    const described = describeError(error, {
      action,
      url: this.#store?.url ?? this.#urlBox.value,
      node: this.#state.node || "/",
      page: location.href,
    });
    const copy = el("button", { type: "button" }, el("span", {}, "Copy details"));
    copy.addEventListener("click", () => void copyText(described.details, copy));
    fill(
      this.#alert,
      el("h3", {}, described.title),
      el("p", {}, described.text),
      described.cures.length > 0 ? el("ul", {}, ...described.cures.map((cure) => el("li", {}, cure))) : null,
      el(
        "div",
        { class: "buttons" },
        el("button", { type: "button", class: "primary", onclick: () => this.#again() }, "Retry"),
        copy,
      ),
      el(
        "details",
        {},
        el("summary", {}, "Details"),
        el("pre", { tabindex: 0, "aria-label": "Details of the error" }, described.details),
      ),
    );
    this.#alert.dataset.kind = isAbort(error) ? "notice" : "error";
    this.#alert.hidden = false;
  }

  #clearAlert(): void {
    fill(this.#alert);
    this.#alert.hidden = true;
  }

  #say(text: string): void {
    this.#status.textContent = text;
  }

  #note(text: string): void {
    if (this.#noteKeys.has(text)) return;
    this.#noteKeys.add(text);
    const item = el("li", {}, el("span", {}, text));
    item.append(
      el(
        "button",
        { type: "button", class: "ghost square", "aria-label": "Dismiss", onclick: () => this.#dismiss(item) },
        "×",
      ),
    );
    this.#notes.append(item);
    this.#notes.hidden = false;
  }

  #dismiss(item: HTMLElement): void {
    item.remove();
    this.#notes.hidden = this.#notes.childElementCount === 0;
  }

  #clearNotes(): void {
    this.#noteKeys.clear();
    fill(this.#notes);
    this.#notes.hidden = true;
  }

  #head(title: string, summary: string): void {
    this.#title.textContent = title;
    this.#title.title = title;
    this.#summary.textContent = summary;
    document.title = `${baseName(title)} – Zarr viewer`;
  }

  #blank(title: string): void {
    this.#head(title, "");
    this.#groupHint.hidden = true;
    this.#pathBox.value = "";
    fill(this.#metadata);
  }

  // ---- the page's own address ----

  #chosen(choice: ViewChoice): void {
    this.#state = { ...this.#state, ...choice };
    this.#writeAddress();
  }

  #writeAddress(): void {
    clearTimeout(this.#addressTimer);
    this.#addressTimer = setTimeout(() => {
      const text = formatState(this.#state);
      const url = new URL(location.href);
      if (this.#place === "hash") url.hash = text;
      else url.search = text;
      if (url.href !== location.href) history.replaceState(null, "", url);
    }, ADDRESS_PAUSE);
  }

  #isSample(url: string): boolean {
    return relativeTo(url, document.baseURI).startsWith("./sample/");
  }
}

function decodeName(url: string): string {
  const name = new URL(url).pathname.split("/").pop() ?? "";
  try {
    return decodeURIComponent(name) || new URL(url).host;
  } catch {
    return name;
  }
}

new Page().start();
