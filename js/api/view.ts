import { floatOfBits } from "../data/minifloat.js";
import type { TypeDescription, TypeKind } from "../engine/protocol/wire.js";
import { UnsupportedError } from "../errors.js";

/** The data types that `Array.view` takes. Datetimes have numpy's names. */
export type ViewDataType =
  | "bool"
  | `${"int" | "uint"}${8 | 16 | 32 | 64}`
  | `float${16 | 32 | 64}`
  | "bfloat16"
  | `complex${64 | 128}`
  | `datetime64[${string}]`
  | `timedelta64[${string}]`
  | `r${number}`;

/** The data type of a view. */
export type ViewOf<To extends ViewDataType> = To extends `datetime64[${string}]`
  ? "numpy.datetime64"
  : To extends `timedelta64[${string}]`
    ? "numpy.timedelta64"
    : To;

/** The data types of views, for error messages. */
const viewed =
  "bool, int8 to int64, uint8 to uint64, float16 to float64, bfloat16, complex64, complex128, rN, " +
  "datetime64[unit] and timedelta64[unit]";

/** Returns the name of a view's data type, and the complete type. */
export function viewType(dtype: ViewDataType): [string, TypeDescription] {
  const time = /^(datetime|timedelta)64\[(\d*)([a-zμµ]+)\]$/i.exec(dtype);
  if (time) {
    const [, kind, scale, unit] = time as unknown as [string, "datetime" | "timedelta", string, string];
    return [`numpy.${kind}64`, { kind, name: dtype, size: 8, unit, scale: Number(scale || 1) }];
  }
  if (dtype === "bool") return [dtype, { kind: "bool", name: dtype, size: 1 }];
  if (dtype === "bfloat16") return [dtype, { kind: "minifloat", name: dtype, size: 2 }];
  const [, kind, bits] = /^(int|uint|float|complex|r)(\d+)$/.exec(dtype) ?? [];
  const size = Number(bits) / 8;
  if (kind === "r" && Number.isInteger(size)) return [dtype, { kind: "raw", name: dtype, size }];
  if (kind === "complex" && (size === 8 || size === 16)) {
    return [dtype, { kind, name: dtype, size, elem: { kind: "float", name: `float${size * 4}`, size: size / 2 } }];
  }
  const sizes = kind === "float" ? [2, 4, 8] : [1, 2, 4, 8];
  if (!kind || !sizes.includes(size)) {
    throw new UnsupportedError(`${JSON.stringify(dtype)} is not a data type for views. They are ${viewed}`, {
      feature: `view as ${dtype}`,
    });
  }
  return [dtype, { kind: kind as TypeKind, name: dtype, size }];
}

/** Returns the column of a fill value, for types whose columns are not the value's bytes. */
export function fillOfView({ kind, size }: TypeDescription, fill: Uint8Array | null): ArrayBuffer | undefined {
  const small = kind === "minifloat" || (kind === "float" && size === 2 && typeof Float16Array !== "function");
  if (!fill || !small) return undefined;
  const bits = (fill[0] as number) | ((fill[1] as number) << 8);
  const [e, m] = kind === "float" ? [5, 10] : [8, 7];
  return Float32Array.of(floatOfBits(bits, e, m, 2 ** (e - 1) - 1, true)).buffer;
}
