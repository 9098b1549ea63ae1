// Line plots: series, profiles, arrays of one dimension.
import type { Coordinate } from "../../describe/index.js";
import { type AxisLook, type AxisSpec, positionAt, type Rectangle, shareOf } from "../axes/draw.js";
import { logTicks, numberTicks, type Ticks } from "../axes/ticks.js";
import { el, fill } from "../dom.js";
import type { Figure } from "../take/figure.js";
import type { Pen } from "../take/svg.js";
import { type Along, along } from "./along.js";
import { type PlacedFrame, paintFrame, tool } from "./frame.js";
import { Plot, type PlotEvents, plotCanvas } from "./plot.js";
import { Extents } from "./reduce.js";
import { copied, fitted, rgbOf, themeOf } from "./theme.js";

/** One line. */
export interface Series {
  /** Its name in the legend. */
  readonly name: string;
  /** A number for each index, in the units of the plot; NaN if it is missing. */
  readonly values: ArrayLike<number>;
  /** Formats an element. */
  text(index: number): string;
}

/** Data of a {@link LinePlot}. */
export interface Lines {
  /** A description for assistive technology. */
  readonly name: string;
  /** The quantity of the numbers. */
  readonly title: string;
  /** Their units; `""` if unknown. */
  readonly units: string;
  /**
   * Formats the mark at a number, if its text is not the number itself, such as the date of a count
   * of days.
   */
  mark?(value: number): string;
  /** The axis of the indices. */
  readonly axis: {
    readonly title: string;
    readonly units: string;
    readonly length: number;
    readonly coordinate: Coordinate | null;
  };
  /** The lines, in drawing order. */
  readonly series: readonly Series[];
}

/** Events of a {@link LinePlot}. */
interface LinePlotEvents extends PlotEvents {
  /** The person finished zooming or panning; null if everything is visible. */
  viewed?(view: { readonly from: number; readonly to: number } | null): void;
  /** The person chose a linear or a logarithmic scale. */
  logged?(log: boolean): void;
}

/** The drawn geometry, in CSS pixels of a plot, for other renderers. */
interface LineFigure extends PlacedFrame {
  /** The width of the whole plot. */
  readonly width: number;
  /** The height of the whole plot. */
  readonly height: number;
  /** The lines. */
  readonly lines: readonly DrawnLine[];
}

/** The geometry of a line. */
interface DrawnLine {
  /** Its name. */
  readonly name: string;
  /** Its colour, in CSS syntax. */
  readonly colour: string;
  /** Strokes: x and y of each corner in turn. */
  readonly strokes: readonly (readonly number[])[];
  /** Single values between gaps, and all values of short lines: x and y in turn. */
  readonly dots: readonly number[];
}

/** The number of colours of lines; further lines repeat them. */
const colours = 8;

function clipped(pen: Pen, { x, y, width, height }: Rectangle): void {
  pen.beginPath();
  pen.rect(x, y - 2, width, height + 4);
  pen.clip();
}

/** Draws a figure of lines with its axes. */
function paint(pen: Pen, figure: LineFigure, look: AxisLook): void {
  const { rectangle, lines } = figure;
  paintFrame(pen, figure, look, true);
  pen.save();
  clipped(pen, rectangle);
  for (const { colour, strokes, dots } of lines) {
    pen.strokeStyle = colour;
    pen.fillStyle = colour;
    pen.lineJoin = "round";
    pen.lineWidth = strokes.some(({ length }) => length > 4) || strokes.length < 3 ? 1.75 : 1;
    pen.beginPath();
    for (const stroke of strokes) {
      pen.moveTo(stroke[0] as number, stroke[1] as number);
      for (let i = 2; i < stroke.length; i += 2) pen.lineTo(stroke[i] as number, stroke[i + 1] as number);
    }
    pen.stroke();
    pen.beginPath();
    for (let i = 0; i < dots.length; i += 2) {
      const [x, y] = [dots[i] as number, dots[i + 1] as number];
      pen.moveTo(x + 2.5, y);
      pen.arc(x, y, 2.5, 0, 2 * Math.PI);
    }
    pen.fill();
  }
  pen.restore();
}

