import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import type { Location, Target } from "../api/location.js";
import type { DataType, Scalar } from "../data/types.js";
import { refuse } from "../shared/arguments.js";
import type { Composition, StoreOf } from "../stores/composedstore.js";
import type { Directory } from "../stores/directory.js";
import type { DirectoryStore } from "../stores/directorystore.js";
import type { FetchStore } from "../stores/fetchstore.js";
import type { Readable } from "../stores/readable.js";
import { changed, placed } from "./engine.js";
import type { ArrayOptions, FillJson, GroupOptions } from "./options.js";
import { arraySpec, groupSpec } from "./spec.js";

/** The store of a target. */
export type StoreIn<T> = T extends string | URL
  ? FetchStore
  : T extends Location<infer S>
    ? S
    : T extends Directory
      ? DirectoryStore
      : T extends Composition
        ? StoreOf<T>
        : T extends Readable
          ? T
          : Readable;

async function make(
  what: string,
  kind: "array" | "group",
  target: Target,
  options: GroupOptions,
  require: boolean,
): Promise<unknown> {
  const { place, path } = placed(what, target);
  const spec = (kind === "array" ? arraySpec : groupSpec)(what, options as Record<string, unknown>);
  const { signal } = options;
  return changed(place.store, place.path, { op: "create", path, kind, spec, ...(require && { require }) }, { signal });
}

/**
 * Creates an array, and the missing groups above it.
 *
 * @throws `ExistsError` if a node exists, unless it is overwritten.
 * @throws `InvalidMetadataError`, `UnsupportedError` or `UnknownCodecError` for an array that
 * cannot be created, before anything is written or deleted.
 * @throws `TypeError` for invalid options.
 *
 * @example
 * const options = { shape: [512, 512], dtype: "uint8", chunks: [256, 256] };
 * const array = await createArray(root(store).resolve("mask"), options);
 */
export function createArray<T extends Target, D extends DataType = DataType>(
  target: T,
  options: ArrayOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>> {
  return make("createArray", "array", target, options, false) as Promise<ZarrArray<D, StoreIn<T>>>;
}

/** Creates a group, and the missing groups above it. Rejects as {@link createArray} does. */
export function createGroup<T extends Target>(target: T, options: GroupOptions = {}): Promise<Group<StoreIn<T>>> {
  return make("createGroup", "group", target, options, false) as Promise<Group<StoreIn<T>>>;
}

/**
 * Returns the existing array, or creates one.
 *
 * @throws `ExistsError` if it has another shape or type.
 */
export function requireArray<T extends Target, D extends DataType = DataType>(
  target: T,
  options: ArrayOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>> {
  return make("requireArray", "array", target, options, true) as Promise<ZarrArray<D, StoreIn<T>>>;
}

/** Returns the existing group, or creates one. */
export function requireGroup<T extends Target>(target: T, options: GroupOptions = {}): Promise<Group<StoreIn<T>>> {
  return make("requireGroup", "group", target, options, true) as Promise<Group<StoreIn<T>>>;
}

/**
 * Creates an array if the options have a shape, otherwise a group, as zarrita's `create`. See
 * {@link createArray} and {@link createGroup}.
 *
 * @example
 * const group = await create(root(new Map()));
 * const options = { shape: [4, 4], chunkShape: [2, 2], dtype: "int32" };
 * const array = await create(group.resolve("a"), options);
 */
export function create<T extends Target, D extends DataType = DataType>(
  target: T,
  options: ArrayOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>>;
export function create<T extends Target>(target: T, options?: GroupOptions): Promise<Group<StoreIn<T>>>;
export function create(target: Target, options: GroupOptions | ArrayOptions = {}): Promise<unknown> {
  const array = options !== null && typeof options === "object" && "shape" in options;
  return make("create", array ? "array" : "group", target, options, false);
}

/** The options of functions that set the fill value themselves. */
export type UnfilledOptions<D extends DataType = DataType> = Omit<ArrayOptions<D>, "fillValue" | "fill_value">;

function filled<T extends Target, D extends DataType>(
  what: string,
  target: T,
  options: UnfilledOptions<D>,
  fillValue: unknown,
): Promise<ZarrArray<D, StoreIn<T>>> {
  const { fillValue: one, fill_value: other } = Object(options) as ArrayOptions;
  if (one !== undefined || other !== undefined) throw new TypeError(`${what}: it sets the fill value itself`);
  return make(what, "array", target, { ...options, fillValue } as ArrayOptions, false) as Promise<
    ZarrArray<D, StoreIn<T>>
  >;
}

/** {@link createArray} with the fill value zero. */
export function zeros<T extends Target, D extends DataType = DataType>(
  target: T,
  options: UnfilledOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>> {
  return filled("zeros", target, options, undefined);
}

/** {@link createArray} with the fill value one; for booleans, true. */
export function ones<T extends Target, D extends DataType = DataType>(
  target: T,
  options: UnfilledOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>> {
  const { dtype, data_type = dtype, dataType = data_type } = Object(options) as ArrayOptions;
  return filled("ones", target, options, /^([|<>=]?b1?|bool)$/.test(String(dataType)) ? true : 1);
}

/** {@link createArray} with a fill value. */
export function full<T extends Target, D extends DataType = DataType>(
  target: T,
  fillValue: Scalar<D> | FillJson,
  options: UnfilledOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>> {
  if (fillValue === undefined) refuse("full: the fill value", fillValue, "a value");
  return filled("full", target, options, fillValue);
}

/**
 * {@link createArray} with an undefined fill value. Elements that were never written read as zeros.
 */
export function empty<T extends Target, D extends DataType = DataType>(
  target: T,
  options: UnfilledOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>> {
  return filled("empty", target, options, null);
}
