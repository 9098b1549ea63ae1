// A panel that shows a dataframe: its rows as a table, its embeddings as points.
import type { TableDescription } from "../../describe/index.js";
import { counted } from "../axes/ticks.js";
import { el, fill } from "../dom.js";
import type { Panel, PanelEvents } from "../element/panel.js";
import { type PointColour, Scatter, type View } from "../plot/scatter.js";
import { formatMember, type ViewState } from "../state.js";
import type { Figure } from "../take/figure.js";
import type { TableSource } from "./pages.js";
import { tableOfDescription } from "./sources.js";
import { Table } from "./table.js";

/** The largest number of points that are read without a question. An embedding is read whole. */
const maxPoints = 5_000_000;

/** The visible width at a zoom of 1, as for lines. */
const wide = 1000;

/** Converts the visible part of the plane to a camera. Both axes have the same zoom. */
function cameraOf({ x, y }: View): NonNullable<ViewState["camera"]> {
  return { x: (x[0] + x[1]) / 2, y: (y[0] + y[1]) / 2, zoom: wide / (x[1] - x[0]) };
}

function viewOf({ x, y, zoom }: NonNullable<ViewState["camera"]>, all: View): View {
  const across = wide / zoom / 2;
  const down = (across * (all.y[1] - all.y[0])) / (all.x[1] - all.x[0]);
  return { x: [x - across, x + across], y: [y - down, y + down] };
}

/** The colours of points, and the text of each. */
interface Colouring {
  readonly colour: PointColour;
  text(index: number): string;
}

/** The rows of a dataframe, and its embeddings, in tabs. */
export class FramePanel implements Panel {
  readonly element = el("div", { class: "panel-fill" });
  readonly #description: TableDescription;
  readonly #events: PanelEvents;
  readonly #tabs: readonly { readonly name: string; readonly tab: HTMLButtonElement }[];
  readonly #body = el("div", { class: "panel-rest", role: "tabpanel" });
  readonly #choice = el("select", { "aria-label": "Colour by" });
  readonly #label = el("label", { hidden: true }, "colour ", this.#choice);
  #table: Table | null = null;
  #scatter: Scatter | null = null;
  #reading: AbortController | null = null;
  /** Whether the points are drawn in their colours. */
  #drawn = true;
  #shown: string | null = null;
  #camera: ViewState["camera"];

