// Beside a picture: series of points along another axis, and profiles along a line in the plane.
import type { Coordinate, Field } from "../../describe/index.js";
import { counted, numberText } from "../axes/ticks.js";
import { el, fill } from "../dom.js";
import type { Part } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { LinePlot, type Lines, type Series } from "./lines.js";
import { lineCost, type ReadLine, readLine, readPoints } from "./read.js";

/** A place in the plane: column and row, in elements of the finest level. */
export interface PlanePoint {
  readonly x: number;
  readonly y: number;
}

/** What the picture beside shows. */
export interface SeriesOf {
  readonly field: Field;
  /** The axes of the plane. */
  readonly x: number;
  readonly y: number;
  /** The index of each axis. */
  readonly indices: readonly number[];
  /** The part of complex numbers, and the member of structs, that is drawn. */
  readonly part?: Part | undefined;
  readonly member?: string | undefined;
}

/** What a {@link SeriesPlot} tells. */
export interface SeriesEvents {
  /** A person wants to see the picture at this index of an axis. */
  chosen(axis: number, index: number): void;
  /** Other lines are shown. */
  shown?(): void;
  /** A person closed it. */
  closed(): void;
  /** Reading failed. */
  failed(error: unknown, again: () => void): void;
}

/** What is read without a question, of all points together. */
const budget = { chunks: 200, bytes: 128 * 2 ** 20 };

/** Points of which a series is kept; the oldest goes. */
const most = 8;

/** Elements of a profile. */
const longest = 4096;

/** A position along an axis in words: its units say which axis it is of, else its title does. */
function placeText(field: Field, axis: number, index: number, coordinate: Coordinate | null): string {
  const text = coordinate?.text(index) ?? counted(index);
  return coordinate?.units ? text : `${field.axes[axis]?.title ?? ""} ${text}`;
}

