// A scatter plot, such as of embeddings, coloured by a column.
import { type AxisSpec, positionAt, type Rectangle, shareOf } from "../axes/draw.js";
import { counted, numberText, numberTicks } from "../axes/ticks.js";
import { unitsText } from "../axes/titles.js";
import { categoryColours, gradientOf, tableOf } from "../colour/colormaps.js";
import { el, fill } from "../dom.js";
import type { Figure } from "../take/figure.js";
import { type PlacedFrame, paintFrame } from "./frame.js";
import { Nearest } from "./nearest.js";
import { Plot, type PlotEvents, plotCanvas } from "./plot.js";
import { type PointPainter, pointPainter } from "./points.js";
import { copied, fitted, rgbOf, themeOf } from "./theme.js";

/** Points and their axes. */
interface Points {
  /** A description for assistive technology. */
  readonly name: string;
  /** The titles of the horizontal and the vertical axis. */
  readonly titles: readonly [x: string, y: string];
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** The source of the points' colours. */
export type PointColour =
  /** One colour for all points. */
  | { readonly kind: "none" }
  /** A number for each point; NaN if it is missing. */
  | {
      readonly kind: "number";
      readonly title: string;
      readonly units: string;
      readonly values: ArrayLike<number>;
      /** The colour map's name. */
      readonly map: string;
    }
  /** The index of a label for each point; NaN or negative if it is missing. */
  | {
      readonly kind: "category";
      readonly title: string;
      readonly values: ArrayLike<number>;
      readonly labels: readonly string[];
    };

/** Callbacks of a {@link Scatter}. */
interface ScatterEvents extends PlotEvents {
  /** Describes a point. */
  text(index: number): string;
  /** The person finished zooming or panning; null if everything is visible. */
  viewed?(view: View | null): void;
}

/** The visible part. */
export interface View {
  readonly x: readonly [from: number, to: number];
  readonly y: readonly [from: number, to: number];
}

/** The largest number of categories in the legend. */
const listed = 40;

/** The distance within which a point is found, in CSS pixels. */
const reach = 12;

/** A scatter plot. */
export class Scatter extends Plot {
  readonly #events: ScatterEvents;
  readonly #legend: HTMLElement;
  readonly #dots: HTMLCanvasElement;
  readonly #painter: PointPainter;
  #points: Points | null = null;
  #colour: PointColour = { kind: "none" };
  #bytes = new Uint8Array(0);
  #hidden = new Set<number>();
  #nearest: Nearest | null = null;
  #all: View = { x: [0, 1], y: [0, 1] };
  #view: View = this.#all;

  constructor(host: HTMLElement, events: ScatterEvents, { webgl }: { readonly webgl?: boolean } = {}) {
    const dots = el("canvas", { class: "scatter-dots", "aria-hidden": "true" });
    const canvas = plotCanvas("scatter-over");
    const legend = el("div", { class: "scatter-legend" });
    const stage = el("div", { class: "scatter-stage" }, dots, canvas);
    super(host, events, canvas, el("div", { class: "scatter-body" }, stage, legend));
    this.#events = events;
    this.#dots = dots;
    this.#legend = legend;
    this.#painter = pointPainter(dots, webgl);
    const { signal } = this.ended;
    dots.addEventListener("webglcontextlost", (event) => event.preventDefault(), { signal });
  }

