// One array in the middle of the page: plans the read, keeps only the latest, and shows what came as a picture, a
// line, a table or a single value.

import { PlaneView } from "./canvas.js";
import { type ColormapName, lookupTable } from "./colormap.js";
import { percentileRange, type Range } from "./contrast.js";
import { Sliders, Tools } from "./controls.js";
import { coordinatesOf, dimensionsOf } from "./coords.js";
import { byId, el, fill } from "./dom.js";
import { formatBytes, formatCount, formatShape } from "./format.js";
import { Meaning } from "./meaning.js";
import { LinePlot } from "./plot.js";
import { type Axes, defaultAxes, fitAxes, fitIndices, Latest, type Plan } from "./slice.js";
import type { ArrayNode, Hierarchy } from "./store.js";
import { isLarge, planOf, type Shown, type Subject, windowOf } from "./subject.js";
import { showScalar, showTable } from "./table.js";
import { columnsOf, type Elements, elementsOf, isTextual } from "./values.js";
import { labelOf, noteOf, readoutOf, summaryOf } from "./wording.js";

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

/** How long a picture that has been read waits for the coordinates that say which way up it belongs (ms). */
const LABEL_PATIENCE = 1000;
/** While a slider is dragged, reads start at most this often (ms). */
const DRAG_PAUSE = 40;

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
      meaning: new Meaning(array),
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
      plan = planOf(subject);
      if (isLarge(plan) && !subject.agreed) {
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
        this.#events.ready(summaryOf(subject, plan, performance.now() - began));
      })
      .catch((error: unknown) => {
        if (this.#subject !== subject) return;
        this.#unshow();
        this.#events.failed(error, action, again);
      });
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

    const meant = subject.meaning.of(chosen, elements.numbers);

    if (plan === null) {
      this.#stage("table");
      showScalar(this.#table, (whole ?? elements).text(0), meant?.text(0) ?? null);
      this.#legend.hidden = true;
      return;
    }
    if (elements.numbers === null) {
      this.#showTable(subject, plan, elements);
      return;
    }
    const numbers = meant?.numbers ?? elements.numbers;
    this.#shown = { elements, whole, plan, meant, numbers };
    this.#note.textContent = noteOf(subject, plan);
    if (plan.y === null) this.#showLine(subject, this.#shown);
    else this.#showPlane(this.#shown);
    this.#label();
  }

  #noField(subject: Subject): void {
    if (subject.field !== "") this.#events.note(`There is no field “${subject.field}” in this array.`);
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
      this.#style(),
    );
    this.#setTools();
  }

  #setRange(shown: Shown): void {
    const auto = shown.elements.binary ? { min: 0, max: 1 } : percentileRange(shown.numbers, 2, 98);
    this.#range = this.#manualRange ?? auto ?? { min: 0, max: 1 };
    this.#tools.setRange(this.#range.min, this.#range.max, this.#manualRange !== null);
    this.#legend.hidden = auto === null;
  }

  #style(): { lut: Uint32Array; range: Range; flip: boolean } {
    return { lut: lookupTable(this.#colormap), range: this.#range, flip: this.#flipped };
  }

  #restyle(): void {
    this.#setTools();
    const shown = this.#shown;
    if (!shown?.plan.y) return;
    this.#setRange(shown);
    this.#plane.restyle(this.#style());
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
    const text = labelOf(subject, shown, this.#range);
    if (!shown.plan.y) {
      this.#plotCanvas.setAttribute("aria-label", text);
      return;
    }
    const { axes, indices } = subject;
    this.#picture.setAttribute("aria-label", text);
    this.#picture.dataset.slice = indices.map((n, d) => (d === axes.x || d === axes.y ? ":" : String(n))).join(",");
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
    fill(this.#readout, ...readoutOf(subject, shown, point));
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
