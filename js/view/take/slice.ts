import type { ZarrArray } from "../../api/array.js";
import type { AnyData, Columns } from "../../data/types.js";
import type { Axis, Coordinate, Field, FieldLevel, Packing } from "../../describe/field.js";
import type { TypeDescription } from "../../engine/protocol/wire.js";
import { LimitError, slice as range, UnsupportedError } from "../../index.js";

/** A request for a part of a field. */
export interface Wish {
  /** The field. */
  readonly field: Field;
  /** The level; the finest is 0. */
  readonly level: number;
  /** The axis of the columns; null if the field is one value. */
  readonly x: number | null;
  /** The axis of the rows; null if the field is a line. */
  readonly y: number | null;
  /** The index of each axis, in elements of the finest level. Those of x and y are ignored. */
  readonly indices: readonly number[];
  /** The rectangle to take, in elements of the finest level. The default is all. */
  readonly part?:
    | { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number }
    | undefined;
  /** The field of a struct. */
  readonly member?: string | undefined;
  /**
   * The drawn channels of a field that has some. They are taken side by side, in place of the
   * axis's index.
   */
  readonly channels?:
    | { readonly axis: number; readonly list: readonly { readonly index: number; readonly label: string }[] }
    | undefined;
}

/** An axis of a slice: its elements of the level, and their positions. */
export interface SliceAxis {
  /** The axis. */
  readonly axis: Axis;
  /** Its positions; null if it has none. */
  readonly coordinate: Coordinate | null;
  /** The first element of the level. */
  readonly first: number;
  /** The number of elements. */
  readonly length: number;
  /** The number of elements of the finest level that one covers. */
  readonly factor: number;
  /** The start of the level's first element, in elements of the finest level. */
  readonly start: number;
}

/** A part of an array as rows of columns, in its stored form. */
export interface Slice {
  /** The field. */
  readonly field: Field;
  /** The array: a level of the field. */
  readonly array: ZarrArray;
  /**
   * The selection along each dimension of the array: an index, or a start and an exclusive stop.
   */
  readonly selection: readonly (number | readonly [start: number, stop: number])[];
  /** The rows, in stored order; null if there is only one. */
  readonly rows: SliceAxis | null;
  /** The columns; null if there is only one value. */
  readonly columns: SliceAxis | null;
  /** The number of elements per place: 1, the parts of a colour, or the channels. */
  readonly parts: number;
  /** The names of the channels. */
  readonly names?: readonly string[] | undefined;
  /** The field of a struct that was taken. */
  readonly member: string | undefined;
  /** The type of the elements. */
  readonly type: TypeDescription;
  /** The elements: rows of columns of parts. */
  readonly data: AnyData;
  /**
   * The packed little-endian bytes of elements that contain texts of bytes. The texts alone do not
   * identify the original bytes.
   */
  readonly bytes: Uint8Array | null;
}

/** The largest number of elements in one file, which then has some hundred MB. */
export const mostElements = 2 ** 24;

/** Returns the elements of a level that a span of the finest level meets, along a dimension. */
export function spanOf(
  { array, factor, start }: FieldLevel,
  d: number,
  [from, to]: readonly [from: number, to: number],
): readonly [start: number, stop: number] {
  const [length, f, s] = [array.shape[d] ?? 0, factor[d] ?? 1, start[d] ?? 0];
  const at = (position: number) => Math.max(0, Math.min(length, position));
  const first = at(Math.floor((from - s) / f));
  return [first, Math.max(first, at(Math.ceil((to - s) / f)))];
}

/** Returns the selection of a wish along each dimension. */
export function selectionOf({ field, level, x, y, indices, part }: Wish): Slice["selection"] {
  const found = levelOf(field, level);
  const { array, factor, start } = found;
  return field.axes.map((_, d) => {
    const [length, f, s] = [array.shape[d] ?? 0, factor[d] ?? 1, start[d] ?? 0];
    if (d === field.colourAxis) return [0, length] as const;
    if (d !== x && d !== y) return Math.max(0, Math.min(length - 1, Math.floor(((indices[d] ?? 0) - s) / f)));
    if (!part) return [0, length] as const;
    return spanOf(found, d, d === x ? [part.left, part.right] : [part.top, part.bottom]);
  });
}

/** Returns the number of elements in a selection. */
export function elementCount(selection: Slice["selection"]): number {
  return selection.reduce<number>((n, one) => (typeof one === "number" ? n : n * (one[1] - one[0])), 1);
}

function levelOf(field: Field, level: number) {
  const found = field.levels[level];
  if (!found) throw new UnsupportedError(`there is no level ${level}`, { feature: `level ${level}` });
  return found;
}

