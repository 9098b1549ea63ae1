// The panel of pictures: what is on screen is asked for, painted, and told.
import type { Coordinate, Field, Plane } from "../../describe/field.js";
import { hexOf } from "../colour/channels.js";
import { tableOf } from "../colour/colormaps.js";
import { AxesPicker } from "../controls/axespicker.js";
import { LabelsControl } from "../controls/legend.js";
import { textButton } from "../controls/parts.js";
import { Toolbar } from "../controls/toolbar.js";
import { append, el, fill } from "../dom.js";
import { createPainter } from "../paint/create.js";
import type { Layer, Painter } from "../paint/painter.js";
import { lookOf as lookAt, onScheme, type Look as Theme } from "../plot/look.js";
import { formatMember, type ViewState } from "../state.js";
import type { Figure } from "../take/figure.js";
import type { Pen } from "../take/svg.js";
import type { Wanted } from "../tiles/tiles.js";
import { aspectOf } from "./aspect.js";
import { Beside } from "./beside.js";
import { bounded, type Eye, elementAt, fitted, type Ground, panned, placement, seen, zoomed } from "./camera.js";
import { Contrast } from "./contrast.js";
import {
  type Coast,
  drawAxes,
  drawCoast,
  drawCross,
  drawCursor,
  drawScaleBar,
  type Layout,
  loadCoast,
  type PlaneAxis,
  pictureOf,
  placeAxes,
  scaleBar,
  viewOf,
} from "./frame.js";
import { listen } from "./gestures.js";
import { TileLayer } from "./layer.js";
import { Legend } from "./legend.js";
import { type Look, lookOf } from "./look.js";
import type { Panel, PanelEvents } from "./panel.js";
import { detailAt, readoutOf } from "./readout.js";
import { Steps } from "./steps.js";
import { colormapOf, coloursOf, labelStyleOf, stylesOf } from "./styling.js";
import { type Takeable, takeEntries } from "./taking.js";
import { countOf, sizeOf } from "./words.js";

/** Chunks, and their bytes decoded, that are read without asking. */
const ASK_CHUNKS = 1000;
const ASK_BYTES = 512 << 20;
/** How long a first picture waits for coordinates, which may turn or stretch it, in milliseconds. */
const PATIENCE = 500;
/** The first guess of the room that the left axis's texts take. */
const LEFT = 64;

/** What a picture is of. */
export interface PictureSubject {
  readonly field: Field;
  /** Whether it is of an image, which has a scale bar, rather than of a variable, which has axes. */
  readonly image: boolean;
  /** Opens an image of labels by its name. */
  labels(name: string, signal: AbortSignal): Promise<Field>;
  /** The names of the images of labels. */
  readonly labelNames: readonly string[];
}

