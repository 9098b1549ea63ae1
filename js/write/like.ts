import type { ZarrArray } from "../api/array.js";
import type { Target } from "../api/location.js";
import { documentNames } from "../data/documents.js";
import type { DataType, Scalar } from "../data/types.js";
import { UnsupportedError } from "../errors.js";
import { checkArray } from "../shared/arguments.js";
import type { Readable } from "../stores/readable.js";
import { createArray, type StoreIn } from "./create.js";
import type { ArrayOptions, FillJson } from "./options.js";

/** The options that may differ from the other array's. */
export type LikeOptions<D extends DataType = DataType> = Partial<ArrayOptions<D>>;

type Document = Record<string, unknown>;

/** Returns the options that create an array like another one, without its attributes. */
function optionsOf(array: ZarrArray): ArrayOptions {
  const documents = checkArray("…Like", array).metadata as { [name: string]: Document };
  const { [documentNames.v3]: v3, [documentNames.array]: v2 } = documents;
  const { shape, order, dimensionNames } = array;
  const { name } = array.chunkGrid;
  if (name !== "regular" && name !== "rectilinear") {
    throw new UnsupportedError(`writing arrays of the grid ${name}`, { feature: name });
  }
  const options: ArrayOptions = { shape, chunks: array.shards ?? array.chunks };
  const { configuration } = Object(v3?.chunk_grid) as { configuration: { chunk_shapes?: []; chunk_shape?: [] } };
  if (name === "rectilinear") options.chunks = configuration.chunk_shapes ?? configuration.chunk_shape;
  if (v3) {
    const separator = array.chunkKeyEncoding.separator as "/";
    return {
      ...options,
      format: 3,
      dtype: v3.data_type as string,
      fillValue: v3.fill_value as FillJson,
      codecs: v3.codecs as [],
      chunkSeparator: separator,
      ...(dimensionNames && { dimensionNames }),
    };
  }
  if (!v2) throw new UnsupportedError("arrays like those of version 1", { feature: "version 1" });
  return {
    ...options,
    format: 2,
    dtype: v2.dtype as string,
    fillValue: fillOf(v2),
    compressor: v2.compressor as null,
    filters: v2.filters as null,
    order: order ?? "C",
    chunkSeparator: array.chunkKeyEncoding.separator as "/",
  };
}

/** Returns the fill value of version 2. For fixed bytes, decodes it from base64. */
function fillOf({ dtype, fill_value: fill }: Document): FillJson {
  if (typeof fill !== "string" || typeof dtype !== "string" || !/^\|[SV]\d+$/.test(dtype)) return fill as FillJson;
  return Uint8Array.from(atob(fill), (c) => c.charCodeAt(0));
}

/** Options that exclude each other. A given option replaces the array's options of its row. */
const alike: Record<string, readonly string[]> = {
  chunks: ["chunkShape", "chunk_shape", "shards"],
  dtype: ["data_type", "dataType"],
  format: ["zarr_format"],
  chunkSeparator: ["dimension_separator"],
  fillValue: ["fill_value"],
  dimensionNames: ["dimension_names", "shape"],
  codecs: ["compressor", "filters", "shards"],
  compressor: ["codecs"],
  filters: ["codecs"],
};

function like<T extends Target, D extends DataType>(
  target: T,
  array: ZarrArray<D, Readable>,
  { ...options }: LikeOptions<D>,
  fill: { fillValue?: unknown },
): Promise<ZarrArray<D, StoreIn<T>>> {
  const given = { ...options, ...fill } as Document;
  const own = optionsOf(array as unknown as ZarrArray) as unknown as Document;
  const format = given.format ?? given.zarr_format ?? own.format;
  // The names of codecs and the form of fill values depend on the version.
  if (format !== own.format) {
    for (const name of ["codecs", "compressor", "filters", "order", "chunkSeparator"]) delete own[name];
    if (array.chunkGrid.name === "rectilinear") delete own.chunks;
  }
  const dtype = given.dtype ?? given.data_type ?? given.dataType;
  if (dtype !== undefined && !("fillValue" in given) && !("fill_value" in given)) delete own.fillValue;
  for (const name of Object.keys(own)) {
    if ((alike[name] ?? []).some((other) => given[other] !== undefined)) delete own[name];
  }
  return createArray<T, D>(target, { ...own, ...given } as unknown as ArrayOptions<D>);
}

/**
 * Creates an array with the shape, type, chunks, codecs and fill value of another one. The options
 * override them.
 */
export function createLike<T extends Target, D extends DataType>(
  target: T,
  array: ZarrArray<D, Readable>,
  options: LikeOptions<D> = {},
): Promise<ZarrArray<D, StoreIn<T>>> {
  return like(target, array, options, {});
}

/** {@link createLike} with the fill value zero. */
export function zerosLike<T extends Target, D extends DataType>(
  target: T,
  array: ZarrArray<D, Readable>,
  options: LikeOptions<D> = {},
): Promise<ZarrArray<D, StoreIn<T>>> {
  return like(target, array, options, { fillValue: undefined });
}

/** {@link createLike} with the fill value one. */
export function onesLike<T extends Target, D extends DataType>(
  target: T,
  array: ZarrArray<D, Readable>,
  options: LikeOptions<D> = {},
): Promise<ZarrArray<D, StoreIn<T>>> {
  return like(target, array, options, { fillValue: array.type.kind === "bool" ? true : 1 });
}

/** {@link createLike}, with a fill value. */
export function fullLike<T extends Target, D extends DataType>(
  target: T,
  array: ZarrArray<D, Readable>,
  fillValue: Scalar<D> | FillJson,
  options: LikeOptions<D> = {},
): Promise<ZarrArray<D, StoreIn<T>>> {
  return like(target, array, options, { fillValue });
}

/** {@link createLike} with an undefined fill value. */
export function emptyLike<T extends Target, D extends DataType>(
  target: T,
  array: ZarrArray<D, Readable>,
  options: LikeOptions<D> = {},
): Promise<ZarrArray<D, StoreIn<T>>> {
  return like(target, array, options, { fillValue: null });
}
