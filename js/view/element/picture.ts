// The panel of pictures. It requests, paints and reports the elements in view.

import type { Field, Plane } from "../../describe/field.js";
import { drawnLabel } from "../colour/labels.js";
import { append, el } from "../dom.js";
import { type Cells, cellsOf } from "../mesh/cells.js";
import { createPainter } from "../paint/create.js";
import type { Layer, Painter } from "../paint/painter.js";
import { onScheme, type Theme, themeOf } from "../plot/theme.js";
import { formatMember, formatMembers, type ViewState } from "../state.js";
import type { Figure } from "../take/figure.js";
import type { Pen } from "../take/svg.js";
import type { Cost, Wanted } from "../tiles/tiles.js";
import { AxisSliders } from "./axissliders.js";
import { isMuch, questionOf } from "./budget.js";
import { type Eye, panned, placement, seen, unrolled } from "./camera.js";
import { Canvases } from "./canvases.js";
import { badgeOf, captionOf, subtitleParts } from "./caption.js";
import { Contrast, type Seen } from "./contrast.js";
import { ControlBar } from "./controlbar.js";
import { Cursor, type Place } from "./cursor.js";
import { Decoration } from "./decoration.js";
import { Downloads } from "./downloads.js";
import { meaningOf } from "./figure.js";
import { listen } from "./gestures.js";
import { TileLayer } from "./layer.js";
import { PictureLayout } from "./layout.js";
import { Legend } from "./legend.js";
import { channelState, headingOf, type Look, lookFromState } from "./look.js";
import { LabelsOverlay } from "./overlay.js";
import type { Panel, PanelEvents } from "./panel.js";
import { Positions } from "./positions.js";
import type { Scene } from "./scene.js";
import { hasSeries, SidePlot } from "./sideplot.js";
import { stylesOf } from "./styling.js";
import type { PictureSubject } from "./subject.js";
import type { Takeable } from "./taking.js";

/** The largest width of a view with channels in the drawer, as in the styles, in CSS pixels. */
const NARROW = 640;

/** The panel of a field that is drawn as a picture. */
export class Picture implements Panel {
  readonly element = el("div", { class: "picture" });
  readonly #field: Field;
  readonly #image: boolean;
  readonly #events: PanelEvents;
  readonly #ended = new AbortController();
  readonly #canvases = new Canvases();
  readonly #painter: Painter;
  #layer: TileLayer;
  #contrast: Contrast;
  /** The last painted layers, which stay when a read is cancelled. */
  #layers: readonly Layer[] = [];
  readonly #legend: Legend;
  readonly #sliders: AxisSliders;
  readonly #controls: ControlBar;
  readonly #sidePlot: SidePlot;
  readonly #downloads: Downloads;
  readonly #resized: ResizeObserver;
  readonly #positions: Positions;
  readonly #labels: LabelsOverlay;
  readonly #cursor: Cursor;
  readonly #layout: PictureLayout;
  readonly #decoration: Decoration;
  #state: ViewState;
  #look: Look;
  /** The look of the requested tiles. A new look takes effect when it is drawn. */
  #read: Look;
  #theme: Theme;
  #wanted: Wanted | null = null;
  #heading: Wanted["heading"];
  #agreed = false;
  #asking = false;
  #ready = false;
  #cancelled = false;
  #frame = 0;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void)[] = [];

