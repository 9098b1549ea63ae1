import type { ZarrArray } from "../api/array.js";
import type { Fact } from "./fact.js";

/** The role of an axis. */
export type Role = "x" | "y" | "z" | "time" | "channel" | "colour" | "other";

/** Positions along an axis, by index. */
export interface Coordinate {
  /** The kind of the positions: numbers, times or names. */
  readonly kind: "number" | "time" | "text";
  /** The name of its variable, or of the metadata that state it. */
  readonly name: string;
  /** The units as text; `""` if none are stated. */
  readonly units: string;
  /** The number of positions, equal to the length of the axis. */
  readonly length: number;
  /**
   * The position at an index as a number. Times of a standard calendar are milliseconds since 1970.
   * NaN if the position is not a number.
   */
  number(index: number): number;
  /** The position at an index as display text, with units. */
  text(index: number): string;
  /**
   * The index nearest to a text that a person typed: a number, a date or a name. Undefined if
   * nothing fits.
   */
  find(text: string): number | undefined;
}

/** An axis of a field. */
export interface Axis {
  /** The dimension's name; `dim_0`, `dim_1`, … if it has none. */
  readonly name: string;
  /** A title for display: its `long_name`, or its name. */
  readonly title: string;
  /** The role. */
  readonly role: Fact<Role>;
  /** The number of elements of the finest level along it. */
  readonly length: number;
  /** The units of its positions; `""` if none are stated. */
  readonly units: string;
  /** Reads its positions, once; null if there are none. Rejects only when the signal is aborted. */
  coordinate(signal?: AbortSignal): Promise<Coordinate | null>;
}

/** One resolution of a field. */
export interface FieldLevel {
  /** The array. */
  readonly array: ZarrArray;
  /** For each axis: how many elements of the finest level one element of this level covers. */
  readonly factor: readonly number[];
  /**
   * For each axis: the start of the first element of this level, in elements of the finest level.
   */
  readonly start: readonly number[];
  /**
   * The number of chunks read for one chunk of the array, if several arrays form it; undefined for
   * 1.
   */
  readonly reads?: number | undefined;
  /** The decoded bytes of each such chunk; undefined if they equal the array's chunks. */
  readonly bytes?: number | undefined;
}

/** The axes that are drawn, by position. */
export interface Plane {
  /** The axis drawn to the right; null if the field is one value. */
  readonly x: number | null;
  /** The axis drawn downwards; null if the field is a line. */
  readonly y: number | null;
  /** Whether the first row is drawn at the bottom. */
  readonly up: boolean;
  /** Whether the first column is drawn at the right. */
  readonly left: boolean;
}

/**
 * The meaning of stored numbers: which are missing, and `stored * scale + offset` for the others.
 */
export interface Packing {
  /** The factor. */
  readonly scale: number;
  /** The offset, added after scaling. */
  readonly offset: number;
  /** Stored values that mean "missing". NaN is always missing. */
  readonly missing: readonly (number | bigint)[];
  /** The smallest and largest valid stored value; null if none is stated. */
  readonly valid: readonly [least: number, most: number] | null;
  /**
   * The type as which stored integers are reinterpreted first, like int8 as `uint8` by `_Unsigned`.
   * `missing` and `valid` are of this type. Null or undefined without reinterpretation.
   */
  readonly type?: string | null | undefined;
}

/** One channel of an image. */
export interface Channel {
  /** The name for display. */
  readonly label: string;
  /** The colour: red, green and blue from 0 to 255. */
  readonly colour: Fact<readonly [red: number, green: number, blue: number]>;
  /** The values drawn darkest and brightest; null if statistics must decide. */
  readonly window: Fact<readonly [low: number, high: number]> | null;
  /** Whether it is drawn initially. */
  readonly visible: boolean;
}

/** A value with a category name. */
export interface Category {
  /** The stored value. */
  readonly value: number;
  /** The name. */
  readonly label: string;
  /** The colour; null if none is stated. */
  readonly colour: readonly [red: number, green: number, blue: number] | null;
}

/** The kind of a field's elements. */
export type Values = "number" | "boolean" | "category" | "time" | "duration" | "complex" | "text" | "struct" | "bytes";

/** Element positions of a curvilinear grid: the centres, and perhaps the corners. */
export interface Curvilinear {
  /** Degrees east. */
  readonly longitude: ZarrArray;
  /** Degrees north. */
  readonly latitude: ZarrArray;
  /** The four corners of each element, along one more axis at the end; null if none are stated. */
  readonly bounds: { readonly longitude: ZarrArray; readonly latitude: ZarrArray } | null;
}

/** The position of a field on the Earth. */
export interface Place {
  /** Whether the positions along the axes of the plane are degrees east and north. */
  readonly lonLat: boolean;
  /**
   * Longitudes and latitudes of each element of a curvilinear grid. The arrays have the plane's two
   * axes, y first. Leading axes of length 1 may precede them.
   */
  readonly curvilinear: Curvilinear | null;
  /**
   * Maps column and row to x and y of the reference system: `[a, b, c, d, e, f]` with x = a·col +
   * b·row + c. Integers are corners of elements; centres lie half an element further. Null if none
   * is stated.
   */
  readonly transform: readonly number[] | null;
  /** The reference system, like `EPSG:4326`; `""` if none is stated. */
  readonly crs: string;
}

/** Something to draw: one array or the levels of one image, and the meaning of its numbers. */
export interface Field {
  /** The path of the node. */
  readonly path: string;
  /** The name: the last part of the path. */
  readonly name: string;
  /** A title for display. */
  readonly title: Fact<string>;
  /** The units of the values; `""` if none are stated. */
  readonly units: string;
  /** The kind of the elements. */
  readonly values: Values;
  /** The axes, in the order of the arrays' dimensions. */
  readonly axes: readonly Axis[];
  /** The levels, the finest first. There is at least one. */
  readonly levels: readonly FieldLevel[];
  /** The plane drawn initially. */
  readonly plane: Fact<Plane>;
  /** The initial index of each axis; 0 for the axes of the plane. */
  readonly indices: readonly number[];
  /** The axis with red, green, blue and perhaps alpha; null if there is none. */
  readonly colourAxis: number | null;
  /** The channel axis and its channels; null if there is none. */
  readonly channels: { readonly axis: number; readonly list: readonly Channel[] } | null;
  /** The meaning of the stored numbers. */
  readonly packing: Packing;
  /** The categories, if the values have any. */
  readonly categories: readonly Category[];
  /** Whether the values are labels of objects: integers with 0 as the background. */
  readonly labels: boolean;
  /**
   * The smallest and largest value to draw, in the units of the values; null if statistics must
   * decide.
   */
  readonly range: Fact<readonly [low: number, high: number]> | null;
  /**
   * The progression of values: from low to high, both ways from a middle, around a circle, or none.
   */
  readonly scale: Fact<"sequential" | "diverging" | "cyclic" | "categorical">;
  /** The position on the Earth; null if it has none. */
  readonly place: Place | null;
  /** The names of struct fields; empty if the elements are not structs. */
  readonly members: readonly string[];
  /**
   * The meaning of a stored element as display text with units: `"missing"`, a date, a category, a
   * number.
   */
  text(value: unknown): string;
}
