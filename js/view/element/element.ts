import type { Description } from "../../describe/description.js";
import type { Field } from "../../describe/field.js";
import type { KeySection } from "../help/keys.js";
import { hasProcessor } from "../paint/processor.js";
import { formatMember, parseMembers, stateNames, type ViewState } from "../state.js";
import { attempt } from "../task.js";
import { lookFromState } from "./look.js";
import { isAbort } from "./messages.js";
import { type Opened, opened, pathOf, type Source } from "./opening.js";
import type { LoadingDetail, Panel, PanelEvents, PointerDetail } from "./panel.js";
import { fieldOf, mapOf, panelOf } from "./panels.js";
import { Shell } from "./shell.js";

// Without HTMLElement, as in server rendering, the class exists and no element is created.
const Base = (typeof HTMLElement === "undefined" ? class {} : HTMLElement) as typeof HTMLElement;

/** The controls of the element: none, those for looking, or all. */
export type Controls = "none" | "some" | "all";

/** The detail of an error event. */
export interface ErrorDetail {
  /** The error, of a named class. */
  readonly error: unknown;
}

/** The events of the element, by their names. */
export interface ZarrViewEventMap {
  /** The person changed the view. The detail is the whole state. */
  state: CustomEvent<ViewState>;
  /** The pointer or the keyboard cursor moved to another element; null if it left. */
  pointer: CustomEvent<PointerDetail | null>;
  /**
   * Something failed. The last drawing stays, and {@link ZarrView.retry} tries again. A listener
   * that reports the error itself calls `preventDefault()`.
   */
  error: CustomEvent<ErrorDetail>;
  /** Chunks are being read. */
  loading: CustomEvent<LoadingDetail>;
  /** Everything in view is drawn. */
  ready: CustomEvent<null>;
  /** The view asks the person before a large read; null withdraws the question. */
  question: CustomEvent<string | null>;
}

/** The members of a state that compute another field. */
const computations = ["expression", "minus", "diagram"] as const;

/** The requested node of a source, and the requested computation. */
interface Asked {
  readonly source: Source;
  readonly path: string;
  readonly minus: string | null;
  readonly expression: string | undefined;
  /** The diagram and its region; null if none is shown. */
  readonly diagram: string | null;
  /** Whether to draw a curvilinear grid as a map, if it can be. */
  readonly map: boolean | undefined;
}

/**
 * The custom element `<zarr-view>`. Its attributes are `src`, `controls`, `sync` and the members of
 * a {@link ViewState}. The element applies all changes of one task together. It writes a person's
 * changes to the attributes.
 */
export class ZarrView extends Base {
  /** The observed attributes. */
  static readonly observedAttributes: readonly string[] = ["src", "controls", "sync", "ranges", ...stateNames];

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

  /** The path of the shown node. */
  declare node: ViewState["node"];
  /** The index of each axis, by its name. */
  declare index: ViewState["index"];
  /** The subtraction from each element: another variable, other indices, or both. */
  declare minus: ViewState["minus"];
  /** The shown expression of variables. */
  declare expression: ViewState["expression"];
  /** The names of the axes drawn downwards and to the right. */
  declare axes: ViewState["axes"];
  /** Whether to draw a curvilinear grid at the places of its elements on the Earth. */
  declare map: ViewState["map"];
  /** The volume in place of the picture. */
  declare volume: ViewState["volume"];
  /** The colour map's name; `-r` at its end reverses it. */
  declare colormap: ViewState["colormap"];
  /** The values drawn with the first and the last colour. */
  declare range: ViewState["range"];
  /** How values map to colours between them. */
  declare curve: ViewState["curve"];
  /** The middle of the picture, and the size of its elements. */
  declare camera: ViewState["camera"];
  /** Whether the first row is at the bottom. */
  declare up: ViewState["up"];
  /** Whether the first column is at the right. */
  declare left: ViewState["left"];
  /** The drawn level. */
  declare level: ViewState["level"];
  /** The drawn channels. */
  declare channels: ViewState["channels"];
  /** The label image over the picture. */
  declare labels: ViewState["labels"];
  /** The highlighted label. */
  declare chosen: ViewState["chosen"];
  /** The paths of the components of arrows over the picture. */
  declare arrows: ViewState["arrows"];
  /** The plot beside the picture: series of points along an axis, or a profile. */
  declare series: ViewState["series"];
  /** The region or the line drawn over the picture. */
  declare region: ViewState["region"];
  /** The diagram of the region drawn in place of the picture. */
  declare diagram: ViewState["diagram"];
  /** The drawn field of a struct. */
  declare member: ViewState["member"];
  /** The drawn component of complex numbers. */
  declare component: ViewState["component"];

