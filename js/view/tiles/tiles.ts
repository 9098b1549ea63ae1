import type { Packing } from "../../describe/field.js";
import type { Cost as ReadCost } from "../element/budget.js";
import type { Pixels } from "../paint/painter.js";
import type { Close, ComplexPart } from "../worker/tasks.js";

/** The wanted part of a field. */
export interface Wanted {
  /** The axes drawn to the right and downwards; `y` is null for a line. */
  readonly x: number;
  readonly y: number | null;
  /** The index of each axis, in elements of the finest level. Those of x and y are ignored. */
  readonly indices: readonly number[];
  /** The part in view, in elements of the finest level; it may reach beyond the field. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** The columns in view at the other side of a seam, in elements of the finest level. */
  readonly beyond?: { readonly left: number; readonly right: number } | undefined;
  /**
   * The elements of the finest level that a device pixel covers, along x and y. They determine the
   * level.
   */
  readonly perPixelX: number;
  readonly perPixelY: number;
  /** The chosen level; undefined for the one that fits. */
  readonly level?: number | undefined;
  /** The indices of the drawn channels; ignored if the field has none. */
  readonly channels: readonly number[];
  /** The axis and the distance of the expected next steps. */
  readonly heading?: { readonly axis: number; readonly step: number } | undefined;
}

/** The cost of reading the wanted tiles. */
export interface Cost extends ReadCost {
  /** The level. */
  readonly level: number;
}

/** An available rectangle of one level and one channel. */
export interface Tile {
  /** Its key among the tiles of its field. */
  readonly key: string;
  readonly level: number;
  /** The channel's index; 0 if the field has none. */
  readonly channel: number;
  /** The rectangle, in elements of the finest level. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Its numbers, ready to draw. */
  readonly pixels: Pixels;
  /** Returns the exact stored element by column and row of the pixels; a list for colours. */
  value(column: number, row: number): unknown;
}

/** Statistics of a field's numbers, in the values' own units. */
export interface Statistics {
  readonly least: number;
  readonly most: number;
  /** The number of surveyed elements, and of the missing ones among them. */
  readonly count: number;
  readonly missing: number;
  /** Whether the survey covers the whole slice. */
  readonly whole: boolean;
  /** Whether the survey covers a volume. */
  readonly volume?: boolean;
  /** The exact extremes of integers that a range in float64 does not show. */
  readonly close?: Close | null | undefined;
  /** The counts in 256 equal bins between least and most. */
  readonly histogram: Uint32Array;
  /** Returns the value below which a share of the numbers lies, from 0 to 1. */
  quantile(share: number): number;
}

/** The tiles of a field. Requests those in view, caches available ones, and drops unwanted ones. */
export interface Tiles {
  /** Returns the cost of the tiles that are not available. Requests nothing. */
  cost(wanted: Wanted): Cost;
  /**
   * Sets the part in view. Aborts unwanted reads, and requests missing tiles: visible ones first,
   * then coarser ones, then those of the next steps.
   */
  want(wanted: Wanted): void;
  /**
   * Returns the available tiles of the wanted part, in drawing order. Other levels fill in for
   * missing tiles, coarse ones below fine ones. Tiles of other indices are never included, so there
   * may be none after a step. A key keeps its tile object while the tile is cached.
   */
  ready(): readonly Tile[];
  /** Whether all tiles in view are available at their level. */
  readonly complete: boolean;
  /** Whether a tile in view is still expected; failed ones are not. */
  readonly busy: boolean;
  /**
   * The meaning of the pixels' numbers. Missing 64-bit numbers are NaN. It adds the base that was
   * subtracted.
   */
  readonly packing: Packing;
  /**
   * The numbers of arrived and of requested chunks in view. If a chunk is read in parts, each part
   * counts.
   */
  readonly progress: { readonly done: number; readonly total: number };
  /** The level that was chosen. */
  readonly level: number;
  /**
   * Returns statistics of a channel, 0 if there is none, at the indices of the last want. They use
   * the coarsest level.
   */
  statistics(channel: number, signal?: AbortSignal): Promise<Statistics>;
  /**
   * Returns the exact stored element at a position in elements of the finest level; undefined
   * without a tile.
   */
  value(x: number, y: number, channel: number): { readonly value: unknown; readonly level: number } | undefined;
  /** Retries failed reads. */
  retry(): void;
  /** Ends all reads; no callback follows. */
  close(): void;
}

/** Events of {@link Tiles}. */
export interface TilesEvents {
  /** The available tiles or the progress changed, so the picture should be drawn again. */
  changed(): void;
  /**
   * A read of a tile in view failed other than by abort. Called once per tile, until the tile comes
   * into view again; retry requests it again. Other reads continue.
   */
  failed(error: unknown): void;
}

/** Bounds of a {@link Tiles}. */
export interface TilesOptions {
  /** The largest size of cached decoded tiles, in bytes. The default is 256 MiB. */
  readonly bytes?: number | undefined;
  /** The largest number of concurrent reads. The default is 16. */
  readonly reads?: number | undefined;
  /** The drawn field of structs. The default is the first. */
  readonly member?: string | undefined;
  /** The drawn part of complex numbers. The default is the magnitude. */
  readonly part?: ComplexPart | undefined;
}
