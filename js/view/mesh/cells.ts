import type { Axis, Field } from "../../describe/field.js";

/** An element of a curvilinear grid, and where its middle is. */
interface Cell {
  /** The column. */
  readonly x: number;
  /** The row. */
  readonly y: number;
  /** Words for its longitude and its latitude, by the names of their arrays. */
  readonly coordinates: Readonly<Record<string, string>>;
}

/** The cells that a field is drawn of as a map. */
export interface Cells {
  /** The axes of the grid, as they are stored. */
  readonly x: Axis;
  readonly y: Axis;
  /** Of how many rows, and of how many columns, one is drawn. */
  readonly every: number;
  /** The cell under a pixel of the map; null where there is none. */
  at(column: number, row: number): Cell | null;
}

const known = new WeakMap<Field, Cells>();

/** Says of which cells a map is drawn. */
export const rememberCells = (field: Field, cells: Cells): void => void known.set(field, cells);

/** The cells of a field that is drawn as a map; undefined where its elements are drawn as they are stored. */
export const cellsOf = (field: Field): Cells | undefined => known.get(field);

/** What is drawn as a map: numbers of one plane. */
export function canBeMapped({ place, values, colourAxis, channels, labels }: Field): boolean {
  const numbers = values === "number" || values === "boolean" || values === "category";
  return !!place?.curvilinear && numbers && colourAxis === null && channels === null && !labels;
}
