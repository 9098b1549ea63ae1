import type { WireColumn } from "../engine/protocol/columns.js";
import type { TypeDescription } from "../engine/protocol/wire.js";
import { BoolArray, Complex64Array, Complex128Array, DateTimeArray, RawArray, TimeDeltaArray } from "./arrays.js";
import type { AnyData, AnyScalar } from "./types.js";

/** Returns the data of a column's elements from `from` up to `to`. */
export type Decode = (type: TypeDescription, column: WireColumn, from: number, to: number) => AnyData | undefined;

/** A class of typed arrays. Some take the size, or the unit and scale, of an element. */
interface Class {
  new (buffer: ArrayBuffer, byteOffset: number, length: number, ...more: unknown[]): AnyData;
  BYTES_PER_ELEMENT: number;
}

/** The classes by a type's kind and size, or by its kind. */
const classes: { [kind: string]: unknown } = {
  bool1: BoolArray,
  int1: Int8Array,
  int2: Int16Array,
  int4: Int32Array,
  int8: BigInt64Array,
  uint1: Uint8Array,
  uint2: Uint16Array,
  uint4: Uint32Array,
  uint8: BigUint64Array,
  float2: globalThis.Float16Array ?? Float32Array,
  float4: Float32Array,
  float8: Float64Array,
  minifloat: Float32Array,
  complex16: Complex128Array,
  complex: Complex64Array,
  datetime8: DateTimeArray,
  timedelta8: TimeDeltaArray,
  raw: RawArray,
};

/**
 * Returns the typed array of a type whose column is one, without a copy if it is the whole column.
 * Returns undefined for other types.
 */
export const typedArray: Decode = ({ kind, size, unit = "generic", scale = 1 }, column, from, to) => {
  const Of = (classes[kind + size] ?? classes[kind]) as Class | undefined;
  if (!Of) return undefined;
  const per = { complex: 2, raw: size }[kind as string] ?? 1;
  const width = per * Of.BYTES_PER_ELEMENT;
  const whole = column as ArrayBuffer;
  const buffer = (to - from) * width === whole.byteLength ? whole : whole.slice(from * width, to * width);
  return new Of(buffer, 0, (to - from) * per, kind === "raw" ? size : unit, scale);
};

/** Returns element `i` of data. */
export function scalarAt(type: TypeDescription, data: AnyData, i: number): AnyScalar {
  if (type.kind === "struct") {
    const columns = data as Record<string, AnyData>;
    const fields = type.fields ?? [];
    return Object.fromEntries(fields.map((f) => [f.name, scalarAt(f.type, columns[f.name] as AnyData, i)]));
  }
  const entries = data as { get?(i: number): AnyScalar; [i: number]: AnyScalar };
  return typeof entries.get === "function" ? entries.get(i) : entries[i];
}
