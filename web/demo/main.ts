// The page: the address box, the contents, the node in the middle, errors, and the page's address
// with its history.

import type { RequestEvent } from "zarr-wasm";
import { type Description, describe, type Field } from "zarr-wasm/describe";
import { type ViewState, ZarrView } from "zarr-wasm/view";
import { redact } from "../../js/platform/redact.js";
import { Alert } from "./alert.js";
import { Beside } from "./beside.js";
import { byId, copyText, el, fill, icon } from "./dom.js";
import { isAbort } from "./errors.js";
import type { LocalSource } from "./files.js";
import { formatBytes, formatShape, kindNames } from "./format.js";
import { Help } from "./help.js";
import { Latest } from "./latest.js";
import { showMetadata, showUnderstood } from "./metadata.js";
import { showNodePage } from "./nodepage.js";
import { Notes } from "./notes.js";
import { Openers } from "./openers.js";
import { drawThumbnail } from "./picture.js";
import { remember } from "./recent.js";
import { HAS_SAMPLES, SAMPLE } from "./sample.js";
import { formatLink, type Positions, parseLink } from "./state.js";
import { type ArrayNode, type Early, Hierarchy, isArray, itemOfNode, type Node } from "./store.js";
import { Traffic } from "./traffic.js";
import { Tree } from "./tree.js";
import { baseName, joinPath, relativeTo, rewriteUrl, UrlError } from "./url.js";

/** The delay before the progress bar appears, in milliseconds. */
const BAR_AFTER = 100;
/** The delay before the page's address is updated, in milliseconds. */
const ADDRESS_PAUSE = 200;

/** Passes the engine's requests on, first those from before the call. */
type Requests = (to: (event: RequestEvent) => void) => void;

/** The effect of a change on the history. */
type Step = "push" | "replace" | "none";

class Page {
  readonly #urlBox = byId("url", HTMLInputElement);
  readonly #notes = new Notes(byId("notes", HTMLUListElement));
  readonly #alert = new Alert(byId("alert", HTMLDivElement));
  readonly #status = byId("status", HTMLParagraphElement);
  readonly #busyBox = byId("busy", HTMLDivElement);
  readonly #bar = byId("progress", HTMLProgressElement);
  readonly #busyText = byId("busy-text", HTMLSpanElement);
  readonly #metadata = byId("metadata", HTMLDivElement);
  readonly #title = byId("node-title", HTMLHeadingElement);
  readonly #path = byId("node-path", HTMLElement);
  readonly #summary = byId("node-summary", HTMLSpanElement);
  readonly #pathBox = byId("path", HTMLInputElement);
  readonly #group = byId("page", HTMLDivElement);
  readonly #view = new ZarrView();
  readonly #beside: Beside;
  readonly #openers: Openers;
  readonly #find = byId("find", HTMLInputElement);
  readonly #findNote = byId("find-note", HTMLParagraphElement);
  readonly #tree: Tree;
  readonly #traffic: Traffic;
  readonly #going = new Latest();
  /** Local stores, by their number in the page's address. */
  readonly #local: LocalSource[] = [];
  #store: Hierarchy | null = null;
  /** The address of the open store, as in the page's own address. */
  #url = "";
  #state: ViewState = {};
  /** Whether the view shows the state. */
  #seen = false;
  /** Whether the person changed the view since the node was opened. */
  #touched = false;
  /** Aborts the reads of a group's page. */
  #reading = new AbortController();
  /** The bytes that were read before the current work. */
  #bytesBefore = 0;
  #barTimer: ReturnType<typeof setTimeout> | undefined;
  #addressTimer: ReturnType<typeof setTimeout> | undefined;
  /** The first opened address, which only the first store takes. */
  #early: Early | null;
  readonly #requests: Requests;

