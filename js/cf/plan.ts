/** @internal The types of numbers that are decoded, with the classes that hold them. */
export type NumberName =
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "float16"
  | "float32"
  | "float64"
  | "complex64"
  | "complex128";

/** @internal Arrays of numbers. */
export type Numbers =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** @internal What is done to numbers, as data: it is sent to the worker that does it. */
export interface Plan {
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
