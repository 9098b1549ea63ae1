import type { Field, FieldLevel } from "../../describe/field.js";
import { costOf } from "../element/budget.js";
import { TileGrid, type TileRange } from "./grid.js";
import type { Cost, Wanted } from "./tiles.js";

/** The place of a tile, and the indices along the other axes. */
export interface Address {
  readonly key: string;
  readonly slice: Slice;
  readonly column: number;
  readonly row: number;
}

/** A plane of one level at some indices. */
export interface Slice {
  /** The prefix of its tiles' keys. */
  readonly name: string;
  readonly level: number;
  readonly x: number;
  readonly y: number | null;
  readonly channel: number;
  /** The index of each axis, in elements of the level. */
  readonly indices: readonly number[];
  readonly grid: TileGrid;
}

/** The tiles in view. */
export interface Picture {
  readonly level: number;
  readonly slices: readonly Slice[];
  readonly tiles: readonly Address[];
  /** The number of chunks in view. */
  readonly chunks: number;
  /** Whether some tiles are left out because there are too many. */
  readonly cut: boolean;
}

export const nothing: Picture = { level: 0, slices: [], tiles: [], chunks: 0, cut: false };

/** The largest number of tiles for one picture. Those nearest to its middle are read. */
const maxTiles = 4096;
/** The largest number of steps and of tiles that are read ahead. */
const ahead = { steps: 4, tiles: 16 };
/** Levels are halved, and the remainders of odd lengths make their factors slightly larger. */
const tolerance = 1.03;

/**
 * Determines the tiles of a field and the wanted ones. Reads nothing, and keeps only the cuts of
 * the levels.
 */
export class Plan {
  readonly #field: Field;
  readonly #grids = new Map<string, TileGrid>();

  constructor(field: Field) {
    this.#field = field;
  }

  /** Returns the numbers per pixel, by the length of the axis of colours. */
  parts({ x, y }: { x: number; y: number | null }): 1 | 3 | 4 {
    const { colourAxis, axes } = this.#field;
    if (colourAxis === null || colourAxis === x || colourAxis === y) return 1;
    const length = axes[colourAxis]?.length;
    return length === 3 || length === 4 ? length : 1;
  }

  #grid(level: number, x: number, y: number | null): TileGrid {
    const name = `${level}/${x}/${y}`;
    let grid = this.#grids.get(name);
    if (!grid) {
      grid = new TileGrid(this.#field.levels[level] as FieldLevel, x, y);
      this.#grids.set(name, grid);
    }
    return grid;
  }