  constructor(early: Early | null, requests: Requests) {
    this.#early = early;
    this.#requests = requests;
    this.#tree = new Tree(
      byId("tree", HTMLDivElement),
      (path) => this.#children(path),
      (path) => void this.#goTo(path, null, "push"),
    );
    this.#traffic = new Traffic(
      byId("network", HTMLElement),
      byId("traffic", HTMLButtonElement),
      () => this.#store?.arrays ?? [],
    );
    this.#viewing();
    this.#beside = new Beside(
      this.#view,
      () => this.#urlBox.value,
      () => this.#chosen(this.#state),
    );
    byId("open-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#openUrl(this.#urlBox.value, {}, "push");
    });
    this.#openers = new Openers({
      address: (address) => void this.#openUrl(address, {}, "push"),
      local: (source) => this.#openLocal(source),
      failed: (error) => this.#failed(error, "picking a folder", () => {}),
      open: () => this.#store?.url ?? "",
    });
    this.#panels();
    this.#searching();
    byId("path-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#goTo(joinPath("/", this.#pathBox.value.trim()), null, "push");
    });
    byId("cancel", HTMLButtonElement).addEventListener("click", () => this.#cancel());
    // Handles back, forward and manual edits of the address. The page's own changes do not send
    // this event.
    window.addEventListener("popstate", () => this.start());
    byId("skip", HTMLAnchorElement).addEventListener("click", (event) => {
      // The hash contains the state, so a jump must not replace it.
      event.preventDefault();
      byId("stage", HTMLElement).focus();
    });
    document.addEventListener("keydown", (event) => {
      const typing = event
        .composedPath()
        .some((at) => at instanceof HTMLInputElement || at instanceof HTMLSelectElement);
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        this.#urlBox.focus();
        this.#urlBox.select();
      }
    });
  }

  /** Opens the store in the page's address, or the sample. */
  start(): void {
    const { state, problems, embed } = parseLink(location.search, location.hash);
    if (embed) document.body.dataset.embed = "";
    const { view, positions } = state;
    this.#beside.restore(state.beside);
    if (!state.url && !HAS_SAMPLES) {
      this.#blank("Nothing is open");
      this.#setDataState("ready");
      this.#urlBox.focus();
      return;
    }
    const url = state.url || SAMPLE;
    if (this.#store && view.node !== undefined && url === this.#url) {
      this.#notes.clear();
      for (const problem of problems) this.#notes.add(problem);
      void this.#goTo(view.node, view, "none");
    } else void this.#openUrl(url, view, "replace", problems, positions);
  }

  // ---- opening ----

  #openLocal(source: LocalSource | null): void {
    if (!source) {
      this.#notes.add(
        "This is neither a folder nor a known container: a zip archive (.zip, .ozx) or references (.json).",
      );
      return;
    }
    this.#openers.close();
    const url = `local:${this.#local.push(source)}`;
    void this.#openUrl(url, {}, "push");
  }

  /** Returns the store at a pasted address, and the node that the address names. */
  #understand(pasted: string): { store: Hierarchy; node: string } {
    const local = /^local:(\d+)$/.exec(pasted);
    if (local) {
      const source = this.#local[Number(local[1]) - 1];
      if (!source)
        throw new UrlError(
          "This link is to a local folder or file, which a page cannot open without you: open it with “More…”.",
        );
      return { store: new Hierarchy(source), node: "/" };
    }
    const { url, node, notes } = rewriteUrl(pasted, document.baseURI);
    for (const text of notes) this.#notes.add(text);
    const early = this.#early?.url === url ? this.#early : undefined;
    this.#early = null;
    return { store: new Hierarchy(url, early?.node), node };
  }

  async #openUrl(
    pasted: string,
    wanted: ViewState,
    step: Step,
    problems: readonly string[] = [],
    positions: Positions | null = null,
  ): Promise<void> {
    this.#notes.clear();
    this.#alert.clear();
    for (const problem of problems) this.#notes.add(problem);
    this.#leave();
    const again = (): void => void this.#openUrl(pasted, wanted, "replace");
    let node = wanted.node ?? "";
    try {
      const understood = this.#understand(pasted);
      this.#store = understood.store;
      // A link with a node contains the store's own address. A pasted address may point deeper.
      if (understood.node !== "/") node = joinPath(understood.node, node.replace(/^\//, ""));
    } catch (error) {
      this.#going.cancel();
      this.#store = null;
      this.#tree.clear();
      this.#blank(redact(pasted));
      this.#failed(error, "understanding the address", again);
      return;
    }
    const store = this.#store;
    const local = store.url === "";
    this.#urlBox.value = local ? store.name : this.#isSample(store.url) ? pasted : store.url;
    this.#url = local ? pasted : relativeTo(store.url, document.baseURI);
    this.#state = wanted;
    this.#openers.mark(store.url);
    this.#traffic.clear();
    this.#requests((event) => this.#traffic.add(event));
    this.#tree.clear();
    this.#find.value = "";
    this.#findNote.textContent = "";
    this.#blank(store.name);
    this.#writeAddress(step);
    this.#loading("Opening the store…");
    try {
      const outcome = await this.#going.run(async (signal) => {
        let root: Node | null = null;
        try {
          root = await store.node("/", signal);
        } catch (error) {
          // A link may name a node of a store whose root is not a node.
          if (node === "" || node === "/" || isAbort(error)) throw error;
          await store.node(node, signal);
        }
        if (node === "") node = (await store.start()).replace(/^\/$/, "");
        return root;
      });
      if (outcome.stale || this.#store !== store) return;
      const root = outcome.value;
      if (!local && !this.#isSample(store.url)) remember(store.url);
      this.#tree.setRoot(
        root ? itemOfNode(root, store.name) : { path: "/", name: store.name, kind: "unknown", detail: "" },
      );
      const target = node || (await this.#firstNode(store));
      if (this.#store !== store) return;
      void this.#tree.openRoot();
      const view = positions ? { ...wanted, ...(await this.#byName(store, target, positions)) } : wanted;
      await this.#goTo(target, view, "replace", store);
    } catch (error) {
      if (this.#store === store) this.#failed(error, "opening the store", again);
    }
  }

  /** Returns the default node. The search is bounded by a tolerable wait. */
  async #firstNode(store: Hierarchy): Promise<string> {
    const outcome = await this.#going.run(async (signal) => {
      const patience = new Promise<null>((resolve) => setTimeout(() => resolve(null), 8000));
      const stopped = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
      return Promise.race([store.firstNode("/", signal).catch(() => null), patience, stopped]);
    });
    return outcome.stale ? "/" : (outcome.value ?? "/");
  }

  /** Converts indices and axes of an earlier version's link to names of axes. */
  async #byName(store: Hierarchy, path: string, { indices, axes }: Positions): Promise<ViewState> {
    const node = await store.maybe(path);
    if (!node || !isArray(node)) return {};
    const it = await describe(node, { group: await store.top() }).catch(() => null);
    const names = it?.kind === "array" ? it.field.axes.map(({ name }) => name) : [];
    const [y, x] = axes?.map((d) => names[d]) ?? [];
    if (indices && indices.length !== names.length) {
      this.#notes.add("The indices of the link do not fit this array.");
      return {};
    }
    return {
      ...(indices && { index: Object.fromEntries(names.map((name, d) => [name, indices[d] ?? 0])) }),
      ...(y !== undefined && x !== undefined && { axes: [y, x] as const }),
    };
  }

  /**
   * Opens a node of the store and shows it. Without a wanted state it keeps the place of the array
   * before, if the grid is the same.
   */
  async #goTo(
    path: string,
    wanted: ViewState | null,
    step: Step,
    expected: Hierarchy | null = this.#store,
  ): Promise<void> {
    const store = this.#store;
    if (!store || store !== expected) return;
    const before = wanted || this.#view.hidden ? undefined : store.known(this.#state.node ?? "/");
    const place = placeOf(this.#view.state);
    this.#alert.clear();
    this.#seen = false;
    this.#touched = false;
    this.#reading.abort();
    this.#pathBox.value = path;
    this.#state = { ...wanted, node: path };
    this.#writeAddress(step);
    this.#head(path, "");
    this.#loading(`Opening ${path}…`);
    const again = (): void => {
      store.forget(path);
      void this.#goTo(path, wanted, "none");
    };
    try {
      const outcome = await this.#going.run(async (signal) => {
        const node = await store.node(path, signal);
        // The view describes an array itself.
        return { node, it: isArray(node) ? null : await store.described(node, signal), top: await store.top() };
      });
      if (outcome.stale || this.#store !== store) return;
      const { node, it, top } = outcome.value;
      if (before && isArray(node) && haveOneGrid(before, node)) {
        this.#state = { ...place, node: path };
        this.#writeAddress("replace");
      }
      void this.#tree.reveal(path);
      const words = isArray(node)
        ? `${formatShape(node.shape)} · ${node.dtype} · Zarr v${node.format}`
        : wordsOf(it, node.format);
      this.#head(path, words, it?.title.value ?? titleOf(node.attrs));
      showMetadata(this.#metadata, node, store.url);
      if (it && (it.kind === "dataset" || it.kind === "group")) {
        this.#leave();
        this.#group.hidden = false;
        this.#reading = new AbortController();
        showUnderstood(byId("understood", HTMLElement), it, it);
        const events = {
          open: (to: string) => void this.#goTo(to, {}, "push"),
          thumbnail: async (at: string, canvas: HTMLCanvasElement, signal: AbortSignal) =>
            drawThumbnail(await store.described(await store.node(at, signal), signal), canvas, signal),
        };
        showNodePage(this.#group, it, store, events, this.#reading.signal);
        this.#ready(`The group ${path} is open.`);
        return;
      }
      this.#group.hidden = true;
      this.#view.hidden = false;
      const source = top ?? node;
      if (this.#view.source !== source) this.#view.source = source;
      this.#view.state = this.#state;
      // A view that shows this already sends no event.
      if (!this.#view.loading) this.#drawn();
    } catch (error) {
      if (this.#store !== store) return;
      fill(this.#metadata, el("p", { class: "muted small" }, "No metadata: the node could not be opened."));
      this.#leave();
      this.#failed(error, `opening ${path}`, again);
    }
  }

  // ---- the view ----

  #viewing(): void {
    const view = this.#view;
    view.id = "view";
    view.controls = "all";
    view.hidden = true;
    byId("pair", HTMLDivElement).prepend(view);
    view.addEventListener("state", (event) => {
      const state = (event as CustomEvent<ViewState>).detail;
      const node = state.node ?? "/";
      if (node !== this.#state.node) void this.#goTo(node, state, "push");
      else {
        this.#touched = true;
        this.#chosen(state);
      }
    });
    view.addEventListener("loading", (event) => {
      const { done, total } = (event as CustomEvent<{ done: number; total: number }>).detail;
      this.#loading(`Reading ${baseName(this.#state.node ?? "/")}…`);
      this.#progress(done, total);
    });
    view.addEventListener("ready", () => this.#drawn());
    view.addEventListener("question", (event) => {
      const question = (event as CustomEvent<string | null>).detail;
      if (question !== null) this.#ready(question);
    });
    view.addEventListener("error", (event) => {
      // The page shows the error and its remedies.
      event.preventDefault();
      const { error } = (event as unknown as CustomEvent<{ error: unknown }>).detail;
      this.#failed(error, `reading ${this.#state.node ?? "/"}`, () => {
        this.#alert.clear();
        view.retry();
      });
    });
  }

  /** Heads the page with the drawn node. */
  #drawn(): void {
    this.#seen = true;
    // The link of a changed view includes ranges that were found since.
    if (this.#touched) this.#chosen(this.#state);
    const { description, shown } = this.#view;
    const understood = document.getElementById("understood");
    if (description && shown && understood) showUnderstood(understood, description, shown);
    const title = shown?.title.value ?? "";
    const field = shown?.kind === "array" || shown?.kind === "image" ? shown.field : null;
    if (shown && shown.path === this.#state.node)
      this.#head(shown.path, this.#summary.textContent ?? "", title, unitsOf(field));
    this.#ready(`Showing ${title === "/" || title === "" ? (this.#store?.name ?? "the data") : title}`);
  }

  /** Removes the shown node. */
  #leave(): void {
    this.#seen = false;
    this.#reading.abort();
    this.#view.source = null;
    this.#view.hidden = true;
    this.#group.hidden = true;
    fill(this.#group);
  }

  async #children(path: string): ReturnType<Hierarchy["children"]> {
    const store = this.#store;
    if (!store) return { items: [], note: null };
    return store.children(path);
  }

  // ---- panels ----

  #panels(): void {
    for (const [name, sign, least] of [
      ["contents", "panel", 860],
      ["details", "aside", 1500],
    ] as const) {
      const button = byId(`toggle-${name}`, HTMLButtonElement);
      button.append(icon(sign));
      const set = (open: boolean): void => {
        document.body.dataset[name] = open ? "open" : "closed";
        button.setAttribute("aria-expanded", String(open));
      };
      set(window.innerWidth >= least);
      button.addEventListener("click", () => set(document.body.dataset[name] !== "open"));
      document.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && window.innerWidth < 860 && document.body.dataset[name] === "open") {
          set(false);
          button.focus();
        }
      });
    }
    const share = byId("share", HTMLButtonElement);
    share.append(icon("link"), el("span", { class: "visually-hidden", role: "status" }));
    share.addEventListener("click", () => {
      this.#writeAddress("replace");
      const shared = redact(this.#url);
      void copyText(this.#link(shared, redact), share);
      const without =
        this.#store?.url === ""
          ? ", but data on this machine cannot be shared"
          : shared === this.#url
            ? ""
            : " without the query of the data’s address, which may be a signature";
      this.#say(`The link was copied${without}.`);
    });
    const help = new Help(byId("help", HTMLDialogElement), byId("help-keys", HTMLDivElement), () => this.#view.keys());
    byId("keys", HTMLButtonElement).addEventListener("click", () => void help.open());
    const full = byId("full", HTMLButtonElement);
    full.append(icon("full"));
    full.hidden = !document.fullscreenEnabled;
    full.addEventListener("click", () => {
      if (document.fullscreenElement) void document.exitFullscreen();
      else void byId("stage", HTMLElement).requestFullscreen();
    });
  }

  // ---- search in the contents ----

  #searching(): void {
    const search = async (): Promise<void> => {
      const text = this.#find.value;
      const store = this.#store;
      const found = await this.#tree.filter(text, async (path) => (await store?.cheap(path)) ?? false);
      if (this.#find.value !== text) return;
      this.#findNote.textContent =
        text.trim() === "" ? "" : found === 0 ? "No known name contains this." : `${found} found.`;
    };
    this.#find.addEventListener("input", () => void search());
    this.#find.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") this.#tree.focusFirst();
      else if (event.key === "Enter") this.#tree.chooseFirst();
      else if (event.key === "Escape" && this.#find.value !== "") {
        this.#find.value = "";
        void search();
      } else return;
      event.preventDefault();
    });
  }

  // ---- feedback while things happen ----

  #setDataState(state: "loading" | "ready" | "error"): void {
    document.body.dataset.state = state;
  }

  #loading(text: string): void {
    if (document.body.dataset.state !== "loading") this.#bytesBefore = this.#traffic.bytes;
    this.#setDataState("loading");
    this.#alert.clear();
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
    const bytes = this.#traffic.bytes - this.#bytesBefore;
    this.#busyText.textContent = `${done} of ${total} chunk${total === 1 ? "" : "s"}, ${formatBytes(bytes)}`;
  }

  #idle(): void {
    clearTimeout(this.#barTimer);
    this.#busyBox.hidden = true;
  }

  #ready(text: string): void {
    this.#idle();
    this.#setDataState("ready");
    this.#say(text);
  }

  /** Cancels reads and keeps the drawing. */
  #cancel(): void {
    const path = this.#state.node;
    const opening = this.#going.busy;
    this.#view.cancel();
    this.#going.cancel();
    this.#idle();
    const again = (): void => {
      if (path === undefined) this.start();
      else if (opening) void this.#goTo(path, this.#state, "none");
      else {
        this.#alert.clear();
        this.#view.retry();
      }
    };
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
    const url = this.#store?.url ?? this.#urlBox.value;
    this.#alert.show(
      error,
      { action, url, node: this.#state.node ?? "/", page: this.#link(redact(this.#url), redact) },
      again,
    );
  }

  #say(text: string): void {
    this.#status.textContent = text;
  }

  /** Heads the page with a node: its title, its path and a summary. */
  #head(path: string, summary: string, title = "", units = ""): void {
    // The root has the store's name.
    const place = path === "/" ? (this.#store?.name ?? path) : path;
    const name = title === "" || title === "/" ? baseName(place) : title;
    fill(this.#title, name, units !== "" && el("span", { class: "units" }, ` [${units}]`));
    this.#title.title = name;
    this.#path.textContent = place;
    this.#summary.textContent = summary;
    document.title = `${name} – Zarr viewer`;
  }

  #blank(title: string): void {
    this.#head(title, "");
    fill(this.#group);
    this.#pathBox.value = "";
    fill(this.#metadata);
  }

  // ---- the page's own address ----

  #chosen(state: ViewState): void {
    this.#state = state;
    clearTimeout(this.#addressTimer);
    this.#addressTimer = setTimeout(() => this.#writeAddress("replace"), ADDRESS_PAUSE);
  }

  /** Writes the state into the page's hash, which browsers do not send to servers. */
  #writeAddress(step: Step): void {
    clearTimeout(this.#addressTimer);
    if (step === "none") return;
    const url = this.#link(this.#url);
    if (url === location.href) return;
    if (step === "push") history.pushState(null, "", url);
    else history.replaceState(null, "", url);
  }

  /** Returns the address of this page that shows the same view of data at an address. */
  #link(address: string, shared = (url: string) => url): string {
    const url = new URL(location.href);
    const embed = document.body.dataset.embed === undefined ? "" : "&embed";
    url.search = "";
    // Includes the current ranges, so that a link shows the same colours.
    const state = this.#seen ? this.#view.fullState : this.#state;
    url.hash = formatLink(address, state, this.#beside.link(shared)) + embed;
    return url.href;
  }

  #isSample(url: string): boolean {
    return relativeTo(url, document.baseURI).startsWith("./sample/");
  }
}

