// Plots beside a picture: series of points along another axis, and profiles along a line in the
// plane.
import type { Coordinate, Field } from "../../describe/index.js";
import { roundText, withUnits } from "../../describe/text.js";
import { counted, numberText } from "../axes/ticks.js";
import { positionTitle } from "../axes/titles.js";
import { closeText } from "../colour/close.js";
import { el, fill } from "../dom.js";
import { type Cost, isMuch } from "../element/budget.js";
import { formatBytes } from "../element/messages.js";
import type { RegionOf } from "../regions/summary.js";
import { formatMember, type RegionState, type SeriesState } from "../state.js";
import type { ComplexPart } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { LinePlot, type Lines, type Series } from "./lines.js";
import { linesCost, type ReadLine, readLine, readPoints } from "./read.js";

/** A point of the plane: column and row, in elements of the finest level. */
type PlanePoint = SeriesState["points"][number];

/** The picture beside the plot. */
export interface SeriesOf {
  readonly field: Field;
  /** The axes of the plane. */
  readonly x: number;
  readonly y: number;
  /** The index of each axis. */
  readonly indices: readonly number[];
  /** The drawn part of complex numbers, and the drawn member of structs. */
  readonly part?: ComplexPart | undefined;
  readonly member?: string | undefined;
  /** The region over the picture, for the series of its mean. */
  readonly region?: RegionState | undefined;
}

/** Events of a {@link SeriesPlot}. */
interface SeriesEvents {
  /** The person asked for the picture at this index of an axis. */
  chosen(axis: number, index: number): void;
  /** The person changed the plot. */
  changed?(state: SeriesState): void;
  /** The person closed the plot. */
  closed(): void;
  /** Reading failed. */
  failed(error: unknown, again: () => void): void;
}

/** The largest number of points with a series. A new one replaces the oldest. */
const maxSeries = 8;

/** Says how points are added. */
const HINT = "Click a point of the picture to see its series.";

/** The largest number of elements of a profile. */
const longest = 4096;

/** Formats a position along an axis. Its units identify the axis, or else its title does. */
function placeText(field: Field, axis: number, index: number, coordinate: Coordinate | null): string {
  const text = coordinate?.text(index) ?? counted(index);
  return coordinate?.units ? text : `${field.axes[axis]?.title ?? ""} ${text}`;
}

const seriesText = (series: SeriesState): string | null => formatMember("series", { series });

const regionText = (region: RegionState | undefined): string | null => formatMember("region", { region });

/** A plot of a field's series and profiles. */
export class SeriesPlot {
  readonly #root: HTMLElement;
  readonly #events: SeriesEvents;
  readonly #worker: ViewWorker;
  readonly #choice = el("select", { "aria-label": "Along" });
  readonly #note = el("div", { class: "series-note", role: "status", hidden: true });
  readonly #body = el("div", { class: "panel-rest" });
  readonly #plot: LinePlot;
  #of: SeriesOf | null = null;
  #axis = -1;
  #state: SeriesState = { points: [] };
  #reading: AbortController | null = null;
  /** The line read for each point. */
  #kept = new Map<string, ReadLine>();
  #agreed = new Set<number>();

