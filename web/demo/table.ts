// Elements as text in rows and columns.

import { el, fill } from "./dom.js";
import { formatCount } from "./format.js";
import type { Window } from "./slice.js";
import type { Elements } from "./values.js";

export const TABLE_ROWS = 200;
export const TABLE_COLUMNS = 24;

export interface TableInput {
  name: string;
  elements: Elements;
  rows: Window;
  /** Null for a list: one column. */
  columns: Window | null;
  strideRow: number;
  strideColumn: number;
  /** The labels of row and column positions of the array. */
  rowLabel(i: number): string;
  columnLabel(i: number): string;
  /** How many rows the array has, and how to show others. */
  totalRows: number;
  totalColumns: number;
  page: ((start: number) => void) | null;
}

/** Shows the elements of a window. */
export function showTable(host: HTMLElement, input: TableInput): void {
  const { rows, columns, elements } = input;
  const shownRows = Math.min(rows.count, TABLE_ROWS);
  const shownColumns = columns ? Math.min(columns.count, TABLE_COLUMNS) : 1;
  const head = el("tr", {}, el("th", { scope: "col" }, "Index"));
  for (let c = 0; c < shownColumns; c++) {
    const label = columns ? input.columnLabel(columns.start + c * columns.step) : "Value";
    head.append(el("th", { scope: "col" }, label));
  }
  const body = el("tbody");
  for (let r = 0; r < shownRows; r++) {
    const line = el("tr", {}, el("th", { scope: "row" }, input.rowLabel(rows.start + r * rows.step)));
    for (let c = 0; c < shownColumns; c++) {
      line.append(el("td", {}, elements.text(r * input.strideRow + c * input.strideColumn)));
    }
    body.append(line);
  }
  const pager = el("div", { class: "pager" });
  const last = rows.start + (shownRows - 1) * rows.step;
  let text = `Rows ${formatCount(rows.start)} to ${formatCount(last)} of ${formatCount(input.totalRows)}`;
  if (columns && input.totalColumns > shownColumns)
    text += `, the first ${shownColumns} of ${formatCount(input.totalColumns)} columns`;
  pager.append(el("span", { class: "muted" }, text));
  const { page } = input;
  if (page && input.totalRows > shownRows) {
    const go = (label: string, start: number, possible: boolean): HTMLElement =>
      el("button", { type: "button", class: "ghost", disabled: !possible, onclick: () => page(start) }, label);
    pager.append(
      go("Earlier rows", Math.max(0, rows.start - TABLE_ROWS), rows.start > 0),
      go("Later rows", rows.start + TABLE_ROWS, last + 1 < input.totalRows),
    );
  }
  fill(
    host,
    el(
      "div",
      { class: "table-scroll", tabindex: 0, role: "region", "aria-label": `Values of ${input.name}` },
      el(
        "table",
        { "data-testid": "values" },
        el("caption", { class: "visually-hidden" }, `Values of ${input.name}`),
        el("thead", {}, head),
        body,
      ),
    ),
    pager,
  );
}

/** Shows the one value of an array without dimensions. */
export function showScalar(host: HTMLElement, text: string, decoded: string | null): void {
  fill(
    host,
    el(
      "div",
      { class: "scalar" },
      el("output", { "data-testid": "scalar" }, text),
      decoded === null ? null : el("span", { class: "muted" }, `= ${decoded}`),
    ),
  );
}
