import type { ZarrArray } from "../api/array.js";
import { expanded } from "../api/expand.js";
import { points } from "../api/points.js";
import { type IndexList, type Selection, selectionToWire } from "../api/selection.js";
import type { BoolArray, Complex } from "../data/arrays.js";
import { product } from "../data/shape.js";
import { signalOf } from "../data/signal.js";
import type { AnyData, DataType, NumberDataType, Scalar, StringDataType, TypedArray } from "../data/types.js";
import type { TypeDescription, WireSelector, WireTarget, WireValues } from "../engine/protocol/wire.js";
import { changeDirectly } from "../engine/writing.js";
import { InvalidSelectionError } from "../errors.js";
import { aBoolean, aFunction, aSignal, aText, checked, show } from "../shared/arguments.js";
import type { Readable } from "../stores/readable.js";
import { arrayRef, change, changed } from "./engine.js";
import { InvalidValueError } from "./errors.js";
import type { CallOptions } from "./options.js";
import { bytesOf, ownValues, valuesOf } from "./values.js";

/** Settings of a write. */
export interface SetOptions extends CallOptions {
  /** Called while chunks are written, with the number of written chunks and of all touched ones. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /**
   * `true`: chunks whose elements are all the fill value are not written, and existing ones are
   * deleted. This applies only if other readers read an absent chunk as that value. An array
   * without a fill value stores all chunks.
   */
  skipEmpty?: boolean | undefined;
  /** The field of a struct that is written. The value has the field's type. */
  field?: string | undefined;
  /**
   * `"bytes"`: the value's data is a Uint8Array of packed little-endian elements, in the form of a
   * read with the same option.
   */
  as?: "bytes" | undefined;
  /** The signal's place in earlier versions of zarrita. */
  opts?: { signal?: AbortSignal | undefined } | undefined;
  /** Ignored; it exists for zarrita. Values may always be in shared memory. */
  useSharedArrayBuffer?: boolean | undefined;
}

/** One element of a data type, in the forms that {@link set} takes. */
export type ElementOf<D extends DataType> = D extends `${"int" | "uint"}${number}`
  ? number | bigint
  : D extends NumberDataType
    ? number
    : D extends "numpy.datetime64" | "numpy.timedelta64"
      ? bigint | number
      : D extends "complex64" | "complex128"
        ? Complex | number
        : D extends "string"
          ? string
          : D extends StringDataType
            ? string | Uint8Array
            : Scalar<D>;

/** Elements with a shape: a chunk from a read, or one with a stride of its own. */
export interface Elements<D extends DataType> {
  /** The elements: the data of a read, or a list. */
  readonly data: TypedArray<D> | ArrayLike<ElementOf<D>> | AnyData;
  /** Elements along each dimension. */
  readonly shape: readonly number[];
  /**
   * The distance between adjacent elements along each dimension, in elements; by default that of C
   * order.
   */
  readonly stride?: readonly number[] | undefined;
}

/** Lists of lists of elements. */
export type Nested<E> = readonly (E | Nested<E>)[];

/**
 * The values that {@link set} takes for an array of a data type. One element fills the whole
 * selection. Elements can have a shape, or be a list or typed array, which takes the selection's
 * shape if it has as many elements.
 */
export type Value<D extends DataType> =
  | ElementOf<D>
  | Elements<D>
  | TypedArray<D>
  | Nested<ElementOf<D> | TypedArray<D>>;

const own = {
  signal: [aSignal],
  onProgress: [aFunction],
  skipEmpty: [aBoolean],
  field: [aText],
  as: [[(value: unknown) => value === "bytes", '"bytes"']],
} as const;

/** Returns the type of the written elements: that of the field, if there is one. */
function typeFor(array: ZarrArray, field: string | undefined): TypeDescription {
  const { type } = array;
  if (field === undefined) return type;
  const found = type.fields?.find(({ name }) => name === field);
  if (!found) throw new InvalidValueError(`${type.name} has no field ${JSON.stringify(field)}`, { path: array.path });
  return found.type;
}