/** Reads a slice. Throws a {@link LimitError} if it is too large for one file. */
export async function readSlice(wish: Wish, signal?: AbortSignal): Promise<Slice> {
  const { channels } = wish;
  if (!channels || channels.list.length === 0) return readOne(wish, signal);
  const { axis, list } = channels;
  const wishes = list.map(({ index }) => ({
    ...wish,
    channels: undefined,
    indices: wish.indices.map((own, d) => (d === axis ? index : own)),
  }));
  checkCount(wishes.reduce((sum, one) => sum + elementCount(selectionOf(one)), 0));
  const slices = await Promise.all(wishes.map((one) => readOne(one, signal)));
  const [first] = slices as [Slice, ...Slice[]];
  return slices.length === 1
    ? first
    : beside(
        slices,
        list.map(({ label }) => label),
      );
}

/**
 * Combines slices of one shape into one slice. Each place has one element of each slice, side by
 * side.
 */
function beside(slices: readonly Slice[], names: readonly string[]): Slice {
  const [first] = slices as [Slice, ...Slice[]];
  const n = slices.length;
  if (first.parts > 1 || slices.some(({ data }) => !ArrayBuffer.isView(data)))
    throw new UnsupportedError(`channels of ${first.array.dtype} cannot be combined`, {
      path: first.field.path,
      feature: "channels of this type",
    });
  const per = first.type.kind === "complex" ? 2 : first.type.kind === "raw" ? first.type.size : 1;
  const sources = slices.map(({ data }) => data as unknown as Uint8Array);
  const Of = first.data.constructor as new (length: number) => Uint8Array;
  const length = sources[0]?.length ?? 0;
  const data = first.type.kind === "raw" ? new Uint8Array(length * n) : new Of(length * n);
  for (const [k, source] of sources.entries())
    for (let i = 0; i < length; i++) data[(Math.floor(i / per) * n + k) * per + (i % per)] = source[i] as number;
  return { ...first, parts: n, names, data: data as AnyData, bytes: null };
}

function checkCount(count: number): void {
  if (count > mostElements)
    throw new LimitError(`the slice has ${count} elements; the maximum is ${mostElements}`, {
      limit: "mostElements",
      max: mostElements,
    });
}

async function readOne(wish: Wish, signal?: AbortSignal): Promise<Slice> {
  const { field, level, x, y, member } = wish;
  const { array, factor, start } = levelOf(field, level);
  const selection = selectionOf(wish);
  checkCount(elementCount(selection));
  const axisOf = async (d: number | null): Promise<SliceAxis | null> => {
    const axis = d === null ? undefined : field.axes[d];
    const taken = d === null ? undefined : selection[d];
    if (d === null || !axis || taken === undefined || typeof taken === "number") return null;
    const coordinate = await axis.coordinate(signal);
    const [first, stop] = taken;
    return { axis, coordinate, first, length: stop - first, factor: factor[d] ?? 1, start: start[d] ?? 0 };
  };
  const items = selection.map((one) => (typeof one === "number" ? one : range(...one)));
  const options = signal ? { signal } : {};
  const [rows, columns, read, packed] = await Promise.all([
    axisOf(y),
    axisOf(x),
    array.get(items, options) as Promise<unknown>,
    hasBytes(array.type) ? array.get(items, { ...options, as: "bytes" }) : null,
  ]);
  // The kept dimensions in the array's order, and their order in the slice.
  const kept = selection.flatMap((one, d) => (typeof one === "number" ? [] : [d]));
  const wanted = [y, x, field.colourAxis].filter((d): d is number => d !== null && kept.includes(d));
  const { data, shape } =
    kept.length === 0
      ? { data: single(array.type, read), shape: [] as number[] }
      : (read as { data: AnyData; shape: number[] });
  const order = wanted.map((d) => kept.indexOf(d));
  let type = array.type;
  let elements = data;
  const whole: TypeDescription = { kind: "raw", name: "raw", size: type.size };
  let bytes = packed ? (transposed(whole, packed.data, shape, order) as Uint8Array) : null;
  if (member !== undefined) {
    const found = type.fields?.find(({ name }) => name === member);
    if (type.kind !== "struct" || !found)
      throw new UnsupportedError(`${array.dtype} has no field ${member}`, { feature: `field ${member}` });
    if (bytes && hasBytes(found.type)) bytes = cut(bytes, type.size, found.offset, found.type.size);
    else bytes = null;
    type = found.type;
    elements = (data as Columns)[member] as AnyData;
  }
  const parts = field.colourAxis === null ? 1 : (array.shape[field.colourAxis] ?? 1);
  elements = transposed(type, elements, shape, order);
  return { field, array, selection, rows, columns, parts, member, type, data: elements, bytes };
}

/** Reports whether the elements contain texts of bytes. */
function hasBytes({ kind, fields, elem }: TypeDescription): boolean {
  return (
    kind === "char" || (fields?.some(({ type }) => hasBytes(type)) ?? false) || (elem !== undefined && hasBytes(elem))
  );
}

