import { type NumberType, numberArrays } from "../data/numberarrays.js";
import type { TimeValues } from "./times.js";

/** @internal The types of numbers that are decoded, with the classes that hold them. */
export type NumberName = NumberType | "complex64" | "complex128";

/** @internal Arrays of numbers. */
export type Numbers = TimeValues | Float32Array;

/** @internal What is done to numbers, as data: it is sent to the worker that does it. */
export interface Plan {
  /**
   * `numbers` masks with NaN, and unpacks. `marks` leaves the numbers as they are, and marks which are missing. `truth` gives 1
   * for all but 0.
   */
  kind: "numbers" | "marks" | "truth";
  /** The type that the elements are taken for. */
  from: NumberName;
  /** The type of the result. */
  to: NumberName;
  /** What is missing, as values of `from`; of complex numbers, real and imaginary part. NaN is none: it is missing by itself. */
  missing: (number | bigint | [re: number, im: number])[];
  /** What is smaller is missing. */
  least?: number | bigint | undefined;
  /** What is larger is missing. */
  most?: number | bigint | undefined;
  /** What is multiplied by, and then what is added. */
  scale?: number | undefined;
  offset?: number | undefined;
}

/** @internal What a plan makes. */
export interface Output {
  data: Numbers;
  /** 1 for each element that is missing, where the plan marks them. */
  marks?: Uint8Array | undefined;
}

/** @internal How many elements a plan has masked, and how many of the result are missing. */
export interface Counts {
  masked: number;
  missing: number;
}

/** @internal Bytes of a number; of a complex one, of its parts. */
export const sizeOf = (name: NumberName): number =>
  ({ int8: 1, int16: 2, int32: 4, int64: 8, uint8: 1, uint16: 2, uint32: 4, uint64: 8, float16: 2 })[name as string] ??
  (name === "float32" || name === "complex64" ? 4 : 8);

/** @internal Elements of a typed array that one element takes. */
export const partsOf = (name: NumberName): number => (name.startsWith("complex") ? 2 : 1);

const classes = { ...numberArrays, complex64: Float32Array, complex128: Float64Array };

/** The class of the arrays that hold numbers. */
function classOf(name: NumberName): new (from: number | ArrayBufferLike, at?: number, length?: number) => Numbers {
  return classes[name] as unknown as ReturnType<typeof classOf>;
}

/** @internal One number; of a complex one, its parts. */
export function single(name: NumberName, values: readonly (number | bigint)[]): Numbers {
  const data = new (classOf(name))(values.length);
  for (const [i, value] of values.entries()) (data as unknown as (number | bigint)[])[i] = value;
  return data;
}

/** @internal Room for what a plan makes of so many elements. */
export function roomFor(plan: Plan, count: number): Output {
  return {
    data: new (classOf(plan.to))(count * partsOf(plan.to)),
    marks: plan.kind === "marks" ? new Uint8Array(count) : undefined,
  };
}

/** @internal The same bytes as numbers of another type, where that has the same size; else the same array. */
export function viewedAs(data: Numbers, name: NumberName | undefined): Numbers {
  if (name === undefined || name === "float16") return data;
  const Of = classOf(name);
  if (data instanceof Of || data.BYTES_PER_ELEMENT !== sizeOf(name)) return data;
  return new Of(data.buffer, data.byteOffset, data.length);
}
