import type { Column } from "./columns.js";

/** Formats names like a Python list, without brackets. */
export function nameList(names: readonly string[]): string {
  return names.map(quoted).join(", ");
}

/**
 * Quotes a string like Python's `repr`. Does not escape non-printable characters except newlines.
 */
export function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll(mark, `\\${mark}`) + mark;
}

/** The most rows, columns and characters per cell of a printed table. */
const [mostRows, mostColumns, widest] = [10, 12, 24];

/** Formats the first rows of a table. */
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
