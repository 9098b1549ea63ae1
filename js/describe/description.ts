import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import type { Fact } from "./fact.js";
import type { Field } from "./field.js";

/** A convention that was found. */
export interface Convention {
  /** Its name: `"xarray"`, `"CF"`, `"OME-Zarr"`, `"GeoZarr"`, `"AnnData"`, `"MuData"`, `"SpatialData"`, … */
  readonly name: string;
  /** Its version as it is written; `""` where nothing is said. */
  readonly version: string;
}

/** What a node violates of a convention, or what of it cannot be shown. */
export interface Problem {
  /** The path of the node that it is about. */
  readonly path: string;
  /** What is wrong, in a sentence. */
  readonly message: string;
}

/** What each description has. */
export interface Described {
  /** The path of the node. */
  readonly path: string;
  /** A title for people. */
  readonly title: Fact<string>;
  /** What was found, the most special first. */
  readonly conventions: readonly Convention[];
  /** What they violate. */
  readonly problems: readonly Problem[];
}

/** A variable of a dataset, as a line of a list. */
export interface Variable {
  /** Its name in the dataset. */
  readonly name: string;
  /** The path of its array. */
  readonly path: string;
  /** The names of its dimensions. */
  readonly dimensions: readonly string[];
  /** The lengths of these. */
  readonly shape: readonly number[];
  /** The shape of its chunks. */
  readonly chunks: readonly number[];
  /** The type of what is decoded, or stored. */
  readonly dtype: string;
  /** Its `long_name` or `standard_name`; `""` where it has none. */
  readonly title: string;
  /** Its units; `""` where nothing is said. */
  readonly units: string;
  /** How many bytes its elements take when they are decoded. */
  readonly bytes: number;
}

/** One array, or one variable. */
export interface ArrayDescription extends Described {
  /** What the node is. */
  readonly kind: "array";
  /** The array. */
  readonly node: ZarrArray;
  /** What there is to look at. */
  readonly field: Field;
}

/** An image with its levels. */
export interface ImageDescription extends Described {
  /** What the node is. */
  readonly kind: "image";
  /** The group. */
  readonly node: Group;
  /** What there is to look at. */
  readonly field: Field;
  /** Images of labels over it, by their paths. */
  readonly labels: readonly { readonly name: string; readonly path: string }[];
  /** All images or variables of the group, where there are several, as `options.image` of `describe` takes them; else empty. */
  readonly images: readonly string[];
}

/** Variables with common dimensions. */
export interface DatasetDescription extends Described {
  /** What the node is. */
  readonly kind: "dataset";
  /** The group. */
  readonly node: Group;
  /** The dimensions and their lengths. */
  readonly dimensions: readonly { readonly name: string; readonly length: number }[];
  /** The coordinates. */
  readonly coordinates: readonly Variable[];
  /** The other variables. */
  readonly variables: readonly Variable[];
  /** The path of the variable to look at first; null where there is none. */
  readonly first: Fact<string> | null;
  /** Reads the extent of a coordinate: its first and last position in words. Null where it has none. */
  extent(name: string, signal?: AbortSignal): Promise<{ readonly first: string; readonly last: string } | null>;
}

/** Wells in rows and columns. */
export interface PlateDescription extends Described {
  /** What the node is. */
  readonly kind: "plate";
  /** The group. */
  readonly node: Group;
  /** The names of the rows. */
  readonly rows: readonly string[];
  /** The names of the columns. */
  readonly columns: readonly string[];
  /** The wells that there are, by their row and column, from 0. */
  readonly wells: readonly { readonly row: number; readonly column: number; readonly path: string }[];
  /** The paths of the images of a well. */
  images(path: string, signal?: AbortSignal): Promise<readonly string[]>;
}

/** A column of a table. */
export interface TableColumn {
  /** Its name. */
  readonly name: string;
  /** What it holds. */
  readonly kind: "number" | "boolean" | "category" | "text" | "other";
}

/** Rows with columns, and points. */
export interface TableDescription extends Described {
  /** What the node is. */
  readonly kind: "table";
  /** The group. */
  readonly node: Group;
  /** How many rows there are. */
  readonly length: number;
  /** The columns, that of the index first. */
  readonly columns: readonly TableColumn[];
  /** Sets of points, a row of the table each, like `X_umap`. */
  readonly embeddings: readonly { readonly name: string; readonly dimensions: number }[];
  /** Reads rows `[start, stop)` of columns: values in words, `null` where one is missing. */
  rows(
    start: number,
    stop: number,
    columns: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (readonly (string | null)[])[]>;
  /** Reads a column as numbers: a category is the index of its name in `labels`. */
  numbers(
    column: string,
    signal?: AbortSignal,
  ): Promise<{ readonly values: Float64Array; readonly labels: readonly string[] | null }>;
  /** Reads the points of an embedding: its first two dimensions. */
  points(embedding: string, signal?: AbortSignal): Promise<{ readonly x: Float32Array; readonly y: Float32Array }>;
}

/** A group that holds other nodes. */
export interface GroupDescription extends Described {
  /** What the node is. */
  readonly kind: "group";
  /** The group. */
  readonly node: Group;
  /** The paths of what its metadata name or its store lists, to look at next; null where nothing tells. */
  readonly members: readonly { readonly path: string; readonly kind: "array" | "group" | "unknown" }[] | null;
}

/** What a node is, and what there is to look at. */
export type Description =
  | ArrayDescription
  | ImageDescription
  | DatasetDescription
  | PlateDescription
  | TableDescription
  | GroupDescription;