  constructor(host: HTMLElement, worker: ViewWorker, events: SeriesEvents) {
    this.#events = events;
    this.#worker = worker;
    const clear = (): void => this.#change({ points: [], profile: undefined, region: undefined, seen: undefined });
    this.#choice.addEventListener("change", () => {
      const along = this.#of?.field.axes[Number(this.#choice.value)]?.name;
      this.#change({ along, seen: undefined, ...(this.#state.profile && { profile: undefined, points: [] }) });
    });
    this.#root = el(
      "div",
      { class: "series panel-fill", role: "group", "aria-label": "Series" },
      el(
        "div",
        { class: "series-head" },
        el("label", {}, "along ", this.#choice),
        el("button", { type: "button", class: "series-button", onclick: clear }, "Clear"),
        el(
          "button",
          { type: "button", class: "series-button", "aria-label": "Close series", onclick: () => events.closed() },
          "×",
        ),
      ),
      this.#note,
      this.#body,
    );
    host.appendChild(this.#root);
    this.#plot = new LinePlot(this.#body, {
      chosen: (index) => {
        if (this.#of && !this.#state.profile) this.#events.chosen(this.#axis, index);
      },
      viewed: (view) => this.#change({ seen: view ? [view.from, view.to] : undefined }),
      logged: (log) => this.#change({ log: log || undefined }),
      failed: events.failed,
    });
  }

  /** Sets the picture. Series of its points follow the indices of the other axes. */
  of(of: SeriesOf): void {
    const { field, x, y, indices } = of;
    const before = this.#of;
    this.#of = of;
    const axes = this.#axes();
    const axis = this.#alongOf();
    const same = before?.field === field && before.x === x && before.y === y && axis === this.#axis;
    const drawn = same && before.part === of.part && before.member === of.member;
    const free = (d: number): boolean => d !== axis && d !== x && d !== y;
    const summed = this.#state.region !== true || regionText(before?.region) === regionText(of.region);
    const kept = drawn && indices.every((index, d) => !free(d) || index === before.indices[d]);
    if (kept && summed) return;
    this.#axis = axis;
    if (!kept) this.#kept.clear();
    fill(this.#choice, ...axes.map((d) => el("option", { value: d }, field.axes[d]?.title ?? "")));
    this.#choice.value = String(axis);
    void this.#show();
  }

  /** Shows a state. */
  show(state: SeriesState): void {
    const before = this.#state;
    this.#state = state;
    this.#plot.log = state.log === true;
    const axis = this.#alongOf();
    if (axis !== this.#axis) {
      this.#axis = axis;
      this.#choice.value = String(axis);
      this.#kept.clear();
    }
    const lines = ({ along, points, profile, region }: SeriesState): SeriesState => ({
      along,
      points,
      profile,
      region,
    });
    if (seriesText(lines(state)) !== seriesText(lines(before))) void this.#show();
    else if (String(state.seen) !== String(before.seen)) this.#look();
  }

  /** The plot. */
  get plot(): LinePlot {
    return this.#plot;
  }

  /** Ends all work and removes the plot. */
  close(): void {
    this.#reading?.abort();
    this.#reading = null;
    this.#plot.close();
    this.#root.remove();
  }

  /** Applies and reports a person's change. */
  #change(change: Partial<SeriesState>): void {
    const state = { ...this.#state, ...change };
    this.show(state);
    this.#events.changed?.(state);
  }

  /** Returns the axes that can be plotted along. */
  #axes(): number[] {
    const { field } = this.#of ?? {};
    return field?.axes.flatMap((axis, d) => (d === field.colourAxis || axis.length < 2 ? [] : [d])) ?? [];
  }

  /** Returns the axis of the state. The default is time, or the first axis that is not drawn. */
  #alongOf(): number {
    const { field, x = 0, y = 0 } = this.#of ?? {};
    const axes = this.#axes();
    const stated = axes.find((d) => field?.axes[d]?.name === this.#state.along);
    const free = axes.filter((d) => d !== x && d !== y);
    return stated ?? free.find((d) => field?.axes[d]?.role.value === "time") ?? free[0] ?? axes[0] ?? x;
  }

  /** Returns the points in the plane; the latest if there are too many. */
  #points(): readonly PlanePoint[] {
    const { field, x, y } = this.#of ?? { x: 0, y: 0 };
    const [columns = 0, rows = 0] = [field?.axes[x]?.length, field?.axes[y]?.length];
    return this.#state.points.filter(([column, row]) => column < columns && row < rows).slice(-maxSeries);
  }

  /** Shows the part of the lines in the state. */
  #look(): void {
    const [from, to] = this.#state.seen ?? [-Infinity, Infinity];
    this.#plot.view = { from, to };
  }

  /**
   * Shows the progress of a read with a button that ends it. Returns a function that counts the
   * chunks of each of its parts.
   */
  #progress(title: string, { chunks, bytes }: Cost, reading: AbortController) {
    const bar = el("progress", { "aria-label": title, max: 1, value: 0 });
    // Assistive technology reads the bar. A live region would read each count.
    const count = el("span", { "aria-hidden": "true" });
    const cancel = () => {
      reading.abort();
      this.#say("Cancelled.", "Read on", () => void this.#show());
      this.#note.querySelector("button")?.focus();
    };
    this.#note.hidden = false;
    fill(
      this.#note,
      `${title} `,
      bar,
      " ",
      count,
      " ",
      el("button", { type: "button", class: "series-button", onclick: cancel }, "Cancel"),
    );
    const parts = new Map<string, readonly [done: number, total: number]>();
    return (part: string, done: number, total: number): void => {
      if (reading.signal.aborted) return;
      parts.set(part, [done, total]);
      const sum = (i: 0 | 1) => [...parts.values()].reduce((all, part) => all + part[i], 0);
      const all = Math.max(chunks, sum(1));
      bar.value = sum(0) / Math.max(1, all);
      count.textContent = `${counted(sum(0))} of ${counted(all)} chunks, ${formatBytes(bar.value * bytes)} of ${formatBytes(bytes)}`;
    };
  }

  /** Shows a text, with a button for a possible action. */
  #say(text: string, label?: string, run?: () => void): void {
    this.#note.hidden = text === "";
    fill(
      this.#note,
      text,
      label && run ? el("button", { type: "button", class: "series-button", onclick: run }, label) : null,
    );
  }

  async #show(): Promise<void> {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    const { signal } = reading;
    const of = this.#of;
    if (!of) return;
    try {
      const points = this.#points();
      const [from, to] = this.#state.profile ? points : [];
      const lines = await (from && to ? this.#profile(of, from, to, reading) : this.#series(of, points, reading));
      if (signal.aborted || !lines) return;
      const drawn = this.#plot.show(lines);
      if (this.#state.seen) this.#look();
      if (!from) this.#plot.cursor = of.indices[this.#axis] ?? null;
      await drawn;
    } catch (error) {
      if (!signal.aborted) this.#events.failed(error, () => void this.#show());
    }
  }

  async #series(of: SeriesOf, points: readonly PlanePoint[], reading: AbortController): Promise<Lines | null> {
    const { signal } = reading;
    const { field, x, y, indices, part, member } = of;
    const axis = this.#axis;
    const along = field.axes[axis];
    if (!along) return null;
    const nameOf = (point: PlanePoint): string => [...point, axis].join();
    const missing = points.filter((point) => !this.#kept.has(nameOf(point)));
    const placeOf = ([column, row]: PlanePoint) =>
      indices.map((index, d) => (d === x ? column : d === y ? row : index));
    const cost = linesCost(field, axis, missing.map(placeOf));
    const region = await this.#regionOf(of, axis, signal);
    const asked = region && !this.#kept.has(region.key) ? region.cost : { chunks: 0, bytes: 0 };
    const whole: Cost = {
      chunks: cost.chunks + asked.chunks,
      bytes: cost.bytes + asked.bytes,
      requests: (cost.requests ?? cost.chunks) + asked.chunks,
    };
    if (!this.#agreed.has(axis) && isMuch(whole)) {
      this.#say(
        `Along ${along.title}, this takes ${counted(whole.chunks)} chunks (${formatBytes(whole.bytes)} decoded). `,
        "Read them",
        () => {
          this.#agreed.add(axis);
          void this.#show();
        },
      );
      return null;
    }
    const idle = points.length === 0 && !region ? HINT : "";
    const isRead = missing.length > 0 || asked.chunks > 0;
    const told = isRead ? this.#progress("Reading the series…", whole, reading) : () => {};
    if (!isRead) this.#say(idle);
    const [coordinate, ...named] = await Promise.all(
      [axis, y, x].map((d) => field.axes[d]?.coordinate(signal) ?? null),
    );
    const reads = missing.map(async (point) => {
      const at = placeOf(point);
      const name = nameOf(point);
      const onProgress = (done: number, total: number) => told(name, done, total);
      this.#kept.set(name, await readLine(field, axis, at, this.#worker, { signal, part, member, onProgress }));
    });
    if (region && asked.chunks > 0) {
      const read = region.read((done, total) => told(region.key, done, total));
      reads.push(read.then((line) => void this.#kept.set(region.key, line)));
    }
    await Promise.all(reads);
    signal.throwIfAborted();
    const close = points.map((point) => this.#kept.get(nameOf(point))?.close).find((one) => one);
    this.#say(close ? closeText(field, close) : idle);
    const series = points.flatMap((point): Series[] => {
      const line = this.#kept.get(nameOf(point));
      if (!line) return [];
      const places = [
        { d: y, index: point[1], coordinate: named[0] },
        { d: x, index: point[0], coordinate: named[1] },
      ];
      const name = places
        .filter(({ d }) => d !== axis)
        .map(({ d, index, coordinate }) => placeText(field, d, index, coordinate ?? null))
        .join(" ");
      return [{ name, values: line.values, text: (index) => field.text(line.value(index)) }];
    });
    const mean = region && this.#kept.get(region.key);
    if (mean) series.push({ name: region.name, values: mean.values, text: (index) => String(mean.value(index)) });
    return {
      name: `${field.title.value} along ${along.title}`,
      title: field.title.value,
      units: field.units,
      axis: {
        title: positionTitle(along.title, coordinate ?? null),
        units: coordinate ? coordinate.units || along.units : "",
        length: along.length,
        coordinate: coordinate ?? null,
      },
      series,
    };
  }

  /**
   * Returns the mean of the region as a line along an axis. Returns undefined unless the state asks
   * for it, and the region lies in the drawn plane.
   */
  async #regionOf({ field, x, y, indices, region }: SeriesOf, along: number, signal: AbortSignal) {
    const { axes } = field;
    const here = region?.axes[0] === axes[y]?.name && region?.axes[1] === axes[x]?.name;
    if (!this.#state.region || !region || !here || region.kind === "line" || along === x || along === y)
      return undefined;
    const { groundOf, regionCost, summaryOf } = await import("../regions/index.js");
    const of: RegionOf = { ground: await groundOf(field, x, y, signal), shape: region, indices, along };
    const read = async (progress: (done: number, total: number) => void): Promise<ReadLine> => {
      const { each } = await summaryOf(of, this.#worker, signal, progress);
      const values = Float64Array.from(each, ({ mean }) => mean);
      const text = (value: number) => (Number.isNaN(value) ? "missing" : withUnits(roundText(value, 6), field.units));
      return { values, value: (index) => text(values[index] ?? Number.NaN) };
    };
    const key = `${regionText(region)} ${along}`;
    return { key, name: `mean of the ${region.kind}`, cost: regionCost(of), read };
  }

  async #profile(of: SeriesOf, from: PlanePoint, to: PlanePoint, reading: AbortController): Promise<Lines> {
    const { signal } = reading;
    const { field, x, y, indices, part, member } = of;
    const [across, down] = [to[0] - from[0], to[1] - from[1]];
    const far = Math.max(Math.abs(across), Math.abs(down));
    const count = Math.min(longest, Math.floor(far) + 1);
    const share = (i: number): number => (count > 1 ? i / (count - 1) : 0);
    const inside = (index: number, d: number): number =>
      Math.max(0, Math.min((field.axes[d]?.length ?? 1) - 1, Math.round(index)));
    const places = Array.from({ length: count }, (_, i) =>
      indices.map((index, d) => {
        if (d === x) return inside(from[0] + share(i) * across, x);
        return d === y ? inside(from[1] + share(i) * down, y) : index;
      }),
    );
    this.#say("Reading the profile…");
    const [[rows, columns], line] = await Promise.all([
      Promise.all([y, x].map((d) => field.axes[d]?.coordinate(signal) ?? null)),
      readPoints(field, places, this.#worker, { signal, part, member }),
    ]);
    signal.throwIfAborted();
    this.#say(line.close ? closeText(field, line.close) : "");
    const text = (i: number): string => {
      const [row = 0, column = 0] = [places[i]?.[y], places[i]?.[x]];
      return `${placeText(field, y, row, rows ?? null)} ${placeText(field, x, column, columns ?? null)}`;
    };
    const step = count > 1 ? Math.hypot(across, down) / (count - 1) : 1;
    const coordinate: Coordinate = {
      kind: "number",
      name: "distance",
      units: "",
      length: count,
      number: (i) => i * step,
      text: (i) => `${numberText(i * step)}: ${text(i)}`,
      find: () => undefined,
    };
    return {
      name: `${field.title.value} along a line`,
      title: field.title.value,
      units: field.units,
      axis: { title: "distance in elements", units: "", length: count, coordinate },
      series: [
        {
          name: `${text(0)} to ${text(count - 1)}`,
          values: line.values,
          text: (index) => field.text(line.value(index)),
        },
      ],
    };
  }
}