  #source: Source | null = null;
  #shell: Shell | null = null;
  #asked: Asked | null = null;
  #opening: AbortController | null = null;
  #panel: Panel | null = null;
  #state: ViewState = {};
  #opened: Opened | null = null;
  #shown: Description | null = null;
  /** The drawn array before any computation. */
  #base: Description | null = null;
  #again: (() => void) | null = null;
  #line = false;
  /** Whether the field can be drawn as a map of a curvilinear grid. */
  #curved = false;
  #later = false;
  /** The group whose members know this element's range. */
  #word = "";
  #settled = true;
  /** Whether the last task failed, so that nothing more is to be expected of it. */
  #broken = false;
  /** Whether the shown error ends when everything is drawn. */
  #passing = false;
  /** The last change that a synchronised element caused. */
  #led: Promise<unknown> = Promise.resolve();

  /** The address of the source. */
  get src(): string {
    return this.getAttribute("src") ?? "";
  }
  set src(src: string) {
    this.setAttribute("src", src);
  }

  /**
   * A source that replaces `src`: a node, a place in a store, a store or an address. Null means
   * `src`.
   */
  get source(): Source | null {
    return this.#source;
  }
  set source(source: Source | null) {
    this.#source = source ?? null;
    this.#schedule();
  }

  /** The controls of the element; `some` is the default. */
  get controls(): Controls {
    const text = this.getAttribute("controls");
    return text === "none" || text === "all" ? text : "some";
  }
  set controls(controls: Controls) {
    this.setAttribute("controls", controls);
  }

  /**
   * The synchronisation group. Elements with the same word step together, and move together if
   * their axes are the same.
   */
  get sync(): string {
    return this.getAttribute("sync") ?? "";
  }
  set sync(sync: string) {
    this.setAttribute("sync", sync);
  }

  /**
   * Whether synchronised elements of one quantity in the same units share their automatic range, or
   * this one has its own. The default is `shared`.
   */
  get ranges(): "shared" | "own" {
    return this.getAttribute("ranges") === "own" ? "own" : "shared";
  }
  set ranges(ranges: "shared" | "own") {
    this.setAttribute("ranges", ranges);
  }

  /** The state of the view. Setting it replaces all members; the view chooses undefined ones. */
  get state(): ViewState {
    return parseMembers((name) => this.getAttribute(name)).state;
  }
  set state(state: ViewState) {
    for (const name of stateNames) this.#write(name, state ?? {});
  }

