// A scrolling table. Only visible cells are elements of the page, and only their pages are read.
import { counted } from "../axes/ticks.js";
import { el, fill } from "../dom.js";
import { type Failed, NextFrame } from "../task.js";
import { Pages, type TableSource } from "./pages.js";

/** Events of a {@link Table}. */
interface TableEvents {
  /** The cursor moved to another cell. */
  cursor?(row: number, column: number): void;
  /** The pointer is on a cell; null if it left. */
  hover?(row: number | null, column: number): void;
  /** The person opened a row by Enter or a double click. */
  opened?(row: number): void;
  /** Rows failed to load, which the table shows too. */
  unread?(error: unknown): void;
  /** Drawing failed; `again` repeats it. */
  readonly failed: Failed;
}

interface Cell {
  readonly row: number;
  readonly column: number;
}

interface Line {
  readonly element: HTMLElement;
  readonly name: HTMLElement;
  readonly cells: HTMLElement[];
}

const rowHeight = 28;
const headHeight = 34;
const [narrowest, widest] = [56, 380];

/** Browsers limit an element to about 16 million pixels. Longer tables scroll proportionally. */
const longest = 8_000_000;

/** The largest number of cells in one copy. */
const copied = 200_000;

/** Rows are read when scrolling rests for this time, in milliseconds. */
const rest = 60;

let tables = 0;

/** A table of any length. It reads pages when they become visible. */
export class Table {
  readonly #events: TableEvents;
  readonly #id = `table${++tables}`;
  readonly #root: HTMLElement;
  readonly #scroller: HTMLElement;
  readonly #sizer: HTMLElement;
  readonly #pane: HTMLElement;
  readonly #head: HTMLElement;
  readonly #corner: HTMLElement;
  readonly #body: HTMLElement;
  readonly #status: HTMLElement;
  readonly #detail: HTMLElement;
  readonly #goto: HTMLInputElement;
  readonly #ended = new AbortController();
  readonly #watch: ResizeObserver;
  #heads: HTMLElement[] = [];
  #lines: Line[] = [];
  #source: TableSource | null = null;
  #pages: Pages | null = null;
  #widths: number[] = [];
  /** The start of each column, with the end of the last. */
  #starts: number[] = [0];
  #fitted = new Set<number>();
  /** The first visible row, with its hidden fraction. */
  #top = 0;
  #cursor: Cell = { row: 0, column: 0 };
  #anchor: Cell = { row: 0, column: 0 };
  #under: Cell | null = null;
  #expected = 0;
  readonly #frame: NextFrame;
  #timer = 0;
  readonly #context = el("canvas").getContext("2d");
  #font = "";
  #notice = "";
  /** The reads of the current copy. */
  #copying: AbortController | null = null;