async function write(
  what: string,
  array: ZarrArray,
  target: WireTarget,
  value: unknown,
  options: SetOptions,
  rank: number,
): Promise<void> {
  checked(what, options, own);
  const { field, as, skipEmpty, onProgress } = options;
  const node = arrayRef(what, array);
  const type = typeFor(array, field);
  if (value === undefined)
    throw new InvalidValueError(`${what} has no values: they follow the selection, and null selects all elements`, {
      path: array.path,
    });
  const signal = signalOf(options);
  const encode = () => wired(array, () => (as === "bytes" ? bytesOf : valuesOf)(type, value, rank));
  const whole = array.store instanceof Map && "selection" in target && !(field || skipEmpty || onProgress);
  // A copy of the values would take as long as the write itself.
  const elements = whole && !as ? wired(array, () => ownValues(type, value)) : undefined;
  let values = elements ? undefined : encode();
  if (whole && !values?.list) {
    const direct = elements ?? {
      bytes: new Uint8Array(values?.buffer as ArrayBuffer),
      shape: values?.shape as number[],
    };
    if (await changeDirectly(() => array.writeDirect(target.selection ?? null, direct, signal))) return;
  }
  values ??= encode();
  await change(
    array.store,
    {
      op: "write",
      node,
      values,
      ...target,
      ...(field !== undefined && { field }),
      ...(skipEmpty && { skipEmpty }),
      ...(onProgress && { progress: true }),
    },
    { signal, onProgress, transfer: buffersOf(values) },
  );
}

/** Returns the number of dimensions of a selection's result. */
const rankOf = (selection: readonly WireSelector[] | null, { shape }: ZarrArray): number =>
  expanded(selection, shape.length).filter((selector) => typeof selector !== "number").length;

/** Adds the array's path to the error of an invalid value. */
function wired<T>(array: ZarrArray, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof InvalidValueError) || error.path !== undefined) throw error;
    throw new InvalidValueError(error.message, { path: array.path, cause: error.cause });
  }
}

function buffersOf({ buffer, offsets, missing }: WireValues): ArrayBuffer[] {
  return [buffer as ArrayBuffer, offsets, missing].filter((one) => one !== undefined);
}

/**
 * Writes to a selection. Takes every selection that `get` reads. If an element is selected several
 * times, it keeps the last value. Partly written chunks are read, changed and written. A chunk from
 * `get` is written in the form in which it was read.
 *
 * Values are not converted. A value that the type does not have, or that does not fit the
 * selection, is an `InvalidValueError`, and nothing is written. They must not change before the
 * promise settles: large ones are not copied first.
 *
 * @throws `WriteError` if the store fails, `UnsupportedError` if it cannot write,
 * `InvalidSelectionError`, `MetadataChangedError`, or the signal's reason.
 *
 * @example
 * await set(array, [0, slice(10, 20)], 7);
 * await set(array, null, await other.get());
 */
export async function set<D extends DataType, S extends Readable>(
  array: ZarrArray<D, S>,
  selection: Selection | undefined,
  value: Value<D>,
  options: SetOptions = {},
): Promise<void> {
  const one = array as unknown as ZarrArray;
  arrayRef("set", one);
  const wire = selectionToWire(selection, one.dimensionNames);
  return write("set", one, { selection: wire }, value, options, rankOf(wire, one));
}

/**
 * Writes single elements, as zarr-python's `vindex`. Takes a list of coordinates for each
 * dimension, all of the same length. See {@link set}.
 *
 * @example
 * await setPoints(array, [[0, 2], [5, 7]], [1, 2]); // (0, 5) and (2, 7)
 */
export async function setPoints<D extends DataType, S extends Readable>(
  array: ZarrArray<D, S>,
  coords: readonly (IndexList | number)[],
  value: Value<D>,
  options: SetOptions = {},
): Promise<void> {
  const one = array as unknown as ZarrArray;
  arrayRef("setPoints", one);
  const lists = points(coords, one.shape);
  return write("setPoints", one, { points: lists }, value, options, 1);
}

/**
 * Writes the elements at which a mask of the array's shape is true, in C order. See {@link set}.
 */
export async function setMask<D extends DataType, S extends Readable>(
  array: ZarrArray<D, S>,
  mask: BoolArray | Nested<boolean> | { readonly data: BoolArray; readonly shape: readonly number[] },
  value: Value<D>,
  options: SetOptions = {},
): Promise<void> {
  const one = array as unknown as ZarrArray;
  arrayRef("setMask", one);
  return write("setMask", one, { mask: maskOf(mask, one.shape) }, value, options, 1);
}

