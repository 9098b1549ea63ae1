import { isNumberType, numberArrays } from "../../data/numberarrays.js";
import type { AnyData } from "../../data/types.js";
import type { TypeDescription } from "../../engine/protocol/wire.js";
import { UnsupportedError } from "../../errors.js";
import { Pace } from "../../platform/macrotask.js";
import type { Form, Numbers } from "../worker/tasks.js";

/** A selection along an axis, as in reads of arrays. */
export type Item =
  | number
  | { readonly start: number | null; readonly stop: number | null; readonly step: number | null };

/** The options of a read. */
export interface Options {
  readonly signal?: AbortSignal | undefined;
  readonly priority?: number | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Returns the drawn member of structs; undefined for other types. */
export function drawnMember({ kind, name, fields = [] }: TypeDescription, member?: string): string | undefined {
  if (kind !== "struct") return undefined;
  const found = fields.find((field) => field.name === member) ?? fields[0];
  if (!found) throw new UnsupportedError("a struct without members has nothing to draw", { feature: name });
  return found.name;
}

/** Returns the type of the drawn numbers. */
export function drawnType(type: TypeDescription, member: string | undefined): TypeDescription {
  return type.fields?.find(({ name }) => name === member)?.type ?? type;
}

/** Returns the form of pixels of a type. */
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

/** Returns the numbers of a read; undefined if `gathered` must collect them. */
export function numbersOf(type: TypeDescription, data: AnyData, member: string | undefined): Numbers | undefined {
  const { kind, name } = type;
  const own = drawnData(data, member);
  if (kind === "optional" && Array.isArray(own)) return undefined;
  const drawable = ["bool", "int", "uint", "float", "minifloat", "complex", "datetime", "timedelta"].includes(kind);
  if (!(drawable || (kind === "raw" && type.size === 1)) || !ArrayBuffer.isView(own)) {
    throw new UnsupportedError(`elements of ${name} are not drawable numbers`, { feature: name });
  }
  return plain(own);
}

/** Returns the column of a member; all data if there are no structs. */
function drawnData(data: AnyData, member: string | undefined): AnyData | undefined {
  return member === undefined ? data : (data as { [field: string]: AnyData })[member];
}

type Plain = new (buffer: ArrayBufferLike, at: number, length: number) => Numbers;

/** Returns the same numbers as a plain typed array, without a subclass of the package. */
function plain(data: ArrayBufferView): Numbers {
  const tag = Object.prototype.toString.call(data).slice(8, -1);
  const name = tag.toLowerCase().replace(/^big|array$/g, "");
  if (!isNumberType(name)) throw new UnsupportedError(`${tag} cannot be drawn`, { feature: tag });
  return new (numberArrays[name] as Plain)(data.buffer, data.byteOffset, (data as Uint8Array).length);
}

/** Reinterprets numbers as another type, for `_Unsigned`. */
export function takenFor(numbers: Numbers, type: string | null | undefined): Numbers {
  if (!type || !isNumberType(type)) return numbers;
  return new (numberArrays[type] as Plain)(numbers.buffer, numbers.byteOffset, numbers.length);
}

/** Reinterprets numbers as the type of others. */
export function sameType(numbers: Numbers, other: Numbers): Numbers {
  const Of = other.constructor as Plain;
  return numbers.constructor === Of ? numbers : new Of(numbers.buffer, numbers.byteOffset, numbers.length);
}

/** Collects numbers from elements one by one; NaN if missing. */
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

/** Returns element `i` of a read. */
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

/** Joins the data of several reads. */
export function joined<Data extends AnyData>(parts: readonly Data[]): Data {
  const [first] = parts as readonly [Data, ...Data[]];
  if (parts.length === 1) return first;
  if (!ArrayBuffer.isView(first)) return (parts as unknown as unknown[][]).flat(1) as unknown as Data;
  const lists = parts as unknown as readonly Uint8Array[];
  const Of = first.constructor as new (length: number) => Uint8Array;
  const all = new Of(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all as unknown as Data;
}