  protected override restyle(): void {
    this.colour(this.#colour);
  }

  /** Shows points, initially in one colour. */
  show(points: Points): void {
    this.#points = points;
    this.forgetCursor();
    const [left, right] = endsOf(points.x);
    const [low, high] = endsOf(points.y);
    this.#all = { x: [left, right], y: [low, high] };
    this.#view = this.#all;
    this.#painter.points(points.x, points.y);
    const nearest = new Nearest(points.x, points.y, [left, low, right, high]);
    nearest.prepare(this.ended.signal).then(
      () => {
        if (this.#points === points) this.#nearest = nearest;
      },
      () => {},
    );
    this.#nearest = null;
    this.canvas.setAttribute("aria-label", points.name);
    this.canvas.setAttribute("aria-valuemax", String(Math.max(0, points.x.length - 1)));
    this.colour({ kind: "none" });
    this.read();
  }

  /** Sets the colours of the points. */
  colour(colour: PointColour): void {
    if (colour !== this.#colour) this.#hidden.clear();
    this.#colour = colour;
    this.#paint();
    this.redraw();
  }

  /** Whether the search for the nearest point is ready. */
  get ready(): boolean {
    return this.#nearest !== null;
  }

  /** The visible part. */
  get view(): View {
    return this.#view;
  }

  set view(view: View) {
    this.#view = view;
    this.redraw();
  }

  /** The part that contains all points. */
  get all(): View {
    return this.#all;
  }

  protected tell(): void {
    this.#events.viewed?.(this.#view === this.#all ? null : this.#view);
  }

  /** The technique of the painter. */
  get kind(): "webgl2" | "canvas" {
    return this.#painter.kind;
  }

  /** Updates the description of the point under the cursor. */
  reread(): void {
    this.read();
  }

  protected showAll(): void {
    this.#view = this.#all;
  }

  protected get count(): number {
    return this.#points?.x.length ?? 0;
  }

  /** Returns the plot as seen, on a new canvas. */
  picture(): HTMLCanvasElement {
    this.draw();
    const ratio = this.canvas.width / Math.max(1, this.canvas.clientWidth);
    const { x, y } = this.axes.rectangle;
    const below = { canvas: this.#dots, x: Math.round(x * ratio), y: Math.round(y * ratio) };
    return copied(this.canvas, themeOf(this.root).paper, [below]);
  }

  /** Returns the plot as seen, to be drawn elsewhere; null if it is empty. */
  drawing(): Figure | null {
    if (!this.#points) return null;
    this.draw();
    const look = themeOf(this.root);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const context = this.canvas.getContext("2d");
    if (!context || width === 0) return null;
    const placed = this.#placed(context, look.font);
    const colour = this.#colour;
    const dots = copied(this.#dots, "transparent");
    const palette = colour.kind === "category" ? categoryColours(Math.max(1, colour.labels.length)) : null;
    const entries =
      colour.kind === "category"
        ? colour.labels.slice(0, listed).flatMap((label, code) => {
            if (this.#hidden.has(code) || !palette) return [];
            const [red = 0, green = 0, blue = 0] = palette.subarray(4 * code);
            return [{ label, colour: [red, green, blue] as const }];
          })
        : [];
    return {
      width,
      height,
      title: this.#points.name,
      subtitle: "",
      look,
      draw: (pen) => {
        const { x, y, width, height } = placed.rectangle;
        pen.drawImage(dots, x, y, width, height);
        paintFrame(pen, placed, look);
      },
      bar:
        colour.kind === "number"
          ? {
              title: colour.title,
              units: colour.units,
              table: tableOf(colour.map),
              range: endsOf(colour.values, 0),
              curve: { kind: "linear" },
            }
          : null,
      entries,
    };
  }

  override close(): void {
    super.close();
    this.#points = null;
    this.#painter.close();
  }

  #specs(): readonly [x: AxisSpec, y: AxisSpec] {
    const { x, y } = this.#view;
    const [titleX = "", titleY = ""] = this.#points?.titles ?? [];
    return [
      { from: x[0], to: x[1], title: titleX, units: "", ticks: numberTicks },
      { from: y[1], to: y[0], title: titleY, units: "", ticks: numberTicks },
    ];
  }

  /** Computes the colour of each point, four bytes each. */
  #paint(): void {
    const points = this.#points;
    if (!points) return;
    const colour = this.#colour;
    const count = points.x.length;
    const bytes = new Uint8Array(4 * count);
    const alpha = count > 50_000 ? 170 : 215;
    const look = themeOf(this.root);
    const missing = rgbOf(look.line);
    const set = (i: number, [red, green, blue]: readonly number[]): void => {
      bytes[4 * i] = red ?? 0;
      bytes[4 * i + 1] = green ?? 0;
      bytes[4 * i + 2] = blue ?? 0;
      bytes[4 * i + 3] = alpha;
    };
    if (colour.kind === "none") {
      const accent = rgbOf(look.accent);
      for (let i = 0; i < count; i++) set(i, accent);
      fill(this.#legend);
    } else if (colour.kind === "number") {
      const [low, high] = endsOf(colour.values, 0);
      const table = tableOf(colour.map);
      for (let i = 0; i < count; i++) {
        const value = colour.values[i] as number;
        if (Number.isNaN(value)) set(i, missing);
        else {
          const at = Math.max(0, Math.min(255, Math.round(((value - low) / (high - low || 1)) * 255)));
          bytes[4 * i] = table[4 * at] as number;
          bytes[4 * i + 1] = table[4 * at + 1] as number;
          bytes[4 * i + 2] = table[4 * at + 2] as number;
          bytes[4 * i + 3] = alpha;
        }
      }
      this.#bar(colour.title, colour.units, colour.map, low, high);
    } else {
      const palette = categoryColours(Math.max(1, colour.labels.length));
      for (let i = 0; i < count; i++) {
        const code = colour.values[i] as number;
        const known = code >= 0 && code < colour.labels.length;
        if (this.#hidden.has(known ? code : -1)) continue;
        set(i, known ? (palette.subarray(4 * code, 4 * code + 3) as unknown as number[]) : missing);
      }
      this.#list(colour.title, colour.labels, palette);
    }
    this.#bytes = bytes;
    this.#painter.colours(bytes);
  }

  #bar(title: string, units: string, map: string, low: number, high: number): void {
    const bar = el("div", { class: "scatter-bar" });
    bar.style.background = gradientOf(map, "to top");
    const printed = unitsText(units);
    fill(
      this.#legend,
      el("div", { class: "scatter-title" }, printed ? `${title} [${printed}]` : title),
      el(
        "div",
        { class: "scatter-scale" },
        bar,
        el("div", { class: "scatter-ends" }, el("span", {}, numberText(high)), el("span", {}, numberText(low))),
      ),
    );
  }

  #list(title: string, labels: readonly string[], palette: Uint8Array): void {
    const items = labels.slice(0, listed).map((label, code) => {
      const swatch = el("span", { class: "plot-swatch plot-swatch-square" });
      swatch.style.color = `rgb(${palette[4 * code]} ${palette[4 * code + 1]} ${palette[4 * code + 2]})`;
      const shown = !this.#hidden.has(code);
      const toggle = (): void => {
        if (shown) this.#hidden.add(code);
        else this.#hidden.delete(code);
        this.#paint();
        this.redraw();
        const buttons = this.#legend.querySelectorAll<HTMLButtonElement>("button");
        buttons[code]?.focus();
      };
      return el(
        "li",
        {},
        el(
          "button",
          { type: "button", class: "scatter-category", "aria-pressed": String(shown), onclick: toggle },
          swatch,
          label,
        ),
      );
    });
    fill(
      this.#legend,
      el("div", { class: "scatter-title" }, title),
      el("ul", { "aria-label": `Categories of ${title}` }, ...items),
      labels.length > listed ? el("div", { class: "plot-at" }, `and ${counted(labels.length - listed)} more`) : null,
    );
  }

  #placed(context: CanvasRenderingContext2D, font: string): PlacedFrame {
    const [horizontal, vertical] = this.#specs();
    return this.axes.place(context, vertical, horizontal, font);
  }

  protected draw(): void {
    const points = this.#points;
    const context = fitted(this.canvas);
    if (!context || !points) return;
    const look = themeOf(this.root);
    const placed = this.#placed(context, look.font);
    const { rectangle } = placed;
    paintFrame(context, placed, look);
    const ratio = window.devicePixelRatio || 1;
    const { x, y, width, height } = rectangle;
    const dots = this.#dots;
    dots.style.left = `${x}px`;
    dots.style.top = `${y}px`;
    dots.style.width = `${width}px`;
    dots.style.height = `${height}px`;
    const [across, down] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (dots.width !== across) dots.width = across;
    if (dots.height !== down) dots.height = down;
    const [x0, x1] = this.#view.x;
    const [y0, y1] = this.#view.y;
    const scaleX = across / (x1 - x0);
    const scaleY = -down / (y1 - y0);
    const size = this.#size() * ratio;
    this.#painter.draw({ scaleX, scaleY, offsetX: -x0 * scaleX, offsetY: -y1 * scaleY, size });
    this.#ring(context, rectangle, look.ink, look.paper);
    this.canvas.dataset.state = "ready";
  }

  /**
   * Returns the diameter of a point in CSS pixels: smaller for more points, larger when zoomed in.
   */
  #size(): number {
    const count = this.#points?.x.length ?? 1;
    const near = (this.#all.x[1] - this.#all.x[0]) / (this.#view.x[1] - this.#view.x[0]);
    const size = Math.max(1.5, Math.min(7, 90 / count ** 0.32));
    return Math.min(9, size * Math.max(1, near) ** 0.3);
  }

  #ring(context: CanvasRenderingContext2D, rectangle: Rectangle, ink: string, paper: string): void {
    const at = this.cursor;
    if (at === null || !this.#points) return;
    const [spec, vertical] = this.#specs();
    const x = rectangle.x + shareOf(spec, this.#points.x[at] as number) * rectangle.width;
    const y = rectangle.y + shareOf(vertical, this.#points.y[at] as number) * rectangle.height;
    for (const [width, colour] of [
      [4, paper],
      [2, ink],
    ] as const) {
      context.beginPath();
      context.arc(x, y, this.#size() / 2 + 4, 0, 2 * Math.PI);
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.stroke();
    }
  }

  protected indexAt(px: number, py: number): number | null {
    const rectangle = this.axes.rectangle;
    const [spec, vertical] = this.#specs();
    const [fx, fy] = [(px - rectangle.x) / rectangle.width, (py - rectangle.y) / rectangle.height];
    if (fx < 0 || fx > 1 || fy < 0 || fy > 1) return null;
    const reachX = (reach / rectangle.width) * (spec.to - spec.from);
    const reachY = (reach / rectangle.height) * (vertical.from - vertical.to);
    const shown = (i: number): boolean => this.#bytes[4 * i + 3] !== 0;
    return this.#nearest?.find(positionAt(spec, fx), positionAt(vertical, fy), reachX, reachY, shown) ?? null;
  }

  protected read(): void {
    const at = this.cursor;
    const count = this.#points?.x.length ?? 0;
    const text = at === null ? `${counted(count)} points` : this.#events.text(at);
    fill(this.legend, text);
    this.canvas.setAttribute("aria-valuenow", String(at ?? 0));
    this.canvas.setAttribute("aria-valuetext", at === null ? "no point" : text);
  }

  protected pan(dx: number, dy: number): void {
    const { width, height } = this.axes.rectangle;
    const { x, y } = this.#view;
    const bx = (-dx / width) * (x[1] - x[0]);
    const by = (dy / height) * (y[1] - y[0]);
    this.#view = { x: [x[0] + bx, x[1] + bx], y: [y[0] + by, y[1] + by] };
    this.moved();
  }

  protected zoom(factor: number, px?: number, py?: number): void {
    const rectangle = this.axes.rectangle;
    const fx = px === undefined ? 0.5 : Math.max(0, Math.min(1, (px - rectangle.x) / rectangle.width));
    const fy = py === undefined ? 0.5 : 1 - Math.max(0, Math.min(1, (py - rectangle.y) / rectangle.height));
    const along = (
      [from, to]: readonly [number, number],
      [least, most]: readonly [number, number],
      share: number,
    ): readonly [number, number] => {
      const middle = from + share * (to - from);
      const span = Math.max((most - least) * 1e-5, Math.min((most - least) * 2, (to - from) / factor));
      return [middle - share * span, middle + (1 - share) * span];
    };
    this.#view = { x: along(this.#view.x, this.#all.x, fx), y: along(this.#view.y, this.#all.y, fy) };
    this.moved();
  }

  /** Returns the next visible point in the order of rows. */
  #visible(from: number, by: 1 | -1): number | null {
    const count = this.#points?.x.length ?? 0;
    for (let i = from; i >= 0 && i < count; i += by) if (this.#bytes[4 * i + 3] !== 0) return i;
    return null;
  }

  protected step({ key, shiftKey }: KeyboardEvent): boolean {
    const { count, cursor } = this;
    const pans: Record<string, readonly [number, number]> = {
      ArrowLeft: [40, 0],
      ArrowRight: [-40, 0],
      ArrowUp: [0, 40],
      ArrowDown: [0, -40],
    };
    const pan = shiftKey ? pans[key] : undefined;
    const steps: Record<string, () => number | null> = {
      ArrowRight: () => this.#visible((cursor ?? -1) + 1, 1),
      ArrowDown: () => this.#visible((cursor ?? -1) + 1, 1),
      ArrowLeft: () => this.#visible((cursor ?? count) - 1, -1),
      ArrowUp: () => this.#visible((cursor ?? count) - 1, -1),
      Home: () => this.#visible(0, 1),
      End: () => this.#visible(count - 1, -1),
    };
    const step = steps[key];
    if (pan) this.pan(...pan);
    else if (step) {
      const next = step();
      if (next !== null) this.setCursor(next, true);
    } else return false;
    return true;
  }
}

/** Returns the least and the largest value, with padding. */
function endsOf(values: ArrayLike<number>, pad = 0.04): readonly [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < least && value !== -Infinity) least = value;
    if (value > most && value !== Infinity) most = value;
  }
  if (!(most >= least)) return [0, 1];
  const more = most > least ? (most - least) * pad : pad && (Math.abs(least) * 0.1 || 1);
  return [least - more, most + more];
}