/** A line plot. */
export class LinePlot extends Plot {
  readonly #events: LinePlotEvents;
  readonly #logButton: HTMLButtonElement;
  #lines: Lines | null = null;
  #along: Along = along(0, null, "");
  #extents: Extents[] = [];
  #view = { from: 0, to: 1 };
  #log = false;
  #turn = 0;

  constructor(host: HTMLElement, events: LinePlotEvents) {
    const canvas = plotCanvas("plot-canvas");
    super(host, events, canvas, canvas);
    this.#events = events;
    this.#logButton = tool("Logarithmic", "log", () => this.#toggleLog());
    this.tools.prepend(this.#logButton);
  }

  /**
   * Shows lines. Keeps the visible part if the axis is the same, or has the same indices and new
   * positions. Fulfils when they are drawn, replaced or closed.
   */
  show(lines: Lines): Promise<void> {
    const before = this.#lines;
    const { axis } = lines;
    const same = before?.axis.length === axis.length && before.axis.coordinate === axis.coordinate;
    this.#lines = lines;
    this.#extents = lines.series.map(({ values }, i) =>
      before?.series[i]?.values === values && this.#extents[i] ? this.#extents[i] : new Extents(values),
    );
    if (!same) {
      const { low, high } = this.#along;
      this.#along = along(axis.length, axis.coordinate, axis.units);
      const kept = before?.axis.length === axis.length && this.#along.low === low && this.#along.high === high;
      if (!kept) {
        this.#view = { from: this.#along.low, to: this.#along.high };
        this.forgetCursor();
      }
    }
    this.canvas.setAttribute("aria-label", lines.name);
    this.canvas.setAttribute("aria-valuemax", String(Math.max(0, axis.length - 1)));
    this.read();
    return this.#prepare();
  }

  /** Whether values have a logarithmic scale, which leaves out values that are not positive. */
  get log(): boolean {
    return this.#log;
  }

  set log(log: boolean) {
    this.#log = log;
    this.#logButton.setAttribute("aria-pressed", String(log));
    this.redraw();
  }

