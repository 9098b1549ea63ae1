import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import type { Fact } from "./fact.js";
import type { Field } from "./field.js";

/** A convention that a node follows. */
export interface Convention {
  /**
   * The name: `"xarray"`, `"CF"`, `"OME-Zarr"`, `"GeoZarr"`, `"AnnData"`, `"MuData"`,
   * `"SpatialData"`, …
   */
  readonly name: string;
  /** The version as written; `""` if none is stated. */
  readonly version: string;
}

/** A violation of a convention, or a part of a node that cannot be shown. */
export interface Problem {
  /** The path of the node with the problem. */
  readonly path: string;
  /** The problem, in one sentence. */
  readonly message: string;
}

/** The members common to all descriptions. */
export interface Described {
  /** The path of the node. */
  readonly path: string;
  /** A title for display. */
  readonly title: Fact<string>;
  /** The conventions found, the most specific first. */
  readonly conventions: readonly Convention[];
  /** The violations of these conventions. */
  readonly problems: readonly Problem[];
}

/** A variable of a dataset, as one row of a list. */
export interface Variable {
  /** The name in the dataset. */
  readonly name: string;
  /** The path of the array. */
  readonly path: string;
  /** The names of the dimensions. */
  readonly dimensions: readonly string[];
  /** The lengths of the dimensions. */
  readonly shape: readonly number[];
  /** The chunk shape. */
  readonly chunks: readonly number[];
  /** The decoded type, or the stored type if nothing is decoded. */
  readonly dtype: string;
  /** The `long_name` or `standard_name`; `""` if there is neither. */
  readonly title: string;
  /** The units; `""` if none are stated. */
  readonly units: string;
  /** The decoded size in bytes. */
  readonly bytes: number;
}

/** One array, or one variable. */
export interface ArrayDescription extends Described {
  /** The kind of the node. */
  readonly kind: "array";
  /** The array. */
  readonly node: ZarrArray;
  /** The field to draw. */
  readonly field: Field;
}

/** An image with its resolution levels. */
export interface ImageDescription extends Described {
  /** The kind of the node. */
  readonly kind: "image";
  /** The group. */
  readonly node: Group;
  /** The field to draw. */
  readonly field: Field;
  /** The label images over it, with their paths. */
  readonly labels: readonly { readonly name: string; readonly path: string }[];
  /**
   * All images or variables of a group with several, as values of `options.image` of `describe`.
   * Otherwise empty.
   */
  readonly images: readonly string[];
}

/** Variables that share dimensions. */
export interface DatasetDescription extends Described {
  /** The kind of the node. */
  readonly kind: "dataset";
  /** The group. */
  readonly node: Group;
  /** The dimensions and their lengths. */
  readonly dimensions: readonly { readonly name: string; readonly length: number }[];
  /** The coordinates. */
  readonly coordinates: readonly Variable[];
  /** The other variables. */
  readonly variables: readonly Variable[];
  /** The path of the variable to show first; null if there is none. */
  readonly first: Fact<string> | null;
  /** Reads the first and last position of a coordinate as text. Null if it has none. */
  extent(name: string, signal?: AbortSignal): Promise<{ readonly first: string; readonly last: string } | null>;
}

/** Wells arranged in rows and columns. */
export interface PlateDescription extends Described {
  /** The kind of the node. */
  readonly kind: "plate";
  /** The group. */
  readonly node: Group;
  /** The names of the rows. */
  readonly rows: readonly string[];
  /** The names of the columns. */
  readonly columns: readonly string[];
  /** The existing wells by row and column, counted from 0. */
  readonly wells: readonly { readonly row: number; readonly column: number; readonly path: string }[];
  /** Lists the paths of the images of a well. */
  images(path: string, signal?: AbortSignal): Promise<readonly string[]>;
}

/** A column of a table. */
export interface TableColumn {
  /** The name. */
  readonly name: string;
  /** The kind of values. */
  readonly kind: "number" | "boolean" | "category" | "text" | "other";
}

/** Rows and columns, with point sets. */
export interface TableDescription extends Described {
  /** The kind of the node. */
  readonly kind: "table";
  /** The group. */
  readonly node: Group;
  /** The number of rows. */
  readonly length: number;
  /** The columns, the index first. */
  readonly columns: readonly TableColumn[];
  /** Point sets with one point per row, like `X_umap`. */
  readonly embeddings: readonly { readonly name: string; readonly dimensions: number }[];
  /** Reads rows `[start, stop)` of columns as text. A missing value is `null`. */
  rows(
    start: number,
    stop: number,
    columns: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (readonly (string | null)[])[]>;
  /** Reads a column as numbers. A category is its index in `labels`. */
  numbers(
    column: string,
    signal?: AbortSignal,
  ): Promise<{ readonly values: Float64Array; readonly labels: readonly string[] | null }>;
  /** Reads the points of an embedding, in its first two dimensions. */
  points(embedding: string, signal?: AbortSignal): Promise<{ readonly x: Float32Array; readonly y: Float32Array }>;
}

/** A group that holds other nodes. */
export interface GroupDescription extends Described {
  /** The kind of the node. */
  readonly kind: "group";
  /** The group. */
  readonly node: Group;
  /** The members that the metadata or the store list; null if neither lists any. */
  readonly members: readonly { readonly path: string; readonly kind: "array" | "group" | "unknown" }[] | null;
}

/** A description of any kind of node. */
export type Description =
  | ArrayDescription
  | ImageDescription
  | DatasetDescription
  | PlateDescription
  | TableDescription
  | GroupDescription;