  /** Returns the plane of a level at indices of the finest level. */
  slice({ x, y, indices }: Pick<Wanted, "x" | "y" | "indices">, level: number, channel: number): Slice {
    const { array, factor, start } = this.#field.levels[level] as FieldLevel;
    const coloured = this.parts({ x, y }) > 1;
    const at = array.shape.map((length, axis) => {
      if (axis === x || axis === y || (coloured && axis === this.#field.colourAxis)) return 0;
      const finest = axis === this.#field.channels?.axis ? channel : (indices[axis] ?? 0);
      const index = Math.floor((finest + 0.5 - (start[axis] ?? 0)) / (factor[axis] ?? 1));
      return Math.min(Math.max(index, 0), length - 1);
    });
    const name = `${level}/${x},${y}/${at.join(",")}/`;
    return { name, level, x, y, channel, indices: at, grid: this.#grid(level, x, y) };
  }

  #slices(wanted: Wanted, level: number): Slice[] {
    const { channels } = this.#field;
    // Without an axis of channels there is one picture.
    const drawn = channels && channels.axis !== wanted.x && channels.axis !== wanted.y ? wanted.channels : [0];
    return drawn.map((channel) => this.slice(wanted, level, channel));
  }

  /** Returns the coarsest level whose elements are no larger than a device pixel. */
  levelFor({ x, y, perPixelX, perPixelY, level }: Wanted): number {
    const { levels } = this.#field;
    if (level !== undefined) return Math.min(Math.max(0, Math.trunc(level)), levels.length - 1);
    for (let k = levels.length - 1; k > 0; k--) {
      const { factor } = levels[k] as FieldLevel;
      const fits = (axis: number | null, perPixel: number) =>
        axis === null || (factor[axis] ?? 1) <= Math.max(1, perPixel * tolerance);
      if (fits(x, perPixelX) && fits(y, perPixelY)) return k;
    }
    return 0;
  }

  /**
   * Returns the tiles of a level in view, from the middle outwards. If there are too many, it
   * returns the nearest ones.
   */
  pictureOf(wanted: Wanted, level: number): Picture {
    const tiles: { address: Address; distance: number }[] = [];
    const slices = this.#slices(wanted, level);
    const grid = this.#grid(level, wanted.x, wanted.y);
    const ranges = rangesOf(grid, wanted);
    const seen = ranges.reduce((sum, range) => sum + tileCount(range), 0);
    const chunks = ranges.reduce((sum, range) => sum + grid.chunksOf(range), 0) * slices.length;
    const cut = seen * slices.length > maxTiles;
    const most = Math.floor(maxTiles / slices.length / ranges.length);
    const middleX = (wanted.left + wanted.right) / 2;
    const middleY = (wanted.top + wanted.bottom) / 2;
    for (const range of ranges)
      for (const [column, row] of tilesOf(cut ? nearest(range, most) : range)) {
        const { left, top, right, bottom } = grid.rectangleOf(column, row);
        const distance = Math.hypot((left + right) / 2 - middleX, wanted.y === null ? 0 : (top + bottom) / 2 - middleY);
        for (const slice of slices) tiles.push({ address: addressOf(slice, column, row), distance });
      }
    tiles.sort((a, b) => a.distance - b.distance);
    return { level, slices, tiles: tiles.map(({ address }) => address), chunks, cut };
  }

  /** Returns the tiles in view after the next steps. */
  ahead(wanted: Wanted, level: number): Address[] {
    const { heading } = wanted;
    if (!heading || heading.step === 0 || heading.axis === wanted.x || heading.axis === wanted.y) return [];
    const { axis, step } = heading;
    const length = this.#field.axes[axis]?.length ?? 0;
    const found: Address[] = [];
    for (let k = 1; k <= ahead.steps; k++) {
      const index = (wanted.indices[axis] ?? 0) + k * step;
      if (index < 0 || index >= length) break;
      const next = { ...wanted, indices: wanted.indices.map((old, d) => (d === axis ? index : old)) };
      const { tiles } = this.pictureOf(next, level);
      if (k > 1 && found.length + tiles.length > ahead.tiles) break;
      found.push(...tiles.slice(0, ahead.tiles));
    }
    return found;
  }

  /** Returns the cost of missing tiles; `here` reports available ones. */
  cost(wanted: Wanted, here: (key: string) => boolean): Cost {
    const level = this.levelFor(wanted);
    const found = this.#field.levels[level] as FieldLevel;
    const { array } = found;
    const picture = this.pictureOf(wanted, level);
    // Channels of one chunk arrive together.
    const { channels } = this.#field;
    const deep = channels ? Math.max(1, array.chunks[channels.axis] ?? 1) : 1;
    const groups = new Map<number, Slice[]>();
    for (const slice of picture.slices) {
      const group = channels ? Math.floor((slice.indices[channels.axis] ?? 0) / deep) : 0;
      groups.set(group, [...(groups.get(group) ?? []), slice]);
    }
    const { colourAxis } = this.#field;
    const colours =
      colourAxis !== null && this.parts(wanted) > 1
        ? Math.ceil((array.shape[colourAxis] ?? 1) / Math.max(1, array.chunks[colourAxis] ?? 1))
        : 1;
    let chunks = 0;
    if (picture.cut) chunks = (picture.chunks / picture.slices.length) * groups.size;
    else {
      const parts = new Map<string, number>();
      const { grid } = picture.slices[0] ?? { grid: this.#grid(level, wanted.x, wanted.y) };
      for (const range of rangesOf(grid, wanted))
        for (const [column, row] of tilesOf(range))
          for (const [group, slices] of groups) {
            if (slices.every((slice) => here(keyOf(slice, column, row)))) continue;
            if (grid.parted) parts.set(`${group}/${grid.chunkOf(column, row)}`, grid.chunks(column, row));
            else chunks += grid.chunks(column, row);
          }
      for (const count of parts.values()) chunks += count;
    }
    return { ...costOf(found, chunks * colours), level };
  }
}

/** Returns the tiles in view: one range, or two without common tiles around a seam. */
function rangesOf(grid: TileGrid, { beyond, ...wanted }: Wanted): TileRange[] {
  const here = grid.meeting(wanted);
  if (!beyond) return [here];
  const there = grid.meeting({ ...wanted, ...beyond });
  if (there.left >= here.right || there.right <= here.left) return [here, there];
  return [{ ...here, left: Math.min(here.left, there.left), right: Math.max(here.right, there.right) }];
}

/** Returns the number of tiles in a range. */
export const tileCount = ({ left, top, right, bottom }: TileRange) =>
  Math.max(0, right - left) * Math.max(0, bottom - top);
/** Returns the key of a tile. */
export const keyOf = ({ name }: Slice, column: number, row: number) => `${name}${column},${row}`;
/** Returns the address of a tile. */
export const addressOf = (slice: Slice, column: number, row: number): Address => ({
  key: keyOf(slice, column, row),
  slice,
  column,
  row,
});

/** Yields the tiles of a range. */
export function* tilesOf({ left, top, right, bottom }: TileRange): Generator<[column: number, row: number]> {
  for (let row = top; row < bottom; row++) for (let column = left; column < right; column++) yield [column, row];
}

/** Returns the middle of a range, about `count` tiles. */
function nearest({ left, top, right, bottom }: TileRange, count: number): TileRange {
  const rows = Math.min(bottom - top, Math.max(1, Math.floor(Math.sqrt(count)), Math.floor(count / (right - left))));
  const columns = Math.min(right - left, Math.max(1, Math.floor(count / rows)));
  const l = left + Math.floor((right - left - columns) / 2);
  const t = top + Math.floor((bottom - top - rows) / 2);
  return { left: l, top: t, right: l + columns, bottom: t + rows };
}