  /** The state, completed with ranges by statistics, so that a link shows the same colours. */
  get fullState(): ViewState {
    return { ...this.state, ...this.#panel?.found?.() };
  }

  /**
   * The description of the node; null until it is known. It does not read the labels of an image.
   */
  get description(): Description | null {
    return this.#opened?.description ?? null;
  }

  /**
   * The description of the drawn array: {@link description}, or the first variable of a dataset.
   */
  get shown(): Description | null {
    return this.#shown;
  }

  /**
   * Whether the drawing differs from the request, because the data is being opened, read or
   * painted. It becomes true with the change that requests something else.
   */
  get loading(): boolean {
    return this.#later || !this.#settled || (!this.#broken && this.#panel?.pending === true);
  }

  /** @internal */
  connectedCallback(): void {
    if (!this.#shell) {
      const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
      this.#shell = new Shell(root);
      root.addEventListener("keydown", (event) => this.#key(event as KeyboardEvent));
    }
    // Properties that were set before the class was defined shadow its accessors.
    for (const name of ["source", "state", "src", "controls", "sync", "ranges", ...stateNames]) {
      if (!Object.hasOwn(this, name)) continue;
      const value = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    this.#schedule();
  }

  /** @internal */
  disconnectedCallback(): void {
    // A moved element is removed and added in one task, and keeps its contents.
    this.#schedule();
  }

  /** @internal */
  attributeChangedCallback(): void {
    this.#schedule();
  }

  /** Retries the failed operation. */
  retry(): void {
    const again = this.#again;
    this.#broken = false;
    this.#pass();
    if (again) again();
    else this.#open();
  }

  /** Withdraws the error. */
  #pass(): void {
    this.#again = null;
    this.#passing = false;
    this.#shell?.fail(null);
  }

  /** Cancels reads and keeps the drawing. */
  cancel(): void {
    if (this.#panel) this.#panel.cancel();
    else this.#opening?.abort();
    this.#quiet();
  }

  /** Moves the synchronised elements to the indices and the camera of this one. */
  lead(): void {
    const field = this.#field;
    if (!field) return;
    const { x, y, indices } = lookFromState(field, this.state);
    const others = field.axes.flatMap(({ name }, d) => (d === x || d === y ? [] : [[name, indices[d] ?? 0] as const]));
    this.#lead({ index: Object.fromEntries(others), camera: this.state.camera });
  }

  /** Returns the keys of the element, as its help lists them. */
  async keys(): Promise<readonly KeySection[]> {
    return (await import("../help/index.js")).keys;
  }

  /** Shows the keys in a dialog, like the key `?`. */
  async help(): Promise<void> {
    const { openHelp } = await import("../help/index.js");
    if (this.shadowRoot && this.isConnected) openHelp(this.shadowRoot);
  }

  /** Returns the figure with its title and its colours as an image. The default type is PNG. */
  async snapshot({ type = "image/png", quality }: { type?: string; quality?: number } = {}): Promise<Blob> {
    const drawing = await this.#panel?.drawing?.();
    const canvas = drawing ? (await import("../take/index.js")).figureCanvas(drawing) : this.figure();
    return new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new DOMException("The figure is too large.", "EncodingError"))),
        type,
        quality,
      );
    });
  }

  /** Draws the figure as seen, without title and colours, on a new canvas. */
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
      this.#broken = false;
      attempt(
        () => {
          this.#update();
          this.#share();
        },
        (error) => this.#fail(error, () => this.#schedule()),
      );
    });
  }

  /** Brings the view in line with the attributes. */
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
      const { expression } = state;
      const map = mapOf(state);
      const asked = this.#asked;
      const diagram = state.diagram ? `${formatMember("diagram", state)},${formatMember("region", state)}` : null;
      const same =
        source === asked?.source &&
        path === asked.path &&
        minus === asked.minus &&
        expression === asked.expression &&
        diagram === asked.diagram;
      if (same && (map === asked.map || !this.#curved)) this.#show();
      else {
        this.#asked = { source, path, minus, expression, diagram, map };
        this.#open();
      }
    }
  }

  /** Shows the state. A line and a picture need different panels. */
  #show(): void {
    if (this.#panel && this.#shown && this.#asksLine !== this.#line) this.#make();
    else this.#panel?.show(this.#state);
  }

  /** Whether the state asks for a line of a field that could be a picture. */
  get #asksLine(): boolean {
    const { kind } = this.#shown ?? {};
    return this.#state.axes?.[0] === "" && (kind === "array" || kind === "image");
  }

  #make(): void {
    const signal = this.#opening?.signal;
    if (!this.#shown || !signal) return;
    this.#panel?.close();
    this.#panel = null;
    this.#shell?.clear();
    this.#line = this.#asksLine;
    this.#panel = panelOf(this.#shown, this.#base ?? this.#shown, this.#state, this.#events(signal));
    this.#shell?.put(this.#panel.element);
    if (this.#panel.figure) this.#busy(0);
    else this.#done();
  }

  /** Ends the shown node. */
  #end(): void {
    this.#opening?.abort();
    this.#opening = null;
    this.#panel?.close();
    this.#panel = null;
    this.#opened = null;
    this.#shown = null;
    this.#base = null;
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

  /** Opens the requested node. Results of earlier calls are dropped. */
  #open(): void {
    this.#end();
    const asked = this.#asked;
    const state = this.#state;
    if (!asked) return;
    const opening = new AbortController();
    this.#opening = opening;
    const { signal } = opening;
    this.#busy(0);
    this.#tell("loading", { done: 0, total: 0 });
    const run = async () => {
      const found = await opened(asked.source, asked.path, signal);
      const { base, shown, curved } = await fieldOf(found.description, state, asked.map, signal);
      if (signal.aborted) return;
      this.#opened = found;
      this.#base = base;
      this.#shown = shown;
      this.#curved = curved;
      this.#make();
      this.#shell?.say(shown.title.value);
    };
    run().catch((error: unknown) => {
      if (signal.aborted) return;
      const computed = computations.some((name) => state[name] !== undefined);
      this.#fail(error, () => this.#open(), computed ? this.#uncompute : undefined);
    });
    // Detects the graphics processor while requests are under way.
    setTimeout(hasProcessor);
  }

  /** Returns event callbacks for a panel, which act only while the panel is shown. */
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
      rests: now(() => this.#quiet()),
      failed: now((error, again, until) => {
        this.#fail(error, again);
        this.#passing = until === "ready";
      }),
      ask: now((question) => {
        this.#quiet();
        this.#shell?.ask(question);
        this.#tell("question", question?.text ?? null);
      }),
      ranged: now(() => this.#share()),
      open: now((path) => {
        this.#write("node", { node: path });
        this.#tell("state", this.state);
      }),
    };
  }

  /** The shown field of an array or an image. */
  get #field(): Field | undefined {
    return this.#shown?.kind === "array" || this.#shown?.kind === "image" ? this.#shown.field : undefined;
  }

  /** The names of the drawn axes. */
  get #plane(): string {
    const field = this.#field;
    if (!field) return "";
    const { x, y } = lookFromState(field, this.state);
    return JSON.stringify([y, x].map((axis) => field.axes[axis ?? -1]?.name));
  }

  /** Reports whether indices mean the same in another view, as far as both are known. */
  #agrees(other: ZarrView): boolean {
    const [own, its] = [this.#field, other.#field];
    const grid = (field: Field) => JSON.stringify(field.axes.map(({ name, length }) => [name, length]));
    return !own || !its || (this.src === other.src && this.#source === other.#source && grid(own) === grid(its));
  }

  /** Returns the synchronised elements, with this one. */
  #group(word = this.sync): ZarrView[] {
    const root = this.getRootNode();
    if (word === "" || !("querySelectorAll" in root)) return [];
    const all = [...(root as ParentNode).querySelectorAll("zarr-view")];
    return all.filter((other): other is ZarrView => other instanceof ZarrView && other.sync === word);
  }

  /** Shares the automatic ranges of one quantity in its group, and in the group that it left. */
  #share(): void {
    const left = this.#word === this.sync ? [] : this.#group(this.#word);
    this.#word = this.sync;
    for (const view of new Set([this, ...this.#group(), ...left])) {
      const ranges = view.#group().flatMap((other) => {
        const range = view.#compares(other) ? other.#panel?.automatic?.() : null;
        return range ? [range] : [];
      });
      const ends = [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))] as const;
      view.#panel?.share?.(ranges.length > 1 ? ends : null);
    }
  }

  /**
   * Reports whether another element shows the same quantity and units, and shares its range. A root
   * is called "/", which names no quantity.
   */
  #compares(other: ZarrView): boolean {
    const [own, its] = [this.#field, other.#field];
    if (!own || !its || own.units !== its.units || this.ranges === "own" || other.ranges === "own") return false;
    const names = ({ name, title, levels }: Field) => [name, title.value, levels[0]?.array.attrs.standard_name];
    const known = names(its);
    return names(own).some((one, i) => one && one !== "/" && one === known[i]);
  }

  /** Applies a change to the synchronised elements. */
  #lead(change: ViewState): void {
    for (const other of this.#group()) {
      if (other === this) continue;
      if (!this.#agrees(other)) {
        other.#led = other.#led.then(() => other.#follow(this, change));
        continue;
      }
      if (change.index) other.#write("index", { index: { ...other.state.index, ...change.index } });
      if ("camera" in change && other.#plane === this.#plane) other.#write("camera", change);
    }
  }

  /** Applies a change of a view with another grid, by the values of the coordinates. */
  async #follow(leader: ZarrView, change: ViewState): Promise<void> {
    try {
      const { following } = await import("../linked/index.js");
      const [from, to] = [leader.#field, this.#field];
      if (!from || !to) return;
      const found = await following({ field: from, state: leader.state }, change, { field: to, state: this.state });
      for (const name of ["index", "camera"] as const) if (name in found) this.#write(name, found);
    } catch (error) {
      this.#fail(error, () => void this.#follow(leader, change));
    }
  }

  #done(): void {
    this.#quiet();
    this.#broken = false;
    if (this.#passing) this.#pass();
    this.#tell("ready", null);
  }

  /** Removes the computations from the state. */
  readonly #uncompute = (): void => {
    for (const name of computations) this.#write(name, {});
    this.#tell("state", this.state);
  };

  #fail(error: unknown, again: () => void, plain?: () => void): void {
    if (isAbort(error)) return;
    this.#quiet();
    this.#broken = true;
    this.#passing = false;
    this.#again = again;
    if (this.#tell("error", { error })) this.#shell?.fail(error, () => this.retry(), plain);
  }

  #write(name: (typeof stateNames)[number], state: ViewState): void {
    const text = formatMember(name, state);
    if (text === null) this.removeAttribute(name);
    else if (this.getAttribute(name) !== text) this.setAttribute(name, text);
  }

  /** Dispatches an event. Returns false if a listener called `preventDefault()`. */
  #tell<K extends keyof ZarrViewEventMap>(type: K, detail: ZarrViewEventMap[K]["detail"]): boolean {
    return this.dispatchEvent(new CustomEvent(type, { detail, cancelable: type === "error" }));
  }
}
