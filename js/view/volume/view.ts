// The view of a volume: it reads its elements, draws them, and turns them under the pointer.
import type { Coordinate, Field } from "../../describe/field.js";
import { own } from "../../shared/attributes.js";
import { adoptStyles, append, el, fill } from "../dom.js";
import { isMuch } from "../element/budget.js";
import type { Contrast } from "../element/contrast.js";
import { listen } from "../element/gestures.js";
import { type Look, modeOf } from "../element/look.js";
import { formatBytes, formatCount } from "../element/messages.js";
import type { LoadingDetail, PanelEvents } from "../element/panel.js";
import { detailAt, readoutOf } from "../element/readout.js";
import { stylesOf } from "../element/styling.js";
import { hasProcessor } from "../paint/processor.js";
import { fitted, onScheme, type Theme, themeOf } from "../plot/theme.js";
import type { ViewState, VolumeState } from "../state.js";
import type { Pen } from "../take/svg.js";
import { NextFrame } from "../task.js";
import { drawnMember, drawnType, formOf } from "../tiles/elements.js";
import type { Statistics } from "../tiles/tiles.js";
import { ViewWorker } from "../worker/viewworker.js";
import { bounded, type Eye, firstEye, raysOf, shifted, turned, zoomed } from "./camera.js";
import { ClipControl, clipOf, type Ends, endsOf } from "./clip.js";
import { drawLines } from "./lines.js";
import { type Frame, type Loaded, VolumePainter } from "./painter.js";
import { type Picked, picked } from "./pick.js";
import { VolumeReader } from "./read.js";
import { each, type Grid, gridsOf, type Solid, solidOf, type Three } from "./solid.js";
import { css } from "./styles.js";

/** The content of a volume's view. */
export interface VolumeShown {
  readonly look: Look;
  readonly state: ViewState;
  readonly contrast: Contrast;
  readonly positions: readonly (Coordinate | null | undefined)[];
}

/** The picture that a volume covers. */
export interface VolumeHost extends Pick<PanelEvents, "ask" | "failed" | "pointer"> {
  readonly field: Field;
  /** The stage of the picture, and the surface that the volume covers. */
  readonly stage: HTMLElement;
  readonly surface: HTMLElement;
  readonly readout: HTMLElement;
  /** The person changed the state. `change` returns the change of the latest state. */
  changed(change: (state: ViewState) => ViewState): void;
  /** The volume is drawn, or more of it is read. */
  arrived(): void;
  /** Offers a key that the volume does not use. Returns true if it was handled. */
  key(event: KeyboardEvent): boolean;
}

/** The memory of a volume in bytes, also on phones. */
const memory = { large: 128 << 20, small: 48 << 20 };
/** The time without a movement after which the view rests, in milliseconds. */
const rest = 150;
/** The elements that are visited for one picture, with and without a graphics processor. */
const effort = { processor: 1e9, software: 6e7 };

/** A read resolution. */
interface Read {
  readonly key: string;
  readonly solid: Solid;
  readonly grid: Grid;
  readonly loaded: ReadonlyMap<number, Loaded>;
  /** The statistics of each channel; none without quantities. */
  readonly statistics: ReadonlyMap<number, Statistics>;
}

