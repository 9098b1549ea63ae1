// One array in the middle of the page: plans the read, keeps only the latest, and shows what came as a picture, a
// line, a table or a single value.

import { PlaneView } from "./canvas.js";
import { type ColormapName, lookupTable } from "./colormap.js";
import { percentileRange, type Range } from "./contrast.js";
import { Sliders, Tools } from "./controls.js";
import { type Coordinate, coordinatesOf, type Dimension, dimensionsOf } from "./coords.js";
import { byId, el, fill } from "./dom.js";
import { formatBytes, formatCfTime, formatCount, formatNumber, formatShape, formatShort } from "./format.js";
import { LinePlot } from "./plot.js";
import {
  type Axes,
  defaultAxes,
  fitAxes,
  fitIndices,
  Latest,
  type Plan,
  planSlice,
  type Range as Selector,
} from "./slice.js";
import type { ArrayNode, Hierarchy } from "./store.js";
import { showScalar, showTable, TABLE_COLUMNS, TABLE_ROWS } from "./table.js";
import { type CfScale, cfScale, columnsOf, type Elements, elementsOf, isTextual } from "./values.js";

/** What of the view goes into the page's address. */
export interface ViewChoice {
  indices: number[] | null;
  axes: Axes | null;
  colormap: ColormapName;
  flip: boolean | null;
  field: string;
}

export interface ViewEvents {
  /** A read begins. */
  loading(text: string): void;
  progress(done: number, total: number): void;
  /** What was asked for is shown, or there is something to be decided by the reader. */
  ready(text: string): void;
  /** A read failed; `again` repeats it. */
  failed(error: unknown, action: string, again: () => void): void;
  /** The reader chose something. */
  chosen(choice: ViewChoice): void;
  /** A wish that could not be met as it was. */
  note(text: string): void;
}

/** Elements of a picture: about as many as a large screen has pixels. */
const MAX_ELEMENTS = 1 << 22;
/** Bytes that are read of a picture at most, for types of many bytes. */
const MAX_BYTES = 1 << 26;
/** Decoded bytes of the touched chunks beyond which the reader is asked first. */
const ASK_BYTES = 512 * 1024 * 1024;
/** The same for the number of chunks: each may be a request. */
const ASK_CHUNKS = 20_000;
/** A window's side, when only the middle of a large plane is read, and its length for a line. */
const WINDOW = 1024;
const WINDOW_LINE = 1 << 16;
/** How long a picture that has been read waits for the coordinates that say which way up it belongs (ms). */
const LABEL_PATIENCE = 1000;
/** While a slider is dragged, reads start at most this often (ms). */
const DRAG_PAUSE = 40;

interface Shown {
  elements: Elements;
  /** All fields of a struct, for the readout. */
  whole: Elements | null;
  plan: Plan;
  /** The numbers drawn: decoded by scale_factor and add_offset where there are such. */
  numbers: ArrayLike<number>;
  missing: number | null;
}

/** One array being looked at. */
interface Subject {
  store: Hierarchy;
  array: ArrayNode;
  dimensions: Dimension[];
  coordinates: (Coordinate | null)[];
  indices: number[];
  axes: Axes;
  field: string;
  fields: string[];
  cf: CfScale;
  name: string;
  /** Whether the reader agreed to a large read. */
  agreed: boolean;
  window: boolean;
  rowStart: number;
}

export class ArrayView {
  readonly #events: ViewEvents;
  readonly #latest = new Latest();
  readonly #picture = byId("picture", HTMLCanvasElement);
  readonly #plotCanvas = byId("plot", HTMLCanvasElement);
  readonly #table = byId("table", HTMLDivElement);
  readonly #question = byId("question", HTMLDivElement);
  readonly #legend = byId("legend", HTMLFieldSetElement);
  readonly #note = byId("slice-note", HTMLParagraphElement);
  readonly #readout = byId("readout", HTMLDivElement);
  readonly #plane: PlaneView;
  readonly #plot: LinePlot;
  readonly #sliders: Sliders;
  readonly #tools: Tools;
  #subject: Subject | null = null;
  #background = new AbortController();
  #shown: Shown | null = null;
  #colormap: ColormapName = "viridis";
  #flip: boolean | null = null;
  #range: Range = { min: 0, max: 1 };
  #manualRange: Range | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastStart = 0;

