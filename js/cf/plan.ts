import { type NumberType, numberArrays } from "../data/numberarrays.js";
import type { TimeValues } from "./times.js";

/** @internal The types of decoded numbers, with the array classes that hold them. */
export type NumberName = NumberType | "complex64" | "complex128";

/** @internal Arrays of numbers. */
export type Numbers = TimeValues | Float32Array;

/** @internal The operations on numbers, as data that can be sent to a worker. */
export interface Plan {
  /**
   * `numbers` masks with NaN and unpacks. `marks` keeps the numbers and marks the missing ones.
   * `truth` gives 1 for all but 0.
   */
  kind: "numbers" | "marks" | "truth";
  /** The type as which the elements are read. */
  from: NumberName;
  /** The type of the result. */
  to: NumberName;
  /**
   * The missing values, of type `from`; for complex numbers, real and imaginary part. NaN is always
   * missing and not listed.
   */
  missing: (number | bigint | [re: number, im: number])[];
  /** Smaller values are missing. */
  least?: number | bigint | undefined;
  /** Larger values are missing. */
  most?: number | bigint | undefined;
  /** The factor; `offset` is then added. */
  scale?: number | undefined;
  offset?: number | undefined;
}

/** @internal The result of a plan. */
export interface Output {
  data: Numbers;
  /** 1 for each missing element, if the plan marks them. */
  marks?: Uint8Array | undefined;
}

/** @internal The number of elements that a plan masked, and of missing elements in the result. */
export interface Counts {
  masked: number;
  missing: number;
}

/** @internal The bytes of a number, or of one part of a complex number. */
export const sizeOf = (name: NumberName): number =>
  ({ int8: 1, int16: 2, int32: 4, int64: 8, uint8: 1, uint16: 2, uint32: 4, uint64: 8, float16: 2 })[name as string] ??
  (name === "float32" || name === "complex64" ? 4 : 8);

/** @internal The typed array elements per element. */
export const partsOf = (name: NumberName): number => (name.startsWith("complex") ? 2 : 1);

const classes = { ...numberArrays, complex64: Float32Array, complex128: Float64Array };

/** The class of arrays that hold the numbers. */
function classOf(name: NumberName): new (from: number | ArrayBufferLike, at?: number, length?: number) => Numbers {
  return classes[name] as unknown as ReturnType<typeof classOf>;
}

/** @internal One number, or the parts of a complex one. */
export function single(name: NumberName, values: readonly (number | bigint)[]): Numbers {
  const data = new (classOf(name))(values.length);
  for (const [i, value] of values.entries()) (data as unknown as (number | bigint)[])[i] = value;
  return data;
}

/** @internal Allocates the result of a plan for the given number of elements. */
export function roomFor(plan: Plan, count: number): Output {
  return {
    data: new (classOf(plan.to))(count * partsOf(plan.to)),
    marks: plan.kind === "marks" ? new Uint8Array(count) : undefined,
  };
}

/**
 * @internal Views the same bytes as numbers of another type of equal size; otherwise returns the
 * array.
 */
export function viewedAs(data: Numbers, name: NumberName | undefined): Numbers {
  if (name === undefined || name === "float16") return data;
  const Of = classOf(name);
  if (data instanceof Of || data.BYTES_PER_ELEMENT !== sizeOf(name)) return data;
  return new Of(data.buffer, data.byteOffset, data.length);
}
