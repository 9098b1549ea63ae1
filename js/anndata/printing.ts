import type { Column } from "./columns.js";

/** Names as Python's lists of them print. */
export function listed(names: readonly string[]): string {
  return names.map(quoted).join(", ");
}

/** A text as Python prints it, but for what is not printed at all. */
export function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll(mark, `\\${mark}`) + mark;
}

/** What a table prints of itself: so many rows and columns, each of so many characters. */
const [mostRows, mostColumns, widest] = [10, 12, 24];

/** The head of a table, as text. */
export function tableText(
  index: Column,
  indexName: string,
  columns: ReadonlyMap<string, Column>,
  rowsInAll: number,
): string {
  const rows = Math.min(index.length, mostRows);
  const shown = [...columns].slice(0, mostColumns);
  const of = (name: string, column: Column, left: boolean) => {
    const cells = [name, ...Array.from({ length: rows }, (_, i) => cell(column.get(i)))].map(cut);
    const width = Math.max(...cells.map((text) => text.length));
    return cells.map((text) => (left ? text.padEnd(width) : text.padStart(width)));
  };
  const parts = [
    of(indexName === "_index" ? "" : indexName, index, true),
    ...shown.map(([name, column]) => of(name, column, false)),
  ];
  if (columns.size > shown.length) parts.push(Array.from({ length: rows + 1 }, () => "…"));
  const lines = Array.from({ length: rows + 1 }, (_, i) =>
    parts
      .map((part) => part[i])
      .join("  ")
      .trimEnd(),
  );
  if (index.length > rows) lines.push("…");
  const taken = index.length < rowsInAll ? `${index.length} of ${rowsInAll} rows` : `${rowsInAll} rows`;
  return `${lines.join("\n")}\n[${taken} × ${columns.size} columns]`;
}

function cell(value: unknown): string {
  if (value === null) return "<NA>";
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  if (typeof value === "object" && "re" in value && "im" in value) return `${value.re}+${value.im}i`;
  return String(value);
}

function cut(text: string): string {
  const line = text.replaceAll(/\s/g, " ");
  return line.length > widest ? `${line.slice(0, widest - 1)}…` : line;
}