  constructor(events: ViewEvents) {
    this.#events = events;
    this.#plane = new PlaneView(this.#picture, (point, byKey) => this.#point(point ? [point.x, point.y] : null, byKey));
    this.#plot = new LinePlot(this.#plotCanvas, (i, byKey) => this.#point(i === null ? null : [i, 0], byKey));
    this.#sliders = new Sliders(byId("sliders", HTMLFieldSetElement), (d, index) => this.#index(d, index));
    this.#tools = new Tools(byId("tools", HTMLFieldSetElement), this.#legend, {
      axes: (axes) => this.#setAxes(axes),
      field: (name) => this.#setField(name),
      colormap: (name) => {
        this.#colormap = name;
        this.#restyle();
        this.#tell();
      },
      flip: (flip) => {
        this.#flip = flip;
        this.#restyle();
        this.#tell();
      },
      range: (min, max) => {
        this.#manualRange = { min, max };
        this.#restyle();
      },
      autoRange: () => {
        this.#manualRange = null;
        this.#restyle();
      },
      zoom: (factor) => this.#plane.zoom(factor),
      fit: () => this.#plane.fit(),
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.#plane.redraw();
      this.#plot.redraw();
    });
  }

  /** Drops the array and what is being read of it. */
  close(): void {
    this.cancel();
    this.#background.abort();
    this.#subject = null;
    this.#manualRange = null;
    this.#unshow();
    fill(this.#question);
    fill(this.#readout);
    this.#sliders.show([], [], []);
    this.#tools.show([], [], false);
  }

  /** Ends the running read. True if there was one. */
  cancel(): boolean {
    clearTimeout(this.#timer);
    const busy = this.#latest.busy;
    this.#latest.cancel();
    if (busy) this.#unshow();
    return busy;
  }

  /** Takes the picture away: the controls no longer say what it shows. */
  #unshow(): void {
    this.#shown = null;
    this.#plane.clear();
    this.#plot.clear();
    fill(this.#table);
    this.#note.textContent = "";
    this.#legend.hidden = true;
    this.#stage(null);
  }

  /** Shows an array as the choice says, as far as it fits. */
  async open(store: Hierarchy, array: ArrayNode, choice: ViewChoice): Promise<void> {
    this.close();
    const background = new AbortController();
    this.#background = background;
    const rank = array.shape.length;
    const dimensions = await dimensionsOf(store, array);
    if (background.signal.aborted) return;
    const fitted = fitIndices(choice.indices, array.shape);
    if (fitted.changed) this.#events.note("The indices of the link do not fit this array; they were moved into it.");
    const axes = rank >= 2 ? fitAxes(choice.axes, rank) : defaultAxes(rank);
    if (choice.axes && rank >= 2 && (axes.x !== choice.axes.x || axes.y !== choice.axes.y)) {
      this.#events.note("The axes of the link do not fit this array; the last two dimensions are shown.");
    }
    this.#colormap = choice.colormap;
    this.#flip = choice.flip;
    this.#subject = {
      store,
      array,
      dimensions,
      coordinates: dimensions.map(() => null),
      indices: fitted.indices,
      axes,
      field: choice.field,
      fields: [],
      cf: cfScale(array.attrs),
      name: array.path === "/" ? "the array" : array.path.slice(array.path.lastIndexOf("/") + 1),
      agreed: false,
      window: false,
      rowStart: 0,
    };
    this.#layout();
    // An empty frame of the right kind, so that the page does not jump when the picture comes.
    this.#stage(rank === 0 || this.#textual ? "table" : rank === 1 ? "plot" : "picture");
    const labels = this.#lookUp(this.#subject, background.signal);
    // Which way up a map belongs is known by its coordinates; a picture that turns over later is worse than one that waits.
    this.#read(this.#flip === null && rank >= 2 && !this.#textual ? labels : null);
  }

  /** Looks up what the indices mean, beside the first read. Never rejects. */
  async #lookUp(subject: Subject, signal: AbortSignal): Promise<void> {
    const coordinates = await coordinatesOf(subject.store, subject.array, subject.dimensions, signal);
    if (signal.aborted || this.#subject !== subject) return;
    subject.coordinates = coordinates;
    this.#sliders.set(subject.indices, coordinates);
    this.#restyle();
    this.#plot.redraw();
    this.#label();
  }

  get #textual(): boolean {
    return this.#subject !== null && isTextual(this.#subject.array.type.kind);
  }

  /** Makes the controls that the array needs. */
  #layout(): void {
    const subject = this.#subject;
    if (!subject) return;
    const { dimensions, axes } = subject;
    const rank = dimensions.length;
    const drawn = rank === 1 ? [0] : [axes.x, axes.y];
    const rest = dimensions.map((_, d) => d).filter((d) => !drawn.includes(d));
    this.#sliders.show(dimensions, rest, subject.indices);
    this.#sliders.set(subject.indices, subject.coordinates);
    this.#tools.show(dimensions, subject.fields, rank >= 2 && !this.#textual);
    this.#setTools();
  }

  #setTools(): void {
    const subject = this.#subject;
    if (!subject) return;
    this.#tools.set({
      axes: subject.dimensions.length >= 2 ? subject.axes : null,
      field: subject.field,
      colormap: this.#colormap,
      flip: this.#flipped,
    });
  }

  get #flipped(): boolean {
    if (this.#flip !== null) return this.#flip;
    const subject = this.#subject;
    return subject ? (subject.coordinates[subject.axes.y]?.northward ?? false) : false;
  }

  #tell(): void {
    const subject = this.#subject;
    if (!subject) return;
    const rank = subject.dimensions.length;
    const usual = defaultAxes(rank);
    const axes = rank >= 2 && (subject.axes.x !== usual.x || subject.axes.y !== usual.y) ? subject.axes : null;
    const first = subject.fields[0];
    this.#events.chosen({
      indices: rank > 2 ? [...subject.indices] : null,
      axes,
      colormap: this.#colormap,
      flip: this.#flip,
      field: subject.field === first ? "" : subject.field,
    });
  }

  #index(d: number, index: number): void {
    const subject = this.#subject;
    if (!subject) return;
    subject.indices[d] = index;
    this.#sliders.set(subject.indices, subject.coordinates);
    this.#tell();
    // The first move reads at once, the following ones of a drag with a pause between.
    clearTimeout(this.#timer);
    const wait = Math.max(0, this.#lastStart + DRAG_PAUSE - performance.now());
    this.#timer = setTimeout(() => this.#read(), wait);
  }

  #setAxes(axes: Axes): void {
    const subject = this.#subject;
    if (!subject) return;
    this.#unshow();
    subject.axes = axes;
    subject.agreed = false;
    subject.window = false;
    subject.rowStart = 0;
    this.#layout();
    this.#stage(this.#textual ? "table" : "picture");
    this.#tell();
    this.#read();
  }

  #setField(name: string): void {
    const subject = this.#subject;
    if (!subject) return;
    subject.field = name;
    this.#manualRange = null;
    this.#tell();
    this.#read();
  }

  /** Reads what is chosen now and shows it, not before labels (for a while); a later call makes this one's result void. */
  #read(labels: Promise<void> | null = null): void {
    const subject = this.#subject;
    if (!subject) return;
    this.#lastStart = performance.now();
    const action = `reading ${subject.array.path}${subject.dimensions.length > 2 ? ` at [${subject.indices.join(", ")}]` : ""}`;
    const again = (): void => this.#read();
    const { shape } = subject.array;
    if (shape.includes(0)) {
      this.#latest.cancel();
      this.#ask(el("p", {}, `This array has no elements: its shape is ${formatShape(shape)}.`));
      this.#events.ready("The array is empty.");
      return;
    }
    let plan: Plan | null = null;
    if (shape.length > 0) {
      plan = this.#plan(subject);
      if ((plan.bytes > ASK_BYTES || plan.chunks > ASK_CHUNKS) && !subject.agreed) {
        this.#latest.cancel();
        this.#askFirst(subject, plan);
        return;
      }
    }
    this.#events.loading(`Reading ${subject.name}…`);
    const began = performance.now();
    this.#latest
      .run(async (signal) => {
        const options = {
          signal,
          onProgress: (done: number, total: number) => !signal.aborted && this.#events.progress(done, total),
        };
        const chunk: { data: unknown } =
          plan === null ? await subject.array.getChunk([], options) : await subject.array.get(plan.selection, options);
        if (labels) await Promise.race([labels, pause(LABEL_PATIENCE)]);
        return chunk;
      })
      .then((outcome) => {
        if (outcome.stale || this.#subject !== subject) return;
        this.#show(subject, plan, outcome.value.data);
        this.#events.ready(this.#summary(subject, plan, performance.now() - began));
      })
      .catch((error: unknown) => {
        if (this.#subject !== subject) return;
        this.#unshow();
        this.#events.failed(error, action, again);
      });
  }

  #plan(subject: Subject): Plan {
    const { array, axes, indices } = subject;
    const itemBytes = Math.max(1, array.type.size || 16);
    if (this.#textual) return this.#tablePlan(subject, itemBytes);
    return planSlice({
      shape: array.shape,
      chunks: array.chunks,
      itemBytes,
      axes,
      indices,
      maxElements: Math.max(1024, Math.min(MAX_ELEMENTS, Math.floor(MAX_BYTES / itemBytes))),
      window: subject.window ? windowOf(array.shape.length) : undefined,
    });
  }

  /** A page of rows, not the whole plane. */
  #tablePlan(subject: Subject, itemBytes: number): Plan {
    const { array, axes, indices } = subject;
    const plan = planSlice({
      shape: array.shape,
      chunks: array.chunks,
      itemBytes,
      axes,
      indices,
      maxElements: Number.MAX_SAFE_INTEGER,
    });
    const cut = (d: number, start: number, most: number): { start: number; step: number; count: number } => {
      const size = array.shape[d] ?? 1;
      const from = Math.max(0, Math.min(start, size - 1));
      const count = Math.min(most, size - from);
      plan.selection[d] = { start: from, stop: from + count, step: 1 } satisfies Selector;
      return { start: from, step: 1, count };
    };
    if (plan.y === null) {
      plan.x = cut(0, subject.rowStart, TABLE_ROWS);
    } else {
      plan.y = cut(axes.y, subject.rowStart, TABLE_ROWS);
      plan.x = cut(axes.x, 0, TABLE_COLUMNS);
    }
    const height = plan.y?.count ?? 1;
    const transposed = plan.y !== null && axes.x < axes.y;
    plan.strideX = transposed ? height : 1;
    plan.strideY = transposed ? 1 : plan.x.count;
    plan.elements = plan.x.count * height;
    // What a page touches is bounded by its rows and columns; the question before large reads is for pictures.
    plan.bytes = 0;
    plan.chunks = 0;
    return plan;
  }

  #askFirst(subject: Subject, plan: Plan): void {
    const chunks = Number.isFinite(plan.chunks) ? formatCount(plan.chunks) : "very many";
    const agree = (window: boolean) => (): void => {
      subject.agreed = true;
      subject.window = window;
      fill(this.#question);
      this.#read();
    };
    this.#ask(
      el(
        "p",
        {},
        `This picture needs ${chunks} chunk${plan.chunks === 1 ? "" : "s"}, ${formatBytes(plan.bytes)} when decoded${plan.note ? `, and ${plan.note}` : ""}. That may take long.`,
      ),
      el(
        "p",
        { class: "buttons" },
        el(
          "button",
          { type: "button", class: "primary", onclick: agree(true) },
          `Read the middle, ${formatCount(windowOf(subject.dimensions.length))} elements wide`,
        ),
        el("button", { type: "button", onclick: agree(false) }, "Read all of it"),
      ),
    );
    this.#events.ready("Waiting for a choice: the picture is large.");
  }

  #ask(...children: HTMLElement[]): void {
    this.#shown = null;
    fill(this.#question, ...children);
    fill(this.#readout);
    this.#legend.hidden = true;
    this.#note.textContent = "";
    this.#stage("question");
  }

  #show(subject: Subject, plan: Plan | null, data: unknown): void {
    fill(this.#question);
    const count = plan?.elements ?? 1;
    const columns = columnsOf(data);
    let chosen: unknown = data;
    if (columns) {
      const names = columns.map((c) => c.name);
      if (!names.includes(subject.field)) {
        this.#noField(subject);
        subject.field = names[0] ?? "";
      }
      chosen = columns.find((c) => c.name === subject.field)?.data ?? data;
      if (subject.fields.join("\n") !== names.join("\n")) {
        subject.fields = names;
        this.#layout();
      }
    }
    if (!columns) {
      this.#noField(subject);
      subject.field = "";
    }
    const elements = elementsOf(chosen, count);
    const whole = columns && columns.length > 1 ? elementsOf(data, count) : null;

    if (plan === null) {
      this.#stage("table");
      showScalar(this.#table, (whole ?? elements).text(0), this.#decoded(subject, elements, 0));
      this.#legend.hidden = true;
      return;
    }
    if (elements.numbers === null) {
      this.#showTable(subject, plan, elements);
      return;
    }
    const { cf } = subject;
    const scaled = (cf.factor !== 1 || cf.offset !== 0) && !elements.binary;
    let numbers = elements.numbers;
    if (scaled) {
      const decoded = new Float64Array(count);
      for (let i = 0; i < count; i++) {
        const value = numbers[i] ?? Number.NaN;
        decoded[i] = value === cf.missing ? Number.NaN : value * cf.factor + cf.offset;
      }
      numbers = decoded;
    }
    this.#shown = { elements, whole, plan, numbers, missing: scaled ? null : cf.missing };
    this.#note.textContent = this.#noteText(subject, plan);
    if (plan.y === null) this.#showLine(subject, this.#shown);
    else this.#showPlane(this.#shown);
    this.#label();
  }

  #noField(subject: Subject): void {
    if (subject.field !== "") this.#events.note(`There is no field “${subject.field}” in this array.`);
  }

  #noteText(subject: Subject, plan: Plan): string {
    const parts: string[] = [];
    if (subject.window && !plan.y) {
      parts.push(`Only the middle is shown: ${formatCount(plan.x.count)} elements from ${formatCount(plan.x.start)}.`);
    } else if (subject.window && plan.y) {
      parts.push(
        `Only the middle is shown: ${formatCount(plan.y.count)} × ${formatCount(plan.x.count)} elements from row ${formatCount(plan.y.start)}, column ${formatCount(plan.x.start)}.`,
      );
    }
    if (plan.note) parts.push(`Large array: ${plan.note}.`);
    return parts.join(" ");
  }

  #showTable(subject: Subject, plan: Plan, elements: Elements): void {
    this.#shown = null;
    this.#stage("table");
    this.#legend.hidden = true;
    fill(this.#readout);
    const { axes, array, coordinates } = subject;
    const rows = plan.y ?? plan.x;
    const rowAxis = plan.y ? axes.y : 0;
    const label = (d: number) => (i: number) => {
      const meaning = coordinates[d]?.text(i);
      return meaning ? `${i} · ${meaning}` : String(i);
    };
    showTable(this.#table, {
      name: subject.name,
      elements,
      rows,
      columns: plan.y ? plan.x : null,
      strideRow: plan.y ? plan.strideY : plan.strideX,
      strideColumn: plan.y ? plan.strideX : 1,
      rowLabel: label(rowAxis),
      columnLabel: label(axes.x),
      totalRows: array.shape[rowAxis] ?? 0,
      totalColumns: plan.y ? (array.shape[axes.x] ?? 0) : 1,
      page: this.#textual
        ? (start) => {
            subject.rowStart = start;
            this.#read();
          }
        : null,
    });
    this.#note.textContent = "";
  }

  #showLine(subject: Subject, shown: Shown): void {
    this.#stage("plot");
    this.#legend.hidden = true;
    const { x } = shown.plan;
    this.#plot.show({
      numbers: shown.numbers,
      count: x.count,
      missing: shown.missing,
      label: (i) => {
        const index = x.start + i * x.step;
        return subject.coordinates[0]?.text(index) ?? formatCount(index);
      },
    });
  }

  #showPlane(shown: Shown): void {
    this.#stage("picture");
    const { plan } = shown;
    this.#setRange(shown);
    this.#plane.show(
      {
        width: plan.x.count,
        height: plan.y?.count ?? 1,
        numbers: shown.numbers,
        strideX: plan.strideX,
        strideY: plan.strideY,
      },
      this.#style(shown),
    );
    this.#setTools();
  }

  #setRange(shown: Shown): void {
    const auto = shown.elements.binary ? { min: 0, max: 1 } : percentileRange(shown.numbers, 2, 98, shown.missing);
    this.#range = this.#manualRange ?? auto ?? { min: 0, max: 1 };
    this.#tools.setRange(this.#range.min, this.#range.max, this.#manualRange !== null);
    this.#legend.hidden = auto === null;
  }

  #style(shown: Shown): { lut: Uint32Array; range: Range; missing: number | null; flip: boolean } {
    return { lut: lookupTable(this.#colormap), range: this.#range, missing: shown.missing, flip: this.#flipped };
  }

  #restyle(): void {
    this.#setTools();
    const shown = this.#shown;
    if (!shown?.plan.y) return;
    this.#setRange(shown);
    this.#plane.restyle(this.#style(shown));
    this.#label();
  }

  /** Shows one of the ways to show, and hides the others. */
  #stage(which: "picture" | "plot" | "table" | "question" | null): void {
    this.#picture.hidden = which !== "picture";
    this.#plotCanvas.hidden = which !== "plot";
    this.#table.hidden = which !== "table";
    this.#question.hidden = which !== "question";
    this.#readout.hidden = which !== "picture" && which !== "plot";
    if (which === "picture" || which === "plot") this.#hint(which);
  }

  #hint(which: "picture" | "plot"): void {
    const text =
      which === "picture"
        ? "Point at the picture for values. Wheel or + and − zoom, dragging moves, 0 shows all, arrow keys walk."
        : "Point at the line for values, or walk with the arrow keys.";
    this.#readout.setAttribute("aria-live", "off");
    fill(this.#readout, el("span", { class: "muted" }, text));
  }

  /** Says in words what the picture shows. */
  #label(): void {
    const subject = this.#subject;
    const shown = this.#shown;
    if (!subject || !shown) return;
    const { plan } = shown;
    const { dimensions, axes } = subject;
    const at = dimensions
      .map((dimension, d) => {
        if (d === axes.x || d === axes.y || dimensions.length === 1) return "";
        const index = subject.indices[d] ?? 0;
        const meaning = subject.coordinates[d]?.text(index);
        return `${dimension.name} ${index}${meaning ? ` (${meaning})` : ""}`;
      })
      .filter((text) => text !== "");
    const where = at.length > 0 ? ` at ${at.join(", ")}` : "";
    if (plan.y) {
      const size = `${formatCount(plan.y.count)} rows (${dimensions[axes.y]?.name ?? ""}) by ${formatCount(plan.x.count)} columns (${dimensions[axes.x]?.name ?? ""})`;
      const colours = `colours from ${formatShort(this.#range.min)} to ${formatShort(this.#range.max)}`;
      this.#picture.setAttribute("aria-label", `${subject.name}${where}: ${size}, ${shown.elements.what}, ${colours}`);
      this.#picture.dataset.slice = subject.indices
        .map((n, d) => (d === axes.x || d === axes.y ? ":" : String(n)))
        .join(",");
    } else {
      this.#plotCanvas.setAttribute(
        "aria-label",
        `${subject.name}: a line of ${formatCount(plan.x.count)} ${shown.elements.what}`,
      );
    }
  }

  #summary(subject: Subject, plan: Plan | null, ms: number): string {
    const time = ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
    if (plan === null) return `${subject.name} read in ${time}.`;
    const elements = plan.y ? `${formatCount(plan.y.count)} × ${formatCount(plan.x.count)}` : formatCount(plan.x.count);
    return `${subject.name}: ${elements} elements read in ${time}.`;
  }

  /** The value by scale_factor and add_offset, where that differs from the stored one. */
  #decoded(subject: Subject, elements: Elements, i: number): string | null {
    const { factor, offset, missing, units } = subject.cf;
    const value = elements.numbers?.[i];
    if (value === undefined) return null;
    if (value === missing) return "missing";
    if (/ since /i.test(units)) {
      const calendar = subject.array.attrs.calendar;
      return formatCfTime(value * factor + offset, units, typeof calendar === "string" ? calendar : undefined);
    }
    if (factor === 1 && offset === 0) return null;
    // Ten digits: what the factor itself has lost in binary is not shown.
    return `${formatNumber(Number((value * factor + offset).toPrecision(10)))} ${units}`.trim();
  }

  #point(point: [number, number] | null, byKey: boolean): void {
    const subject = this.#subject;
    const shown = this.#shown;
    if (!subject || !shown) return;
    if (!point) {
      this.#hint(shown.plan.y ? "picture" : "plot");
      return;
    }
    this.#readout.setAttribute("aria-live", byKey ? "polite" : "off");
    const { plan, elements, whole } = shown;
    const at = point[0] * plan.strideX + point[1] * plan.strideY;
    const items: HTMLElement[] = [];
    const drawn = plan.y
      ? [axisAt(plan.y, point[1], subject.axes.y), axisAt(plan.x, point[0], subject.axes.x)]
      : [axisAt(plan.x, point[0], 0)];
    for (const { d, index } of drawn.sort((a, b) => a.d - b.d)) {
      const meaning = subject.coordinates[d]?.text(index);
      items.push(
        pair(subject.dimensions[d]?.name ?? "", `${formatCount(index)}${meaning ? ` = ${meaning}` : ""}`, "index"),
      );
    }
    const value = elements.numbers?.[at] ?? Number.NaN;
    const fillValue = subject.array.type.kind === "struct" ? null : fillNumber(subject.array);
    const isFill =
      fillValue !== null && (Object.is(fillValue, value) || fillValue === value) && value !== subject.cf.missing;
    const decoded = this.#decoded(subject, elements, at);
    const units = decoded === null && subject.cf.units !== "" ? ` ${subject.cf.units}` : "";
    const text = elements.text(at) + units;
    const magnitude = elements.what.startsWith("magnitudes") ? ` (magnitude ${formatShort(value)})` : "";
    items.push(
      pair(
        subject.field || "value",
        `${text}${magnitude}${decoded ? ` = ${decoded}` : ""}${isFill ? " (fill value)" : ""}`,
        "value",
      ),
    );
    if (whole) items.push(pair("all fields", whole.text(at), "fields"));
    fill(this.#readout, ...items);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function windowOf(rank: number): number {
  return rank === 1 ? WINDOW_LINE : WINDOW;
}

function axisAt(window: { start: number; step: number }, i: number, d: number): { d: number; index: number } {
  return { d, index: window.start + i * window.step };
}

function pair(name: string, value: string, kind: string): HTMLElement {
  return el(
    "span",
    { class: `pair ${kind}`, "data-testid": `readout-${kind}` },
    el("span", { class: "muted" }, name),
    " ",
    el("b", {}, value),
  );
}

function fillNumber(array: ArrayNode): number | null {
  try {
    const value: unknown = array.fillValue;
    return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : null;
  } catch {
    return null;
  }
}
