// A panel that shows an array of one dimension, or a field along one axis.
import type { Coordinate, Field } from "../../describe/index.js";
import { counted } from "../axes/ticks.js";
import { positionTitle } from "../axes/titles.js";
import { closeExpression, closeText } from "../colour/close.js";
import { textButton } from "../controls/parts.js";
import { el, fill } from "../dom.js";
import { ASK_BYTES, ASK_CHUNKS, isMuch } from "../element/budget.js";
import { indicesOf } from "../element/look.js";
import type { Panel, PanelEvents } from "../element/panel.js";
import type { ViewState } from "../state.js";
import type { Figure } from "../take/figure.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { LinePlot } from "./lines.js";
import { linesCost, type ReadLine, readLine } from "./read.js";

/** The largest number of values that are read at once. */
const most = 2 ** 25;

/** The longest wait of a line for the positions of its values, in milliseconds. */
const PATIENCE = 300;

/** Returns the axis that a state names as `["", name]`, or else the field's default. */
function axisOf(field: Field, { axes }: ViewState): number {
  const asked = axes?.[0] === "" ? field.axes.findIndex(({ name }) => name === axes[1]) : -1;
  return asked >= 0 ? asked : (field.plane.value.x ?? 0);
}

/** The number of visible positions at a zoom of 1. */
const wide = 1000;

/**
 * Converts the visible part of a line to a camera: its middle, and 1000 divided by the number of
 * visible positions as the zoom.
 */
function cameraOf({ from, to }: { readonly from: number; readonly to: number }): NonNullable<ViewState["camera"]> {
  return { x: (from + to) / 2, y: 0, zoom: wide / (to - from) };
}

function viewOf({ x, zoom }: NonNullable<ViewState["camera"]>): { readonly from: number; readonly to: number } {
  return { from: x - wide / zoom / 2, to: x + wide / zoom / 2 };
}

/** Reports whether two numbers are equal within the digits of a link. */
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-8 * Math.max(Math.abs(a), Math.abs(b));

/** Converts a number of a field of times back to the stored element. */
function storedTime({ levels }: Field, value: number): number | bigint {
  const { kind = "", size = 0 } = levels[0]?.array.type ?? {};
  return kind !== "float" && size === 8 ? BigInt(Math.round(value)) : kind === "float" ? value : Math.round(value);
}

/** A panel that shows a field as a line. */
export class LinePanel implements Panel {
  readonly element = el("div", { class: "panel-fill" });
  readonly #field: Field;
  /** The axis of the line. */
  #axis: number;
  readonly #events: PanelEvents;
  readonly #note = el("div", { class: "plot-note", role: "status", hidden: true });
  readonly #plot: LinePlot;
  readonly #worker: ViewWorker;
  #reading: AbortController | null = null;
  #line: ReadLine | null = null;
  #coordinate: Coordinate | null = null;
  #indices: readonly number[];
  #asked = "";
  #camera: ViewState["camera"];
  #agreed = false;
  /** The largest number of values to read, from the first on. */
  #most = most;

