// The panel of pictures. It requests, paints and reports the elements in view.

import type { Field, Plane } from "../../describe/field.js";
import { own } from "../../shared/attributes.js";
import type { Range } from "../controls/span.js";
import { append, el } from "../dom.js";
import { cellsOf } from "../mesh/cells.js";
import { createPainter } from "../paint/create.js";
import type { Layer, Painter } from "../paint/painter.js";
import { onScheme, type Theme, themeOf } from "../plot/theme.js";
import { formatMember, type ViewState } from "../state.js";
import type { Figure } from "../take/figure.js";
import { attempt, NextFrame } from "../task.js";
import { AxisSliders } from "./axissliders.js";
import { type Eye, placement } from "./camera.js";
import { Canvases } from "./canvases.js";
import { badgeOf, captionOf } from "./caption.js";
import { ControlBar } from "./controlbar.js";
import { Cursor } from "./cursor.js";
import { Decoration } from "./decoration.js";
import { Downloads } from "./downloads.js";
import { PictureExports } from "./exports.js";
import { PictureLayout } from "./layout.js";
import { Legend } from "./legend.js";
import { channelState, headingOf, type Look, lookFromState } from "./look.js";
import { LabelsOverlay } from "./overlay.js";
import type { Panel, PanelEvents } from "./panel.js";
import { Pointing } from "./pointing.js";
import { Positions } from "./positions.js";
import { Reading } from "./reading.js";
import { Regional } from "./regional.js";
import { repeated } from "./repeated.js";
import type { Scene } from "./scene.js";
import { hasSeries, SidePlot } from "./sideplot.js";
import { stylesOf } from "./styling.js";
import type { PictureSubject } from "./subject.js";
import { VolumeSlot } from "./volumeslot.js";

type Vectors = InstanceType<typeof import("../vectors/index.js").Vectors>;

/** The largest width of a view with channels in the drawer, as in the styles, in CSS pixels. */
const NARROW = 640;

/** A change of colours to those that the view chooses. */
const recoloured = { range: undefined, colormap: undefined, curve: undefined } as const;