  #toggleLog(): void {
    this.log = !this.#log;
    this.#events.logged?.(this.#log);
  }

  /** The visible part, in positions of the axis. */
  get view(): { readonly from: number; readonly to: number } {
    return this.#view;
  }

  set view({ from, to }: { readonly from: number; readonly to: number }) {
    const { low, high } = this.#along;
    const span = Math.min(high - low, to - from);
    if (!(span > 0)) return;
    const start = Math.max(low, Math.min(high - span, from));
    this.#view = { from: start, to: start + span };
    this.redraw();
  }

  protected tell(): void {
    const { low, high } = this.#along;
    const { from, to } = this.#view;
    this.#events.viewed?.(from <= low && to >= high ? null : this.#view);
  }

  /** The index under the cursor. */
  override get cursor(): number | null {
    return super.cursor;
  }

  override set cursor(index: number | null) {
    this.setCursor(index, false);
  }

  protected showAll(): void {
    this.#view = { from: this.#along.low, to: this.#along.high };
  }

  /** Returns the plot as seen, to be drawn elsewhere; null if it is empty. */
  drawing(subtitle = ""): Figure | null {
    const figure = this.figure();
    if (!figure || !this.#lines) return null;
    const look = themeOf(this.root);
    const entries = figure.lines.map(({ name, colour }) => ({ label: name, colour: rgbOf(colour) }));
    return {
      width: figure.width,
      height: figure.height,
      title: this.#lines.title,
      subtitle,
      look,
      draw: (pen) => paint(pen, figure, look),
      bar: null,
      entries: entries.length > 1 ? entries : [],
    };
  }

  /** Returns the plot as seen, on a new canvas. */
  picture(): HTMLCanvasElement {
    this.draw();
    return copied(this.canvas, themeOf(this.root).paper);
  }

  /** Returns the colour of a line, as the page resolves it. */
  colour(i: number): string {
    return getComputedStyle(this.legend.querySelectorAll(".plot-swatch")[i] ?? this.root).color;
  }

  /** Returns the geometry; null if the plot is empty. */
  figure(): LineFigure | null {
    const context = this.canvas.getContext("2d");
    if (!context || !this.#lines || this.canvas.clientWidth === 0 || !this.#ready) return null;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const y = this.#verticalAxis();
    const placed = this.axes.place(context, y, this.#horizontalAxis(), themeOf(this.root).font);
    const { rectangle } = placed;
    const lines = this.#lines.series.map((series, i): DrawnLine => {
      return {
        name: series.name,
        colour: this.colour(i),
        ...this.#strokes(series, this.#extents[i] as Extents, rectangle, y),
      };
    });
    return { ...placed, width, height, lines };
  }

  override close(): void {
    super.close();
    this.#turn++;
    this.#lines = null;
  }

  protected get count(): number {
    return this.#lines?.axis.length ?? 0;
  }

  get #ready(): boolean {
    return this.#extents.every(({ ready }) => ready);
  }

  /** Prepares the extents of all values in pieces, so that the page stays responsive. */
  async #prepare(): Promise<void> {
    const turn = ++this.#turn;
    for (const extents of this.#extents) {
      while (!extents.ready) {
        extents.prepare();
        if (extents.ready) break;
        await new Promise((next) => setTimeout(next));
        if (turn !== this.#turn) return;
      }
    }
    await this.drawn();
  }

  #horizontalAxis(): AxisSpec {
    const { from, to } = this.#view;
    const { flipped, ticks } = this.#along;
    const { title = "", units = "" } = this.#lines?.axis ?? {};
    return { from: flipped ? to : from, to: flipped ? from : to, title, units, ticks };
  }

  #verticalAxis(): AxisSpec {
    const { title = "", units = "" } = this.#lines ?? {};
    const start = this.#along.from(this.#view.from) - 1;
    const stop = this.#along.from(this.#view.to) + 1;
    let [least, most] = [Infinity, -Infinity];
    for (const extents of this.#extents) {
      const extent = extents.of(start, stop, this.#log);
      least = Math.min(least, extent.least);
      most = Math.max(most, extent.most);
    }
    if (this.#log) {
      if (least > most) [least, most] = [1, 10];
      const pad = (most / least) ** 0.04;
      const [low, high] = least === most ? [least / 2, most * 2] : [least / pad, most * pad];
      return {
        from: Math.min(high, Number.MAX_VALUE),
        to: low || Number.MIN_VALUE,
        log: true,
        title,
        units,
        ticks: logTicks,
      };
    }
    if (least > most) [least, most] = [0, 1];
    const pad = least === most ? Math.max(Math.abs(least) * 0.1, 0.5) : (most / 2 - least / 2) * 0.1;
    const low = Math.max(least - pad, -Number.MAX_VALUE);
    const high = Math.min(most + pad, Number.MAX_VALUE);
    const mark = this.#lines?.mark;
    if (!mark) return { from: high, to: low, title, units, ticks: numberTicks };
    const ticks = (low: number, high: number, wanted: number): Ticks => {
      const { list, common } = numberTicks(low, high, wanted);
      return { common, list: list.map(({ position }) => ({ position, text: mark(position) })) };
    };
    return { from: high, to: low, title, units: "", ticks };
  }

  #strokes(
    { values }: Series,
    extents: Extents,
    { x, y, width, height }: Rectangle,
    vertical: AxisSpec,
  ): Pick<DrawnLine, "strokes" | "dots"> {
    const { from, to } = this.#view;
    const { flipped, at } = this.#along;
    const px = (position: number): number => {
      const share = (position - from) / (to - from);
      return x + (flipped ? 1 - share : share) * width;
    };
    const py = (value: number): number => y + shareOf(vertical, value) * height;
    const start = Math.max(0, this.#along.from(from) - 1);
    const stop = Math.min(values.length, this.#along.from(to) + 1);
    const ratio = window.devicePixelRatio || 1;
    const columns = Math.max(1, Math.floor(width * ratio));
    const strokes: number[][] = [];
    const dots: number[] = [];
    const usable = (i: number): boolean => {
      const value = values[i];
      return value !== undefined && Number.isFinite(value) && (!this.#log || value > 0);
    };
    if (stop - start <= 2 * columns) {
      const few = stop - start <= width / 14;
      let stroke: number[] = [];
      const end = (): void => {
        if (stroke.length > 2) strokes.push(stroke);
        // A value between two gaps becomes a dot.
        else if (stroke.length === 2 && !few) dots.push(...stroke);
        stroke = [];
      };
      for (let i = start; i < stop; i++) {
        if (!usable(i)) {
          end();
          continue;
        }
        const [a, b] = [px(at(i)), py(values[i] as number)];
        stroke.push(a, b);
        if (few) dots.push(a, b);
      }
      end();
      return { strokes, dots };
    }
    // Each column of pixels runs from its least to its largest value, and to its neighbour if they
    // do not touch.
    let before: { top: number; bottom: number } | null = null;
    let i = start;
    for (let column = 0; column < columns; column++) {
      const next = column === columns - 1 ? stop : this.#along.from(from + ((column + 1) / columns) * (to - from));
      const { least, most } = extents.of(i, next, this.#log);
      const some = next > i;
      i = Math.max(i, next);
      if (least > most) {
        // Columns between two distant positions are empty but are no gap; only missing values are.
        if (some) before = null;
        continue;
      }
      const at = { top: py(most), bottom: py(least) };
      const top = before && before.bottom < at.top ? before.bottom : at.top;
      const bottom = before && before.top > at.bottom ? before.top : at.bottom;
      const middle = px(from + ((column + 0.5) / columns) * (to - from));
      strokes.push([middle, top - 0.5 / ratio, middle, bottom + 0.5 / ratio]);
      before = at;
    }
    return { strokes, dots };
  }

  protected draw(): void {
    const context = fitted(this.canvas);
    if (!context || !this.#lines) return;
    const look = themeOf(this.root);
    const figure = this.figure();
    this.canvas.dataset.state = figure ? "ready" : "preparing";
    if (!figure) return;
    paint(context, figure, look);
    if (figure.lines.length > 0 && figure.lines.every(({ strokes, dots }) => strokes.length + dots.length === 0)) {
      const { x, y, width, height } = figure.rectangle;
      context.fillStyle = look.muted;
      context.textAlign = "center";
      context.font = `14px ${look.font}`;
      context.fillText(
        this.#log ? "No values above 0 here" : "All values are missing here",
        x + width / 2,
        y + height / 2,
      );
    }
    context.save();
    clipped(context, figure.rectangle);
    this.#drawCursor(context, figure, look.muted, look.paper);
    context.restore();
  }

  #drawCursor(context: CanvasRenderingContext2D, { rectangle, lines }: LineFigure, line: string, paper: string): void {
    if (this.cursor === null || !this.#lines) return;
    const axis = this.#horizontalAxis();
    const x = rectangle.x + shareOf(axis, this.#along.at(this.cursor)) * rectangle.width;
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(x, rectangle.y);
    context.lineTo(x, rectangle.y + rectangle.height);
    context.stroke();
    context.setLineDash([]);
    const vertical = this.#verticalAxis();
    for (const [i, { values }] of this.#lines.series.entries()) {
      const value = values[this.cursor] ?? NaN;
      if (!Number.isFinite(value) || (this.#log && !(value > 0))) continue;
      context.beginPath();
      context.arc(x, rectangle.y + shareOf(vertical, value) * rectangle.height, 4.5, 0, 2 * Math.PI);
      context.fillStyle = lines[i]?.colour ?? line;
      context.fill();
      context.strokeStyle = paper;
      context.lineWidth = 2;
      context.stroke();
    }
  }

  /** Writes the legend: each line with its value at the cursor. */
  protected read(): void {
    const lines = this.#lines;
    if (!lines) return;
    const at = this.cursor;
    const where = at === null ? "" : (lines.axis.coordinate?.text(at) ?? String(at));
    const title = at === null ? "" : `${lines.axis.title} ${where}`;
    fill(
      this.legend,
      ...lines.series.map((series, i) =>
        el(
          "span",
          { class: "plot-series" },
          el("span", { class: `plot-swatch plot-colour-${i % colours}` }),
          series.name,
          at === null ? null : el("b", {}, series.text(at)),
        ),
      ),
      at === null ? null : el("span", { class: "plot-at" }, title),
    );
    const values = at === null ? [] : lines.series.map(({ name, text }) => `${name} ${text(at)}`);
    this.canvas.setAttribute("aria-valuenow", String(at ?? 0));
    this.canvas.setAttribute("aria-valuetext", at === null ? "no position" : [title, ...values].join(", "));
  }

  protected override setCursor(index: number | null, spoken: boolean): void {
    const none = index === null || this.count === 0;
    super.setCursor(none ? null : Math.max(0, Math.min(this.count - 1, index)), spoken);
  }

  protected indexAt(x: number): number | null {
    const length = this.#lines?.axis.length ?? 0;
    if (length === 0) return null;
    const { x: left, width } = this.axes.rectangle;
    const share = Math.max(0, Math.min(1, (x - left) / width));
    const position = positionAt(this.#horizontalAxis(), share);
    const above = Math.min(length - 1, this.#along.from(position));
    const below = Math.max(0, above - 1);
    return position - this.#along.at(below) < this.#along.at(above) - position ? below : above;
  }

  protected pan(dx: number): void {
    this.#shift(-dx / this.axes.rectangle.width);
  }

  /** Moves the visible part by a share of its length. */
  #shift(share: number): void {
    const { from, to } = this.#view;
    const { low, high, flipped } = this.#along;
    const wanted = share * (flipped ? -1 : 1) * (to - from);
    const by = Math.max(low - from, Math.min(high - to, wanted));
    this.#view = { from: from + by, to: to + by };
    this.moved();
  }

  protected zoom(factor: number, x?: number): void {
    const { low, high, flipped, at } = this.#along;
    const { from, to } = this.#view;
    const { x: left, width } = this.axes.rectangle;
    let share = 0.5;
    if (x !== undefined) share = flipped ? 1 - (x - left) / width : (x - left) / width;
    else if (this.cursor !== null) share = (at(this.cursor) - from) / (to - from);
    if (!(share >= 0 && share <= 1)) share = 0.5;
    const middle = from + share * (to - from);
    const length = Math.max(1, this.#lines?.axis.length ?? 1);
    const least = Math.min(high - low, (4 * (high - low)) / length);
    const span = Math.max(least, Math.min(high - low, (to - from) / factor));
    const start = Math.max(low, Math.min(high - span, middle - share * span));
    this.#view = { from: start, to: start + span };
    this.moved();
  }

  protected step(event: KeyboardEvent): boolean {
    const { from, to } = this.#view;
    const { cursor } = this;
    const [first, last] = [this.#along.from(from), Math.max(0, this.#along.from(to) - 1)];
    const far = Math.max(1, Math.round((last - first) / 20));
    const forward = this.#along.flipped ? -1 : 1;
    const by = (by: number): number => (cursor === null ? (by > 0 ? first : last) : cursor + by);
    const moves: Record<string, () => number> = {
      ArrowRight: () => by(forward * (event.shiftKey ? far : 1)),
      ArrowLeft: () => by(-forward * (event.shiftKey ? far : 1)),
      PageDown: () => by(far),
      PageUp: () => by(-far),
      Home: () => 0,
      End: () => this.count - 1,
    };
    const move = moves[event.key];
    if (move) {
      this.setCursor(move(), true);
      this.#follow();
    } else if (event.key === "l") this.#toggleLog();
    else return false;
    return true;
  }

  /** Pans to the cursor. */
  #follow(): void {
    if (this.cursor === null) return;
    const { from, to } = this.#view;
    const at = this.#along.at(this.cursor);
    const by = at < from ? at - from : at > to ? at - to : 0;
    if (by !== 0) this.#shift(((this.#along.flipped ? -1 : 1) * by) / (to - from));
  }
}
