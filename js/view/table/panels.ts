// Panels that show tables and values.
import type { Coordinate, Field } from "../../describe/index.js";
import { el } from "../dom.js";
import { indicesOf } from "../element/look.js";
import type { Panel, PanelEvents } from "../element/panel.js";
import type { ViewState } from "../state.js";
import type { TableSource } from "./pages.js";
import { tableOfField } from "./sources.js";
import { Table } from "./table.js";
import { Value } from "./value.js";
import { valueText } from "./values.js";

/** A field that is not a picture, as rows of text. Two dimensions become rows and columns. */
export class FieldTablePanel implements Panel {
  readonly element = el("div", { class: "panel-fill" });
  readonly #field: Field;
  readonly #events: PanelEvents;
  readonly #table: Table;
  readonly #ended = new AbortController();
  readonly #rows: number;
  readonly #columns: number | null;
  #coordinates: readonly (Coordinate | null)[] | null = null;
  #source: TableSource | null = null;
  #indices: readonly number[] = [];
  #shown = "";
  #turn = 0;

  constructor(field: Field, state: ViewState, events: PanelEvents) {
    this.#field = field;
    this.#events = events;
    const { x, y } = field.plane.value;
    // Rows and columns follow the stored order.
    this.#rows = Math.min(y ?? x ?? 0, x ?? 0);
    this.#columns = y === null || x === null ? null : Math.max(y, x);
    this.#table = new Table(this.element, {
      cursor: (row, column) => void this.#told(row, column),
      hover: (row, column) => (row === null ? this.#left() : void this.#told(row, column)),
      failed: events.failed,
    });
    void this.#open(state);
  }

  show(state: ViewState): void {
    if (this.#coordinates === null) {
      void this.#open(state);
      return;
    }
    const indices = indicesOf(this.#field, state);
    const free = indices.map((index, d) => (d === this.#rows || d === this.#columns ? 0 : index));
    const shown = JSON.stringify(free);
    if (shown === this.#shown) return;
    this.#indices = indices;
    const [rowCoordinate = null, columnCoordinate = null] = this.#coordinates;
    this.#source = tableOfField(this.#field, {
      rows: this.#rows,
      columns: this.#columns,
      indices,
      rowCoordinate,
      columnCoordinate,
    });
    this.#table.show(this.#source);
    this.#shown = shown;
    this.#events.ready();
  }

  get pending(): boolean {
    return this.#shown === "";
  }

  cancel(): void {}

  close(): void {
    this.#ended.abort();
    this.#table.close();
  }

  /** Reads the names of rows and columns, and shows the table. */
  async #open(state: ViewState): Promise<void> {
    const { signal } = this.#ended;
    const axes = [this.#rows, this.#columns].map((axis) => (axis === null ? undefined : this.#field.axes[axis]));
    try {
      this.#coordinates = await Promise.all(axes.map((axis) => axis?.coordinate(signal) ?? null));
      if (!signal.aborted) this.show(state);
    } catch (error) {
      if (!signal.aborted) this.#events.failed(error, () => void this.#open(state));
    }
  }

  #left(): void {
    this.#turn++;
    this.#events.pointer(null, false);
  }

  async #told(row: number, column: number): Promise<void> {
    const source = this.#source;
    const turn = ++this.#turn;
    if (!source) return;
    const per = Math.max(1, this.#field.members.length);
    const at = Math.floor(column / per);
    const { signal } = this.#ended;
    try {
      const [texts] = await source.rows(row, row + 1, [column], signal);
      // The pointer may have moved in the meantime.
      if (signal.aborted || source !== this.#source || turn !== this.#turn) return;
      const text = texts?.[0] ?? "missing";
      const index = this.#field.axes.map(({ name }, d) => {
        return [name, d === this.#rows ? row : d === this.#columns ? at : (this.#indices[d] ?? 0)] as const;
      });
      const [rowCoordinate, columnCoordinate] = this.#coordinates ?? [];
      const named = (axis: number | null, coordinate: Coordinate | null | undefined, at: number) => {
        const name = this.#field.axes[axis ?? -1]?.name;
        return coordinate && name !== undefined ? [[name, coordinate.text(at)] as const] : [];
      };
      const coordinates = Object.fromEntries([
        ...named(this.#rows, rowCoordinate, row),
        ...named(this.#columns, columnCoordinate, at),
      ]);
      this.#events.pointer({ index: Object.fromEntries(index), coordinates, value: text, text, level: 0 }, false);
    } catch {
      // The table itself shows the error.
    }
  }
}

/** The only element of a field without dimensions. */
export class ValuePanel implements Panel {
  readonly element = el("div", { class: "panel-fill" });
  readonly #field: Field;
  readonly #events: PanelEvents;
  readonly #value: Value;
  #reading: AbortController | null = null;

  constructor(field: Field, events: PanelEvents) {
    this.#field = field;
    this.#events = events;
    this.#value = new Value(this.element);
    void this.#read();
  }

  show(): void {}

  cancel(): void {
    this.#reading?.abort();
  }

  close(): void {
    this.#reading?.abort();
    this.#value.close();
  }

  async #read(): Promise<void> {
    const reading = new AbortController();
    this.#reading = reading;
    const array = this.#field.levels[0]?.array;
    try {
      // Every axis has one element.
      const first = array?.shape.map(() => 0) ?? [];
      const value: unknown = await array?.get(first, { signal: reading.signal });
      if (reading.signal.aborted) return;
      const text = value === null || value === undefined ? "missing" : this.#field.text(value);
      const { members, title, path } = this.#field;
      const parts = members.map((name) => ({
        name,
        text: valueText((value as Record<string, unknown> | null)?.[name]) ?? "missing",
      }));
      // A stored number that equals the text is not shown twice.
      const plain = valueText(value) ?? "";
      const stored = typeof value === "object" || text.startsWith(plain) ? "" : plain;
      this.#value.show({ title: title.value || path, text, stored, parts });
      this.#events.pointer({ index: {}, coordinates: {}, value, text, level: 0 }, false);
      this.#events.ready();
    } catch (error) {
      if (!reading.signal.aborted) this.#events.failed(error, () => void this.#read());
    }
  }
}