  /** The panel owns the worker and closes it. */
  constructor(field: Field, state: ViewState, events: PanelEvents, worker: ViewWorker) {
    this.#worker = worker;
    this.#field = field;
    this.#axis = axisOf(field, state);
    this.#events = events;
    this.#indices = field.indices;
    const host = el("div", { class: "panel-rest" });
    fill(this.element, host, this.#note);
    this.#plot = new LinePlot(host, {
      cursor: (index, spoken) => this.#told(index, spoken),
      viewed: (view) => events.changed({ camera: view ? cameraOf(view) : undefined }),
      logged: (log) => events.changed({ curve: log ? { kind: "log" } : undefined }),
      failed: events.failed,
    });
    this.show(state);
  }

  show(state: ViewState): void {
    this.#plot.log = state.curve?.kind === "log";
    this.#axis = axisOf(this.#field, state);
    this.#indices = indicesOf(this.#field, state);
    const { component, member } = state;
    const asked = JSON.stringify([
      this.#axis,
      this.#indices.map((index, d) => (d === this.#axis ? 0 : index)),
      component,
      member,
    ]);
    this.#camera = state.camera;
    if (asked === this.#asked) {
      this.#look();
      return;
    }
    this.#asked = asked;
    void this.#read(state);
  }

  figure(): HTMLCanvasElement {
    return this.#plot.picture();
  }

  drawing(): Figure {
    const indices = this.#field.axes.flatMap(({ title, length }, d) =>
      d === this.#axis || length < 2 ? [] : [`${title} ${this.#indices[d]}`],
    );
    const drawing = this.#plot.drawing(indices.join(", "));
    if (!drawing) throw new DOMException("There is no figure.", "InvalidStateError");
    return drawing;
  }

  get pending(): boolean {
    return this.#reading !== null && !this.#reading.signal.aborted;
  }

  /** The plot. */
  get plot(): LinePlot {
    return this.#plot;
  }

  cancel(): void {
    this.#reading?.abort();
  }

  close(): void {
    this.#reading?.abort();
    this.#reading = null;
    this.#plot.close();
    this.#worker.close();
  }

  /** Shows the part in the state, once the line is read. */
  #look(): void {
    if (!this.#line) return;
    const now = cameraOf(this.#plot.view);
    if (!this.#camera) this.#plot.view = { from: -Infinity, to: Infinity };
    else if (!near(this.#camera.x, now.x) || !near(this.#camera.zoom, now.zoom)) this.#plot.view = viewOf(this.#camera);
  }

  async #read(state: ViewState): Promise<void> {
    this.#reading?.abort();
    this.#reading = null;
    const axis = this.#field.axes[this.#axis];
    if (!axis) return;
    const length = Math.min(axis.length, this.#most);
    const cost = linesCost(this.#field, this.#axis, [this.#indices], length);
    this.#events.ask(null);
    if (!this.#agreed && isMuch(cost)) {
      const each = cost.bytes / cost.chunks;
      const chunks = Math.max(1, Math.min(ASK_CHUNKS, Math.floor(ASK_BYTES / each)));
      const first = Math.min(length, chunks * (this.#field.levels[0]?.array.chunks[this.#axis] ?? 1));
      const read = (most: number, agreed: boolean) => () => {
        this.#most = most;
        this.#agreed = agreed;
        void this.#read(state);
      };
      const mebibytes = counted(Math.ceil(cost.bytes / 2 ** 20));
      const what = length < axis.length ? `The first ${counted(length)} values of this line take` : "This line takes";
      this.#events.ask({
        text: `${what} ${counted(cost.chunks)} chunks, ${mebibytes} MiB when they are decoded.`,
        answers: [
          ...(first < length ? [{ label: `Read the first ${counted(first)} values`, run: read(first, false) }] : []),
          { label: "Read it", run: read(this.#most, true) },
        ],
      });
      return;
    }
    const reading = new AbortController();
    this.#reading = reading;
    const current = (): boolean => this.#reading === reading && !reading.signal.aborted;
    const { signal } = reading;
    try {
      const { component: part, member } = state;
      const onProgress = (done: number, total: number): void => {
        if (current()) this.#events.loading({ done, total });
      };
      const positions = axis.coordinate(signal);
      positions.catch(() => {}); // It rejects only with the signal.
      const line = await readLine(this.#field, this.#axis, this.#indices, this.#worker, {
        signal,
        part,
        member,
        length,
        onProgress,
      });
      const patience = new Promise<null>((resolve) => setTimeout(() => resolve(null), PATIENCE));
      const early = await Promise.race([positions, patience]);
      if (!current()) return;
      this.#line = line;
      const { title, units } = this.#field;
      const show = (coordinate: Coordinate | null) => {
        this.#coordinate = coordinate;
        return this.#plot.show({
          name: `${title.value} along ${axis.title}`,
          title: title.value,
          units,
          ...(this.#field.values === "time" && {
            mark: (value: number) => this.#field.text(storedTime(this.#field, value)),
          }),
          axis: {
            title: positionTitle(axis.title, coordinate),
            units: coordinate ? coordinate.units || axis.units : "",
            length,
            coordinate,
          },
          series: [{ name: title.value, values: line.values, text: (index) => this.#field.text(line.value(index)) }],
        });
      };
      const drawn = show(early);
      this.#look();
      await drawn;
      if (!current()) return;
      // Positions of many elements take longer than their values. Until then the axis has indices.
      const late = early ?? (await positions);
      if (!current()) return;
      if (late !== early) await show(late);
      if (!current()) return;
      const { expression, minus } = state;
      const plain = () => this.#events.changed({ expression: undefined, minus: undefined });
      fill(
        this.#note,
        length < axis.length && `The first ${counted(length)} of ${counted(axis.length)} values are shown. `,
        ...this.#closeNote(line),
        (expression || minus) && textButton("Show the variable", plain),
      );
      this.#note.hidden = this.#note.childNodes.length === 0;
      this.#reading = null;
      this.#events.ready();
    } catch (error) {
      if (!current()) return;
      this.#reading = null;
      this.#asked = "";
      this.#events.failed(error, () => void this.#read(state));
    }
  }

  /** Returns the sentence for values that the plot does not distinguish, and a button that does. */
  #closeNote({ close }: ReadLine): (string | HTMLElement)[] {
    if (!close) return [];
    const expression = closeExpression(this.#field, close);
    const show = textButton("Show their differences", () => this.#events.changed({ expression }));
    return [`${closeText(this.#field, close)}. `, ...(expression === "" ? [] : [show])];
  }

  #told(index: number | null, spoken: boolean): void {
    const axis = this.#field.axes[this.#axis];
    if (index === null || !this.#line || !axis) {
      this.#events.pointer(null, spoken);
      return;
    }
    const value = this.#line.value(index);
    const indices = this.#field.axes.map(({ name }, d) => [name, d === this.#axis ? index : this.#indices[d]] as const);
    this.#events.pointer(
      {
        index: Object.fromEntries(indices) as Record<string, number>,
        coordinates: this.#coordinate ? { [axis.name]: this.#coordinate.text(index) } : {},
        value,
        text: this.#field.text(value),
        level: 0,
      },
      spoken,
    );
  }
}