/** Returns the bytes of one field of each struct. */
function cut(bytes: Uint8Array, size: number, offset: number, length: number): Uint8Array {
  const n = size === 0 ? 0 : bytes.length / size;
  const out = new Uint8Array(n * length);
  for (let i = 0; i < n; i++) out.set(bytes.subarray(i * size + offset, i * size + offset + length), i * length);
  return out;
}

/** Returns one element in the data class of its type. */
function single(type: TypeDescription, value: unknown): AnyData {
  if (type.kind === "raw") return value as AnyData;
  if (type.kind === "complex") {
    const { re, im } = value as { re: number; im: number };
    return type.size === 16 ? Float64Array.of(re, im) : Float32Array.of(re, im);
  }
  if (type.kind !== "struct") return [value];
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    (type.fields ?? []).map((f) => [f.name, single(f.type, fields[f.name])]),
  ) as unknown as Columns;
}

/** Returns the elements in another order of their dimensions. */
function transposed(type: TypeDescription, data: AnyData, shape: readonly number[], order: readonly number[]): AnyData {
  if (order.every((d, i) => d === i)) return data;
  const steps = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
  const count = shape.reduce((a, b) => a * b, 1);
  const from = new Uint32Array(count);
  const at = order.map(() => 0);
  for (let i = 0; i < count; i++) {
    let place = 0;
    for (let k = 0; k < order.length; k++) place += (at[k] ?? 0) * (steps[order[k] ?? 0] ?? 0);
    from[i] = place;
    for (let k = order.length - 1; k >= 0; k--) {
      const next = (at[k] ?? 0) + 1;
      at[k] = next < (shape[order[k] ?? 0] ?? 0) ? next : 0;
      if (at[k] !== 0) break;
    }
  }
  return picked(type, data, from);
}

function picked(type: TypeDescription, data: AnyData, from: Uint32Array): AnyData {
  if (type.kind === "struct") {
    const columns = data as Columns;
    return Object.fromEntries(
      (type.fields ?? []).map((f) => [f.name, picked(f.type, columns[f.name] as AnyData, from)]),
    ) as unknown as Columns;
  }
  if (!ArrayBuffer.isView(data)) return Array.from(from, (i) => (data as unknown[])[i]);
  const per = type.kind === "complex" ? 2 : type.kind === "raw" ? type.size : 1;
  const source = data as unknown as Uint8Array;
  // The result has the class of the source. The type describes how to decode it.
  const out = source.slice() as Uint8Array;
  for (let i = 0; i < from.length; i++)
    for (let k = 0; k < per; k++) out[i * per + k] = source[(from[i] ?? 0) * per + k] ?? 0;
  return out as AnyData;
}

/** Returns the stored element `i`, by its type. Works for reordered data too. */
export function elementAt(type: TypeDescription, data: AnyData, i: number): unknown {
  if (!ArrayBuffer.isView(data)) {
    if (type.kind !== "struct") return (data as unknown[])[i];
    return Object.fromEntries(
      (type.fields ?? []).map((f) => [f.name, elementAt(f.type, (data as Columns)[f.name] as AnyData, i)]),
    );
  }
  const numbers = data as unknown as Float64Array;
  if (type.kind === "bool") return numbers[i] === 1;
  if (type.kind === "complex") return { re: numbers[2 * i], im: numbers[2 * i + 1] };
  if (type.kind === "raw") return (data as Uint8Array).subarray(i * type.size, (i + 1) * type.size);
  return numbers[i];
}

/** Reports whether a stored number means missing. */
export function isMissing({ missing, valid }: Packing, value: number | bigint): boolean {
  if (Number.isNaN(value)) return true;
  // A list may contain a number for a stored bigint.
  if (missing.some((one) => one <= value && one >= value)) return true;
  return valid !== null && (value < valid[0] || value > valid[1]);
}

/** Reinterprets a stored number's bits by the packing's type. */
export function taken({ type }: Packing, value: number | bigint): number | bigint {
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type ?? "") ?? [];
  if (bits === undefined) return value;
  const found = (unsigned ? BigInt.asUintN : BigInt.asIntN)(Number(bits), BigInt(value));
  return typeof value === "bigint" ? found : Number(found);
}

/** Returns the middle of an element of a slice's axis, as an index of the finest level. */
export function indexOf({ first, factor, start }: SliceAxis, i: number): number {
  return start + (first + i) * factor + (factor - 1) / 2;
}

/**
 * Returns the position of an element of a slice's axis: its coordinate as a number, or its index.
 */
export function positionOf(along: SliceAxis, i: number): number {
  const { coordinate } = along;
  const at = indexOf(along, i);
  if (!coordinate || coordinate.kind === "text") return at;
  const low = Math.max(0, Math.min(coordinate.length - 1, Math.floor(at)));
  const high = Math.min(coordinate.length - 1, low + 1);
  const share = Math.min(1, Math.max(0, at - low));
  return coordinate.number(low) * (1 - share) + (share === 0 ? 0 : coordinate.number(high) * share);
}
