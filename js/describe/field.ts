import type { ZarrArray } from "../api/array.js";
import type { Fact } from "./fact.js";

/** What an axis stands for. */
export type Role = "x" | "y" | "z" | "time" | "channel" | "colour" | "other";

/** Positions along an axis: what its indices mean. */
export interface Coordinate {
  /** Whether the positions are numbers, times or names. */
  readonly kind: "number" | "time" | "text";
  /** The name of its variable, or of what states it. */
  readonly name: string;
  /** Its units in words; `""` where nothing is said. */
  readonly units: string;
  /** How many positions there are: the length of the axis. */
  readonly length: number;
  /** The position of an index as a number: milliseconds since 1970 of a time of a usual calendar. NaN where it is none. */
  number(index: number): number;
  /** The position of an index as people write it, with its units. */
  text(index: number): string;
  /** The index nearest to what a person wrote: a number, a date, a name. Undefined where nothing fits. */
  find(text: string): number | undefined;
}

/** An axis of a field. */
export interface Axis {
  /** The dimension's name, or `dim_0`, `dim_1`, … where it has none. */
  readonly name: string;
  /** A title for people: its `long_name`, or its name. */
  readonly title: string;
  /** What it stands for. */
  readonly role: Fact<Role>;
  /** How many elements the finest level has along it. */
  readonly length: number;
  /** The units of its positions; `""` where nothing is said. */
  readonly units: string;
  /** Reads its positions, once; null where there are none. Rejects only when the signal is aborted. */
  coordinate(signal?: AbortSignal): Promise<Coordinate | null>;
}

/** One resolution of a field. */
export interface FieldLevel {
  /** The array. */
  readonly array: ZarrArray;
  /** Along each axis, how many elements of the finest level one of this level covers. */
  readonly factor: readonly number[];
  /** Along each axis, where the first element of this level begins, in elements of the finest level. */
  readonly start: readonly number[];
  /** How many chunks are read for one of the array's, where it is made of several arrays; undefined for 1. */
  readonly reads?: number | undefined;
  /** Bytes of each of these, decoded; undefined where they are as large as the array's own. */
  readonly bytes?: number | undefined;
}

/** What is drawn: axes by their position. */
export interface Plane {
  /** The axis drawn to the right; null where the field is one value. */
  readonly x: number | null;
  /** The axis drawn downwards; null where the field is a line. */
  readonly y: number | null;
  /** Whether the first row is drawn at the bottom. */
  readonly up: boolean;
  /** Whether the first column is drawn at the right. */
  readonly left: boolean;
}

/** What of the stored numbers is missing, and what the others mean: `stored * scale + offset`. */
export interface Packing {
  /** The factor. */
  readonly scale: number;
  /** What is added after the factor. */
  readonly offset: number;
  /** Stored values that mean that there is none. NaN is always missing. */
  readonly missing: readonly (number | bigint)[];
  /** The least and the largest stored value that is valid; null where nothing is said. */
  readonly valid: readonly [least: number, most: number] | null;
  /**
   * The type that the bits of the stored integers are taken for before anything else, like `uint8` of int8 by `_Unsigned`: `missing` and
   * `valid` are of it. Null or undefined where they are of their own.
   */
  readonly type?: string | null | undefined;
}

/** One channel of an image. */
export interface Channel {
  /** Its name for people. */
  readonly label: string;
  /** Its colour, red, green and blue from 0 to 255. */
  readonly colour: Fact<readonly [red: number, green: number, blue: number]>;
  /** The values drawn darkest and brightest; null where statistics have to tell. */
  readonly window: Fact<readonly [low: number, high: number]> | null;
  /** Whether it is drawn at first. */
  readonly visible: boolean;
}

/** A value that is a category. */
export interface Category {
  /** The stored value. */
  readonly value: number;
  /** Its name. */
  readonly label: string;
  /** Its colour where it is stated. */
  readonly colour: readonly [red: number, green: number, blue: number] | null;
}

/** What the elements of a field are. */
export type Values = "number" | "boolean" | "category" | "time" | "duration" | "complex" | "text" | "struct" | "bytes";

/** Where the elements of a curvilinear grid are: their middles, and perhaps their corners. */
export interface Curvilinear {
  /** Degrees east. */
  readonly longitude: ZarrArray;
  /** Degrees north. */
  readonly latitude: ZarrArray;
  /** The four corners of each element, along one more axis at the end; null where none are stated. */
  readonly bounds: { readonly longitude: ZarrArray; readonly latitude: ZarrArray } | null;
}

/** Where a field lies on the Earth. */
export interface Place {
  /** Whether the positions along the axes of the plane are degrees east and north. */
  readonly lonLat: boolean;
  /**
   * Longitudes and latitudes of each element, of a curvilinear grid: arrays with the plane's two axes, y first; axes of one element may
   * come before them.
   */
  readonly curvilinear: Curvilinear | null;
  /**
   * From column and row to the reference system's x and y: `[a, b, c, d, e, f]` with x = a·col + b·row + c. Integers are the corners of
   * elements, whose middles lie half an element further. Null where nothing is said.
   */
  readonly transform: readonly number[] | null;
  /** The reference system, like `EPSG:4326`; `""` where nothing is said. */
  readonly crs: string;
}

/** Something that can be looked at: one array, or the levels of one image, and what its numbers mean. */
export interface Field {
  /** The path of the node that it describes. */
  readonly path: string;
  /** Its name: the last part of the path. */
  readonly name: string;
  /** A title for people. */
  readonly title: Fact<string>;
  /** What the values are multiples of; `""` where nothing is said. */
  readonly units: string;
  /** What the elements are. */
  readonly values: Values;
  /** The axes, in the order of the arrays' dimensions. */
  readonly axes: readonly Axis[];
  /** The levels, the finest first. There is at least one. */
  readonly levels: readonly FieldLevel[];
  /** What is drawn at first. */
  readonly plane: Fact<Plane>;
  /** The index of each axis at first; that of the plane's axes is 0. */
  readonly indices: readonly number[];
  /** The axis whose elements are red, green, blue and perhaps alpha; null where there is none. */
  readonly colourAxis: number | null;
  /** The axis whose elements are channels, and these; null where there is none. */
  readonly channels: { readonly axis: number; readonly list: readonly Channel[] } | null;
  /** What the stored numbers mean. */
  readonly packing: Packing;
  /** The categories, where the values are such. */
  readonly categories: readonly Category[];
  /** Whether the values are labels of objects: integers of which 0 is the background. */
  readonly labels: boolean;
  /** The least and the largest value to be drawn, in the units of the values; null where statistics have to tell. */
  readonly range: Fact<readonly [low: number, high: number]> | null;
  /** How the values run: from less to more, both ways from a middle, around a circle, or not at all. */
  readonly scale: Fact<"sequential" | "diverging" | "cyclic" | "categorical">;
  /** Where it lies on the Earth; null where it does not. */
  readonly place: Place | null;
  /** The fields of structs by their names; empty where the elements are none. */
  readonly members: readonly string[];
  /** What a stored element means, in words with its units: `"missing"`, a date, a category, a number. */
  text(value: unknown): string;
}
