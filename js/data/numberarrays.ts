/**
 * The classes of typed arrays by the types of their numbers. On platforms without Float16Array, a
 * Float32Array has the half-precision numbers.
 */
export const numberArrays = {
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: (globalThis.Float16Array ?? Float32Array) as unknown as Float32ArrayConstructor,
  float32: Float32Array,
  float64: Float64Array,
};

/** A type of numbers that typed arrays hold. */
export type NumberType = keyof typeof numberArrays;

/** Reports whether a type has a class. */
export const isNumberType = (type: string): type is NumberType => Object.hasOwn(numberArrays, type);
