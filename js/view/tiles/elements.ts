import type { AnyData } from "../../data/types.js";
import type { TypeDescription } from "../../engine/protocol.js";
import { UnsupportedError } from "../../errors.js";
import { Pace } from "../../platform/macrotask.js";
import type { Form, Numbers } from "../worker/tasks.js";

/** The member of structs that is drawn; undefined where there are no structs. */
export function drawnMember({ kind, name, fields = [] }: TypeDescription, member?: string): string | undefined {
  if (kind !== "struct") return undefined;
  const found = fields.find((field) => field.name === member) ?? fields[0];
  if (!found) throw new UnsupportedError("a struct without members has nothing to draw", { feature: name });
  return found.name;
}

/** The type whose numbers are drawn. */
export function drawnType(type: TypeDescription, member: string | undefined): TypeDescription {
  return type.fields?.find(({ name }) => name === member)?.type ?? type;
}

/** What pixels of a type are made of. */
export function formOf(type: TypeDescription, labels: boolean): Form {
  switch (type.kind) {
    case "bool":
    case "minifloat":
      return "same";
    case "float":
      return type.size === 4 ? "same" : "float";
    case "int":
    case "uint":
      if (type.size <= 4) return "same";
      return labels ? "label" : "float";
    case "raw":
      return type.size === 1 ? "same" : "float";
    default:
      return "float";
  }
}

/** The numbers of what was read; undefined where they have to be brought together by {@link gathered}. */
export function numbersOf(type: TypeDescription, data: AnyData, member: string | undefined): Numbers | undefined {
  const { kind, name } = type;
  const own = drawnData(data, member);
  if (kind === "optional" && Array.isArray(own)) return undefined;
  const drawable = ["bool", "int", "uint", "float", "minifloat", "complex", "datetime", "timedelta"].includes(kind);
  if (!(drawable || (kind === "raw" && type.size === 1)) || !ArrayBuffer.isView(own)) {
    throw new UnsupportedError(`elements of ${name} are no numbers that can be drawn`, { feature: name });
  }
  return plain(own);
}

/** The column of a member; all of the data where there are no structs. */
function drawnData(data: AnyData, member: string | undefined): AnyData | undefined {
  return member === undefined ? data : (data as { [field: string]: AnyData })[member];
}

const plainArrays: { [tag: string]: (new (buffer: ArrayBuffer, at: number, length: number) => Numbers) | undefined } = {
  Uint8Array,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float16Array: globalThis.Float16Array as never,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
};

/** The same numbers without what a class of the package adds. */
function plain(data: ArrayBufferView): Numbers {
  const tag = Object.prototype.toString.call(data).slice(8, -1);
  const Of = plainArrays[tag];
  if (!Of) throw new UnsupportedError(`${tag} cannot be drawn`, { feature: tag });
  return new Of(data.buffer as ArrayBuffer, data.byteOffset, (data as Uint8Array).length);
}

/** The same bits as numbers of a type, as `_Unsigned` wants it. */
export function takenFor(numbers: Numbers, type: string | null | undefined): Numbers {
  const tag =
    type &&
    Object.keys(plainArrays).find((name) => name.toLowerCase() === `${type.replace(/^(u?int64)$/, "big$1")}array`);
  const Of = tag ? plainArrays[tag] : undefined;
  return Of ? plain(new Of(numbers.buffer as ArrayBuffer, numbers.byteOffset, numbers.length)) : numbers;
}

/** The same bits as numbers of the type of others. */
export function sameType(numbers: Numbers, other: Numbers): Numbers {
  const Of = other.constructor as new (buffer: ArrayBufferLike, at: number, length: number) => Numbers;
  return numbers.constructor === Of ? numbers : new Of(numbers.buffer, numbers.byteOffset, numbers.length);
}

/** The numbers of elements that are made one by one: NaN where one is missing. */
export async function gathered(data: AnyData, member: string | undefined, signal: AbortSignal): Promise<Float64Array> {
  const list = drawnData(data, member) as unknown[];
  const numbers = new Float64Array(list.length);
  const pace = new Pace();
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    const number = typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
    numbers[i] = number ? Number(value) : Number.NaN;
    if (i % 4096 === 0 && pace.due) await pace.rest(signal);
  }
  return numbers;
}

/** Element `i` of what was read. */
export function elementAt(type: TypeDescription, data: AnyData, i: number): unknown {
  switch (type.kind) {
    case "struct": {
      const columns = data as { [field: string]: AnyData };
      const fields = type.fields ?? [];
      return Object.fromEntries(
        fields.map((field) => [field.name, elementAt(field.type, columns[field.name] as AnyData, i)]),
      );
    }
    case "complex": {
      const pairs = data as Float32Array;
      return { re: pairs[2 * i], im: pairs[2 * i + 1] };
    }
    case "bool":
      return (data as Uint8Array)[i] === 1;
    case "raw":
      return (data as Uint8Array).slice(i * type.size, (i + 1) * type.size);
    default:
      return (data as ArrayLike<unknown>)[i];
  }
}