/** Returns the units of a field's values. Dates are shown as texts, and have none. */
const unitsOf = (field: Field | null): string => (!field || field.values === "time" ? "" : field.units);

/** Returns the title that an array's attributes state; `""` if there is none. */
function titleOf({ long_name, standard_name }: Readonly<Record<string, unknown>>): string {
  if (typeof long_name === "string") return long_name;
  return typeof standard_name === "string" ? standard_name.replaceAll("_", " ") : "";
}

/** Returns the part of a state that fits other variables of the grid. */
function placeOf({ index, axes, map, projection, volume, camera, up, left, region, diagram }: ViewState): ViewState {
  return { index, axes, map, projection, volume, camera, up, left, region, diagram };
}

/** Reports whether two arrays have the same dimensions, by name and length. */
function haveOneGrid(a: ArrayNode, b: ArrayNode): boolean {
  const [of, other] = [a, b].map(({ shape, dimensionNames, attrs }) => [
    shape,
    dimensionNames ?? attrs._ARRAY_DIMENSIONS ?? null,
  ]);
  return of?.[1] !== null && JSON.stringify(of) === JSON.stringify(other);
}

/** Describes the kind of a group briefly. */
function wordsOf(it: Description | null, format: number): string {
  return `${kindNames[it?.kind ?? "group"]} · Zarr v${format}`;
}

/** Shows the page. `early` is the node of the link's address. */
export function run(early: Early | null, requests: Requests): void {
  new Page(early, requests).start();
}