  constructor(description: TableDescription, state: ViewState, events: PanelEvents) {
    this.#description = description;
    this.#events = events;
    const names = ["", ...description.embeddings.map(({ name }) => name)];
    this.#tabs = names.map((name) => ({
      name,
      tab: el(
        "button",
        {
          type: "button",
          class: "frame-tab",
          role: "tab",
          onclick: () => this.#choose(name),
          onkeydown: (event) => this.#key(event),
        },
        name === "" ? "Table" : name,
      ),
    }));
    for (const { name, kind } of description.columns) {
      if (kind === "number" || kind === "category" || kind === "boolean")
        this.#choice.append(el("option", { value: name }, name));
    }
    this.#choice.prepend(el("option", { value: "" }, "none"));
    this.#choice.addEventListener("change", () => {
      this.#events.changed({ member: this.#choice.value || undefined });
      void this.#colour();
    });
    const head = el(
      "div",
      { class: "frame-head" },
      el(
        "div",
        { class: "frame-tabs", role: "tablist", "aria-label": "Views of the table" },
        ...this.#tabs.map(({ tab }) => tab),
      ),
      this.#label,
    );
    fill(this.element, names.length > 1 ? head : null, this.#body);
    this.show(state);
  }

  show({ axes, member, camera }: ViewState): void {
    this.#camera = camera;
    const wanted = axes?.[0] === "" ? axes[1] : "";
    const name = this.#tabs.some((tab) => tab.name === wanted) ? wanted : "";
    const by = this.#description.columns.some((column) => column.name === member) ? (member ?? "") : "";
    const recolour = by !== this.#choice.value;
    this.#choice.value = by;
    if (name !== this.#shown) this.#open(name);
    else {
      this.#look();
      if (recolour) void this.#colour();
    }
  }

  /** Shows the part of the points in the state. */
  #look(): void {
    const scatter = this.#scatter;
    if (!scatter) return;
    const { all } = scatter;
    if (!this.#camera) scatter.view = all;
    else if (
      formatMember("camera", { camera: cameraOf(scatter.view) }) !== formatMember("camera", { camera: this.#camera })
    )
      scatter.view = viewOf(this.#camera, all);
  }

  get pending(): boolean {
    return !this.#drawn && this.#reading?.signal.aborted === false;
  }

  figure(): HTMLCanvasElement {
    if (!this.#scatter) throw new DOMException("A table has no figure.", "InvalidStateError");
    return this.#scatter.picture();
  }

  drawing(): Figure {
    const drawing = this.#scatter?.drawing();
    if (!drawing) throw new DOMException("A table has no figure.", "InvalidStateError");
    return drawing;
  }

  cancel(): void {
    this.#reading?.abort();
  }

  close(): void {
    this.#end();
  }

  #end(): void {
    this.#reading?.abort();
    this.#reading = null;
    this.#table?.close();
    this.#table = null;
    this.#scatter?.close();
    this.#scatter = null;
  }

  /** Shows a tab that the person chose. */
  #choose(name: string): void {
    if (name === this.#shown) return;
    this.#camera = undefined;
    this.#events.changed({ axes: name === "" ? undefined : ["", name], camera: undefined });
    if (name !== this.#shown) this.#open(name);
  }

  #key(event: Event): void {
    const { key } = event as KeyboardEvent;
    const at = this.#tabs.findIndex(({ name }) => name === this.#shown);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.#tabs.length - 1 }[key];
    const next = to === undefined ? undefined : this.#tabs[Math.max(0, Math.min(this.#tabs.length - 1, to))];
    if (!next) return;
    event.preventDefault();
    this.#choose(next.name);
    next.tab.focus();
  }

  #open(name: string): void {
    this.#end();
    this.#shown = name;
    for (const { name: own, tab } of this.#tabs) {
      tab.setAttribute("aria-selected", String(own === name));
      tab.tabIndex = own === name ? 0 : -1;
    }
    this.#body.setAttribute("aria-label", name === "" ? "Table" : name);
    this.#label.hidden = name === "";
    this.#events.ask(null);
    if (name === "") {
      const source = tableOfDescription(this.#description);
      const told = (row: number, column: number) => void this.#cell(source, row, column);
      this.#table = new Table(this.#body, {
        cursor: told,
        hover: (row, column) => {
          if (row !== null) return told(row, column);
          this.#turn++;
          this.#events.pointer(null, false);
        },
        failed: this.#events.failed,
      });
      this.#table.show(source);
      queueMicrotask(() => this.#events.ready());
      return;
    }
    const { length } = this.#description;
    if (length <= maxPoints) {
      void this.#points(name);
      return;
    }
    this.#events.ask({
      text: `${name} has ${counted(length)} points.`,
      answers: [{ label: "Read them", run: () => void this.#points(name) }],
    });
  }

  #turn = 0;

  /** Reports the content of a cell, once it is read. */
  async #cell(source: TableSource, row: number, column: number): Promise<void> {
    const turn = ++this.#turn;
    const table = this.#table;
    try {
      const [texts] = await source.rows(row, row + 1, [column], new AbortController().signal);
      if (turn !== this.#turn || table !== this.#table) return;
      const text = texts?.[0] ?? "missing";
      const name = source.columns[column]?.name ?? String(column);
      this.#events.pointer({ index: { row }, coordinates: { column: name }, value: text, text, level: 0 }, false);
    } catch {
      // The table itself shows the error.
    }
  }

  async #points(name: string): Promise<void> {
    const reading = new AbortController();
    this.#reading = reading;
    this.#drawn = false;
    const { signal } = reading;
    try {
      const { x, y } = await this.#description.points(name, signal);
      if (signal.aborted) return;
      const scatter = new Scatter(this.#body, {
        text: (index) => this.#words(index),
        cursor: (index, spoken) => this.#told(index, spoken),
        viewed: (view) => this.#events.changed({ camera: view ? cameraOf(view) : undefined }),
        failed: this.#events.failed,
      });
      this.#scatter = scatter;
      const plain = name.replace(/^X_/, "");
      scatter.show({ name: `Points of ${name}`, titles: [`${plain} 1`, `${plain} 2`], x, y });
      this.#look();
      await this.#colour();
    } catch (error) {
      if (signal.aborted) return;
      this.#drawn = true;
      this.#events.failed(error, () => this.#open(name));
    }
  }

  #by: Colouring | null = null;

  /** Reads the column of the colours, and draws the points in them. */
  async #colour(): Promise<void> {
    const scatter = this.#scatter;
    const signal = this.#reading?.signal;
    const name = this.#choice.value;
    if (!scatter || !signal) return;
    const current = (): boolean => !signal.aborted && scatter === this.#scatter && name === this.#choice.value;
    this.#drawn = false;
    try {
      const by = name === "" ? null : await this.#colouring(name, signal);
      if (!current()) return;
      this.#by = by;
      scatter.colour(by?.colour ?? { kind: "none" });
      scatter.reread();
      await scatter.drawn();
      if (!current()) return;
      this.#drawn = true;
      this.#events.ready();
    } catch (error) {
      if (!current()) return;
      this.#drawn = true;
      this.#events.failed(error, () => void this.#colour());
    }
  }

  async #colouring(name: string, signal: AbortSignal): Promise<Colouring> {
    const { values, labels } = await this.#description.numbers(name, signal);
    const colour: PointColour = labels
      ? { kind: "category", title: name, values, labels }
      : { kind: "number", title: name, units: "", values, map: "viridis" };
    const text = (index: number): string => {
      const value = values[index] ?? Number.NaN;
      if (Number.isNaN(value)) return "missing";
      return labels ? (labels[value] ?? "missing") : String(value);
    };
    return { colour, text };
  }

  /** Describes a point by its row and its colour. The row's name is read when the pointer rests. */
  #words(index: number): string {
    const by = this.#by;
    const row = this.#names.get(index) ?? `row ${counted(index)}`;
    return by ? `${row}, ${this.#choice.value}: ${by.text(index)}` : row;
  }

  /** The names of rows that were read. */
  readonly #names = new Map<number, string>();

  #told(index: number | null, spoken: boolean): void {
    if (index === null) {
      this.#events.pointer(null, spoken);
      return;
    }
    const text = this.#words(index);
    const [first] = this.#description.columns;
    const name = this.#names.get(index);
    const coordinates: Record<string, string> = first && name ? { [first.name]: name } : {};
    this.#events.pointer({ index: { row: index }, coordinates, value: text, text, level: 0 }, spoken);
    if (!name) void this.#name(index, spoken);
  }

  /** Reads the name of a row, if the cursor stays there. */
  async #name(index: number, spoken: boolean): Promise<void> {
    const scatter = this.#scatter;
    const signal = this.#reading?.signal;
    const [first] = this.#description.columns;
    if (!first || !signal) return;
    await new Promise((rest) => setTimeout(rest, 120));
    if (signal.aborted || scatter?.cursor !== index) return;
    try {
      const [row] = await this.#description.rows(index, index + 1, [first.name], signal);
      const name = row?.[0];
      if (!name || signal.aborted) return;
      this.#names.set(index, name);
      if (scatter.cursor !== index) return;
      scatter.reread();
      this.#told(index, spoken);
    } catch {
      // A row without a name has its number.
    }
  }
}
