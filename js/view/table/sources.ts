// Sources of tables: dataframes, and arrays that are not pictures.
import type { Coordinate, Field, TableDescription } from "../../describe/index.js";
import type { TableSource, TableSourceColumn } from "./pages.js";
import { elementAt, elementText, isColumns } from "./values.js";

/**
 * The largest number of columns in a table of an array of two dimensions. Further columns are left
 * out.
 */
const mostColumns = 16_384;

/** Returns the table of a dataframe. */
export function tableOfDescription(description: TableDescription): TableSource {
  const { columns, length } = description;
  return {
    name: description.title.value,
    length,
    columns: columns.map(({ name, kind }) => ({ name, numeric: kind === "number" })),
    rows: (start, stop, wanted, signal) =>
      description.rows(
        start,
        stop,
        wanted.map((column) => columns[column]?.name ?? ""),
        signal,
      ),
  };
}

/** The part of a field that a table shows. */
interface FieldTable {
  /** The axis of the rows; null for a single element. */
  readonly rows: number | null;
  /** The axis of the columns; null if each row has one element. */
  readonly columns: number | null;
  /** The indices of the other axes. */
  readonly indices: readonly number[];
  /** The positions of the rows and columns; null if they have none. */
  readonly rowCoordinate: Coordinate | null;
  readonly columnCoordinate: Coordinate | null;
}

/**
 * Returns the table of a field. A cell contains an element, or a row contains the members of a
 * struct.
 */
export function tableOfField(field: Field, table: FieldTable): TableSource {
  const { rows, columns, indices, rowCoordinate, columnCoordinate } = table;
  const array = field.levels[0]?.array;
  if (!array) throw new TypeError("a field has at least one level");
  const { members, axes, units } = field;
  const across = columns === null ? 1 : Math.min(mostColumns, axes[columns]?.length ?? 1);
  const per = Math.max(1, members.length);
  const numeric = field.values === "number" || field.values === "duration";
  const named: TableSourceColumn[] = [];
  for (let i = 0; i < across; i++) {
    const place = columns === null ? "" : (columnCoordinate?.text(i) ?? String(i));
    if (members.length === 0) named.push({ name: place || field.name, note: columns === null ? units : "", numeric });
    for (const member of members) named.push({ name: place ? `${place} ${member}` : member, numeric: false });
  }
  const source: TableSource = {
    name: field.title.value,
    length: rows === null ? 1 : (axes[rows]?.length ?? 1),
    columns: named,
    async rows(start, stop, wanted, signal) {
      const first = Math.floor(Math.min(...wanted) / per);
      const last = Math.floor(Math.max(...wanted) / per);
      const selection = axes.map((_, axis) => {
        if (axis === rows) return { start, stop, step: null };
        if (axis === columns) return { start: first, stop: last + 1, step: null };
        const index = indices[axis] ?? 0;
        return { start: index, stop: index + 1, step: null };
      });
      const { data, stride } = await array.get(selection, { signal });
      const step = (axis: number | null): number => (axis === null ? 0 : (stride[axis] ?? 0));
      const text = (i: number, column: number): string | null => {
        const member = members[column % per];
        if (member !== undefined) return isColumns(data) ? elementText(data[member], i) : null;
        const value = elementAt(data, i);
        return value === null || value === undefined ? null : field.text(value);
      };
      return Array.from({ length: stop - start }, (_, r) =>
        wanted.map((column) => text(r * step(rows) + (Math.floor(column / per) - first) * step(columns), column)),
      );
    },
  };
  return rowCoordinate ? { ...source, rowName: (row) => rowCoordinate.text(row) } : source;
}
