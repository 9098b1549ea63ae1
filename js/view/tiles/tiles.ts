import type { Packing } from "../../describe/field.js";
import type { Pixels } from "../paint/painter.js";
import type { Part } from "../worker/tasks.js";

/** What is to be seen of a field. */
export interface Wanted {
  /** The axes drawn to the right and downwards; `y` is null for a line. */
  readonly x: number;
  readonly y: number | null;
  /** The index of each axis, in elements of the finest level; those of x and y do not count. */
  readonly indices: readonly number[];
  /** The part that is on screen, in elements of the finest level; may reach beyond the field. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Elements of the finest level that a device pixel covers, along x and y; the level is chosen by them. */
  readonly perPixelX: number;
  readonly perPixelY: number;
  /** A level that is to be taken; undefined for the one that fits. */
  readonly level?: number | undefined;
  /** The channels that are drawn, by their indices; empty where the field has none. */
  readonly channels: readonly number[];
  /** Where the next indices are asked for: the axis that is stepped through, and by how many. */
  readonly heading?: { readonly axis: number; readonly step: number } | undefined;
}

/** What the field would take of its store for what is wanted. */
export interface Cost {
  /** Chunks that are not here yet. */
  readonly chunks: number;
  /** Bytes of these, decoded. */
  readonly bytes: number;
  /** The level. */
  readonly level: number;
}

/** A rectangle of one level and one channel that is here. */
export interface Tile {
  /** Names it among the tiles of its field. */
  readonly key: string;
  readonly level: number;
  /** The channel's index; 0 where the field has none. */
  readonly channel: number;
  /** The rectangle, in elements of the finest level. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Its numbers, ready to be drawn. */
  readonly pixels: Pixels;
  /** The exact element as it is stored, by column and row of the pixels; a list of them for colours. */
  value(column: number, row: number): unknown;
}

/** What the numbers of a field are like, in the values' own units. */
export interface Statistics {
  readonly least: number;
  readonly most: number;
  /** Numbers that were looked at, and how many of them are missing. */
  readonly count: number;
  readonly missing: number;
  /** Whether all elements of the slice were looked at, or only some. */
  readonly whole: boolean;
  /** How many fall into each of 256 parts between least and most. */
  readonly histogram: Uint32Array;
  /** The value below which a share of the numbers lies, from 0 to 1. */
  quantile(share: number): number;
}

/** The tiles of a field: asks for what is on screen, keeps what came, and drops what is no longer wanted. */
export interface Tiles {
  /** What would have to be read. Nothing is asked for. */
  cost(wanted: Wanted): Cost;
  /**
   * Says what is on screen. What is under way and no longer wanted is aborted; what is missing is asked for, visible tiles first, then
   * coarser, then those in the direction of stepping.
   */
  want(wanted: Wanted): void;
  /**
   * The tiles for what is wanted that are here, in the order in which they are drawn: where one of the level is missing, what other levels
   * have there, coarse ones below fine ones. A tile of other indices is never among them: after a step there may be none for a while. A tile of a key stays the same object as long as
   * it is kept.
   */
  ready(): readonly Tile[];
  /** Whether all of what is on screen is here at its level. */
  readonly complete: boolean;
  /** Whether something of what is on screen is still to come: what failed is not. */
  readonly busy: boolean;
  /** What the numbers of pixels mean. Of 64-bit numbers the missing ones are NaN, and a base may have been taken away that is added here. */
  readonly packing: Packing;
  /** Chunks that came and chunks that are asked for, of what is on screen; each part of a chunk that is read in parts counts. */
  readonly progress: { readonly done: number; readonly total: number };
  /** The level that was chosen. */
  readonly level: number;
  /** Statistics of a channel (0 where there is none) at the indices of the last want, from the coarsest level. */
  statistics(channel: number, signal?: AbortSignal): Promise<Statistics>;
  /** The exact stored element at a position in elements of the finest level; undefined where no tile is here. */
  value(x: number, y: number, channel: number): { readonly value: unknown; readonly level: number } | undefined;
  /** Asks again for what failed. */
  retry(): void;
  /** Ends everything; nothing is called afterwards. */
  close(): void;
}

/** What a {@link Tiles} tells. */
export interface TilesEvents {
  /** What is ready, or how far the reads are, has changed: draw again. */
  changed(): void;
  /** A read failed, not by being aborted: told once for each tile, which is asked for again after a retry. The rest goes on. */
  failed(error: unknown): void;
}

/** Bounds of a {@link Tiles}. */
export interface TilesOptions {
  /** Bytes of decoded tiles that are kept. The default is 256 MiB. */
  readonly bytes?: number | undefined;
  /** Reads under way at once. The default is 16. */
  readonly reads?: number | undefined;
  /** The field of structs that is drawn; by default the first. */
  readonly member?: string | undefined;
  /** The part of complex numbers that is drawn; by default the magnitude. */
  readonly part?: Part | undefined;
}