  constructor(subject: PictureSubject, state: ViewState, events: PanelEvents) {
    this.#field = subject.field;
    this.#image = subject.image;
    this.#events = events;
    this.#state = state;
    const { field } = subject;
    const { failed } = events;
    this.#look = lookFromState(field, state);
    this.#read = this.#look;
    this.#theme = themeOf(this.element);
    const { signal } = this.#ended;
    const positioned = () => {
      this.#sliders.show(this.#look, this.#positions.all);
      this.#schedule();
    };
    this.#positions = new Positions(field, positioned, signal);
    this.#layout = new PictureLayout(field, !subject.image, () => this.#look, this.#positions);
    this.#layout.eye = state.camera ?? null;
    this.#decoration = new Decoration(this.#canvases, !subject.image);
    this.#painter = createPainter(this.#canvases.canvas);
    this.#labels = new LabelsOverlay(this.#painter, subject.labels, {
      opened: () => {
        this.#wanted = null;
        this.#schedule();
      },
      changed: () => this.#schedule(),
      failed,
    });
    const shown = () => ({ look: this.#read, layer: this.#layer, coordinates: this.#positions.all });
    this.#cursor = new Cursor(field, shown, {
      pointer: events.pointer,
      moved: () => this.#schedule(),
    });
    this.#downloads = new Downloads(() => this.#takeable(), signal, failed);
    this.#layer = this.#makeLayer(state);
    this.#contrast = this.#makeContrast();
    this.#legend = new Legend(field, {
      changed: (change) => this.#change(change),
      auto: () => this.#auto(),
      failed,
    });
    this.#sliders = new AxisSliders(field, {
      index: (axis, index, step) => this.#step(axis, index, step),
      painted: (signal) => this.#painted(signal),
    });
    this.#sidePlot = new SidePlot({
      chosen: (axis, index) => this.#step(axis, index, 0),
      changed: (series) => this.#change({ series }),
      failed,
    });
    this.#controls = new ControlBar(
      subject,
      this.#cursor.element,
      () => ({ field, axes: this.#sliders.axes, minus: this.#state.minus }),
      {
        zoom: (factor) => this.#move(this.#layout.zoomed(factor)),
        fit: () => this.#move(null),
        full: () => this.#full(),
        take: (id) => this.#downloads.take(id),
        entries: async () => (await import("../options/index.js")).takeEntries(this.#takeable()),
        plane: (plane) => this.#turn(plane),
        labels: (name, opacity) => this.#change({ labels: name === null ? undefined : { name, opacity } }),
        // A difference needs another range and other colours.
        minus: (minus) => this.#change({ minus, range: undefined, colormap: undefined, curve: undefined }),
        map: () => this.#toggleMap(),
        series: () => this.#sidePlot.toggle(),
        auto: () => this.#auto(),
        failed,
      },
      signal,
    );
    append(
      this.element,
      this.#canvases.element,
      this.#legend.element,
      this.#sliders.element,
      this.#sidePlot.element,
      this.#controls.element,
    );
    this.#listen();
    this.#resized = new ResizeObserver(() => {
      this.#keepLegend();
      this.#layout.size = this.#canvases.size;
      this.#theme = themeOf(this.element);
      // The first view is requested at once, without waiting for the next frame.
      if (this.#wanted) this.#schedule();
      else this.#draw();
    });
    this.#resized.observe(this.#canvases.surface);
    this.#cursor.hint();
    this.#arrange();
    void this.#positions.read(this.#look);
  }

  #makeLayer({ member, component }: ViewState): TileLayer {
    const events = { changed: () => this.#schedule(), failed: (error: unknown) => this.#failed(error) };
    return new TileLayer(this.#field, this.#painter, events, { member, part: component });
  }

  #makeContrast(): Contrast {
    return new Contrast(
      this.#field,
      () => this.#schedule(),
      (error) => this.#failed(error),
    );
  }

  #failed(error: unknown): void {
    this.#settle();
    this.#events.failed(error, () => this.retry());
  }

  /** Shows a state. Changes only what differs, so that it does not disturb a gesture. */
  show(state: ViewState): void {
    const before = this.#state;
    this.#state = state;
    this.#cancelled = false;
    if (formatMember("camera", state) !== formatMember("camera", before)) this.#layout.eye = state.camera ?? null;
    if (state.member !== before.member || state.component !== before.component) this.#renew();
    const look = lookFromState(this.#field, state);
    if (look.x !== this.#look.x || look.y !== this.#look.y) {
      this.#agreed = false;
      this.#layout.reset();
      this.#cursor.reset();
      this.#positions.wait();
      this.#layers = [];
    }
    this.#heading = headingOf(this.#look, look) ?? this.#heading;
    this.#look = look;
    this.#ready = false;
    this.#arrange();
    void this.#positions.read(this.#look);
  }

  get pending(): boolean {
    return (
      !this.#ready && !this.#cancelled && (this.#frame !== 0 || !this.#positions.settled || this.#positions.landing)
    );
  }

  found(): ViewState {
    const { kind, range, curve, channels } = this.#look;
    if (kind === "map") {
      const found = range ? null : this.#contrast.range(0, curve);
      return found ? { range: found } : {};
    }
    if (channels.every(({ range }) => range !== null)) return {};
    return {
      channels: channels.map((channel) => {
        const range = channel.range ?? this.#contrast.range(channel.index, curve);
        return channelState({ ...channel, range });
      }),
    };
  }

  /** Reads other numbers of the same elements. */
  #renew(): void {
    this.#layers = [];
    this.#layer.close();
    this.#contrast.close();
    this.#layer = this.#makeLayer(this.#state);
    this.#contrast = this.#makeContrast();
    this.#wanted = null;
  }

  figure(): HTMLCanvasElement {
    const { ratio } = this.#canvases;
    const { width, height } = this.#layout.size;
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
    return {
      ...this.#layout.size,
      ...meaningOf(this.#field, this.#look, this.#contrast),
      subtitle: subtitleParts(this.#field, this.#look, this.#positions).join(", "),
      look: this.#theme,
      draw: (pen) => this.#drawOn(pen),
    };
  }

  /** Draws the picture as seen, with its decoration. */
  #drawOn(pen: Pen): void {
    this.#draw();
    const { scene } = this.#layout;
    const { view, picture } = scene;
    if (this.#look.kind === "channel") {
      pen.fillStyle = "#000";
      pen.fillRect(picture.x, picture.y, picture.width, picture.height);
    }
    pen.imageSmoothingEnabled = false;
    pen.save();
    pen.beginPath();
    pen.rect(picture.x, picture.y, picture.width, picture.height);
    pen.clip();
    pen.drawImage(this.#canvases.canvas, view.x, view.y, view.width, view.height);
    pen.restore();
    this.#decoration.draw(pen, scene, this.#positions.coast, this.#theme);
  }

  /** Retries failed reads. */
  retry(): void {
    this.#cancelled = false;
    this.#wanted = null;
    this.#layer.tiles.retry();
    this.#labels.retry();
    this.#ready = false;
    this.#schedule();
  }

  cancel(): void {
    if (this.#ready || !this.#wanted) return;
    this.#cancelled = true;
    // An empty rectangle aborts the reads under way.
    this.#layer.tiles.want({ ...this.#wanted, right: this.#wanted.left, bottom: this.#wanted.top });
    this.#wanted = null;
    this.#settle();
  }

  close(): void {
    this.#ended.abort();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#telling);
    this.#resized.disconnect();
    this.#labels.close();
    this.#contrast.close();
    this.#layer.close();
    this.#painter.close();
    this.#sliders.close();
    this.#legend.close();
    this.#sidePlot.close();
    this.#controls.close();
    this.#settle();
  }

  #listen(): void {
    const events = {
      zoom: (factor: number, x: number, y: number) => this.#move(this.#layout.zoomed(factor, { x, y })),
      pan: (dx: number, dy: number) => this.#move(panned(this.#layout.scene, dx, dy)),
      fit: () => this.#move(null),
      hover: (point: { x: number; y: number } | null) => this.#cursor.go(point && this.#layout.at(point), false),
      click: (point: { x: number; y: number }, more: boolean) => {
        const at = this.#layout.at(point);
        this.#cursor.go(at, true);
        if (!at) return;
        if (!this.#sidePlot.open) this.#tellApart(at);
        this.#sidePlot.choose(at, more);
        this.#mark(at);
      },
      step: (dx: number, dy: number) => this.#cursor.walk(dx, dy, this.#layout.scene.ground),
      escape: () => this.#cursor.go(null, true),
      key: (event: KeyboardEvent) => this.#key(event),
    };
    listen(this.#canvases.surface, events, this.#ended.signal);
    // Redraws when the page's colours or its pixel ratio change.
    const { signal } = this.#ended;
    onScheme(() => this.#arrange(), signal);
    document.addEventListener("fullscreenchange", () => this.#arrange(), { signal });
  }

  /** The cells of a map of a curvilinear grid; undefined if elements are drawn as stored. */
  get #cells(): Cells | undefined {
    return cellsOf(this.#field);
  }

  /** Switches a curvilinear grid between a map and rows and columns. */
  #toggleMap(): void {
    const series = this.#replotted;
    this.#change({ map: !this.#cells, axes: undefined, camera: undefined, up: undefined, left: undefined, series });
  }

  /** Reports a point along the drawn axes to the synchronised elements, which mark it. */
  #mark(pixel: Place): void {
    if (!this.#host.hasAttribute("sync")) return;
    const cells = this.#cells;
    const [across, down] = cells ? [cells.x.name, cells.y.name] : this.#names;
    const at = cells ? cells.at(pixel.x, pixel.y) : pixel;
    if (at) this.#change({ index: { ...this.#state.index, [across]: at.x, [down]: at.y } });
  }

  /** The names of the axes to the right and downwards. */
  get #names(): readonly [string, string] {
    const { x, y } = this.#layout.scene.plane;
    return [x.axis.name, y.axis.name];
  }

  /** Highlights the label at an element, or removes the highlight. */
  #tellApart({ x, y }: Place): void {
    const own = this.#look.kind === "label" ? this.#layer.tiles.value(x + 0.5, y + 0.5, 0)?.value : undefined;
    const found = this.#labels.at(x, y, this.#below) ?? own;
    if (typeof found !== "number" && typeof found !== "bigint") return;
    const label = drawnLabel(found);
    const chosen = label === 0 || label === this.#state.chosen ? undefined : label;
    if (chosen !== this.#state.chosen) this.#change({ chosen });
  }

  /** Enter adds the element under the cursor to the series, and `l` highlights its label. */
  #key(event: KeyboardEvent): boolean {
    const { place } = this.#cursor;
    if (event.key === "l" && place) {
      this.#tellApart(place);
      return true;
    }
    if (event.key !== "Enter" || !place) return this.#sliders.key(event);
    this.#mark(place);
    if (this.#host.hasAttribute("sync") && !this.#sidePlot.open) return true;
    if (!this.#sidePlot.open) this.#sidePlot.toggle();
    this.#sidePlot.choose(place, event.shiftKey);
    return true;
  }

  get #host(): HTMLElement {
    const root = this.element.getRootNode();
    return root instanceof ShadowRoot ? (root.host as HTMLElement) : this.element;
  }

  /** Enters or leaves full screen. */
  #full(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else this.#host.requestFullscreen().catch((error: unknown) => this.#events.failed(error, () => this.#full()));
  }

  #takeable(): Takeable {
    return {
      attributes: () => formatMembers({ ...this.#state, ...this.found() }),
      kind: this.#image ? "image" : "array",
      made:
        this.#state.minus !== undefined
          ? "It is a difference of two arrays."
          : this.#cells && "It is a map of a curvilinear grid.",
      element: this.#host,
      axes: this.#sliders.axes,
      wish: () => {
        const look = this.#look;
        const { x, y, indices } = look;
        const { channels } = this.#field;
        return {
          field: this.#field,
          level: this.#layer.tiles.level,
          x,
          y,
          indices,
          channels: channels && look.channels.length > 0 ? { axis: channels.axis, list: look.channels } : undefined,
          part: this.#layout.eye ? this.#layout.chosen : undefined,
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

  /** Moves the camera after a gesture. */
  #move(eye: Eye | null): void {
    this.#layout.eye = eye;
    this.#cancelled = false;
    this.#ready = false;
    this.#schedule();
    clearTimeout(this.#telling);
    // A link needs the last position of a gesture, not each step.
    this.#telling = setTimeout(() => this.#change({ camera: this.#layout.eye ?? undefined }), 150);
  }

  /** Reports a person's change. */
  #change(change: ViewState): void {
    this.#state = { ...this.#state, ...change };
    this.#cancelled = false;
    const { x, y } = this.#look;
    this.#look = lookFromState(this.#field, this.#state);
    if (x !== this.#look.x || y !== this.#look.y) this.#layers = [];
    this.#ready = false;
    this.#events.changed(change);
    this.#arrange();
  }

  /** Shows other axes, or another direction. */
  #turn({ x, y, up, left }: Plane): void {
    const { axes } = this.#field;
    const name = (axis: number | null) => axes[axis ?? -1]?.name ?? "";
    const plane = x !== this.#look.x || y !== this.#look.y;
    this.#change({ axes: [name(y), name(x)], up, left, ...(plane && { series: this.#replotted }) });
  }

  /** The plot of another plane, without its points, which belong to the old plane. */
  get #replotted(): ViewState["series"] {
    const { along, log } = this.#state.series ?? {};
    return this.#state.series && { along, log, points: [] };
  }

  #auto(): void {
    this.#contrast.renew(this.#layer.tiles, this.#drawn, this.#seen);
    if (this.#look.kind === "channel") {
      const channels = this.#look.channels.map((channel) => channelState({ ...channel, range: null }));
      this.#change({ channels });
    } else this.#change({ range: undefined });
  }

  #step(axis: number, index: number, step: number): void {
    const name = this.#field.axes[axis]?.name;
    if (name === undefined) return;
    this.#heading = step === 0 ? undefined : { axis, step };
    this.#cancelled = false;
    this.#change({ index: { ...this.#state.index, [name]: index } });
  }

  async #painted(signal: AbortSignal): Promise<void> {
    if (this.#ready || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Resolves the promises that wait for the picture. */
  #settle(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Keeps the channels in the drawer of a narrow view, so that the picture has the whole width. */
  #keepLegend(): void {
    const { clientWidth } = this.element;
    if (clientWidth === 0) return;
    const narrow = clientWidth <= NARROW && this.#look.kind === "channel";
    this.#controls.keep(this.#legend.element, this.element, narrow);
  }

  /** Updates the controls from the state. */
  #arrange(): void {
    const field = this.#field;
    const { x, y, indices } = this.#look;
    // The menu lists the axes that have sliders.
    this.#sliders.show(this.#look, this.#positions.all);
    const { component: part, member } = this.#state;
    if (x !== null && y !== null) {
      const of = { field, x, y, indices, part, member };
      this.#sidePlot.show(of, hasSeries(field) ? this.#state.series : undefined);
    }
    this.#controls.show(this.#look, this.#state, document.fullscreenElement === this.#host);
    // The legend takes its room before its numbers are known.
    this.#legend.show(this.#look, this.#contrast);
    this.#keepLegend();
    this.#theme = themeOf(this.element);
    this.#labels.show(this.#state.labels?.name);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#frame !== 0 || this.#ended.signal.aborted) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  /** The slice and the view of the requested tiles. */
  get #seen(): Seen {
    const { x, y, indices } = this.#read;
    return { slice: JSON.stringify([x, y, indices]), view: JSON.stringify(seen(this.#layout.scene)) };
  }

  /** The channels whose tiles are drawn. */
  get #drawn(): number[] {
    return this.#look.kind === "channel" ? this.#look.channels.map(({ index }) => index) : [0];
  }

  #want(scene: Scene): void {
    const look = this.#look;
    if (look.x === null || look.y === null || this.#cancelled) return;
    const per = 1 / (scene.eye.zoom * this.#canvases.ratio);
    const { period } = scene.ground;
    const [here, beyond] = period ? unrolled(seen(scene), period) : [seen(scene)];
    const wanted: Wanted = {
      x: look.x,
      y: look.y,
      indices: look.indices,
      ...here,
      beyond,
      perPixelX: per,
      perPixelY: per / scene.ground.aspect,
      level: look.level,
      channels: look.channels.map(({ index }) => index),
      heading: this.#heading,
    };
    if (this.#wanted && JSON.stringify(wanted) === JSON.stringify(this.#wanted)) {
      this.#read = look;
      return;
    }
    const cost = this.#layer.cost(wanted);
    if (isMuch(cost) && !this.#agreed) {
      this.#ask(cost, wanted);
      return;
    }
    if (this.#asking) this.#events.ask(null);
    this.#asking = false;
    this.#wanted = wanted;
    this.#read = look;
    this.#ready = false;
    this.#layer.tiles.want(wanted);
    this.#labels.want(wanted, this.#below);
  }

  /** The picture below the labels. */
  get #below() {
    const { width, height } = this.#layout.scene.ground;
    return { field: this.#field, width, height };
  }

  #ask(cost: Cost, wanted: Wanted): void {
    if (this.#asking) return;
    this.#asking = true;
    const answered = () => {
      this.#asking = false;
      this.#events.ask(null);
    };
    const middle = async () => {
      try {
        const { middleOf } = await import("../options/index.js");
        if (this.#ended.signal.aborted) return;
        answered();
        const { ground, view } = this.#layout.scene;
        this.#move(middleOf(wanted, (part) => this.#layer.cost(part), ground, view, this.#canvases.ratio));
      } catch (error) {
        this.#events.failed(error, () => void middle());
      }
    };
    const all = () => {
      this.#agreed = true;
      answered();
      this.#schedule();
    };
    this.#events.ask(questionOf(cost, () => void middle(), all));
    this.#settle();
  }

  #draw(): void {
    const { width, height } = this.#layout.size;
    if (!this.#positions.placed || width === 0 || height === 0) return;
    const scene = this.#arranged();
    this.#want(scene);
    if (!this.#positions.settled) return;
    const { tiles } = this.#layer;
    const ranged = stylesOf(this.#field, this.#look, this.#contrast, tiles.packing);
    const now = this.#seen;
    const stale = this.#drawn.filter((channel) => this.#contrast.isStale(channel, now));
    const unknown = [...ranged.unknown, ...stale];
    if (this.#wanted) this.#contrast.want(tiles, unknown, now);
    const dark = this.#look.kind === "channel";
    this.#legend.place(scene.picture, this.#layout.size.width);
    this.#canvases.fit(scene, { dark, empty: !this.#wanted || !tiles.complete });
    if (!this.#cancelled) {
      const layers = this.#layer.layers(ranged.styles, 1);
      // The previous picture stays until a tile of the new one is available, so that no step
      // flashes.
      const none = layers.every(({ tiles }) => tiles.length === 0) && !tiles.complete;
      if (!none)
        this.#layers = [
          ...layers,
          ...this.#labels.layers(this.#state.labels?.opacity ?? 0.5, this.#look.chosen, this.#below),
        ];
    }
    const camera = placement(scene, this.#canvases.ratio);
    this.#painter.paint({ camera, layers: repeated(this.#layers, scene) });
    this.#decorate(scene);
    this.#tell(unknown.length === 0);
  }

  /** Returns the scene, with the room that the texts of its left axis need. */
  #arranged(): Scene {
    let { scene } = this.#layout;
    // The width of the texts changes the picture's height, and its height the texts.
    for (let turn = 0; turn < 3 && this.#layout.widen(this.#decoration.left(scene, this.#theme)); turn++)
      scene = this.#layout.scene;
    return scene;
  }

  #decorate(scene: Scene): void {
    const [x, y] = this.#names.map((name) => this.#state.index?.[name]);
    const { place } = this.#cursor;
    const { points } = this.#sidePlot;
    const cross = x !== undefined && y !== undefined ? { x, y } : null;
    this.#decoration.show(scene, this.#positions.coast, this.#theme, cross, place ? [...points, place] : points);
  }

  /** Reports progress, and updates legend and readout. */
  #tell(ranged: boolean): void {
    const look = this.#look;
    const { tiles } = this.#layer;
    const { levels } = this.#field;
    this.#canvases.badge = badgeOf(this.#field, tiles.level);
    const seen = look.kind === "map" || look.kind === "channel";
    const note = seen ? this.#contrast.note(this.#drawn, this.#seen) : "";
    this.#canvases.note = note;
    this.#legend.show(this.#look, this.#contrast);
    this.#cursor.read();
    if (!this.#wanted || this.#cancelled) return;
    const complete = tiles.complete && ranged && this.#labels.complete && !this.#positions.landing;
    // A change during the drawing is drawn in the next frame first.
    if (complete && this.#frame !== 0) return;
    if (complete && !this.#ready) {
      this.#ready = true;
      // Reads histograms for stated ranges too. They use a small, available level.
      if (levels.length > 1 && look.kind !== "label" && look.kind !== "colour")
        this.#contrast.want(tiles, this.#drawn, this.#seen);
      const caption = captionOf(this.#field, look, this.#positions);
      this.#canvases.surface.setAttribute("aria-label", note ? `${caption}; ${note}` : caption);
      this.#events.ready();
      this.#settle();
      if (this.#host.getAttribute("controls") !== "none") void this.#controls.findLabels();
    } else if (tiles.busy || !ranged || !this.#labels.complete) this.#events.loading(tiles.progress);
  }
}

/** Returns layers with the repetitions of their tiles around the seam of a plane that repeats. */
function repeated(layers: readonly Layer[], scene: Scene): readonly Layer[] {
  const { period } = scene.ground;
  const { left, right } = seen(scene);
  if (!period || (left >= 0 && right <= period)) return layers;
  const copies = [-period, 0, period];
  return layers.map((layer) => ({
    ...layer,
    tiles: layer.tiles.flatMap((tile) =>
      copies.map((turn) => ({ ...tile, x: tile.x + turn })).filter(({ x, width }) => x < right && x + width > left),
    ),
  }));
}