/** A field as a picture. */
export class Picture implements Panel {
  readonly element = el("div", { class: "picture" });
  readonly #subject: PictureSubject;
  readonly #events: PanelEvents;
  readonly #ended = new AbortController();
  readonly #surface = el("div", {
    class: "surface",
    tabindex: "0",
    role: "application",
    "aria-roledescription": "picture",
  });
  readonly #stage = el("div", { class: "stage" });
  readonly #chequers = el("div", { class: "chequers" });
  readonly #canvas = el("canvas", { class: "pixels", "aria-hidden": "true" });
  readonly #over = el("canvas", { class: "over", "aria-hidden": "true" });
  readonly #badge = el("div", { class: "badge" });
  readonly #readout = el("div", { class: "readout" });
  readonly #painter: Painter;
  #layer: TileLayer;
  #contrast: Contrast;
  /** What was painted last: it stays when reading is cancelled. */
  #layers: readonly Layer[] = [];
  readonly #legend: Legend;
  readonly #steps: Steps;
  readonly #toolbar: Toolbar;
  readonly #picker: AxesPicker;
  readonly #labelling: LabelsControl;
  readonly #beside: Beside;
  readonly #series = textButton("Series", () => this.#beside.toggle());
  #taking: AbortController | null = null;
  readonly #resized: ResizeObserver;
  readonly #coordinates: (Coordinate | null | undefined)[];
  #labels: { readonly name: string; readonly layer: TileLayer } | null = null;
  #labelsAsked: AbortController | null = null;
  #state: ViewState;
  #look: Look;
  #theme: Theme;
  /** Null: all is seen. */
  #eye: Eye | null;
  #size = { width: 0, height: 0 };
  #left = LEFT;
  #cursor: { x: number; y: number } | null = null;
  #spoken = false;
  #wanted: Wanted | null = null;
  #heading: Wanted["heading"];
  #agreed = false;
  #asking = false;
  #placed = false;
  #ready = false;
  #cancelled = false;
  #coast: Coast | null = null;
  #frame = 0;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void)[] = [];

  constructor(subject: PictureSubject, state: ViewState, events: PanelEvents) {
    this.#subject = subject;
    this.#events = events;
    this.#state = state;
    const { field } = subject;
    this.#look = lookOf(field, state);
    this.#theme = lookAt(this.element);
    this.#eye = state.camera ?? null;
    this.#coordinates = field.axes.map(() => undefined);
    this.#painter = createPainter(this.#canvas);
    this.#layer = this.#makeLayer(state);
    this.#contrast = this.#makeContrast();
    this.#legend = new Legend(field, {
      changed: (change) => this.#change(change),
      auto: () => this.#auto(),
    });
    this.#steps = new Steps(field, {
      index: (axis, index, step) => this.#step(axis, index, step),
      painted: (signal) => this.#painted(signal),
    });
    const bar = el("div", { class: "bar" });
    const [axes, labels, tools] = [el("div", { class: "axes" }), el("div"), el("div")];
    this.#toolbar = new Toolbar(tools, {
      zoom: (factor) => this.#zoom(factor),
      fit: () => this.#move(null),
      full: () => this.#full(),
      take: (id) => this.#take(id),
    });
    this.#picker = new AxesPicker(axes, { plane: (plane) => this.#turn(plane) });
    this.#labelling = new LabelsControl(labels, {
      labels: (name, opacity) => this.#change({ labels: name === null ? undefined : { name, opacity } }),
    });
    this.#beside = new Beside({
      chosen: (axis, index) => this.#step(axis, index, 0),
      changed: () => {
        this.#series.setAttribute("aria-pressed", String(this.#beside.open));
        if (this.#beside.open) this.#hint();
        this.#schedule();
      },
      failed: (error, again) => this.#events.failed(error, again),
    });
    this.#series.title = "Values along another axis of the points that are clicked; with Shift along a line";
    this.#series.setAttribute("aria-pressed", "false");
    append(
      bar,
      this.#readout,
      axes,
      labels,
      this.#series,
      textButton("Auto", () => this.#auto()),
      tools,
    );
    append(this.#surface, this.#chequers, this.#canvas, this.#over);
    append(this.#stage, this.#surface, this.#badge);
    append(this.element, this.#stage, this.#beside.element, this.#legend.element, this.#steps.element, bar);
    this.#listen();
    this.#resized = new ResizeObserver(() => {
      this.#size = { width: this.#surface.clientWidth, height: this.#surface.clientHeight };
      this.#theme = lookAt(this.element);
      this.#schedule();
    });
    this.#resized.observe(this.#surface);
    this.#hint();
    this.#arrange();
    void this.#lookUp();
  }

  #makeLayer({ member, component }: ViewState): TileLayer {
    const events = { changed: () => this.#schedule(), failed: (error: unknown) => this.#failed(error) };
    return new TileLayer(this.#subject.field, this.#painter, events, { member, part: component });
  }

  #makeContrast(): Contrast {
    return new Contrast(
      this.#subject.field,
      () => this.#schedule(),
      (error) => this.#failed(error),
    );
  }

  #failed(error: unknown): void {
    this.#settle();
    this.#events.failed(error, () => this.retry());
  }

  /** Shows a state; only what is other than before is changed, so that a hand on the picture is not disturbed. */
  show(state: ViewState): void {
    const before = this.#state;
    this.#state = state;
    this.#cancelled = false;
    if (formatMember("camera", state) !== formatMember("camera", before)) this.#eye = state.camera ?? null;
    if (state.member !== before.member || state.component !== before.component) this.#renew();
    const look = lookOf(this.#subject.field, state);
    if (look.x !== this.#look.x || look.y !== this.#look.y) {
      this.#agreed = false;
      this.#left = LEFT;
      this.#cursor = null;
      this.#placed = false;
      this.#layers = [];
    }
    this.#heading = headingOf(this.#look, look) ?? this.#heading;
    this.#look = look;
    this.#ready = false;
    this.#arrange();
    void this.#lookUp();
  }

  /** Other numbers of the same elements are drawn. */
  #renew(): void {
    this.#layers = [];
    this.#layer.close();
    this.#contrast.close();
    this.#layer = this.#makeLayer(this.#state);
    this.#contrast = this.#makeContrast();
    this.#wanted = null;
  }

  figure(): HTMLCanvasElement {
    const ratio = this.#ratio;
    const { width, height } = this.#size;
    const canvas = el("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const context = canvas.getContext("2d");
    if (!context) return canvas;
    context.fillStyle = this.#theme.paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(ratio, ratio);
    this.#drawOn(context);
    return canvas;
  }

  drawing(): Figure {
    const { field } = this.#subject;
    const look = this.#look;
    const range = look.kind === "map" ? (look.range ?? this.#contrast.range(0, look.curve)) : null;
    const colours = look.kind === "category" ? coloursOf(field) : [];
    return {
      ...this.#size,
      title: field.title.value,
      subtitle: this.#place().join(", "),
      look: this.#theme,
      draw: (pen) => this.#drawOn(pen),
      bar: range && {
        title: field.title.value,
        units: field.units,
        table: tableOf(colormapOf(field, look)),
        range,
        curve: look.curve,
        times: field.values === "time",
      },
      entries: [
        ...look.channels,
        ...field.categories.map(({ label }, i) => ({ label, colour: colours[i] ?? ([0, 0, 0] as const) })),
      ],
    };
  }

  /** Draws the picture as it is seen, with what is around it. */
  #drawOn(pen: Pen): void {
    this.#draw();
    const layout = this.#layout();
    const { view, picture } = layout;
    if (this.#look.kind === "channel") {
      pen.fillStyle = "#000";
      pen.fillRect(picture.x, picture.y, picture.width, picture.height);
    }
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.#canvas, view.x, view.y, view.width, view.height);
    this.#overlay(pen, layout);
  }

  /** Asks again for what failed. */
  retry(): void {
    this.#cancelled = false;
    this.#wanted = null;
    this.#layer.tiles.retry();
    this.#labels?.layer.tiles.retry();
    this.#ready = false;
    this.#schedule();
  }

  cancel(): void {
    if (this.#ready || !this.#wanted) return;
    this.#cancelled = true;
    // Of a rectangle without an extent nothing is wanted: what is under way is aborted.
    this.#layer.tiles.want({ ...this.#wanted, right: this.#wanted.left, bottom: this.#wanted.top });
    this.#wanted = null;
    this.#settle();
  }

  close(): void {
    this.#ended.abort();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#telling);
    this.#resized.disconnect();
    this.#labelsAsked?.abort();
    this.#labels?.layer.close();
    this.#contrast.close();
    this.#layer.close();
    this.#painter.close();
    this.#steps.close();
    this.#legend.close();
    this.#beside.close();
    this.#toolbar.close();
    this.#picker.close();
    this.#labelling.close();
    this.#settle();
  }

  #listen(): void {
    const events = {
      zoom: (factor: number, x: number, y: number) => {
        const { view } = this.#layout();
        this.#move(zoomed(this.#eyeNow, factor, x - view.x, y - view.y, this.#ground, view));
      },
      pan: (dx: number, dy: number) => this.#move(panned(this.#eyeNow, dx, dy, this.#ground, this.#layout().view)),
      fit: () => this.#move(null),
      hover: (point: { x: number; y: number } | null) => this.#point(point && this.#at(point), false),
      click: (point: { x: number; y: number }, more: boolean) => {
        const at = this.#at(point);
        this.#point(at, true);
        if (!at) return;
        this.#beside.choose(at, more);
        this.#mark(at);
      },
      step: (dx: number, dy: number) => this.#walk(dx, dy),
      escape: () => this.#point(null, true),
      key: (event: KeyboardEvent) => this.#key(event),
    };
    listen(this.#surface, events, this.#ended.signal);
    // A change of the page's colours or of its pixels' size.
    const { signal } = this.#ended;
    onScheme(() => this.#arrange(), signal);
    document.addEventListener("fullscreenchange", () => this.#arrange(), { signal });
  }

  /** Tells synchronised elements where a point is along the axes that are drawn here, and they show it. */
  #mark({ x, y }: { readonly x: number; readonly y: number }): void {
    const [across, down] = this.#names;
    if (!this.#host.hasAttribute("sync")) return;
    this.#change({ index: { ...this.#state.index, [across]: x, [down]: y } });
  }

  /** The names of the axes to the right and downwards. */
  get #names(): readonly [string, string] {
    const { x, y } = this.#plane;
    return [x.axis.name, y.axis.name];
  }

  /** Enter chooses the element under the cursor for a series. */
  #key(event: KeyboardEvent): boolean {
    if (event.key !== "Enter" || !this.#cursor) return this.#steps.key(event);
    this.#mark(this.#cursor);
    if (this.#host.hasAttribute("sync") && !this.#beside.open) return true;
    if (!this.#beside.open) this.#beside.toggle();
    this.#beside.choose(this.#cursor, event.shiftKey);
    return true;
  }

  #zoom(factor: number): void {
    const { view } = this.#layout();
    this.#move(zoomed(this.#eyeNow, factor, view.width / 2, view.height / 2, this.#ground, view));
  }

  get #host(): HTMLElement {
    const root = this.element.getRootNode();
    return root instanceof ShadowRoot ? (root.host as HTMLElement) : this.element;
  }

  /** Fills the screen, or no longer. */
  #full(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else this.#host.requestFullscreen().catch((error: unknown) => this.#events.failed(error, () => this.#full()));
  }

  #take(id: string): void {
    const controller = new AbortController();
    this.#taking?.abort();
    this.#taking = controller;
    const signal = AbortSignal.any([controller.signal, this.#ended.signal]);
    const run = async () => (await import("../take/index.js")).take(id, this.#takeable(), signal);
    run().catch((error: unknown) => {
      if (!controller.signal.aborted) this.#events.failed(error, () => this.#take(id));
    });
  }

  #takeable(): Takeable {
    const { field, image } = this.#subject;
    return {
      kind: image ? "image" : "array",
      element: this.#host,
      axes: this.#steps.axes,
      wish: () => {
        const { x, y, indices } = this.#look;
        const { view } = this.#layout();
        return {
          field,
          level: this.#layer.tiles.level,
          x,
          y,
          indices,
          part: this.#eye ? seen(this.#eyeNow, this.#ground, view) : undefined,
          member: this.#state.member,
        };
      },
      figure: () => this.drawing(),
      go: async (axis, index, signal) => {
        this.#step(axis, index, 1);
        await this.#painted(signal);
        signal.throwIfAborted();
      },
      progress: (done, total) => this.#events.loading({ done, total }),
    };
  }

  get #ratio(): number {
    return globalThis.devicePixelRatio || 1;
  }

  get #ground(): Ground {
    const { x, y, up, left } = this.#look;
    const { axes } = this.#subject.field;
    const width = axes[x ?? -1]?.length ?? 1;
    const height = axes[y ?? -1]?.length ?? 1;
    const view = viewOf(this.#size, this.#axes, this.#left);
    return { width, height, up, left, aspect: aspectOf(this.#plane, view) };
  }

  get #plane(): { x: PlaneAxis; y: PlaneAxis } {
    const of = (d: number | null): PlaneAxis => ({
      axis: this.#subject.field.axes[d ?? -1] ?? noAxis,
      coordinate: this.#coordinates[d ?? -1] ?? null,
    });
    return { x: of(this.#look.x), y: of(this.#look.y) };
  }

  get #axes(): boolean {
    return !this.#subject.image;
  }

  get #eyeNow(): Eye {
    const { view } = this.#layout();
    return this.#eye ? bounded(this.#eye, this.#ground, view) : fitted(this.#ground, view);
  }

  #layout(): Layout {
    const view = viewOf(this.#size, this.#axes, this.#left);
    const ground = this.#ground;
    const eye = this.#eye ? bounded(this.#eye, ground, view) : fitted(ground, view);
    return { view, picture: pictureOf(view, eye, ground) };
  }

  /** Moves the camera by a person's hand. */
  #move(eye: Eye | null): void {
    this.#eye = eye;
    this.#cancelled = false;
    this.#ready = false;
    this.#schedule();
    clearTimeout(this.#telling);
    // A link needs to know where the hand stopped, not each step on the way.
    this.#telling = setTimeout(() => this.#change({ camera: this.#eye ?? undefined }), 150);
  }

  /** Tells what a person changed. */
  #change(change: ViewState): void {
    this.#state = { ...this.#state, ...change };
    this.#cancelled = false;
    const { x, y } = this.#look;
    this.#look = lookOf(this.#subject.field, this.#state);
    if (x !== this.#look.x || y !== this.#look.y) this.#layers = [];
    this.#ready = false;
    this.#events.changed(change);
    this.#arrange();
  }

  /** Other axes, or another direction. */
  #turn({ x, y, up, left }: Plane): void {
    const { axes } = this.#subject.field;
    const name = (axis: number | null) => axes[axis ?? -1]?.name ?? "";
    this.#change({ axes: [name(y), name(x)], up, left });
  }

  #auto(): void {
    this.#contrast.renew(this.#layer.tiles, this.#drawn);
    if (this.#look.kind === "channel") {
      const channels = this.#look.channels.map(({ index, colour }) => ({
        index,
        colour: hexOf(colour),
      }));
      this.#change({ channels });
    } else this.#change({ range: undefined });
  }

  #step(axis: number, index: number, step: number): void {
    const name = this.#subject.field.axes[axis]?.name;
    if (name === undefined) return;
    this.#heading = step === 0 ? undefined : { axis, step };
    this.#cancelled = false;
    this.#change({ index: { ...this.#state.index, [name]: index } });
  }

  #painted(signal: AbortSignal): Promise<void> {
    if (this.#ready || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** What waited for the picture goes on. */
  #settle(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Reads the positions of the axes. The plane's may turn or stretch the picture, which waits for them a while. */
  async #lookUp(): Promise<void> {
    const { field } = this.#subject;
    const { x, y } = this.#look;
    const { signal } = this.#ended;
    const read = async (axis: number) => {
      if (this.#coordinates[axis] !== undefined) return;
      const found = await field.axes[axis]?.coordinate(signal).catch(() => null);
      if (signal.aborted) return;
      this.#coordinates[axis] = found ?? null;
      this.#steps.show(this.#look, this.#coordinates);
      this.#schedule();
    };
    const drawn = [x, y].filter((axis) => axis !== null);
    const others = field.axes.map((_, d) => d).filter((d) => !drawn.includes(d) && d !== field.colourAxis);
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    const all = Promise.all(drawn.map(read));
    void Promise.all(others.map(read));
    await Promise.race([all, patience]);
    this.#placed = true;
    this.#schedule();
    if (field.place?.lonLat && drawn.length === 2) {
      const coast = await loadCoast().catch(() => null);
      if (signal.aborted) return;
      this.#coast = coast;
      this.#schedule();
    }
  }

  /** Brings the controls to the state. */
  #arrange(): void {
    const { field, labelNames } = this.#subject;
    const { x, y, up, left } = this.#look;
    const choices = field.axes.flatMap(({ name, length }, axis) =>
      length > 1 && axis !== field.colourAxis && axis !== field.channels?.axis ? [{ axis, name }] : [],
    );
    // The menu names the axes that have sliders.
    this.#steps.show(this.#look, this.#coordinates);
    this.#picker.show({ axes: choices, plane: { x, y, up, left }, turns: true });
    const { name = null, opacity = 0.5 } = this.#state.labels ?? {};
    this.#labelling.show({ names: labelNames, chosen: name, opacity });
    this.#toolbar.show({
      zooms: true,
      full: document.fullscreenElement === this.#host,
      take: takeEntries(this.#takeable()),
    });
    const { component: part, member } = this.#state;
    if (x !== null && y !== null) this.#beside.of({ field, x, y, indices: this.#look.indices, part, member });
    this.#series.hidden = !series.includes(field.values);
    this.#theme = lookAt(this.element);
    this.#loadLabels();
    this.#schedule();
  }

  #loadLabels(): void {
    const name = this.#state.labels?.name;
    if (this.#labels && this.#labels.name !== name) {
      this.#labels.layer.close();
      this.#labels = null;
    }
    this.#labelsAsked?.abort();
    if (name === undefined || this.#labels) return;
    const asked = new AbortController();
    this.#labelsAsked = asked;
    const failed = (error: unknown) => {
      if (!asked.signal.aborted) this.#events.failed(error, () => this.#loadLabels());
    };
    this.#subject.labels(name, asked.signal).then((field) => {
      if (asked.signal.aborted) return;
      const layer = new TileLayer(field, this.#painter, { changed: () => this.#schedule(), failed });
      this.#labels = { name, layer };
      this.#wanted = null;
      this.#schedule();
    }, failed);
  }

  #schedule(): void {
    if (this.#frame !== 0 || this.#ended.signal.aborted) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  /** The channels whose tiles are drawn. */
  get #drawn(): number[] {
    return this.#look.kind === "channel" ? this.#look.channels.map(({ index }) => index) : [0];
  }

  #want(layout: Layout): void {
    const look = this.#look;
    if (look.x === null || look.y === null || this.#cancelled) return;
    const ground = this.#ground;
    const eye = this.#eyeNow;
    const per = 1 / (eye.zoom * this.#ratio);
    const wanted: Wanted = {
      x: look.x,
      y: look.y,
      indices: look.indices,
      ...seen(eye, ground, layout.view),
      perPixelX: per,
      perPixelY: per / ground.aspect,
      level: look.level,
      channels: look.kind === "channel" ? this.#drawn : [],
      heading: this.#heading,
    };
    if (this.#wanted && JSON.stringify(wanted) === JSON.stringify(this.#wanted)) return;
    const cost = this.#layer.cost(wanted);
    const much = cost.chunks > ASK_CHUNKS || cost.bytes > ASK_BYTES;
    if (much && !this.#agreed) {
      this.#ask(cost.chunks, cost.bytes, wanted);
      return;
    }
    if (this.#asking) this.#events.ask(null);
    this.#asking = false;
    this.#wanted = wanted;
    this.#ready = false;
    this.#layer.tiles.want(wanted);
    this.#labels?.layer.tiles.want(this.#labelsWanted(wanted, this.#labels.layer.field));
  }

  /** What is to be seen of the labels, whose elements may be larger or smaller than the image's. */
  #labelsWanted(wanted: Wanted, labels: Field): Wanted {
    const { field } = this.#subject;
    const { x, y } = labels.plane.value;
    const [sx, sy] = this.#labelScale(labels);
    return {
      ...wanted,
      x: x ?? 0,
      y,
      indices: labels.axes.map(({ name, length }, d) => {
        const own = field.axes.findIndex((axis) => axis.name === name);
        return own < 0 ? (labels.indices[d] ?? 0) : Math.min(length - 1, wanted.indices[own] ?? 0);
      }),
      left: wanted.left / sx,
      right: wanted.right / sx,
      top: wanted.top / sy,
      bottom: wanted.bottom / sy,
      perPixelX: wanted.perPixelX / sx,
      perPixelY: wanted.perPixelY / sy,
      level: undefined,
      channels: [],
      heading: undefined,
    };
  }

  /** How many of the image's elements one of the labels covers. */
  #labelScale(labels: Field): readonly [number, number] {
    const { x, y } = labels.plane.value;
    const { width, height } = this.#ground;
    return [width / (labels.axes[x ?? -1]?.length || 1), height / (labels.axes[y ?? -1]?.length || 1)];
  }

  #ask(chunks: number, bytes: number, wanted: Wanted): void {
    if (this.#asking) return;
    this.#asking = true;
    const middle = () => {
      const ground = this.#ground;
      const { view } = this.#layout();
      let eye = fitted(ground, view);
      for (let i = 0; i < 40; i++) {
        eye = { ...eye, zoom: eye.zoom * 2 };
        const per = 1 / (eye.zoom * this.#ratio);
        const part = { ...wanted, ...seen(eye, ground, view), perPixelX: per, perPixelY: per / ground.aspect };
        const cost = this.#layer.cost(part);
        if (cost.chunks <= ASK_CHUNKS / 4 && cost.bytes <= ASK_BYTES / 2) break;
      }
      this.#asking = false;
      this.#events.ask(null);
      this.#move(eye);
    };
    const all = () => {
      this.#agreed = true;
      this.#asking = false;
      this.#events.ask(null);
      this.#schedule();
    };
    this.#events.ask({
      text: `This picture needs ${countOf(chunks)} chunks, ${sizeOf(bytes)} when decoded. That may take long.`,
      answers: [
        { label: "Only the middle", run: middle },
        { label: "Read it all", run: all },
      ],
    });
    this.#settle();
  }

  #draw(): void {
    if (!this.#placed || this.#size.width === 0 || this.#size.height === 0) return;
    const layout = this.#layout();
    this.#want(layout);
    const { tiles } = this.#layer;
    const ranged = stylesOf(this.#subject.field, this.#look, this.#contrast, tiles.packing);
    if (this.#wanted && ranged.unknown.length > 0) this.#contrast.want(tiles, ranged.unknown);
    this.#fit(layout);
    const ratio = this.#ratio;
    if (!this.#cancelled) {
      const layers = this.#layer.layers(ranged.styles, 1);
      // The picture before stays until something of this one is here: no step is a flash of nothing.
      const none = layers.every(({ tiles }) => tiles.length === 0) && !tiles.complete;
      if (!none) this.#layers = [...layers, ...this.#labelLayers()];
    }
    this.#painter.paint({ camera: placement(this.#eyeNow, this.#ground, layout.view, ratio), layers: this.#layers });
    this.#decorate(layout);
    this.#tell(ranged.unknown.length === 0);
  }

  #labelLayers() {
    if (!this.#labels) return [];
    const { layer } = this.#labels;
    const style = labelStyleOf(layer.field);
    return layer.layers([{ channel: 0, style }], this.#state.labels?.opacity ?? 0.5, ...this.#labelScale(layer.field));
  }

  /** Gives the canvases their size and place. */
  #fit({ view, picture }: Layout): void {
    const ratio = this.#ratio;
    const put = (node: HTMLElement, box: { x: number; y: number; width: number; height: number }) => {
      node.style.left = `${box.x}px`;
      node.style.top = `${box.y}px`;
      node.style.width = `${box.width}px`;
      node.style.height = `${box.height}px`;
    };
    const size = (canvas: HTMLCanvasElement, box: { width: number; height: number }) => {
      const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
    };
    size(this.#canvas, view);
    size(this.#over, this.#size);
    put(this.#canvas, view);
    put(this.#chequers, picture);
    this.#chequers.classList.toggle("dark", this.#look.kind === "channel");
    this.#chequers.classList.toggle("empty", !this.#wanted || !this.#layer.tiles.complete);
  }

  /** Draws what is over the picture. */
  #decorate(layout: Layout): void {
    const context = this.#over.getContext("2d");
    if (!context) return;
    const ratio = this.#ratio;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#over.width, this.#over.height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#overlay(context, layout);
    const [x, y] = this.#names.map((name) => this.#state.index?.[name]);
    if (x !== undefined && y !== undefined) drawCross(context, layout, { x, y }, this.#eyeNow, this.#ground);
    for (const point of this.#beside.points) drawCursor(context, layout, point, this.#eyeNow, this.#ground);
    if (this.#cursor) drawCursor(context, layout, this.#cursor, this.#eyeNow, this.#ground);
  }

  #overlay(pen: Pen, layout: Layout): void {
    const eye = this.#eyeNow;
    const ground = this.#ground;
    const plane = this.#plane;
    if (this.#coast && plane.x.coordinate && plane.y.coordinate) {
      drawCoast(pen, layout, this.#coast, { x: plane.x.coordinate, y: plane.y.coordinate }, eye, ground);
    }
    if (this.#axes) {
      const placed = placeAxes(pen, layout, plane, eye, ground, this.#theme);
      drawAxes(pen, layout.picture, placed, this.#theme);
      if (Math.abs(placed.left - this.#left) > 1) {
        this.#left = placed.left;
        this.#schedule();
      }
    } else {
      const bar = scaleBar(plane.x, eye.zoom, Math.min(160, layout.picture.width / 3));
      if (bar) drawScaleBar(pen, layout.picture, bar, this.#theme.font);
    }
  }

  /** Tells how far reading is, and brings what shows it to what is known. */
  #tell(ranged: boolean): void {
    const look = this.#look;
    const { tiles } = this.#layer;
    const { levels } = this.#subject.field;
    this.#badge.textContent = levels.length > 1 ? `level ${tiles.level + 1} of ${levels.length}` : "";
    this.#badge.hidden = levels.length < 2;
    this.#legend.show(this.#look, this.#contrast);
    if (this.#cursor) this.#read();
    if (!this.#wanted || this.#cancelled) return;
    const complete = tiles.complete && ranged;
    if (complete && !this.#ready) {
      this.#ready = true;
      // Histograms beside ranges that are stated: of a level that is small, and here.
      if (levels.length > 1 && look.kind !== "label" && look.kind !== "colour") this.#contrast.want(tiles, this.#drawn);
      this.#label();
      this.#events.ready();
      this.#settle();
    } else if (tiles.busy || ranged === false) this.#events.loading(tiles.progress);
  }

  /** Where the picture is along the axes that are not drawn, in words. */
  #place(): string[] {
    const { field } = this.#subject;
    const { x, y, indices, kind } = this.#look;
    const hidden = [x, y, field.colourAxis, kind === "channel" ? field.channels?.axis : null];
    return field.axes.flatMap(({ name, length }, d) => {
      if (hidden.includes(d) || length < 2) return [];
      const index = indices[d] ?? 0;
      return [`${name} ${this.#coordinates[d]?.text(index) ?? index}`];
    });
  }

  /** Says in words what the picture shows. */
  #label(): void {
    const { field } = this.#subject;
    const { x, y } = this.#look;
    const plane = `${field.axes[y ?? -1]?.name} down, ${field.axes[x ?? -1]?.name} to the right`;
    this.#surface.setAttribute("aria-label", [field.title.value, plane, ...this.#place()].join("; "));
  }

  #at(point: { x: number; y: number }): { x: number; y: number } | null {
    const { view } = this.#layout();
    const ground = this.#ground;
    const at = elementAt(point.x - view.x, point.y - view.y, this.#eyeNow, ground, view);
    const [x, y] = [Math.floor(at.x), Math.floor(at.y)];
    return x < 0 || y < 0 || x >= ground.width || y >= ground.height ? null : { x, y };
  }

  #walk(dx: number, dy: number): void {
    const { width, height, up, left } = this.#ground;
    const from = this.#cursor;
    const clamp = (value: number, most: number) => Math.max(0, Math.min(most - 1, value));
    const to = from
      ? { x: clamp(from.x + (left ? -dx : dx), width), y: clamp(from.y + (up ? -dy : dy), height) }
      : { x: (width - 1) >> 1, y: (height - 1) >> 1 };
    this.#point(to, true);
  }

  #point(point: { x: number; y: number } | null, spoken: boolean): void {
    if (!spoken && point?.x === this.#cursor?.x && point?.y === this.#cursor?.y) return;
    this.#cursor = point;
    this.#spoken = spoken;
    if (point) this.#read();
    else {
      this.#hint();
      this.#events.pointer(null, false);
    }
    this.#schedule();
  }

  #read(): void {
    if (!this.#cursor) return;
    const detail = detailAt(this.#subject.field, this.#look, this.#layer, this.#coordinates, this.#cursor);
    fill(this.#readout, ...readoutOf(this.#subject.field, detail));
    this.#events.pointer(detail, this.#spoken);
    this.#spoken = false;
  }

  #hint(): void {
    const text =
      "Point at the picture for values. Wheel or + and − zoom, dragging moves, 0 shows all, arrow keys walk.";
    fill(this.#readout, el("span", { class: "words" }, text));
  }
}

/** What series are made of. */
const series = ["number", "boolean", "time", "duration", "complex"];

const noAxis: PlaneAxis["axis"] = {
  name: "",
  title: "",
  role: { value: "other", by: "guessed", why: "" },
  length: 1,
  units: "",
  coordinate: async () => null,
};

/** Where a page goes that steps by one along one axis; undefined where the indices are the same, and no step where it jumps. */
function headingOf(before: Look, after: Look): Wanted["heading"] {
  const changed = after.indices.flatMap((index, axis) => (index === before.indices[axis] ? [] : [axis]));
  const [axis] = changed;
  if (axis === undefined) return undefined;
  const step = (after.indices[axis] ?? 0) - (before.indices[axis] ?? 0);
  return { axis, step: changed.length === 1 && Math.abs(step) === 1 ? step : 0 };
}
