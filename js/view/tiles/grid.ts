import type { FieldLevel } from "../../describe/field.js";
import { type Cuts, cutsOf } from "./cuts.js";

/** A rectangle in elements of the finest level. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A range of tiles: columns and rows from the first to before the last. */
export interface TileRange {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The division of one level's plane into tiles. A plane without a vertical axis has one row. */
export class TileGrid {
  readonly columns: Cuts;
  readonly rows: Cuts | null;
  readonly #level: FieldLevel;
  readonly #x: number;
  readonly #y: number | null;

  constructor(level: FieldLevel, x: number, y: number | null) {
    this.#level = level;
    this.#x = x;
    this.#y = y;
    const [columns, rows] = cutsOf(level.array, y === null ? [x] : [x, y]);
    this.columns = columns as Cuts;
    this.rows = rows ?? null;
  }

  /** The number of tiles. */
  get count(): number {
    return this.columns.count * (this.rows ? this.rows.count : 1);
  }

  /** The number of elements. */
  get elements(): number {
    return this.columns.length * (this.rows ? this.rows.length : 1);
  }

  /** Whether tiles are parts of chunks. */
  get parted(): boolean {
    return this.columns.parted || this.rows?.parted === true;
  }

  /** Returns the tiles that a rectangle meets; none if left is right. */
  meeting({ left, top, right, bottom }: Rectangle): TileRange {
    const [l, r] = span(this.columns, this.#toLevel(this.#x, left), this.#toLevel(this.#x, right));
    const { rows } = this;
    const [t, b] = rows ? span(rows, this.#toLevel(this.#y, top), this.#toLevel(this.#y, bottom)) : [0, 1];
    return { left: l, top: t, right: b > t ? r : l, bottom: b };
  }

  /** Returns all tiles. */
  all(): TileRange {
    return { left: 0, top: 0, right: this.columns.count, bottom: this.rows ? this.rows.count : 1 };
  }

  /** Returns a tile's rectangle, in elements of the level. */
  elementsOf(column: number, row: number): { x: number; y: number; width: number; height: number } {
    const x = this.columns.start(column);
    const y = this.rows ? this.rows.start(row) : 0;
    return {
      x,
      y,
      width: this.columns.start(column + 1) - x,
      height: this.rows ? this.rows.start(row + 1) - y : 1,
    };
  }

  /** Returns a tile's rectangle, in elements of the finest level. */
  rectangleOf(column: number, row: number): Rectangle {
    const { x, y, width, height } = this.elementsOf(column, row);
    return {
      left: this.#toFinest(this.#x, x),
      right: this.#toFinest(this.#x, x + width),
      top: this.#toFinest(this.#y, y),
      bottom: this.#toFinest(this.#y, y + height),
    };
  }

  /**
   * Returns the tile at a position in elements of the finest level, and the element in it;
   * undefined outside.
   */
  at(x: number, y: number): { column: number; row: number; x: number; y: number } | undefined {
    const i = Math.floor(this.#toLevel(this.#x, x));
    const j = this.rows ? Math.floor(this.#toLevel(this.#y, y)) : 0;
    if (!(i >= 0 && i < this.columns.length && j >= 0 && j < (this.rows ? this.rows.length : 1))) return undefined;
    const column = this.columns.at(i);
    const row = this.rows ? this.rows.at(j) : 0;
    return { column, row, x: i - this.columns.start(column), y: this.rows ? j - this.rows.start(row) : 0 };
  }

  /** Returns the number of chunks of the plane in a tile. */
  chunks(column: number, row: number): number {
    return this.columns.chunks(column) * (this.rows ? this.rows.chunks(row) : 1);
  }

  /** Returns the number of chunks of the plane in a range of tiles. */
  chunksOf({ left, top, right, bottom }: TileRange): number {
    if (left >= right || top >= bottom) return 0;
    const along = (cuts: Cuts, from: number, to: number) => {
      const last = cuts.chunk(to - 1) + cuts.chunks(to - 1);
      return last - cuts.chunk(from);
    };
    return along(this.columns, left, right) * (this.rows ? along(this.rows, top, bottom) : 1);
  }

  /** Returns a name for the chunk of a tile. */
  chunkOf(column: number, row: number): string {
    return `${this.columns.chunk(column)},${this.rows ? this.rows.chunk(row) : 0}`;
  }

  #toLevel(axis: number | null, position: number): number {
    if (axis === null) return position;
    return (position - (this.#level.start[axis] ?? 0)) / (this.#level.factor[axis] ?? 1);
  }

  #toFinest(axis: number | null, element: number): number {
    if (axis === null) return element;
    return (this.#level.start[axis] ?? 0) + element * (this.#level.factor[axis] ?? 1);
  }
}

/** Smaller fractions of an element are rounding errors. */
const slight = 1e-6;

/** Returns the tiles from one element to another. */
function span(cuts: Cuts, from: number, to: number): [number, number] {
  const first = Math.max(0, Math.floor(from + slight));
  const last = Math.min(cuts.length, Math.ceil(to - slight));
  return first < last ? [cuts.at(first), cuts.at(last - 1) + 1] : [0, 0];
}
