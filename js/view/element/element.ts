import type { Description } from "../../describe/description.js";
import type { KeySection } from "../help/keys.js";
import { hasProcessor } from "../paint/processor.js";
import { formatMember, parseMembers, stateNames, type ViewState } from "../state.js";
import { lookFromState } from "./look.js";
import { type Opened, opened, pathOf, type Source } from "./opening.js";
import type { LoadingDetail, Panel, PanelEvents, PointerDetail } from "./panel.js";
import { fieldOf, mapOf, panelOf } from "./panels.js";
import { Shell } from "./shell.js";
import { isAbort } from "./words.js";

// Where there are no elements, as on a server that renders, the class is there and makes none.
const Base = (typeof HTMLElement === "undefined" ? class {} : HTMLElement) as typeof HTMLElement;

/** Which controls the element has: none, those of looking, or all. */
export type Controls = "none" | "some" | "all";

/** What went wrong. */
export interface ErrorDetail {
  /** The error, of a class with a name. */
  readonly error: unknown;
}

/** The events of the element, by their names. */
export interface ZarrViewEventMap {
  /** A person changed what is shown: the whole state. */
  state: CustomEvent<ViewState>;
  /** The pointer, or the cursor of the keyboard, is at another element; null where it left. */
  pointer: CustomEvent<PointerDetail | null>;
  /** Something failed; what was drawn stays, and {@link ZarrView.retry} tries again. A listener that calls `preventDefault()` says so in the element's place. */
  error: CustomEvent<ErrorDetail>;
  /** Chunks are being read. */
  loading: CustomEvent<LoadingDetail>;
  /** All of what is on screen is drawn. */
  ready: CustomEvent<null>;
  /** Much would have to be read, and a person is asked first; null when the question is taken back. */
  question: CustomEvent<string | null>;
}

/** What is asked for: which node of what, and what is taken from it. */
interface Asked {
  readonly source: Source;
  readonly path: string;
  readonly minus: string | null;
  /** Whether a curvilinear grid is drawn as a map, where that can be. */
  readonly map: boolean | undefined;
}

/**
 * The custom element `<zarr-view>`. Its attributes are `src`, `controls` and the members of a {@link ViewState}; changes of them
 * in one task are one change. A person's changes are written into the attributes.
 */
export class ZarrView extends Base {
  /** The attributes that are listened to. */
  static readonly observedAttributes: readonly string[] = ["src", "controls", "sync", ...stateNames];

  static {
    for (const name of stateNames) {
      Object.defineProperty(ZarrView.prototype, name, {
        configurable: true,
        enumerable: true,
        get(this: ZarrView) {
          return this.state[name];
        },
        set(this: ZarrView, value: never) {
          this.#write(name, { [name]: value ?? undefined });
        },
      });
    }
  }

  /** The path of the node that is shown. */
  declare node: ViewState["node"];
  /** The index of each axis, by its name. */
  declare index: ViewState["index"];
  /** What is taken from each element: another variable, other indices, or both. */
  declare minus: ViewState["minus"];
  /** The names of the axes drawn downwards and to the right. */
  declare axes: ViewState["axes"];
  /** Whether a curvilinear grid is drawn where its elements lie on the Earth. */
  declare map: ViewState["map"];
  /** The colour map's name; with `-r` at its end it is reversed. */
  declare colormap: ViewState["colormap"];
  /** The values drawn with the first and the last colour. */
  declare range: ViewState["range"];
  /** How values run between them. */
  declare curve: ViewState["curve"];
  /** The middle of the picture, and how large its elements are. */
  declare camera: ViewState["camera"];
  /** Whether the first row is at the bottom. */
  declare up: ViewState["up"];
  /** Whether the first column is at the right. */
  declare left: ViewState["left"];
  /** The level that is drawn. */
  declare level: ViewState["level"];
  /** The channels that are drawn. */
  declare channels: ViewState["channels"];
  /** The image of labels over the picture. */
  declare labels: ViewState["labels"];
  /** The label that is told apart. */
  declare chosen: ViewState["chosen"];
  /** What is plotted beside the picture: series of points along an axis, or a profile. */
  declare series: ViewState["series"];
  /** The field of a struct that is drawn. */
  declare member: ViewState["member"];
  /** What is drawn of complex numbers. */
  declare component: ViewState["component"];

  #source: Source | null = null;
  #shell: Shell | null = null;
  #asked: Asked | null = null;
  #opening: AbortController | null = null;
  #panel: Panel | null = null;
  #state: ViewState = {};
  #opened: Opened | null = null;
  #shown: Description | null = null;
  #again: (() => void) | null = null;
  #line = false;
  /** Whether it can be drawn as a map of a curvilinear grid. */
  #curved = false;
  #later = false;
  #settled = true;

  /** The address of what is shown. */
  get src(): string {
    return this.getAttribute("src") ?? "";
  }
  set src(src: string) {
    this.setAttribute("src", src);
  }

  /** A node, a place in a store, a store or an address that is shown instead of `src`; null for that. */
  get source(): Source | null {
    return this.#source;
  }
  set source(source: Source | null) {
    this.#source = source ?? null;
    this.#schedule();
  }