/** The panel of a field that is drawn as a picture. */
export class Picture implements Panel {
  readonly element = el("div", { class: "picture" });
  readonly #field: Field;
  readonly #base: PictureSubject["base"];
  readonly #events: PanelEvents;
  readonly #ended = new AbortController();
  readonly #canvases = new Canvases();
  readonly #painter: Painter;
  readonly #reading: Reading;
  /** The last painted layers, which stay when a read is cancelled. */
  #layers: readonly Layer[] = [];
  readonly #legend: Legend;
  readonly #sliders: AxisSliders;
  readonly #controls: ControlBar;
  readonly #sidePlot: SidePlot;
  readonly #exports: PictureExports;
  readonly #regional: Regional;
  readonly #resized: ResizeObserver;
  readonly #positions: Positions;
  readonly #labels: LabelsOverlay;
  readonly #cursor: Cursor;
  readonly #layout: PictureLayout;
  readonly #decoration: Decoration;
  readonly #volume: VolumeSlot;
  readonly #frame = new NextFrame(
    () => this.#draw(),
    (error) => this.#failed(error),
  );
  #state: ViewState;
  #look: Look;
  #theme: Theme;
  #vectors: Vectors | null = null;
  /** The components of the arrows that are shown or loading, as a text. */
  #arrowed: string | null = null;
  #ready = false;
  /** Whether the projections are loading. */
  #loading = false;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void)[] = [];

  constructor(subject: PictureSubject, state: ViewState, events: PanelEvents) {
    this.#field = subject.field;
    this.#base = subject.base;
    this.#events = events;
    this.#state = state;
    const { field } = subject;
    const { failed } = events;
    this.#look = lookFromState(field, state);
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
        this.#reading.renew();
        this.#schedule();
      },
      changed: () => this.#schedule(),
      failed,
    });
    this.#reading = this.#makeReading(field);
    const shown = () => ({
      look: this.#reading.look,
      layer: this.#reading.layer,
      coordinates: this.#positions.all,
    });
    this.#cursor = new Cursor(field, shown, {
      pointer: events.pointer,
      moved: () => this.#schedule(),
    });
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
    this.#volume = this.#makeVolume(field);
    this.#exports = this.#makeExports(subject);
    this.#regional = new Regional({
      field,
      canvases: this.#canvases,
      ended: signal,
      scene: () => this.#layout.scene,
      state: () => this.#state,
      wish: () => this.#exports.takeable().wish(),
      changed: (change) => this.#change(change),
      failed,
    });
    this.#controls = this.#makeControls(subject);
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
      if (this.#reading.requested) this.#schedule();
      else
        attempt(
          () => this.#draw(),
          (error) => this.#failed(error),
        );
    });
    this.#resized.observe(this.#canvases.surface);
    this.#cursor.hint();
    this.#arrange();
    this.#place();
  }

  #makeReading(field: Field): Reading {
    const of = {
      field,
      painter: this.#painter,
      labels: this.#labels,
      ended: this.#ended.signal,
      scene: () => this.#layout.scene,
      ratio: () => this.#canvases.ratio,
    };
    return new Reading(of, this.#state, this.#look, {
      changed: () => this.#schedule(),
      ranged: () => this.#events.ranged(),
      moved: (eye) => this.#move(eye),
      ask: this.#events.ask,
      waits: () => this.#settle(),
      failed: (error) => this.#failed(error),
      unanswered: this.#events.failed,
    });
  }

  #makeVolume(field: Field): VolumeSlot {
    const { element: stage, surface } = this.#canvases;
    const host = {
      ...this.#events,
      field,
      stage,
      surface,
      readout: this.#cursor.element,
      changed: (change: (state: ViewState) => ViewState) => this.#change(change(this.#state)),
      arrived: () => this.#schedule(),
      key: (event: KeyboardEvent) => this.#sliders.key(event),
    };
    return new VolumeSlot(host, () => this.#cursor.hint());
  }

  #makeExports({ field, image }: PictureSubject): PictureExports {
    return new PictureExports({
      field,
      image,
      canvases: this.#canvases,
      layout: this.#layout,
      decoration: this.#decoration,
      positions: this.#positions,
      reading: this.#reading,
      sliders: this.#sliders,
      volume: this.#volume,
      loading: this.#events.loading,
      look: () => this.#look,
      regional: () => this.#regional,
      theme: () => this.#theme,
      state: () => ({ ...this.#state, ...this.found() }),
      host: () => this.#host,
      draw: () => this.#draw(true),
      go: async (axis, index, signal) => {
        this.#step(axis, index, 1);
        await this.#painted(signal);
        signal.throwIfAborted();
      },
    });
  }

  #makeControls(subject: PictureSubject): ControlBar {
    const { signal } = this.#ended;
    const { failed } = this.#events;
    const { field } = subject;
    const takeable = () => this.#exports.takeable();
    const downloads = new Downloads(takeable, signal, failed);
    return new ControlBar(
      subject,
      this.#cursor.element,
      () => ({ field, axes: this.#sliders.axes, minus: this.#state.minus }),
      {
        zoom: (factor) => this.#volume.view?.zoom(factor) ?? this.#move(this.#layout.zoomed(factor)),
        fit: () => this.#volume.view?.zoom(null) ?? this.#move(null),
        full: () => this.#full(),
        take: (id) => downloads.take(id),
        entries: async () => (await import("../options/index.js")).takeEntries(takeable()),
        plane: (plane) => this.#turn(plane),
        labels: (name, opacity) => this.#change({ labels: name === null ? undefined : { name, opacity } }),
        // Other values need another range and other colours.
        minus: (minus) => this.#change({ minus, ...recoloured }),
        arrows: (arrows) => this.#change({ arrows }),
        expression: (expression) => this.#change({ expression, ...recoloured }),
        region: (panel, drawer) => this.#regional.open(panel, drawer),
        map: () => this.#toggleMap(),
        projection: (projection) => this.#change({ projection }),
        volume: (mode) => this.#change({ volume: mode && { ...this.#state.volume, mode } }),
        series: () => this.#sidePlot.toggle(),
        auto: () => this.#auto(),
        failed,
      },
      signal,
    );
  }

  /** Shows a state. Changes only what differs, so that it does not disturb a gesture. */
  show(state: ViewState): void {
    const before = this.#state;
    this.#state = state;
    this.#reading.cancelled = false;
    if (formatMember("camera", state) !== formatMember("camera", before)) this.#layout.eye = state.camera ?? null;
    if (state.member !== before.member || state.component !== before.component) {
      this.#layers = [];
      this.#reading.restart(state);
    }
    const look = lookFromState(this.#field, state);
    if (look.x !== this.#look.x || look.y !== this.#look.y) {
      this.#reading.disagree();
      this.#layout.reset();
      this.#cursor.reset();
      this.#positions.wait();
      this.#layers = [];
    }
    this.#reading.heading = headingOf(this.#look, look) ?? this.#reading.heading;
    this.#look = look;
    this.#ready = false;
    this.#arrange();
    this.#place();
  }

  get pending(): boolean {
    return (
      !this.#reading.cancelled &&
      (!this.#volume.settled ||
        (!this.#ready &&
          (this.#frame.waits || this.#loading || !this.#positions.settled || this.#positions.landing || !this.#flown)))
    );
  }

  found(): ViewState {
    const { kind, range, curve, channels, read } = this.#look;
    if (kind === "map") {
      const found = range ? null : this.#reading.contrast.range(read[0] ?? 0, curve);
      // A range of one value is none that a person can choose.
      return found && found[0] < found[1] ? { range: found } : {};
    }
    if (channels.every(({ range }) => range !== null)) return {};
    return {
      channels: channels.map((channel) => {
        const range = channel.range ?? this.#reading.contrast.range(channel.index, curve);
        return channelState({ ...channel, range });
      }),
    };
  }

  automatic(): Range | null {
    const { kind, range, curve, read } = this.#look;
    const [channel = 0] = read;
    const { contrast } = this.#reading;
    return kind === "map" && !range && !contrast.isEmpty(channel) ? contrast.own(channel, curve) : null;
  }

  share(range: Range | null): void {
    this.#reading.contrast.share(range);
  }

  figure(): HTMLCanvasElement {
    return this.#exports.canvas();
  }

  drawing(): Promise<Figure> {
    return this.#exports.figure();
  }

  /** Retries failed reads. */
  retry(): void {
    this.#reading.retry();
    this.#volume.view?.retry();
    this.#ready = false;
    this.#schedule();
  }

  cancel(): void {
    this.#volume.view?.cancel();
    if (this.#ready || !this.#reading.cancel()) return;
    this.#settle();
  }

  close(): void {
    this.#ended.abort();
    this.#frame.cancel();
    clearTimeout(this.#telling);
    this.#resized.disconnect();
    this.#volume.close();
    this.#labels.close();
    this.#reading.close();
    this.#painter.close();
    this.#sliders.close();
    this.#legend.close();
    this.#sidePlot.close();
    this.#vectors?.close();
    this.#controls.close();
    this.#settle();
  }

  #listen(): void {
    const pointed = {
      field: this.#field,
      layout: this.#layout,
      cursor: this.#cursor,
      sidePlot: this.#sidePlot,
      sliders: this.#sliders,
      labels: this.#labels,
      reading: this.#reading,
      look: () => this.#look,
      state: () => this.#state,
      synchronised: () => this.#host.hasAttribute("sync"),
    };
    const steered = {
      moved: (eye: Eye | null) => this.#move(eye),
      changed: (change: ViewState) => this.#change(change),
    };
    new Pointing(this.#canvases.surface, pointed, steered, this.#ended.signal);
    // Redraws when the page's colours or its pixel ratio change.
    const { signal } = this.#ended;
    onScheme(() => this.#arrange(), signal);
    document.addEventListener("fullscreenchange", () => this.#arrange(), { signal });
  }

  /** Switches a curvilinear grid between a map and rows and columns. */
  #toggleMap(): void {
    const series = this.#replotted;
    this.#change({
      map: !cellsOf(this.#field),
      axes: undefined,
      camera: undefined,
      up: undefined,
      left: undefined,
      series,
    });
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

  /** Moves the camera after a gesture. */
  #move(eye: Eye | null): void {
    this.#layout.eye = eye;
    this.#reading.cancelled = false;
    this.#ready = false;
    this.#schedule();
    clearTimeout(this.#telling);
    // A link needs the last position of a gesture, not each step.
    this.#telling = setTimeout(() => this.#change({ camera: this.#layout.eye ?? undefined }), 150);
  }

  /** Reports a person's change. */
  #change(change: ViewState): void {
    this.#state = { ...this.#state, ...change };
    this.#reading.cancelled = false;
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
    if (!this.#volume.view?.adopt())
      this.#reading.contrast.renew(this.#reading.layer.tiles, this.#look.read, this.#reading.seen);
    if (this.#look.kind === "channel") {
      const channels = this.#look.channels.map((channel) => channelState({ ...channel, range: null }));
      this.#change({ channels });
    } else this.#change({ range: undefined });
  }

  #step(axis: number, index: number, step: number): void {
    const name = this.#field.axes[axis]?.name;
    if (name === undefined) return;
    this.#reading.heading = step === 0 ? undefined : { axis, step };
    this.#reading.cancelled = false;
    // The state names the channel among the drawn ones.
    if (axis === this.#field.channels?.axis) this.#change({ channels: [{ index }] });
    else this.#change({ index: { ...this.#state.index, [name]: index } });
  }

  async #painted(signal: AbortSignal): Promise<void> {
    if (this.#ready || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Reports that the picture cannot be read or drawn. */
  #failed(error: unknown): void {
    this.#settle();
    this.#events.failed(error, () => this.retry(), "ready");
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
      const of = { field, x, y, indices, part, member, region: this.#state.region };
      this.#sidePlot.show(of, hasSeries(field) ? this.#state.series : undefined);
    }
    this.#controls.show(this.#look, this.#state, document.fullscreenElement === this.#host);
    // The legend takes its room before its numbers are known.
    this.#legend.show(this.#look, this.#reading.contrast);
    this.#keepLegend();
    this.#theme = themeOf(this.element);
    this.#labels.show(this.#state.labels?.name);
    void this.#showArrows();
    this.#cursor.turns = this.#look.projection !== null;
    this.#schedule();
  }

  /** Shows the arrows of the state. */
  async #showArrows(): Promise<void> {
    const { arrows } = this.#state;
    const text = formatMember("arrows", this.#state);
    if (text === this.#arrowed) return;
    this.#arrowed = text;
    this.#vectors?.close();
    this.#decoration.over = this.#vectors = null;
    if (!arrows) return;
    const again = () => {
      this.#arrowed = null;
      void this.#showArrows();
    };
    const failed = (error: unknown) => this.#events.failed(error, again);
    try {
      const { Vectors } = await import("../vectors/index.js");
      if (text !== this.#arrowed || this.#ended.signal.aborted) return;
      this.#vectors = new Vectors(this.#base, this.#field, arrows, () => this.#schedule(), failed);
      this.#decoration.over = this.#vectors;
      this.#schedule();
    } catch (error) {
      this.#arrowed = null;
      failed(error);
    }
  }

  async #loadProjections(): Promise<void> {
    if (this.#loading) return;
    this.#loading = true;
    try {
      this.#layout.projections = await import("../globe/index.js");
      this.#schedule();
    } catch (error) {
      this.#events.failed(error, () => this.#schedule());
    } finally {
      this.#loading = false;
    }
  }

  /** Reads the positions of the axes. */
  #place(): void {
    this.#positions.read(this.#look).catch((error: unknown) => {
      this.#events.failed(error, () => this.#place());
    });
  }

  #schedule(): void {
    if (!this.#ended.signal.aborted) this.#frame.request();
  }

  /** Whether the arrows of the state are available, or covered. */
  get #flown(): boolean {
    return this.#arrowed === null || this.#volume.covers || this.#vectors?.complete === true;
  }

  /** Draws what is available, with `whole` in one go. */
  #draw(whole = false): void {
    const { width, height } = this.#layout.size;
    if (!this.#positions.placed || width === 0 || height === 0) return;
    if (this.#look.projection && !this.#layout.projections) {
      void this.#loadProjections();
      return;
    }
    const scene = this.#arranged();
    if (this.#reading.want(this.#look, scene)) this.#ready = false;
    if (!this.#positions.settled) return;
    const { tiles } = this.#reading.layer;
    const ranged = stylesOf(this.#field, this.#look, this.#reading.contrast, tiles.packing);
    const now = this.#reading.seen;
    const stale = this.#look.read.filter(
      (channel) => !this.#volume.covers && this.#reading.contrast.isStale(channel, now),
    );
    const unknown = [...ranged.unknown, ...stale];
    if (this.#reading.requested) this.#reading.contrast.want(tiles, unknown, now);
    const dark = this.#look.kind === "channel";
    this.#legend.place(scene.picture, this.#layout.size.width);
    this.#canvases.fit(scene, { dark, empty: !this.#reading.requested || !tiles.complete });
    if (!this.#reading.cancelled) {
      const layers = this.#reading.layer.layers(ranged.styles, 1);
      // The previous picture stays until a tile of the new one is available, so that no step
      // flashes.
      const none = layers.every(({ tiles }) => tiles.length === 0) && !tiles.complete;
      if (!none)
        this.#layers = [
          ...layers,
          ...this.#labels.layers(this.#state.labels?.opacity ?? 0.5, this.#look.chosen, this.#reading.below),
        ];
    }
    const { ratio } = this.#canvases;
    const globe = scene.globe?.reprojected(ratio);
    const camera = placement(scene, ratio);
    // A slow painter needs several frames.
    if (!this.#painter.paint({ camera, layers: repeated(this.#layers, scene), globe }, whole)) this.#schedule();
    const { contrast } = this.#reading;
    this.#volume.show({ look: this.#look, state: this.#state, contrast, positions: this.#positions.all });
    this.#decorate(scene);
    this.#tell(unknown.length === 0);
  }

  /** Returns the scene, with the room that the texts of its left axis need. */
  #arranged(): Scene {
    let { scene } = this.#layout;
    // The width of the texts changes the picture's height, and its height the texts.
    for (
      let turn = 0;
      turn < 3 && !scene.globe && this.#layout.widen(this.#decoration.left(scene, this.#theme));
      turn++
    )
      scene = this.#layout.scene;
    return scene;
  }

  #decorate(scene: Scene): void {
    const [x, y] = [scene.plane.x, scene.plane.y].map(({ axis }) => own(this.#state.index, axis.name));
    const { place } = this.#cursor;
    const { points } = this.#sidePlot;
    const cross = x !== undefined && y !== undefined ? { x, y } : null;
    if (!this.#volume.covers) this.#vectors?.want(this.#look, scene);
    this.#decoration.show(scene, this.#positions.coast, this.#theme, cross, place ? [...points, place] : points);
    this.#regional.draw();
  }

  /** Reports progress, and updates legend and readout. */
  #tell(ranged: boolean): void {
    const look = this.#look;
    const { tiles } = this.#reading.layer;
    const { levels } = this.#field;
    this.#canvases.badge = badgeOf(this.#field, tiles.level);
    const seen = look.kind === "map" || look.kind === "channel";
    const note = seen ? this.#reading.contrast.note(look.read, this.#reading.seen) : "";
    this.#canvases.note = note;
    this.#legend.show(this.#look, this.#reading.contrast);
    this.#cursor.read();
    // A ready picture waits for nothing; histograms of stated ranges may still arrive.
    if (!this.#reading.requested || this.#reading.cancelled || this.#ready) return;
    const volume = this.#volume.view?.progress;
    const drawn = tiles.complete && this.#labels.complete && this.#volume.complete && this.#flown;
    const complete = drawn && ranged && !this.#positions.landing;
    // A change during the drawing is drawn in the next frame first.
    if (complete && this.#frame.waits) return;
    if (complete) {
      this.#ready = true;
      // Reads histograms for stated ranges too. They use a small, available level.
      if (levels.length > 1 && look.kind !== "label" && look.kind !== "colour")
        this.#reading.contrast.want(tiles, look.read, this.#reading.seen);
      const caption = captionOf(this.#field, look, this.#positions);
      this.#canvases.surface.setAttribute("aria-label", note ? `${caption}; ${note}` : caption);
      this.#events.ready();
      this.#settle();
      if (this.#host.getAttribute("controls") !== "none") void this.#controls.findLabels();
    } else if (tiles.busy || this.#reading.contrast.busy || this.#labels.busy || volume)
      this.#events.loading(volume ?? tiles.progress);
    else if (!this.pending) this.#events.rests();
  }
}
