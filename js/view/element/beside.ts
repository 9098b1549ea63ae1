import { el } from "../dom.js";
import { adoptStyles } from "../panels/later.js";
import type { SeriesOf, SeriesPlot } from "../plot/series.js";
import { ViewWorker } from "../worker/viewworker.js";

interface Point {
  readonly x: number;
  readonly y: number;
}

/** What is told of series. */
export interface BesideEvents {
  /** A person wants to see the picture at an index of an axis. */
  chosen(axis: number, index: number): void;
  /** It was opened or closed, or points came. */
  changed(): void;
  /** Something failed. */
  failed(error: unknown, again: () => void): void;
}

/** Series of points and profiles beside a picture. Their code is loaded when they are asked for. */
export class Beside {
  readonly element = el("div", { class: "beside", hidden: true });
  readonly #events: BesideEvents;
  /** Made when the first series is. */
  #worker: ViewWorker | null = null;
  #series: SeriesPlot | null = null;
  #of: SeriesOf | null = null;
  #last: Point | null = null;
  #waiting: Point[] = [];
  #open = false;
  #closed = false;

  constructor(events: BesideEvents) {
    this.#events = events;
  }

  /** Whether it is open. */
  get open(): boolean {
    return this.#open;
  }

  /** The points that have a series. */
  get points(): readonly Point[] {
    return this.#open ? (this.#series?.points ?? []) : [];
  }

  /** Opens or closes it. */
  toggle(): void {
    this.#open = !this.#open;
    this.element.hidden = !this.#open;
    if (this.#open) void this.#load();
    else this.#series?.clear();
    this.#last = null;
    this.#events.changed();
  }

  /** Says what the picture shows. */
  of(of: SeriesOf): void {
    this.#of = of;
    if (this.#open) this.#series?.of(of);
  }

  /** A point was chosen; with `line` the profile from the one before to it. */
  choose(point: Point, line: boolean): void {
    if (!this.#open) return;
    if (!this.#series) this.#waiting.push(point);
    else if (line && this.#last) this.#series.profile(this.#last, point);
    else this.#series.add(point);
    this.#last = point;
    this.#events.changed();
  }

  /** Ends everything. */
  close(): void {
    this.#closed = true;
    this.#series?.close();
    this.#worker?.close();
  }

  async #load(): Promise<void> {
    if (this.#series) {
      if (this.#of) this.#series.of(this.#of);
      return;
    }
    try {
      const { SeriesPlot, css } = await import("../panels/index.js");
      if (this.#closed || this.#series) return;
      adoptStyles(this.element, css);
      this.#worker = new ViewWorker();
      this.#series = new SeriesPlot(this.element, this.#worker, {
        chosen: (axis, index) => this.#events.chosen(axis, index),
        closed: () => this.toggle(),
        failed: (error, again) => this.#events.failed(error, again),
      });
      if (this.#of) this.#series.of(this.#of);
      for (const point of this.#waiting.splice(0)) this.choose(point, false);
    } catch (error) {
      if (!this.#closed) this.#events.failed(error, () => void this.#load());
    }
  }
}