function maskOf(mask: unknown, shape: readonly number[]): Uint8Array {
  const wrong = (has: string): never => {
    throw new InvalidSelectionError(`a mask of ${has} for an array of shape [${shape.join(", ")}]`);
  };
  if (mask === null || typeof mask !== "object") wrong(show(mask));
  try {
    const { buffer, shape: own } = valuesOf({ kind: "bool", name: "bool", size: 1 }, mask, shape.length);
    const flat = own.length === 1 && own[0] === product(shape);
    if (!flat && String(own) !== String(shape)) wrong(`shape [${own.join(", ")}]`);
    return new Uint8Array(buffer as ArrayBuffer);
  } catch (cause) {
    if (cause instanceof InvalidValueError) throw new InvalidSelectionError(`a mask: ${cause.message}`, { cause });
    throw cause;
  }
}

/**
 * Writes blocks, as zarr-python's `blocks`. A block is a chunk of the array's grid; in a sharded
 * array it is a shard. Integers and ranges of step 1 select them, as in `array.blocks`; an integer
 * keeps its dimension. See {@link set}.
 *
 * @example
 * await setBlocks(array, [1], 3); // the second row of blocks
 */
export async function setBlocks<D extends DataType, S extends Readable>(
  array: ZarrArray<D, S>,
  blocks: Selection,
  value: Value<D>,
  options: SetOptions = {},
): Promise<void> {
  const one = array as unknown as ZarrArray;
  arrayRef("setBlocks", one);
  const wire = await one.ofBlocks(blocks);
  return write("setBlocks", one, { selection: wire }, value, options, rankOf(wire, one));
}

/**
 * Appends elements along a dimension, by default the first. Returns the changed array. A flat list
 * of elements takes the array's lengths along the other dimensions.
 *
 * @example
 * array = await append(array, new Float32Array(24)); // one more row of 24
 */
export async function append<D extends DataType, S extends Readable>(
  array: ZarrArray<D, S>,
  value: Value<D>,
  options: SetOptions & { dimension?: number | undefined } = {},
): Promise<ZarrArray<D, S>> {
  const one = array as unknown as ZarrArray;
  const node = arrayRef("append", one);
  const { dimension = 0, skipEmpty, onProgress, as } = checked("append", options, own);
  const { shape, type } = one;
  if (!Number.isInteger(dimension) || dimension < -shape.length || dimension >= shape.length) {
    throw new InvalidSelectionError(`append: there is no dimension ${show(dimension)} of ${shape.length}`);
  }
  const along = dimension < 0 ? dimension + shape.length : dimension;
  const values = wired(one, () => (as === "bytes" ? bytesOf : valuesOf)(type, value, shape.length));
  const operation = {
    op: "append" as const,
    node,
    dimension: along,
    values,
    ...(skipEmpty && { skipEmpty }),
    ...(onProgress && { progress: true }),
  };
  const transfer = buffersOf(values);
  return (await changed(one.store, one.path, operation, {
    signal: signalOf(options),
    onProgress,
    transfer,
  })) as unknown as ZarrArray<D, S>;
}

/**
 * Changes the array's shape. Deletes the chunks outside of it; growing again yields the fill value.
 * Returns the changed array. Reads and writes of the old object reject with `MetadataChangedError`.
 */
export async function resize<D extends DataType, S extends Readable>(
  array: ZarrArray<D, S>,
  shape: readonly number[],
  options: CallOptions = {},
): Promise<ZarrArray<D, S>> {
  const one = array as unknown as ZarrArray;
  const node = arrayRef("resize", one);
  const { signal } = checked("resize", options);
  if (!Array.isArray(shape) || !shape.every((n) => Number.isSafeInteger(n) && n >= 0)) {
    throw new InvalidValueError(
      `resize: expected a list of lengths, not ${Array.isArray(shape) ? `[${shape.map(show).join(", ")}]` : show(shape)}`,
    );
  }
  return (await changed(
    one.store,
    one.path,
    { op: "resize", node, shape: [...shape] },
    { signal },
  )) as unknown as ZarrArray<D, S>;
}
