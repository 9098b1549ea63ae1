import type { Axis, Field } from "../../describe/field.js";

/** An element of a curvilinear grid, and the position of its middle. */
interface Cell {
  /** The column. */
  readonly x: number;
  /** The row. */
  readonly y: number;
  /** Its longitude and latitude as text, by the names of their arrays. */
  readonly coordinates: Readonly<Record<string, string>>;
}

/** The cells of a field that is drawn as a map. */
export interface Cells {
  /** The axes of the stored grid. */
  readonly x: Axis;
  readonly y: Axis;
  /** The stride of the drawn rows and columns. */
  readonly every: number;
  /** Returns the cell under a pixel of the map; null if there is none. */
  at(column: number, row: number): Cell | null;
}

const known = new WeakMap<Field, Cells>();

/** Records the cells of a map's field. */
export const rememberCells = (field: Field, cells: Cells): void => void known.set(field, cells);

/** Returns the cells of a field that is drawn as a map; undefined for other fields. */
export const cellsOf = (field: Field): Cells | undefined => known.get(field);

/** Reports whether a field can be drawn as a map: it needs numbers in one plane. */
export function canBeMapped({ place, values, colourAxis, channels, labels }: Field): boolean {
  const numbers = values === "number" || values === "boolean" || values === "category";
  return !!place?.curvilinear && numbers && colourAxis === null && channels === null && !labels;
}