  /** Which controls there are; `some` is the default. */
  get controls(): Controls {
    const text = this.getAttribute("controls");
    return text === "none" || text === "all" ? text : "some";
  }
  set controls(controls: Controls) {
    this.setAttribute("controls", controls);
  }

  /** Elements beside each other with the same word here step together, and move together where their axes are the same. */
  get sync(): string {
    return this.getAttribute("sync") ?? "";
  }
  set sync(sync: string) {
    this.setAttribute("sync", sync);
  }

  /** What is shown. Setting it replaces all of it: what is undefined the view chooses. */
  get state(): ViewState {
    return parseMembers((name) => this.getAttribute(name)).state;
  }
  set state(state: ViewState) {
    for (const name of stateNames) this.#write(name, state ?? {});
  }

  /** The state, and the ranges that statistics told where it says none: a link of it shows the same colours. */
  get fullState(): ViewState {
    return { ...this.state, ...this.#panel?.found?.() };
  }

  /** What the node is; null while that is not known. Labels of an image are not asked for here. */
  get description(): Description | null {
    return this.#opened?.description ?? null;
  }

  /** What is drawn: {@link description}, or of a dataset that of its first variable. */
  get shown(): Description | null {
    return this.#shown;
  }

  /** Whether something else than what is asked for is drawn, because it is being opened, read or painted: from the change on that asks for it. */
  get loading(): boolean {
    return this.#later || !this.#settled || this.#panel?.pending === true;
  }

  /** @internal */
  connectedCallback(): void {
    if (!this.#shell) {
      const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
      this.#shell = new Shell(root);
      root.addEventListener("keydown", (event) => this.#key(event as KeyboardEvent));
    }
    // A property that was set before the class was known lies over its accessors.
    for (const name of ["source", "state", "src", "controls", "sync", ...stateNames]) {
      if (!Object.hasOwn(this, name)) continue;
      const value = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    this.#schedule();
  }

  /** @internal */
  disconnectedCallback(): void {
    // An element that is moved is removed and added in one task, and keeps what it has.
    this.#schedule();
  }

  /** @internal */
  attributeChangedCallback(): void {
    this.#schedule();
  }

  /** Tries again what failed. */
  retry(): void {
    const again = this.#again;
    this.#again = null;
    this.#shell?.fail(null);
    if (again) again();
    else this.#open();
  }

  /** Ends what is being read; what is drawn stays. */
  cancel(): void {
    if (this.#panel) this.#panel.cancel();
    else this.#opening?.abort();
    this.#quiet();
  }

  /** The keys of the element, as its help lists them. */
  async keys(): Promise<readonly KeySection[]> {
    return (await import("../help/index.js")).keys;
  }

  /** Shows the keys in a dialog, as `?` does. */
  async help(): Promise<void> {
    const { openHelp } = await import("../help/index.js");
    if (this.shadowRoot && this.isConnected) openHelp(this.shadowRoot);
  }

  /** The figure with its title and its colours, as an image: PNG where nothing else is asked for. */
  async snapshot({ type = "image/png", quality }: { type?: string; quality?: number } = {}): Promise<Blob> {
    const drawing = this.#panel?.drawing?.();
    const canvas = drawing ? (await import("../take/index.js")).figureCanvas(drawing) : this.figure();
    return new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new DOMException("The figure is too large.", "EncodingError"))),
        type,
        quality,
      );
    });
  }

  /** The figure as it is seen, on a canvas of its own, without title and colours. */
  figure(): HTMLCanvasElement {
    const canvas = this.#panel?.figure?.();
    if (!canvas) throw new DOMException("There is no figure.", "InvalidStateError");
    return canvas;
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target as Element).matches("input, select, textarea")) return;
    event.preventDefault();
    this.help().catch((error: unknown) => this.#fail(error, () => void this.help()));
  }

  #schedule(): void {
    if (this.#later) return;
    this.#later = true;
    queueMicrotask(() => {
      this.#later = false;
      this.#update();
    });
  }

  /** Brings what is shown to what the attributes say. */
  #update(): void {
    if (!this.isConnected) {
      this.#end();
      this.#asked = null;
      return;
    }
    if (this.#shell) this.#shell.controls = this.controls;
    const { state } = parseMembers((name) => this.getAttribute(name));
    this.#state = state;
    const source = this.#source ?? (this.src || null);
    const path = state.node ?? (source === null ? "/" : pathOf(source));
    if (source === null) {
      this.#end();
      this.#asked = null;
    } else {
      const minus = formatMember("minus", state);
      const map = mapOf(state);
      const asked = this.#asked;
      const same = source === asked?.source && path === asked.path && minus === asked.minus;
      if (same && (map === asked.map || !this.#curved)) this.#show();
      else {
        this.#asked = { source, path, minus, map };
        this.#open();
      }
    }
  }

  /** Shows the state; what is drawn as a line and as a picture has a panel each. */
  #show(): void {
    if (this.#panel && this.#shown && this.#asksLine !== this.#line) this.#make();
    else this.#panel?.show(this.#state);
  }

  /** Whether the state asks for a line of what may be a picture, too. */
  get #asksLine(): boolean {
    const { kind } = this.#shown ?? {};
    return this.#state.axes?.[0] === "" && (kind === "array" || kind === "image");
  }

  #make(): void {
    const signal = this.#opening?.signal;
    if (!this.#shown || !signal) return;
    this.#panel?.close();
    this.#shell?.clear();
    this.#line = this.#asksLine;
    this.#panel = panelOf(this.#shown, this.#state, this.#events(signal));
    this.#shell?.put(this.#panel.element);
    if (this.#panel.figure) this.#busy(0);
    else this.#done();
  }

  /** Ends what is shown. */
  #end(): void {
    this.#opening?.abort();
    this.#opening = null;
    this.#panel?.close();
    this.#panel = null;
    this.#opened = null;
    this.#shown = null;
    this.#curved = false;
    this.#again = null;
    this.#quiet();
    this.#shell?.clear();
  }

  #quiet(): void {
    this.#settled = true;
    this.#shell?.busy(null);
    this.removeAttribute("aria-busy");
  }

  #busy(share: number): void {
    this.#settled = false;
    this.#shell?.busy(share);
  }

  /** Opens what is asked for. What an earlier call opens is dropped when it comes. */
  #open(): void {
    this.#end();
    const asked = this.#asked;
    const { minus } = this.#state;
    if (!asked) return;
    const opening = new AbortController();
    this.#opening = opening;
    const { signal } = opening;
    this.#busy(0);
    this.#tell("loading", { done: 0, total: 0 });
    const run = async () => {
      const found = await opened(asked.source, asked.path, signal);
      const { shown, curved } = await fieldOf(found.description, minus, asked.map, signal);
      if (signal.aborted) return;
      this.#opened = found;
      this.#shown = shown;
      this.#curved = curved;
      this.#make();
      this.#shell?.say(shown.title.value);
    };
    run().catch((error: unknown) => {
      if (signal.aborted) return;
      this.#fail(error, () => this.#open());
    });
    // What draws is found out while the answers are on their way.
    setTimeout(hasProcessor);
  }

  /** What a panel may tell, while it is the one that is shown. */
  #events(signal: AbortSignal): PanelEvents {
    const now =
      <A extends unknown[]>(run: (...args: A) => void) =>
      (...args: A) => {
        if (!signal.aborted) run(...args);
      };
    return {
      changed: now((change) => {
        this.#state = { ...this.#state, ...change };
        for (const name of stateNames) if (name in change) this.#write(name, this.#state);
        this.#lead(change);
        this.#tell("state", this.state);
      }),
      pointer: now((detail, spoken) => {
        if (spoken && detail) {
          const at = Object.entries({ ...detail.index, ...detail.coordinates }).map(([name, i]) => `${name} ${i}`);
          this.#shell?.say([...at, detail.text].join(", "));
        }
        this.#tell("pointer", detail);
      }),
      loading: now((detail) => {
        this.#busy(detail.total > 0 ? detail.done / detail.total : 0);
        this.#tell("loading", detail);
      }),
      ready: now(() => this.#done()),
      failed: now((error, again) => this.#fail(error, again)),
      ask: now((question) => {
        this.#quiet();
        this.#shell?.ask(question);
        this.#tell("question", question?.text ?? null);
      }),
      open: now((path) => {
        this.#write("node", { node: path });
        this.#tell("state", this.state);
      }),
    };
  }

  /** The names of the axes that are drawn. */
  get #plane(): string {
    if (this.#shown?.kind !== "array" && this.#shown?.kind !== "image") return "";
    const { field } = this.#shown;
    const { x, y } = lookFromState(field, this.state);
    return JSON.stringify([y, x].map((axis) => field.axes[axis ?? -1]?.name));
  }

  /** Takes those along that are synchronised with this one. */
  #lead(change: ViewState): void {
    const root = this.getRootNode();
    if (this.sync === "" || !("querySelectorAll" in root)) return;
    for (const other of (root as ParentNode).querySelectorAll("zarr-view")) {
      if (other === this || !(other instanceof ZarrView) || other.sync !== this.sync) continue;
      if (change.index) other.#write("index", { index: { ...other.state.index, ...change.index } });
      if ("camera" in change && other.#plane === this.#plane) other.#write("camera", change);
    }
  }

  #done(): void {
    this.#quiet();
    this.#tell("ready", null);
  }

  #fail(error: unknown, again: () => void): void {
    if (isAbort(error)) return;
    this.#quiet();
    this.#again = again;
    if (this.#tell("error", { error })) this.#shell?.fail(error, () => this.retry());
  }

  #write(name: (typeof stateNames)[number], state: ViewState): void {
    const text = formatMember(name, state);
    if (text === null) this.removeAttribute(name);
    else if (this.getAttribute(name) !== text) this.setAttribute(name, text);
  }

  /** Tells whether a listener left what follows to the element. */
  #tell<K extends keyof ZarrViewEventMap>(type: K, detail: ZarrViewEventMap[K]["detail"]): boolean {
    return this.dispatchEvent(new CustomEvent(type, { detail, cancelable: type === "error" }));
  }
}