/** The view of a volume over a picture. */
export class VolumeView {
  readonly #host: VolumeHost;
  readonly #ended = new AbortController();
  readonly #worker = new ViewWorker();
  readonly #surface = el("div", {
    class: "surface",
    tabindex: "0",
    role: "application",
    "aria-roledescription": "volume",
  });
  readonly #canvas = el("canvas", { "aria-hidden": "true" });
  readonly #over = el("canvas", { "aria-hidden": "true" });
  readonly #badge = el("div", { class: "badge" });
  readonly #note = el("div", { class: "void" });
  readonly #element = el("div", { class: "volume" });
  readonly #clip: ClipControl;
  readonly #painter: VolumePainter | null;
  readonly #resized: ResizeObserver;
  #reader: VolumeReader;
  #shown: VolumeShown;
  #eye: Eye;
  #moving: ReturnType<typeof setTimeout> | undefined;
  #rested: (() => void)[] = [];
  readonly #frame = new NextFrame(
    () => this.#update(),
    (error) => this.#failed(error),
  );
  #read: Read | null = null;
  #asked = "";
  #reading: AbortController | null = null;
  #progress = { done: 0, total: 0 };
  #agreed = "";
  /** Whether the requested elements are read. */
  #whole = false;
  /** Whether the last drawing succeeded. */
  #painted = false;
  #seen = "";
  #told = "";
  #drawn: Frame | null = null;
  #picking: AbortController | null = null;

  constructor(host: VolumeHost, shown: VolumeShown) {
    this.#host = host;
    this.#shown = shown;
    this.#eye = eyeOf(shown.state.volume);
    this.#reader = this.#makeReader();
    this.#clip = new ClipControl((ends) => this.#clipped(ends));
    append(this.#surface, this.#canvas, this.#over);
    append(this.#element, this.#surface, this.#badge, this.#note, this.#clip.element);
    append(host.stage, this.#element);
    adoptStyles(this.#element, css);
    host.surface.style.visibility = "hidden";
    this.#painter = VolumePainter.on(this.#canvas, () => this.#schedule());
    this.#listen();
    this.#resized = new ResizeObserver(() => this.#schedule());
    this.#resized.observe(this.#surface);
    onScheme(() => this.#schedule(), this.#ended.signal);
    const coarse = matchMedia("(pointer: coarse)").matches;
    const hint = coarse
      ? "Drag to turn, pinch to zoom, and tap for the value that is seen there."
      : "Drag to turn, with Shift to move. Zoom with the wheel or + and −, press 0 for the first view. Click for values, or press Enter for that of the middle.";
    fill(host.readout, el("span", { class: "words" }, hint));
    this.#schedule();
  }

  /** Shows a look and a state. */
  show(shown: VolumeShown): void {
    const { member, component, volume } = this.#shown.state;
    this.#shown = shown;
    if (shown.state.member !== member || shown.state.component !== component) {
      this.#forget();
      this.#reader = this.#makeReader();
    }
    if (shown.state.volume?.eye !== volume?.eye && this.#moving === undefined) this.#eye = eyeOf(shown.state.volume);
    const { look, state, contrast, positions } = shown;
    const serials = look.read.map((channel) => contrast.serial(channel));
    const known = positions.map((position) => position !== undefined);
    const seen = JSON.stringify([look, state.volume, state.index, state.member, state.component, serials, known]);
    if (seen !== this.#seen) this.#schedule();
    this.#seen = seen;
  }

  /** Zooms about the middle; null returns to the first view. */
  zoom(factor: number | null): true {
    const solid = this.#solid;
    const { width, height } = this.#size;
    if (factor === null) this.#steer(firstEye);
    else if (solid) this.#steer(zoomed(solid, this.#eye, this.#size, factor, width / 2, height / 2));
    return true;
  }

  /** Whether nothing is to be read or drawn now. */
  get settled(): boolean {
    return !this.#frame.waits && this.#moving === undefined && this.#reading === null;
  }

  /** Whether everything requested is drawn. */
  get complete(): boolean {
    return this.settled && ((this.#whole && this.#painted) || !this.#painter);
  }

  /** The chunks that arrived, and the requested ones; null if nothing is read. */
  get progress(): LoadingDetail | null {
    return this.#reading && this.#progress;
  }

  /** Draws the volume with its lines, as seen. */
  draw(pen: Pen, theme: Theme): void {
    this.#paint(true);
    const { width, height } = this.#size;
    pen.fillStyle = this.#dark ? "#000" : theme.paper;
    pen.fillRect(0, 0, width, height);
    pen.drawImage(this.#canvas, 0, 0, width, height);
    this.#lines(pen);
  }

  /**
   * Bases the ranges on the shown volume: with `anew` at once, and otherwise unless they are based
   * on one. Returns whether the volume has quantities.
   */
  adopt(anew = true): boolean {
    const { statistics } = this.#read ?? {};
    for (const [channel, found] of statistics ?? []) this.#shown.contrast.adopt(channel, found, anew);
    return statistics !== undefined && statistics.size > 0;
  }

  /** Ends the reads and keeps the drawing. */
  cancel(): void {
    this.#reading?.abort();
    this.#reading = null;
    this.#schedule();
  }

  /** Retries failed reads. */
  retry(): void {
    this.#asked = "";
    this.#schedule();
  }

  /** Uncovers the picture and frees all resources. */
  close(): void {
    this.#ended.abort();
    this.#reading?.abort();
    this.#picking?.abort();
    clearTimeout(this.#moving);
    this.#frame.cancel();
    this.#resized.disconnect();
    this.#painter?.close();
    this.#worker.close();
    this.#element.remove();
    this.#host.surface.style.visibility = "";
  }

  #makeReader(): VolumeReader {
    const { member, component } = this.#shown.state;
    return new VolumeReader(this.#host.field, this.#worker, { member, part: component });
  }

  get #state(): VolumeState {
    return this.#shown.state.volume ?? { mode: "maximum" };
  }

  get #mode(): VolumeState["mode"] {
    return modeOf(this.#shown.look, this.#state.mode);
  }

  get #size() {
    return { width: this.#surface.clientWidth, height: this.#surface.clientHeight };
  }

  get #dark(): boolean {
    return this.#shown.look.kind === "channel";
  }

  /** The axes of the volume; null until their positions are known. */
  get #solid(): Solid | null {
    const { look, positions } = this.#shown;
    const solid = solidOf(this.#host.field, look, positions);
    return solid?.axes.every((axis) => positions[axis] !== undefined) ? solid : null;
  }

  #steer(eye: Eye): void {
    this.#eye = eye;
    this.#move();
  }

  #listen(): void {
    const pan = (dx: number, dy: number, aside: boolean) => {
      const solid = this.#solid;
      if (aside && solid) this.#steer(shifted(solid, this.#eye, this.#size, dx, dy));
      else this.#steer(turned(this.#eye, dx, dy));
    };
    listen(
      this.#surface,
      {
        zoom: (factor, x, y) => this.#solid && this.#steer(zoomed(this.#solid, this.#eye, this.#size, factor, x, y)),
        pan,
        fit: () => this.zoom(null),
        hover: () => {},
        click: (point) => this.#pick(point.x, point.y),
        step: (dx, dy) => pan(-40 * dx, -40 * dy, true),
        turns: () => true,
        escape: () => {},
        key: (event) => this.#key(event),
      },
      this.#ended.signal,
    );
  }

  /** Enter reads the element that the middle shows. */
  #key(event: KeyboardEvent): boolean {
    if (event.key !== "Enter") return this.#host.key(event);
    const { width, height } = this.#size;
    this.#pick(width / 2, height / 2);
    return true;
  }

  /** Reports a change. It takes effect at once, so that no control returns to an earlier state. */
  #change(change: (state: ViewState) => ViewState): void {
    const { state } = this.#shown;
    this.#shown = { ...this.#shown, state: { ...state, ...change(state) } };
    this.#host.changed(change);
  }

  /** Reports a change of the volume. A volume that the person has left stays so. */
  #alter(change: Partial<VolumeState>): void {
    this.#change(({ volume }) => (volume ? { volume: { ...volume, ...change } } : {}));
  }

  /** Draws a movement coarsely, until the view rests. */
  #move(): void {
    clearTimeout(this.#moving);
    this.#moving = setTimeout(() => {
      this.#moving = undefined;
      for (const resolve of this.#rested.splice(0)) resolve();
      const { turn, tilt, zoom, x, y } = this.#eye;
      const eye = this.#eye === firstEye ? undefined : ([turn, tilt, zoom, x, y] as const);
      this.#alter({ eye });
      this.#schedule();
    }, rest);
    this.#schedule();
  }

  #clipped(ends: Ends): void {
    const solid = this.#solid;
    if (solid) this.#alter({ clip: clipOf(solid, ends) });
  }

  #schedule(): void {
    if (this.#frame.waits || this.#ended.signal.aborted) return;
    this.#told = "";
    this.#frame.request();
  }

  /** Reads what is missing, and draws. */
  #update(): void {
    if (!this.#painter) {
      this.#note.textContent = "Volumes need WebGL 2, which this browser does not offer here.";
      this.#report();
      return;
    }
    const solid = this.#solid;
    if (solid) {
      const { look, state } = this.#shown;
      const others = look.indices.map((index, axis) => (solid.axes.includes(axis) ? 0 : index));
      const key = JSON.stringify([solid.axes, others, this.#shown.look.read, state.member, state.component]);
      if (key !== this.#asked) {
        this.#asked = key;
        void this.#load(key, solid, this.#painter);
      }
    }
    this.#painted = false;
    this.#paint(false);
    this.#painted = true;
    this.#report();
  }

  #failed(error: unknown): void {
    this.#host.failed(error, () => this.retry(), "ready");
  }

  /** Reports a change of the progress to the picture. */
  #report(): void {
    if (this.#moving !== undefined && !this.#reading) return;
    const told = JSON.stringify([this.settled, this.complete, this.progress]);
    if (told === this.#told) return;
    this.#told = told;
    this.#host.arrived();
  }

  /** Reads the volume: first a coarse level, and a finer one when the view rests. */
  async #load(key: string, solid: Solid, painter: VolumePainter): Promise<void> {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    this.#whole = false;
    const signal = AbortSignal.any([reading.signal, this.#ended.signal]);
    const channels = this.#shown.look.read;
    try {
      const bounds = { side: painter.side, elements: this.#room(channels.length) };
      const grids = gridsOf(this.#host.field, solid, bounds, isMuch);
      const fine = grids.at(-1);
      if (fine && isMuch(fine) && this.#agreed !== key) {
        this.#ask(fine, key);
        return;
      }
      for (const [stage, grid] of grids.entries()) {
        if (stage > 0) await this.#resting();
        const read = await this.#stage(solid, grid, channels, painter, signal);
        this.#forget();
        this.#read = { key, solid, grid, ...read };
        this.adopt(false);
        this.#schedule();
      }
      this.#whole = true;
    } catch (error) {
      if (this.#reading !== reading || this.#ended.signal.aborted) return;
      reading.abort();
      this.#failed(error);
    } finally {
      if (this.#reading === reading) {
        this.#reading = null;
        this.#schedule();
      }
    }
  }

  /** Reads all channels of a resolution. */
  async #stage(
    solid: Solid,
    grid: Grid,
    channels: readonly number[],
    painter: VolumePainter,
    signal: AbortSignal,
  ): Promise<Pick<Read, "loaded" | "statistics">> {
    signal.throwIfAborted();
    const total = grid.chunks * channels.length;
    let share = 0;
    const progress = (part: number) => {
      share += part / channels.length;
      this.#progress = { done: Math.round(share * total), total };
      this.#report();
    };
    progress(0);
    const { indices, kind } = this.#shown.look;
    const survey = kind === "map" || kind === "channel";
    const { parts } = this.#reader;
    const arrived = await Promise.all(
      channels.map((channel) => this.#reader.read(solid, grid, { indices, channel, survey }, signal, progress)),
    );
    signal.throwIfAborted();
    const shape = each(grid.roles, (role) => grid.shape[role]);
    const byChannel = <T>(of: (one: (typeof arrived)[number]) => T | null) =>
      arrived.flatMap((one, i): [number, T][] => {
        const found = of(one);
        return found === null ? [] : [[channels[i] as number, found]];
      });
    return {
      loaded: new Map(byChannel(({ data }) => painter.load(shape, data, parts))),
      statistics: new Map(byChannel(({ statistics }) => statistics)),
    };
  }

  /** Returns the largest number of elements of one channel, with two bytes of shares for each. */
  #room(channels: number): number {
    const { field } = this.#host;
    const type = field.levels[0]?.array.type;
    const drawn = type && drawnType(type, drawnMember(type, this.#shown.state.member));
    const bytes = (drawn && formOf(drawn, false) === "same" ? drawn.size : 4) * this.#reader.parts;
    const most = matchMedia("(pointer: coarse)").matches ? memory.small : memory.large;
    return Math.max(1, Math.floor(most / (bytes + 2) / Math.max(1, channels)));
  }

  #resting(): Promise<void> {
    if (this.#moving === undefined) return Promise.resolve();
    return new Promise((resolve) => this.#rested.push(resolve));
  }

  #ask({ chunks, bytes }: Grid, key: string): void {
    const { ask, changed } = this.#host;
    ask({
      text: `This volume needs ${formatCount(chunks)} chunks, ${formatBytes(bytes)} when decoded. This may take long.`,
      answers: [
        {
          label: "Show the slice",
          run: () => {
            ask(null);
            changed(() => ({ volume: undefined }));
          },
        },
        {
          label: "Read it all",
          run: () => {
            ask(null);
            this.#agreed = key;
            this.retry();
          },
        },
      ],
    });
  }

  #forget(): void {
    for (const loaded of this.#read?.loaded.values() ?? []) this.#painter?.free(loaded);
    this.#read = null;
    this.#drawn = null;
  }

  /** The shown index along each axis of the slices; null if none is chosen. */
  #slices({ axes: [, , depth], names }: Solid): Three<number | null> {
    const { look, state } = this.#shown;
    return [own(state.index, names[0]) ?? null, own(state.index, names[1]) ?? null, look.indices[depth] ?? 0];
  }

  /** Returns what to draw now; null without elements or ranges. */
  #frameOf(ratio: number): Frame | null {
    const { look, contrast } = this.#shown;
    const solid = this.#solid;
    const read = this.#read;
    if (!read || !solid || read.solid.axes.some((axis, i) => axis !== solid.axes[i])) return null;
    const { grid } = read;
    const { styles } = stylesOf(this.#host.field, look, contrast, this.#reader.packing);
    const layers = styles.flatMap(({ channel, style }) => {
      const loaded = read.loaded.get(channel);
      return loaded ? [{ loaded, style }] : [];
    });
    const ends = endsOf(solid, this.#state.clip);
    const toGrid = (role: 0 | 1 | 2, at: number) => (at - grid.starts[role]) / grid.factors[role];
    const within = (role: 0 | 1 | 2, at: number) => Math.max(0, Math.min(grid.shape[role], toGrid(role, at)));
    const chosen = this.#slices(solid);
    return {
      mode: this.#mode,
      layers,
      rays: raysOf(solid, grid, this.#eye, this.#size, ratio),
      part: {
        low: each(grid.roles, (role) => within(role, ends[role][0])),
        high: each(grid.roles, (role) => within(role, ends[role][1] + 1)),
      },
      slices: each(grid.roles, (role) => {
        const at = toGrid(role, (chosen[role] ?? solid.lengths[role] >> 1) + 0.5);
        return Math.max(0.5, Math.min(grid.shape[role] - 0.5, at));
      }),
    };
  }

  /** Draws the elements and the lines; `whole` in full resolution. */
  #paint(whole: boolean): void {
    const { width, height } = this.#size;
    const painter = this.#painter;
    if (!painter || width === 0 || height === 0) return;
    this.#element.classList.toggle("dark", this.#dark);
    const device = globalThis.devicePixelRatio || 1;
    const { grid, loaded } = this.#read ?? {};
    const [x, y, z] = grid?.shape ?? [1, 1, 1];
    const visits = (x + y + z) * (this.#mode === "shaded" ? 4 : 1) * Math.max(1, loaded?.size ?? 1);
    const most = (hasProcessor() ? effort.processor : effort.software) / (this.#moving === undefined ? 1 : 4);
    const detail = whole ? 1 : Math.min(1, Math.sqrt(most / visits / (width * height * device * device)));
    const across = Math.max(1, Math.round(width * device * detail));
    const ratio = across / width;
    const down = Math.max(1, Math.round(height * ratio));
    if (this.#canvas.width !== across) this.#canvas.width = across;
    if (this.#canvas.height !== down) this.#canvas.height = down;
    const frame = this.#frameOf(ratio);
    this.#drawn = frame;
    this.#note.textContent = this.#sentence(frame);
    this.#badge.textContent = grid ? badgeOf(this.#host.field, grid) : "";
    this.#badge.hidden = this.#badge.textContent === "";
    if (frame) painter.paint(frame);
    const pen = fitted(this.#over);
    if (pen) this.#lines(pen);
    this.#describe();
  }

  /** Returns the sentence in a volume without a drawing; `""` for others. */
  #sentence(frame: Frame | null): string {
    if (this.#painter?.lost) return "The graphics processor is lost; the volume returns with it";
    const all = [...(this.#read?.statistics.values() ?? [])];
    const empty = all.length > 0 && all.every(({ count, missing }) => count === missing);
    if (frame) return empty ? this.#shown.contrast.absence() : "";
    return this.#read || this.#reading || !this.#asked ? "Reading the volume…" : "The volume is not read";
  }

  #describe(): void {
    const { field } = this.#host;
    const words = { maximum: "maximum", average: "average", shaded: "shaded volume", slices: "three slices" };
    const note = this.#note.textContent;
    const of = `${field.title.value}; ${words[this.#mode]} of ${this.#solid?.names.join(", ") ?? ""}`;
    const text = note ? `${of}; ${note}` : of;
    if (this.#surface.getAttribute("aria-label") !== text) this.#surface.setAttribute("aria-label", text);
  }

  #lines(pen: Pen): void {
    const solid = this.#solid;
    if (!solid) return;
    const ends = endsOf(solid, this.#state.clip);
    this.#clip.show(solid, ends);
    const theme = themeOf(this.#element);
    const ink = this.#dark ? { ...theme, ink: "#fff", accent: "#ffd54a", paper: "#000" } : theme;
    const chosen = this.#slices(solid);
    const slices = this.#mode === "slices" ? each(chosen, (index, i) => index ?? solid.lengths[i] >> 1) : chosen;
    drawLines(pen, solid, this.#eye, this.#size, ends, slices, ink);
  }

  /** Shows the element that a point shows, and moves the slices there. */
  #pick(x: number, y: number): void {
    const read = this.#read;
    const solid = this.#solid;
    const frame = this.#drawn && this.#frameOf(1);
    if (!read || !solid || !frame) return;
    let best: Picked | null = null;
    for (const layer of frame.layers) {
      const found = picked(frame, layer, x, y);
      if (found && (!best || found.weight > best.weight)) best = found;
    }
    if (!best) return;
    const { cell } = best;
    const { grid } = read;
    const cellOf = (role: 0 | 1 | 2) => cell[grid.roles.indexOf(role) as 0 | 1 | 2];
    const ends = endsOf(solid, this.#state.clip);
    const place = each(solid.axes, (_, role) => {
      const at = Math.floor(grid.starts[role] + (cellOf(role) + 0.5) * grid.factors[role]);
      return Math.max(ends[role][0], Math.min(ends[role][1], at));
    });
    const index = Object.fromEntries(solid.names.map((name, role) => [name, place[role] as number]));
    this.#change((state) => ({ index: { ...state.index, ...index } }));
    void this.#tell(
      read,
      place,
      each(solid.axes, (_, role) => cellOf(role) * grid.steps[role]),
    );
  }

  /** Reads the stored values of an element, and shows them. */
  async #tell({ solid, grid }: Read, place: Three, cell: Three): Promise<void> {
    const { field, readout, pointer, failed } = this.#host;
    this.#picking?.abort();
    const picking = new AbortController();
    this.#picking = picking;
    const signal = AbortSignal.any([picking.signal, this.#ended.signal]);
    const { look, positions } = this.#shown;
    const indices = look.indices.map((index, axis) => (axis === solid.axes[2] ? place[2] : index));
    const found = new Map<number, unknown>();
    const value = (_x: number, _y: number, channel: number) =>
      found.has(channel) ? { value: found.get(channel), level: grid.level } : undefined;
    const tell = (spoken: boolean) => {
      const tiles = { level: grid.level, value };
      const detail = detailAt(field, { ...look, indices }, { tiles }, positions, { x: place[0], y: place[1] });
      fill(readout, ...readoutOf(field, detail));
      pointer(detail, spoken);
    };
    tell(false);
    try {
      const { array } = field.levels[grid.level] as Field["levels"][number];
      for (const channel of look.read) {
        const at = [...this.#reader.indicesAt(solid, grid.level, indices, channel)];
        for (const [role, axis] of solid.axes.entries()) at[axis] = cell[role] as number;
        found.set(channel, await this.#reader.element(array, at, signal));
      }
      tell(true);
    } catch (error) {
      if (!signal.aborted) failed(error, () => void this.#tell({ solid, grid } as Read, place, cell));
    }
  }
}

/** Returns the eye of a state. */
function eyeOf(state: VolumeState | undefined): Eye {
  if (!state?.eye) return firstEye;
  const [turn, tilt, zoom, x, y] = state.eye;
  return bounded({ turn, tilt, zoom, x, y });
}

/** Returns the read level, and the share of its elements. */
function badgeOf({ levels }: Field, { level, steps }: Grid): string {
  const parts = steps.some((step) => step > 1) ? [`one of ${steps.join(" × ")} elements`] : [];
  if (levels.length > 1) parts.unshift(`level ${level + 1} of ${levels.length}`);
  return parts.join(", ");
}