  constructor(host: HTMLElement, events: TableEvents) {
    this.#events = events;
    this.#frame = new NextFrame(() => this.#draw(), events.failed);
    this.#corner = el("div", { class: "table-corner", role: "columnheader", "aria-colindex": 1 }, "row");
    this.#head = el("div", { class: "table-head", role: "row", "aria-rowindex": 1 }, this.#corner);
    this.#body = el("div", { class: "table-body", role: "rowgroup" });
    this.#pane = el("div", { class: "table-pane", role: "presentation" }, this.#head, this.#body);
    this.#sizer = el("div", { class: "table-sizer", role: "presentation" }, this.#pane);
    this.#scroller = el(
      "div",
      { class: "table-scroller", role: "grid", tabindex: 0, "aria-multiselectable": "true", "aria-readonly": "true" },
      this.#sizer,
    );
    this.#status = el("div", { class: "table-status", role: "status" });
    this.#detail = el("div", { class: "table-detail" });
    this.#goto = el("input", {
      class: "table-goto",
      type: "number",
      min: 0,
      step: 1,
      "aria-label": "Go to row",
      placeholder: "row",
    });
    const copy = el("button", { type: "button", class: "table-button", onclick: () => void this.#copyRead() }, "Copy");
    this.#root = el(
      "div",
      { class: "table" },
      this.#scroller,
      this.#detail,
      el("div", { class: "table-foot" }, this.#status, copy, this.#goto),
    );
    host.appendChild(this.#root);
    const { signal } = this.#ended;
    this.#scroller.addEventListener("scroll", () => this.#scrolled(), { signal, passive: true });
    this.#scroller.addEventListener("wheel", (event) => this.#wheel(event), { signal, passive: false });
    this.#scroller.addEventListener("keydown", (event) => this.#key(event), { signal });
    this.#scroller.addEventListener("pointerleave", () => this.#hover(null), { signal });
    this.#scroller.addEventListener("copy", (event) => this.#copy(event), { signal });
    this.#scroller.addEventListener(
      "dblclick",
      (event) => this.#cellAt(event) && this.#events.opened?.(this.#cursor.row),
      {
        signal,
      },
    );
    this.#scroller.addEventListener("focus", () => this.redraw(), { signal });
    this.#selecting(signal);
    this.#goto.addEventListener(
      "change",
      () => {
        const row = Math.floor(Number(this.#goto.value));
        if (this.#goto.value !== "" && Number.isFinite(row)) this.#move({ row, column: this.#cursor.column });
      },
      { signal },
    );
    this.#watch = new ResizeObserver(() => {
      this.#measure();
      this.redraw();
    });
    this.#watch.observe(this.#scroller);
  }

  /** Shows a table from its first row. */
  show(source: TableSource): void {
    this.#pages?.close();
    this.#copying?.abort();
    this.#source = source;
    this.#notice = "";
    this.#pages = new Pages(source, {
      changed: () => this.redraw(),
      failed: (error) => this.#events.unread?.(error),
    });
    // An estimate: titles are measured when they become visible.
    this.#widths = source.columns.map(({ name, note = "" }) => bounded(8 * (name.length + note.length)));
    this.#fitted.clear();
    this.#layout();
    this.#top = 0;
    this.#cursor = { row: 0, column: 0 };
    this.#anchor = this.#cursor;
    this.#scroller.scrollTo(0, 0);
    this.#expected = 0;
    this.#scroller.setAttribute("aria-label", source.name);
    this.#scroller.setAttribute("aria-rowcount", String(source.length + 1));
    this.#scroller.setAttribute("aria-colcount", String(source.columns.length + 1));
    this.#goto.max = String(Math.max(0, source.length - 1));
    this.#measure();
    this.#draw();
    this.#ask();
  }

  /** Moves the cursor to a cell and scrolls it into view. */
  go(row: number, column = this.#cursor.column): void {
    this.#move({ row, column });
  }

  /** The cell with the cursor. */
  get cursor(): { readonly row: number; readonly column: number } {
    return this.#cursor;
  }

  /** Draws again. */
  redraw(): void {
    this.#frame.request();
  }

  /** Ends all work and removes the table. */
  close(): void {
    this.#ended.abort();
    this.#copying?.abort();
    this.#watch.disconnect();
    this.#frame.cancel();
    clearTimeout(this.#timer);
    this.#pages?.close();
    this.#source = null;
    this.#root.remove();
  }

  /** The number of entirely visible rows. */
  get #seen(): number {
    return Math.max(1, Math.floor((this.#scroller.clientHeight - headHeight) / rowHeight));
  }

  get #last(): number {
    return Math.max(0, (this.#source?.length ?? 0) - this.#seen);
  }

  /** The height of all rows and the head, in pixels. */
  get #height(): number {
    return (this.#source?.length ?? 0) * rowHeight + headHeight;
  }

  get #scaled(): boolean {
    return this.#height > longest;
  }

  get #nameWidth(): number {
    const { length = 0, rowName } = this.#source ?? {};
    return rowName ? 140 : Math.max(48, 8 * counted(Math.max(0, length - 1)).length + 22);
  }

  #layout(): void {
    this.#starts = [0];
    for (const width of this.#widths) this.#starts.push((this.#starts.at(-1) ?? 0) + width);
  }

  /** Sets the size of the scrolled area. */
  #measure(): void {
    const { clientWidth, clientHeight } = this.#scroller;
    this.#sizer.style.height = `${Math.min(this.#height, longest)}px`;
    this.#sizer.style.width = `${this.#nameWidth + (this.#starts.at(-1) ?? 0)}px`;
    this.#pane.style.width = `${clientWidth}px`;
    this.#pane.style.height = `${clientHeight}px`;
  }

  #scrolled(): void {
    const { scrollTop, clientHeight } = this.#scroller;
    // A position set by a move is more precise than the scroll bar.
    if (Math.abs(scrollTop - this.#expected) >= 1) {
      const range = Math.max(1, Math.min(this.#height, longest) - clientHeight);
      this.#top = this.#scaled ? (scrollTop / range) * this.#last : scrollTop / rowHeight;
      this.#expected = scrollTop;
    }
    this.redraw();
    this.#askSoon();
  }

  #setTop(top: number): void {
    this.#top = Math.max(0, Math.min(this.#last, top));
    const range = Math.max(1, Math.min(this.#height, longest) - this.#scroller.clientHeight);
    this.#scroller.scrollTop = this.#scaled ? (this.#top / Math.max(1, this.#last)) * range : this.#top * rowHeight;
    this.#expected = this.#scroller.scrollTop;
    this.redraw();
    this.#askSoon();
  }

  /** In a scaled table, a turn of the wheel moves as many rows as in any other. */
  #wheel(event: WheelEvent): void {
    if (!this.#scaled || event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 1 : 1 / rowHeight;
    this.#setTop(this.#top + event.deltaY * unit);
  }

  /** The visible columns. */
  get #columns(): [first: number, stop: number] {
    const count = this.#widths.length;
    const left = this.#scroller.scrollLeft;
    const right = left + this.#scroller.clientWidth - this.#nameWidth;
    let first = 0;
    while (first < count - 1 && (this.#starts[first + 1] ?? 0) <= left) first++;
    let stop = first;
    while (stop < count && (this.#starts[stop] ?? 0) < right) stop++;
    return [first, Math.max(stop, Math.min(count, first + 1))];
  }

  #ask(): void {
    const first = Math.floor(this.#top);
    this.#pages?.want(first, first + this.#seen + 2, ...this.#columns);
  }

  #askSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#ask(), rest);
  }

  #draw(): void {
    const source = this.#source;
    const pages = this.#pages;
    if (!source || !pages) return;
    this.#fit();
    const [firstColumn, stopColumn] = this.#columns;
    const nameWidth = this.#nameWidth;
    const shift = nameWidth - this.#scroller.scrollLeft;
    const first = Math.floor(this.#top);
    const count = Math.max(0, Math.min(source.length - first, this.#seen + 2));
    const columns = stopColumn - firstColumn;
    this.#corner.style.width = `${nameWidth}px`;
    this.#heads = pool(this.#heads, columns, this.#head, () => this.#headCell());
    for (const [i, head] of this.#heads.entries()) {
      const column = firstColumn + i;
      const { name = "", note = "", numeric } = source.columns[column] ?? {};
      head.dataset.column = String(column);
      head.classList.toggle("table-number", numeric === true);
      head.setAttribute("aria-colindex", String(column + 2));
      this.#at(head, shift, column);
      const [title, small] = head.children;
      put(title, name);
      put(small, note);
      head.title = note ? `${name} [${note}]` : name;
    }
    this.#lines = pool(
      this.#lines,
      count,
      this.#body,
      () => this.#line(),
      (line) => line.element,
    );
    const [low, high] = this.#selection;
    for (const [i, line] of this.#lines.entries()) {
      const row = first + i;
      line.element.style.transform = `translateY(${headHeight + (row - this.#top) * rowHeight}px)`;
      line.element.setAttribute("aria-rowindex", String(row + 2));
      line.element.classList.toggle("table-odd", row % 2 === 1);
      line.name.style.width = `${nameWidth}px`;
      put(line.name, source.rowName ? source.rowName(row) : counted(row));
      (line as { cells: HTMLElement[] }).cells = pool(line.cells, columns, line.element, () =>
        el("div", { class: "table-cell", role: "gridcell" }),
      );
      for (const [k, cell] of line.cells.entries()) {
        const column = firstColumn + k;
        const text = pages.cell(row, column);
        const broken = text === undefined && pages.broken(row, column);
        cell.id = `${this.#id}-${row}-${column}`;
        cell.setAttribute("aria-colindex", String(column + 2));
        cell.dataset.row = String(row);
        cell.dataset.column = String(column);
        this.#at(cell, shift, column);
        const selected = row >= low.row && row <= high.row && column >= low.column && column <= high.column;
        cell.classList.toggle("table-number", source.columns[column]?.numeric === true);
        cell.classList.toggle("table-missing", text === null || broken);
        cell.classList.toggle("table-waiting", text === undefined && !broken);
        cell.classList.toggle("table-selected", selected);
        cell.classList.toggle("table-cursor", row === this.#cursor.row && column === this.#cursor.column);
        cell.setAttribute("aria-selected", String(selected));
        put(cell, text?.replace(/\r\n?|\n/g, " ↵ ") ?? (text === null ? "missing" : broken ? "not read" : ""));
      }
    }
    const { row, column } = this.#cursor;
    const visible = row >= first && row < first + count && column >= firstColumn && column < stopColumn;
    if (visible) this.#scroller.setAttribute("aria-activedescendant", `${this.#id}-${row}-${column}`);
    else this.#scroller.removeAttribute("aria-activedescendant");
    this.#scroller.setAttribute("aria-busy", String(pages.busy));
    this.#say(first, Math.min(source.length, first + this.#seen));
  }

  #at(cell: HTMLElement, shift: number, column: number): void {
    cell.style.left = `${shift + (this.#starts[column] ?? 0)}px`;
    cell.style.width = `${this.#widths[column] ?? 0}px`;
    // A column appears with its width, so that it stays at its place.
    cell.style.visibility = this.#fitted.has(column) || this.#pages?.busy === false ? "" : "hidden";
  }

  /** Fits columns to their first texts, once these are loaded. */
  #fit(): void {
    const [first, stop] = this.#columns;
    let changed = false;
    for (let column = first; column < stop; column++) {
      if (this.#fitted.has(column)) continue;
      let broadest = 0;
      let some = false;
      for (let row = Math.floor(this.#top), end = row + this.#seen; row < end; row++) {
        const text = this.#pages?.cell(row, column);
        if (text === undefined) continue;
        some = true;
        broadest = Math.max(broadest, this.#textWidth((text ?? "missing").slice(0, 100)));
      }
      if (!some) continue;
      this.#fitted.add(column);
      this.#widths[column] = bounded(Math.max(broadest, this.#titleWidth(column)));
      changed = true;
    }
    if (!changed) return;
    this.#layout();
    this.#measure();
  }

  #textWidth(text: string, bold = false): number {
    const context = this.#context;
    if (!context) return 8 * text.length;
    this.#font ||= getComputedStyle(this.#root).fontFamily;
    context.font = `${bold ? "600 " : ""}13px ${this.#font}`;
    return context.measureText(text).width;
  }

  #titleWidth(column: number): number {
    const { name = "", note = "" } = this.#source?.columns[column] ?? {};
    return this.#textWidth(name, true) + 8 + (note ? this.#textWidth(note) : 0);
  }

  #say(first: number, stop: number): void {
    const source = this.#source;
    if (!source) return;
    const { failure } = this.#pages ?? {};
    const rows =
      source.length === 0 ? "No rows" : `Rows ${counted(first)} to ${counted(stop - 1)} of ${counted(source.length)}`;
    const parts: (Node | string)[] = [this.#notice || rows];
    if (failure !== undefined && this.#notice === "") {
      const message = failure instanceof Error ? failure.message : String(failure);
      parts.push(el("span", { class: "table-failure" }, `Some could not be read: ${message}`));
      const again = (): void => this.#pages?.retry();
      parts.push(el("button", { type: "button", class: "table-button", onclick: again }, "Try again"));
    }
    const text = parts.map((part) => (typeof part === "string" ? part : part.textContent)).join("\n");
    if (this.#status.dataset.text !== text) {
      this.#status.dataset.text = text;
      fill(this.#status, ...parts);
    }
    const { row, column } = this.#cursor;
    const whole = this.#pages?.cell(row, column);
    const { name = "", note = "" } = source.columns[column] ?? {};
    const label = `${name}${note ? ` [${note}]` : ""}, row ${counted(row)}: `;
    const shown = whole === undefined ? "" : label + (whole ?? "missing");
    put(this.#detail, shown.length > 2000 ? `${shown.slice(0, 2000)}…` : shown);
  }

  #headCell(): HTMLElement {
    const grip = el("span", { class: "table-grip", "aria-hidden": "true" });
    const head = el(
      "div",
      { class: "table-title", role: "columnheader" },
      el("span", { class: "table-name" }),
      el("span", { class: "table-note" }),
      grip,
    );
    let from: { x: number; width: number; column: number } | null = null;
    grip.addEventListener("pointerdown", (event) => {
      const column = Number(head.dataset.column);
      from = { x: event.clientX, width: this.#widths[column] ?? 0, column };
      grip.setPointerCapture(event.pointerId);
      event.preventDefault();
      event.stopPropagation();
    });
    grip.addEventListener(
      "pointermove",
      (event) => from && this.#widen(from.column, from.width + event.clientX - from.x),
    );
    grip.addEventListener("lostpointercapture", () => {
      from = null;
    });
    grip.addEventListener("dblclick", () => {
      this.#fitted.delete(Number(head.dataset.column));
      this.redraw();
    });
    return head;
  }

  #widen(column: number, width: number): void {
    this.#fitted.add(column);
    this.#widths[column] = Math.max(narrowest, Math.min(1200, width));
    this.#layout();
    this.#measure();
    this.redraw();
  }

  #line(): Line {
    const name = el("div", { class: "table-rowname", role: "rowheader", "aria-colindex": 1 });
    return { element: el("div", { class: "table-row", role: "row" }, name), name, cells: [] };
  }

  #cellAt(event: Event): Cell | null {
    const node = event.target instanceof Element ? event.target.closest<HTMLElement>(".table-cell") : null;
    return node ? { row: Number(node.dataset.row), column: Number(node.dataset.column) } : null;
  }

  /** Selects cells by press, drag, and press with Shift. */
  #selecting(signal: AbortSignal): void {
    let selects = false;
    this.#scroller.addEventListener(
      "pointerdown",
      (event) => {
        const cell = this.#cellAt(event);
        if (!cell || event.button !== 0) return;
        selects = event.pointerType !== "touch";
        this.#move(cell, event.shiftKey, false);
      },
      { signal },
    );
    this.#scroller.addEventListener(
      "pointermove",
      (event) => {
        const under = this.#cellAt(event);
        this.#hover(under);
        const cell = selects && event.buttons === 1 ? under : null;
        if (cell && (cell.row !== this.#cursor.row || cell.column !== this.#cursor.column))
          this.#move(cell, true, false);
      },
      { signal },
    );
    window.addEventListener(
      "pointerup",
      () => {
        selects = false;
      },
      { signal },
    );
  }

  get #selection(): [low: Cell, high: Cell] {
    const [a, b] = [this.#cursor, this.#anchor];
    return [
      { row: Math.min(a.row, b.row), column: Math.min(a.column, b.column) },
      { row: Math.max(a.row, b.row), column: Math.max(a.column, b.column) },
    ];
  }

  /** Reports the cell under the pointer, once per cell. */
  #hover(cell: Cell | null): void {
    if (cell?.row === this.#under?.row && cell?.column === this.#under?.column) return;
    this.#under = cell;
    this.#events.hover?.(cell?.row ?? null, cell?.column ?? 0);
  }

  /** Moves the cursor to a cell. */
  #move({ row, column }: Cell, extend = false, reveal = true): void {
    const source = this.#source;
    if (!source || source.length === 0 || source.columns.length === 0) return;
    const next = {
      row: Math.max(0, Math.min(source.length - 1, row)),
      column: Math.max(0, Math.min(source.columns.length - 1, column)),
    };
    this.#cursor = next;
    if (!extend) this.#anchor = next;
    this.#notice = "";
    if (reveal) this.#reveal(next);
    this.redraw();
    this.#events.cursor?.(next.row, next.column);
  }

  #reveal({ row, column }: Cell): void {
    if (row < this.#top) this.#setTop(row);
    else if (row >= Math.ceil(this.#top) + this.#seen) this.#setTop(row - this.#seen + 1);
    const [start = 0, stop = 0] = [this.#starts[column], this.#starts[column + 1]];
    const room = this.#scroller.clientWidth - this.#nameWidth;
    const left = this.#scroller.scrollLeft;
    if (start < left) this.#scroller.scrollLeft = start;
    else if (stop > left + room) this.#scroller.scrollLeft = Math.min(start, stop - room);
  }

  #key(event: KeyboardEvent): void {
    const source = this.#source;
    if (!source) return;
    const { row, column } = this.#cursor;
    const command = event.ctrlKey || event.metaKey;
    const far = this.#seen;
    const lastRow = source.length - 1;
    const lastColumn = source.columns.length - 1;
    if (event.altKey) {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      this.#widen(column, (this.#widths[column] ?? 0) + (event.key === "ArrowRight" ? 16 : -16));
      event.preventDefault();
      return;
    }
    const to: Record<string, Cell> = {
      ArrowUp: { row: command ? 0 : row - 1, column },
      ArrowDown: { row: command ? lastRow : row + 1, column },
      ArrowLeft: { row, column: command ? 0 : column - 1 },
      ArrowRight: { row, column: command ? lastColumn : column + 1 },
      PageUp: { row: row - far, column },
      PageDown: { row: row + far, column },
      Home: { row: command ? 0 : row, column: 0 },
      End: { row: command ? lastRow : row, column: lastColumn },
    };
    const next = to[event.key];
    if (next) this.#move(next, event.shiftKey);
    else if (command && event.key === "a") {
      this.#anchor = { row: 0, column: 0 };
      this.#cursor = { row: Math.max(0, lastRow), column: Math.max(0, lastColumn) };
      this.redraw();
    } else if (event.key === "Enter") this.#events.opened?.(row);
    else if (event.key === "Escape" && (this.#anchor.row !== row || this.#anchor.column !== column))
      this.#move(this.#cursor);
    else return;
    event.preventDefault();
  }

  /** Returns the selected text if all of it is loaded; null otherwise. */
  #selectedText(): string | null {
    const [low, high] = this.#selection;
    if ((high.row - low.row + 1) * (high.column - low.column + 1) > copied) return null;
    const rows: string[][] = [];
    for (let row = low.row; row <= high.row; row++) {
      const cells: string[] = [];
      for (let column = low.column; column <= high.column; column++) {
        const text = this.#pages?.cell(row, column);
        if (text === undefined) return null;
        cells.push(text ?? "");
      }
      rows.push(cells);
    }
    return tabbed(rows);
  }

  #copy(event: ClipboardEvent): void {
    const text = this.#selectedText();
    event.preventDefault();
    if (text === null) void this.#copyRead();
    else {
      event.clipboardData?.setData("text/plain", text);
      this.#told("Copied");
    }
  }

  /** Copies the selection, and reads its missing pages. */
  async #copyRead(): Promise<void> {
    const [low, high] = this.#selection;
    const count = (high.row - low.row + 1) * (high.column - low.column + 1);
    if (count > copied) {
      this.#told(`${counted(count)} cells are selected; at most ${counted(copied)} can be copied`);
      return;
    }
    this.#copying?.abort();
    const copying = new AbortController();
    this.#copying = copying;
    try {
      const columns = Array.from({ length: high.column - low.column + 1 }, (_, i) => low.column + i);
      const rows = await this.#pages?.read(low.row, high.row + 1, columns, copying.signal);
      if (copying.signal.aborted || !rows) return;
      await navigator.clipboard.writeText(tabbed(rows.map((row) => row.map((cell) => cell ?? ""))));
      this.#told(count === 1 ? "Copied" : `Copied ${counted(count)} cells`);
    } catch (error) {
      if (copying.signal.aborted) return;
      this.#told(`Not copied: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Shows a text in place of the rows, until the cursor moves. */
  #told(text: string): void {
    this.#notice = text;
    this.redraw();
  }
}

/** Formats rows for the clipboard, as spreadsheets accept them. */
function tabbed(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => row.map(cell).join("\t")).join("\n");
}

/** Returns the width of a column for the width of its longest text. */
function bounded(width: number): number {
  return Math.max(narrowest, Math.min(widest, Math.ceil(width) + 28));
}

function put(node: Element | undefined, text: string): void {
  if (node && node.textContent !== text) node.textContent = text;
}

/** Resizes a pool to the needed number of elements, and reuses existing ones. */
function pool<T>(
  have: T[],
  count: number,
  parent: HTMLElement,
  make: () => T,
  elementOf: (one: T) => Element = (one) => one as unknown as Element,
): T[] {
  while (have.length > count) {
    const one = have.pop();
    if (one !== undefined) elementOf(one).remove();
  }
  while (have.length < count) {
    const one = make();
    parent.appendChild(elementOf(one));
    have.push(one);
  }
  return have;
}
