import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import type { Location, Target } from "../api/location.js";
import type { DataType, Scalar } from "../data/types.js";
import { refuse } from "../refuse.js";
import type { Composition, StoreOf } from "../stores/composedstore.js";
import type { Directory } from "../stores/directory.js";
import type { DirectoryStore } from "../stores/directorystore.js";
import type { FetchStore } from "../stores/fetchstore.js";
import type { Readable } from "../stores/readable.js";
import { changed, placed } from "./engine.js";
import type { ArrayOptions, FillJson, GroupOptions } from "./options.js";
import { arraySpec, groupSpec } from "./spec.js";

/** The store that a target is in. */
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
 * Makes an array, and the groups above it that are missing.
 *
 * Rejects with `ExistsError` where there is a node, unless it is overwritten; with `InvalidMetadataError`, `UnsupportedError`,
 * `UnknownCodecError` for what cannot be made, before anything is written or deleted; and with a `TypeError` for options that are none.
 *
 * @example
 * const array = await createArray(root(store).resolve("mask"), { shape: [512, 512], dtype: "uint8", chunks: [256, 256] });
 */
export function createArray<T extends Target, D extends DataType = DataType>(
  target: T,
  options: ArrayOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>> {
  return make("createArray", "array", target, options, false) as Promise<ZarrArray<D, StoreIn<T>>>;
}

/** Makes a group, and the groups above it that are missing. Rejects as {@link createArray} does. */
export function createGroup<T extends Target>(target: T, options: GroupOptions = {}): Promise<Group<StoreIn<T>>> {
  return make("createGroup", "group", target, options, false) as Promise<Group<StoreIn<T>>>;
}

/** The array that is there, or one that is made. One of another shape or type is an `ExistsError`. */
export function requireArray<T extends Target, D extends DataType = DataType>(
  target: T,
  options: ArrayOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>> {
  return make("requireArray", "array", target, options, true) as Promise<ZarrArray<D, StoreIn<T>>>;
}

/** The group that is there, or one that is made. */
export function requireGroup<T extends Target>(target: T, options: GroupOptions = {}): Promise<Group<StoreIn<T>>> {
  return make("requireGroup", "group", target, options, true) as Promise<Group<StoreIn<T>>>;
}

/**
 * Makes an array where the options have a shape, else a group: zarrita's `create`. See {@link createArray} and {@link createGroup}.
 *
 * @example
 * const group = await create(root(new Map()));
 * const array = await create(group.resolve("a"), { shape: [4, 4], chunkShape: [2, 2], dtype: "int32" });
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

/** What functions that say the fill value themselves take. */
export type UnfilledOptions<D extends DataType = DataType> = Omit<ArrayOptions<D>, "fillValue" | "fill_value">;

function filled<T extends Target, D extends DataType>(
  what: string,
  target: T,
  options: UnfilledOptions<D>,
  fillValue: unknown,
): Promise<ZarrArray<D, StoreIn<T>>> {
  const { fillValue: one, fill_value: other } = Object(options) as ArrayOptions;
  if (one !== undefined || other !== undefined) throw new TypeError(`${what}: it says the fill value itself`);
  return make(what, "array", target, { ...options, fillValue } as ArrayOptions, false) as Promise<
    ZarrArray<D, StoreIn<T>>
  >;
}

/** {@link createArray} of zeros. */
export function zeros<T extends Target, D extends DataType = DataType>(
  target: T,
  options: UnfilledOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>> {
  return filled("zeros", target, options, undefined);
}

/** {@link createArray} of ones; of booleans, that are true. */
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

/** {@link createArray} whose fill value is not defined: what was never written reads as zeros. */
export function empty<T extends Target, D extends DataType = DataType>(
  target: T,
  options: UnfilledOptions<D>,
): Promise<ZarrArray<D, StoreIn<T>>> {
  return filled("empty", target, options, null);
}
