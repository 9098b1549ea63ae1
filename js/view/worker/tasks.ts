import type { Packing } from "../../describe/field.js";
import type { Pixels } from "../paint/painter.js";
import type { CellMap } from "./mesh.js";
import type { Step } from "./operations.js";

/** The numbers of a task. */
export type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** The layout of a rectangle in its numbers: the strides of columns, rows and parts of a colour. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly parts: 1 | 3 | 4;
  readonly strideX: number;
  readonly strideY: number;
  readonly strideC: number;
}

/** The drawn part of a complex number. */
export type ComplexPart = "magnitude" | "phase" | "real" | "imaginary";

/** The meaning of stored numbers. */
export interface Meaning {
  /** The part of complex numbers, which are stored in pairs; null for real numbers. */
  readonly complex: ComplexPart | null;
  /** Whether the least 64-bit integer means not-a-time. */
  readonly time: boolean;
  readonly packing: Packing;
}

/**
 * The form of pixels. `same` keeps the numbers, in pixel order. `float` converts to float32 minus a
 * base, with NaN for missing values. `label` folds 64-bit integers to 32 bits, so that equal ones
 * stay equal.
 */
export type Form = "same" | "float" | "label";

/** Converts numbers to pixels. If the base is null, the numbers choose it. */
export interface Prepare {
  readonly task: "prepare";
  readonly source: Numbers;
  readonly layout: Layout;
  readonly meaning: Meaning;
  readonly form: Form;
  readonly base: number | null;
}

/** Pixels, and the source numbers. */
export interface Prepared {
  readonly data: Pixels["data"];
  readonly source: Numbers;
  /** The subtracted base. Null if all numbers are missing, so that none was chosen. */
  readonly base: number | null;
}

/** Surveys numbers; of colours only red, green and blue. */
export interface Survey {
  readonly task: "survey";
  readonly sources: readonly { readonly source: Numbers; readonly layout: Layout }[];
  readonly meaning: Meaning;
}

/**
 * The least and the largest of 64-bit integers that differ by less than half of the range that
 * float64 gives them.
 */
export type Close = readonly [least: bigint, most: bigint];

/** The result of a survey. Least and most are NaN if all numbers are missing. */
export interface Surveyed {
  readonly least: number;
  readonly most: number;
  readonly count: number;
  readonly missing: number;
  readonly histogram: Uint32Array;
  /**
   * The values that divide the numbers into equal shares. The first is the least and the last the
   * largest.
   */
  readonly quantiles: Float64Array;
  /** The exact extremes of integers that a range in float64 does not show; null for others. */
  readonly close?: Close | null;
}

/** Reduces a line to `count` stretches. */
export interface Extremes {
  readonly task: "extremes";
  readonly values: ArrayLike<number>;
  readonly count: number;
}

