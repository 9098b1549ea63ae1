import type { Packing } from "../../describe/field.js";
import type { Pixels } from "../paint/painter.js";
import type { CellMap } from "./mesh.js";

/** Numbers that a task takes. */
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

/** How a rectangle lies in its numbers: elements from one column, row and part of a colour to the next. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly parts: 1 | 3 | 4;
  readonly strideX: number;
  readonly strideY: number;
  readonly strideC: number;
}

/** The part of a complex number that is drawn. */
export type Part = "magnitude" | "phase" | "real" | "imaginary";

/** What the stored numbers are. */
export interface Meaning {
  /** The part of complex numbers, which lie in pairs; null where the numbers are real. */
  readonly complex: Part | null;
  /** Whether the least 64-bit integer is no time. */
  readonly time: boolean;
  readonly packing: Packing;
}

/**
 * What pixels are made of: the numbers as they are, in the order of pixels; float32 of them, less a base, NaN where one is missing; or 32-bit
 * integers of 64-bit ones, of which equal ones stay equal.
 */
export type Form = "same" | "float" | "label";

/** Makes pixels. The base is chosen by the first numbers where it is null. */
export interface Prepare {
  readonly task: "prepare";
  readonly source: Numbers;
  readonly layout: Layout;
  readonly meaning: Meaning;
  readonly form: Form;
  readonly base: number | null;
}

/** Pixels, and what they were made of. */
export interface Prepared {
  readonly data: Pixels["data"];
  readonly source: Numbers;
  /** The base that was taken away; null where all numbers are missing, so that none was chosen. */
  readonly base: number | null;
}

/** Looks at numbers: of colours only at red, green and blue. */
export interface Survey {
  readonly task: "survey";
  readonly sources: readonly { readonly source: Numbers; readonly layout: Layout }[];
  readonly meaning: Meaning;
}

/** What was found. Least and most are NaN where all numbers are missing. */
export interface Surveyed {
  readonly least: number;
  readonly most: number;
  readonly count: number;
  readonly missing: number;
  readonly histogram: Uint32Array;
  /** The values below which equal shares of the numbers lie: the first is the least, the last the largest. */
  readonly quantiles: Float64Array;
}

/** Reduces a line to so many stretches. */
export interface Extremes {
  readonly task: "extremes";
  readonly values: ArrayLike<number>;
  readonly count: number;
}

/** The least and the largest number of each stretch, NaN where all of it are missing. */
export interface Extreme {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** Makes the values of numbers, in their own units. */
export interface Unpack {
  readonly task: "unpack";
  readonly source: Numbers;
  /** How many elements there are; of complex numbers half of the numbers. */
  readonly count: number;
  readonly meaning: Meaning;
}

/** The values, NaN where one is missing, and what they were made of. */
export interface Unpacked {
  readonly values: Float64Array;
  readonly source: Numbers;
}

/** Numbers that are taken from others, or that others are taken from. */
export interface Operand {
  readonly source: Numbers;
  /** Elements from one to the next along each axis of the result; 0 where it has no such axis. */
  readonly strides: readonly number[];
  readonly meaning: Meaning;
}

/** Takes the values of the second from those of the first. */
export interface Subtract {
  readonly task: "subtract";
  readonly first: Operand;
  readonly second: Operand;
  /** The shape of the result. */
  readonly shape: readonly number[];
}

/** The differences in their own units, row by row: NaN where either is missing. */
export interface Subtracted {
  readonly values: Float64Array;
}

/** Makes the numbers of an image: as they are stored, or their values in their own units. */
export interface Samples {
  readonly task: "samples";
  readonly source: Numbers;
  readonly meaning: Meaning;
  /** `stored` leaves them as they are; else they are float32 or float64, NaN where one is missing. */
  readonly form: "stored" | "float32" | "float64";
  readonly width: number;
  readonly height: number;
  /** Numbers of a place. */
  readonly parts: number;
  /** Whether the last column, the last row comes first. */
  readonly flipX: boolean;
  readonly flipY: boolean;
}

/** The numbers, and the first integer that a float64 cannot hold; null where there is none. */
export interface Sampled {
  readonly numbers: Numbers;
  readonly lost: bigint | null;
}

/** Finds which cell of a curvilinear grid lies under each pixel of a map. */
export interface Locate {
  readonly task: "locate";
  readonly width: number;
  readonly height: number;
  /** Of each cell, row by row; the corners of a cell are beside each other. */
  readonly longitude: Placed;
  readonly latitude: Placed;
  readonly corners: { readonly longitude: Placed; readonly latitude: Placed } | null;
}

/** Numbers in their order, and what they mean. */
export interface Placed {
  readonly source: Numbers;
  readonly meaning: Meaning;
}

/** Brings the elements of cells to the pixels of a map. */
export interface Gather {
  readonly task: "gather";
  readonly source: Numbers;
  /** The place in the source for each pixel; -1 where there is none. */
  readonly cells: Int32Array;
  /** What the pixels are, and what they are where there is no cell. */
  readonly form: "int16" | "int32" | "float32" | "float64";
  readonly fill: number;
}

/** The elements, pixel by pixel. */
export interface Gathered {
  readonly numbers: Int16Array | Int32Array | Float32Array | Float64Array;
}

/** What can be asked for. */
export type Task = Prepare | Survey | Extremes | Unpack | Subtract | Samples | Locate | Gather;
/** What a task gives. */
export type Result<T extends Task> = T extends Prepare
  ? Prepared
  : T extends Survey
    ? Surveyed
    : T extends Unpack
      ? Unpacked
      : T extends Subtract
        ? Subtracted
        : T extends Samples
          ? Sampled
          : T extends Locate
            ? CellMap
            : T extends Gather
              ? Gathered
              : Extreme;

/** What any task gives. */
export type Done = Prepared | Surveyed | Extreme | Unpacked | Subtracted | Sampled | CellMap | Gathered;

/** To the worker. */
export interface ToViewWorker {
  readonly id: number;
  readonly task: Task;
}

/** From the worker: its first message says that it has started. */
export type FromViewWorker =
  | { readonly ready: true }
  | { readonly id: number; readonly result: Done }
  | { readonly id: number; readonly error: string };