/** Series and profiles of a field. */
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
  #points: readonly PlanePoint[] = [];
  #ends: readonly [PlanePoint, PlanePoint] | null = null;
  #reading: AbortController | null = null;
  /** What was read of each point. */
  #kept = new Map<string, ReadLine>();
  #agreed = new Set<number>();

  constructor(host: HTMLElement, worker: ViewWorker, events: SeriesEvents) {
    this.#events = events;
    this.#worker = worker;
    const clear = (): void => this.clear();
    this.#choice.addEventListener("change", () => {
      this.#axis = Number(this.#choice.value);
      this.#kept.clear();
      void this.#show();
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
        if (this.#of && this.#ends === null) this.#events.chosen(this.#axis, index);
      },
    });
  }

  /** Says what the picture shows: series of its points follow the indices of the other axes. */
  of(of: SeriesOf): void {
    const { field, x, y, indices } = of;
    const before = this.#of;
    this.#of = of;
    const axes = field.axes.flatMap((axis, d) => (d === field.colourAxis || axis.length < 2 ? [] : [d]));
    const free = axes.filter((d) => d !== x && d !== y);
    if (before?.field !== field || !axes.includes(this.#axis)) {
      const time = free.find((d) => field.axes[d]?.role.value === "time");
      this.#axis = time ?? free[0] ?? axes[0] ?? x;
      this.#kept.clear();
      if (before && before.field !== field) this.#points = [];
    } else if (before.x !== x || before.y !== y || before.part !== of.part || before.member !== of.member) {
      this.#kept.clear();
      if (before.x !== x || before.y !== y) this.#points = [];
    } else if (indices.every((index, d) => d === this.#axis || d === x || d === y || index === before.indices[d]))
      return;
    else this.#kept.clear();
    fill(this.#choice, ...axes.map((d) => el("option", { value: d }, field.axes[d]?.title ?? "")));
    this.#choice.value = String(this.#axis);
    void this.#show();
  }

  /** Adds the series of a point. */
  add(point: PlanePoint): void {
    this.#ends = null;
    const others = this.#points.filter(({ x, y }) => x !== point.x || y !== point.y);
    this.#points = [...others, point].slice(-most);
    void this.#show();
  }

  /** Shows the elements along a line in the plane in place of series. */
  profile(from: PlanePoint, to: PlanePoint): void {
    this.#ends = [from, to];
    void this.#show();
  }

  /** The points that have a series, in the order of their colours; of a profile both ends. */
  get points(): readonly PlanePoint[] {
    return this.#ends ?? this.#points;
  }

  /** The same with their colours, which for a profile is one. */
  get marks(): readonly (PlanePoint & { readonly colour: string })[] {
    return this.points.map((point, i) => ({ ...point, colour: this.#plot.colour(this.#ends ? 0 : i) }));
  }

  /** Whether it is a profile. */
  get isProfile(): boolean {
    return this.#ends !== null;
  }

  /** Removes all series. */
  clear(): void {
    this.#reading?.abort();
    this.#points = [];
    this.#ends = null;
    this.#kept.clear();
    void this.#show();
  }

  /** The plot. */
  get plot(): LinePlot {
    return this.#plot;
  }

  /** Ends everything and leaves the page. */
  close(): void {
    this.#reading?.abort();
    this.#reading = null;
    this.#plot.close();
    this.#root.remove();
  }

  /** Says something, with what a person may do about it. */
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
      const lines = await (this.#ends ? this.#profile(of, this.#ends, signal) : this.#series(of, signal));
      if (signal.aborted || !lines) return;
      this.#plot.show(lines);
      this.#events.shown?.();
      if (!this.#ends) this.#plot.cursor = of.indices[this.#axis] ?? null;
    } catch (error) {
      if (!signal.aborted) this.#events.failed(error, () => void this.#show());
    }
  }

  async #series(of: SeriesOf, signal: AbortSignal): Promise<Lines | null> {
    const { field, x, y, indices, part, member } = of;
    const axis = this.#axis;
    const along = field.axes[axis];
    if (!along) return null;
    const nameOf = (point: PlanePoint): string => [point.x, point.y, axis].join();
    const missing = this.#points.filter((point) => !this.#kept.has(nameOf(point)));
    const cost = lineCost(field, axis);
    const chunks = cost.chunks * missing.length;
    if (!this.#agreed.has(axis) && (chunks > budget.chunks || cost.bytes * missing.length > budget.bytes)) {
      const mebibytes = counted(Math.ceil((cost.bytes * missing.length) / 2 ** 20));
      this.#say(
        `Along ${along.title}, this takes ${counted(chunks)} chunks (${mebibytes} MiB decoded). `,
        "Read them",
        () => {
          this.#agreed.add(axis);
          void this.#show();
        },
      );
      return null;
    }
    this.#say(this.#points.length === 0 ? "Click a point of the picture to see its series." : "");
    const [coordinate, ...named] = await Promise.all(
      [axis, y, x].map((d) => field.axes[d]?.coordinate(signal) ?? null),
    );
    const reads = missing.map(async (point) => {
      const at = indices.map((index, d) => (d === x ? point.x : d === y ? point.y : index));
      this.#kept.set(nameOf(point), await readLine(field, axis, at, this.#worker, { signal, part, member }));
    });
    if (reads.length > 0) this.#say("Reading …");
    await Promise.all(reads);
    this.#say(this.#points.length === 0 ? "Click a point of the picture to see its series." : "");
    const series = this.#points.flatMap((point): Series[] => {
      const line = this.#kept.get(nameOf(point));
      if (!line) return [];
      const places = [
        { d: y, index: point.y, coordinate: named[0] },
        { d: x, index: point.x, coordinate: named[1] },
      ];
      const name = places
        .filter(({ d }) => d !== axis)
        .map(({ d, index, coordinate }) => placeText(field, d, index, coordinate ?? null))
        .join(" ");
      return [{ name, values: line.values, text: (index) => field.text(line.value(index)) }];
    });
    return {
      name: `${field.title.value} along ${along.title}`,
      title: field.title.value,
      units: field.units,
      axis: {
        title: along.title,
        units: coordinate?.units || along.units,
        length: along.length,
        coordinate: coordinate ?? null,
      },
      series,
    };
  }

  async #profile(of: SeriesOf, [from, to]: readonly [PlanePoint, PlanePoint], signal: AbortSignal): Promise<Lines> {
    const { field, x, y, indices, part, member } = of;
    const far = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y));
    const count = Math.min(longest, Math.floor(far) + 1);
    const share = (i: number): number => (count > 1 ? i / (count - 1) : 0);
    const inside = (index: number, d: number): number =>
      Math.max(0, Math.min((field.axes[d]?.length ?? 1) - 1, Math.round(index)));
    const places = Array.from({ length: count }, (_, i) =>
      indices.map((index, d) => {
        if (d === x) return inside(from.x + share(i) * (to.x - from.x), x);
        return d === y ? inside(from.y + share(i) * (to.y - from.y), y) : index;
      }),
    );
    this.#say("Reading …");
    const [[named, across], line] = await Promise.all([
      Promise.all([y, x].map((d) => field.axes[d]?.coordinate(signal) ?? null)),
      readPoints(field, places, this.#worker, { signal, part, member }),
    ]);
    this.#say("");
    const text = (i: number): string => {
      const [row = 0, column = 0] = [places[i]?.[y], places[i]?.[x]];
      return `${placeText(field, y, row, named ?? null)} ${placeText(field, x, column, across ?? null)}`;
    };
    const step = count > 1 ? Math.hypot(to.x - from.x, to.y - from.y) / (count - 1) : 1;
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
