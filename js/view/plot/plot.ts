// The common parts of plots: axes on a canvas, a legend, buttons, gestures, keys and a cursor.
import { append, el } from "../dom.js";
import { type Failed, NextFrame } from "../task.js";
import { AxesFrame, tool } from "./frame.js";
import { gestures } from "./gestures.js";
import { onScheme } from "./theme.js";

/** Events of a {@link Plot}. */
export interface PlotEvents {
  /**
   * The index under the pointer or the cursor changed; null if there is none. `spoken` if a key
   * moved it.
   */
  cursor?(index: number | null, spoken: boolean): void;
  /** The person clicked an index or pressed Enter on it. */
  chosen?(index: number): void;
  /** Drawing failed; `again` repeats it. */
  readonly failed: Failed;
}

/** Returns a canvas for a plot. Assistive technology reads its cursor as a slider. */
export const plotCanvas = (name: string): HTMLCanvasElement =>
  el("canvas", { class: name, tabindex: 0, role: "slider", "aria-valuemin": 0 });

/** A plot that wheel, keys and buttons zoom, and that dragging pans. It draws once a frame. */
export abstract class Plot {
  /** The canvas. */
  readonly canvas: HTMLCanvasElement;
  protected readonly root: HTMLElement;
  protected readonly legend = el("div", { class: "plot-legend" });
  protected readonly tools: HTMLElement;
  protected readonly axes: AxesFrame;
  protected readonly ended = new AbortController();
  readonly #events: PlotEvents;
  readonly #watch: ResizeObserver;
  #cursor: number | null = null;
  readonly #frame: NextFrame;
  #waiting: (() => void)[] = [];
  #telling = 0;

  /** `body` contains the canvas. */
  constructor(host: HTMLElement, events: PlotEvents, canvas: HTMLCanvasElement, body: HTMLElement) {
    this.#events = events;
    this.#frame = new NextFrame(() => {
      this.draw();
      this.#settle();
    }, events.failed);
    this.canvas = canvas;
    this.axes = new AxesFrame(canvas);
    this.tools = el(
      "div",
      { class: "plot-tools", role: "group", "aria-label": "Axes" },
      tool("Zoom out", "−", () => this.zoom(1 / 1.5)),
      tool("Zoom in", "+", () => this.zoom(1.5)),
      tool("Show all", "all", () => this.reset()),
    );
    this.root = el("div", { class: "plot" }, el("div", { class: "plot-head" }, this.legend, this.tools), body);
    append(host, this.root);
    const { signal } = this.ended;
    gestures(
      canvas,
      {
        pan: (dx, dy) => this.pan(dx, dy),
        zoom: (factor, x, y) => this.zoom(factor, x, y),
        hover: (x, y) => this.setCursor(x === null || y === null ? null : this.indexAt(x, y), false),
        press: (x, y) => this.#choose(this.indexAt(x, y)),
        reset: () => this.reset(),
      },
      signal,
    );
    canvas.addEventListener("keydown", (event) => this.#key(event), { signal });
    onScheme(() => this.restyle(), signal);
    this.#watch = new ResizeObserver(() => this.redraw());
    this.#watch.observe(canvas);
  }

  /** The index under the cursor. */
  get cursor(): number | null {
    return this.#cursor;
  }

  /** Shows everything again. */
  reset(): void {
    this.showAll();
    this.moved();
  }

  /** Draws again, after a change of the page's colours. */
  redraw(): void {
    this.#frame.request();
  }

  /** Draws in the next frame. Fulfils when a drawing succeeds or the plot is closed. */
  drawn(): Promise<void> {
    if (this.ended.signal.aborted) return Promise.resolve();
    this.redraw();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends all work and removes the plot. */
  close(): void {
    this.ended.abort();
    this.#watch.disconnect();
    this.#frame.cancel();
    this.#settle();
    clearTimeout(this.#telling);
    this.root.remove();
  }

  /** The number of indices. */
  protected abstract get count(): number;
  /** Draws now. */
  protected abstract draw(): void;
  /** Describes the index under the cursor. */
  protected abstract read(): void;
  /** Returns the index at a point of the canvas; null if there is none. */
  protected abstract indexAt(x: number, y: number): number | null;
  /** Moves the visible part by CSS pixels. */
  protected abstract pan(dx: number, dy: number): void;
  /** Zooms about a point; without one, about the cursor or the middle. */
  protected abstract zoom(factor: number, x?: number, y?: number): void;
  /** Makes everything visible. */
  protected abstract showAll(): void;
  /** Reports the visible part. */
  protected abstract tell(): void;
  /** Moves by a key. Returns false for a key of another meaning. */
  protected abstract step(event: KeyboardEvent): boolean;

  /** Draws with the page's new colours. */
  protected restyle(): void {
    this.redraw();
  }

  /** Draws after a movement, and reports the visible part when the gesture rests. */
  protected moved(): void {
    this.redraw();
    clearTimeout(this.#telling);
    this.#telling = window.setTimeout(() => this.tell(), 150);
  }

  /** Moves the cursor. */
  protected setCursor(index: number | null, spoken: boolean): void {
    if (index === this.#cursor) return;
    this.#cursor = index;
    this.read();
    this.#events.cursor?.(index, spoken);
    this.redraw();
  }

  /** Removes the cursor from data that is no longer shown. */
  protected forgetCursor(): void {
    this.#cursor = null;
  }

  #settle(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #choose(index: number | null): void {
    if (index !== null) this.#events.chosen?.(index);
  }

  #key(event: KeyboardEvent): void {
    if (this.count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (key === "+" || key === "=") this.zoom(1.5);
    else if (key === "-") this.zoom(1 / 1.5);
    else if (key === "0") this.reset();
    else if (key === "Enter" && this.#cursor !== null) this.#choose(this.#cursor);
    else if (key === "Escape" && this.#cursor !== null) this.setCursor(null, true);
    else if (!this.step(event)) return;
    event.preventDefault();
  }
}
