import type { Field } from "../../describe/field.js";
import { adoptStyles, el } from "../dom.js";
import type { SeriesOf, SeriesPlot } from "../plot/series.js";
import type { SeriesState } from "../state.js";
import { ViewWorker } from "../worker/viewworker.js";

/** The largest number of shown series. A new one replaces the oldest. */
const maxSeries = 8;

/** Kinds of values that can be plotted. */
const plotted = ["number", "boolean", "time", "duration", "complex"];

/** Reports whether a field can be plotted. */
export const hasSeries = ({ values }: Field): boolean => plotted.includes(values);

/** Events of series. */
interface BesideEvents {
  /** The person asked for the picture at an index of an axis. */
  chosen(axis: number, index: number): void;
  /** The person changed the plot; undefined if they closed it. */
  changed(series: SeriesState | undefined): void;
  /** An operation failed. */
  failed(error: unknown, again: () => void): void;
}

/** Series of points and profiles beside a picture. Their code is loaded when the plot opens. */
export class SidePlot {
  readonly element = el("div", { class: "beside", hidden: true });
  readonly #events: BesideEvents;
  /** Created with the first series. */
  #worker: ViewWorker | null = null;
  #plot: SeriesPlot | null = null;
  #of: SeriesOf | null = null;
  #state: SeriesState | undefined;
  #closed = false;

  constructor(events: BesideEvents) {
    this.#events = events;
  }

  /** Whether the plot is open. */
  get open(): boolean {
    return this.#state !== undefined;
  }

  /** The points marked in the picture. */
  get points(): readonly { readonly x: number; readonly y: number }[] {
    return this.#state?.points.map(([x, y]) => ({ x, y })) ?? [];
  }

  /** Opens or closes the plot for the person. */
  toggle(): void {
    this.#events.changed(this.open ? undefined : { points: [] });
  }

  /** Sets the picture that the plot belongs to, and shows a state. */
  show(of: SeriesOf, state: SeriesState | undefined): void {
    this.#of = of;
    this.#state = state;
    this.element.hidden = state === undefined;
    if (!state) this.#plot?.show({ points: [] });
    else if (this.#plot) this.#tell(this.#plot);
    else void this.#load();
  }

  /** Adds a chosen point. With `line` it plots the profile from the previous point to this one. */
  choose({ x, y }: { readonly x: number; readonly y: number }, line: boolean): void {
    if (!this.#state) return;
    const { along, log, seen, points, profile, region } = this.#state;
    const last = points.at(-1);
    if (line && last) {
      this.#events.changed({ along, log, points: [last, [x, y]], profile: true });
      return;
    }
    const others = profile ? [] : points.filter(([column, row]) => column !== x || row !== y);
    this.#events.changed({
      along,
      log,
      region,
      ...(!profile && { seen }),
      points: [...others, [x, y] as const].slice(-maxSeries),
    });
  }

  /** Ends all work and removes the plot. */
  close(): void {
    this.#closed = true;
    this.#plot?.close();
    this.#worker?.close();
  }

  #tell(plot: SeriesPlot): void {
    // The points come first, so that a new picture is read at them.
    if (this.#state) plot.show(this.#state);
    if (this.#of) plot.of(this.#of);
  }

  async #load(): Promise<void> {
    try {
      const { SeriesPlot, css } = await import("../panels/index.js");
      if (this.#closed || this.#plot) return;
      adoptStyles(this.element, css);
      this.#worker = new ViewWorker();
      this.#plot = new SeriesPlot(this.element, this.#worker, {
        chosen: (axis, index) => this.#events.chosen(axis, index),
        changed: (series) => this.open && this.#events.changed(series),
        closed: () => this.toggle(),
        failed: (error, again) => this.#events.failed(error, again),
      });
      this.#tell(this.#plot);
    } catch (error) {
      if (!this.#closed) this.#events.failed(error, () => void this.#load());
    }
  }
}