/** The least and the largest number of each stretch, NaN if all are missing. */
export interface Extreme {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** Unpacks numbers to values in their own units. */
export interface Unpack {
  readonly task: "unpack";
  readonly source: Numbers;
  /** The number of elements: half of the numbers if they are complex. */
  readonly count: number;
  readonly meaning: Meaning;
}

/** The values, NaN if missing, and the source numbers. */
export interface Unpacked {
  readonly values: Float64Array;
  readonly source: Numbers;
  /** The exact extremes of integers that float64 does not distinguish; null for others. */
  readonly close: Close | null;
}

/** One operand of a computation. */
export interface Operand {
  readonly source: Numbers;
  /** The stride along each axis of the result; 0 for axes that the operand lacks. */
  readonly strides: readonly number[];
  readonly meaning: Meaning;
}

/** Computes values from those of operands. */
export interface Compute {
  readonly task: "compute";
  readonly operands: readonly Operand[];
  readonly program: readonly Step[];
  /** The shape of the result. */
  readonly shape: readonly number[];
}

/** The values in their own units, row by row; NaN if missing. */
export interface Computed {
  readonly values: Float64Array;
}

/** Converts the numbers of an image: stored numbers, or values in their own units. */
export interface Samples {
  readonly task: "samples";
  readonly source: Numbers;
  readonly meaning: Meaning;
  /** `stored` keeps the numbers. The other forms are float32 or float64 values, NaN if missing. */
  readonly form: "stored" | "float32" | "float64";
  readonly width: number;
  readonly height: number;
  /** The numbers per place. */
  readonly parts: number;
  /** Whether to reverse columns, and rows. */
  readonly flipX: boolean;
  readonly flipY: boolean;
}

/** The numbers, and the first integer that a float64 cannot hold; null if there is none. */
export interface Sampled {
  readonly numbers: Numbers;
  readonly lost: bigint | null;
}

/** Finds the cell of a curvilinear grid under each pixel of a map. */
export interface Locate {
  readonly task: "locate";
  readonly width: number;
  readonly height: number;
  /** The positions of each cell, row by row. The corners of a cell are consecutive. */
  readonly longitude: Placed;
  readonly latitude: Placed;
  readonly corners: { readonly longitude: Placed; readonly latitude: Placed } | null;
}

/** Numbers in their order, and their meaning. */
export interface Placed {
  readonly source: Numbers;
  readonly meaning: Meaning;
}

/** Gathers the elements of cells for the pixels of a map. */
export interface Gather {
  readonly task: "gather";
  readonly source: Numbers;
  /** The place in the source for each pixel; -1 if there is none. */
  readonly cells: Int32Array;
  /** The form of the pixels, and their value without a cell. */
  readonly form: "int16" | "int32" | "float32" | "float64";
  readonly fill: number;
}

/** The elements, pixel by pixel. */
export interface Gathered {
  readonly numbers: Int16Array | Int32Array | Float32Array | Float64Array;
}

/** Summarises the values of a rectangle in one or several planes. */
export interface Summarise {
  readonly task: "summarise";
  readonly source: Numbers;
  readonly meaning: Meaning;
  readonly strideX: number;
  readonly strideY: number;
  /** The number of planes, and their stride. */
  readonly planes: number;
  readonly strideZ: number;
  /** The weight of each column, and of each row; an element has their product. */
  readonly columns: Float64Array;
  readonly rows: Float64Array;
  /** 1 for each element of the region, row by row; null if all belong to it. */
  readonly mask: Uint8Array | null;
  /** The values whose shares are summed; undefined for none. */
  readonly classes?: readonly number[] | undefined;
  /** The groups of a plane with statistics of their own. */
  readonly by: "plane" | "column" | "row";
}

/**
 * The statistics of each group, plane by plane. Missing values are only counted. Those of two parts
 * of a group can be combined.
 */
export interface Summarised {
  readonly count: Float64Array;
  readonly missing: Float64Array;
  /** Infinities if all values are missing. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** The sum of the weights. */
  readonly weights: Float64Array;
  /** The weighted mean; 0 without weights. */
  readonly mean: Float64Array;
  /** The weighted sum of the squared distances from the mean. */
  readonly squares: Float64Array;
  /** The sum of the weights of each class, group by group. */
  readonly classes: Float64Array;
}

/** The tasks of the worker. */
export type Task = Prepare | Survey | Extremes | Unpack | Compute | Samples | Locate | Gather | Summarise;
/** The result of a task. */
export type Result<T extends Task> = T extends Prepare
  ? Prepared
  : T extends Survey
    ? Surveyed
    : T extends Unpack
      ? Unpacked
      : T extends Compute
        ? Computed
        : T extends Samples
          ? Sampled
          : T extends Locate
            ? CellMap
            : T extends Gather
              ? Gathered
              : T extends Summarise
                ? Summarised
                : Extreme;

/** The results of all tasks. */
export type Done = Prepared | Surveyed | Extreme | Unpacked | Computed | Sampled | CellMap | Gathered | Summarised;

/** A message to the worker. */
export interface ToViewWorker {
  readonly id: number;
  readonly task: Task;
}

/** A message from the worker. The first one reports its start. */
export type FromViewWorker =
  | { readonly ready: true }
  | { readonly id: number; readonly result: Done }
  | { readonly id: number; readonly error: string };
