// Types with zarrita's names are compatible with programs written for zarrita.
import type * as storage from "@zarrita/storage";
import * as zarr from "zarr-wasm";
import * as zarrita from "zarrita";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <A, B>(_: Same<A, B>) => {};
/** Every A is a B. */
type Fits<A, B> = [A] extends [B] ? true : false;
const fits = <A, B>(_: Fits<A, B>) => {};

is<zarr.Int8, zarrita.Int8>(true);
is<zarr.Int16, zarrita.Int16>(true);
is<zarr.Int32, zarrita.Int32>(true);
is<zarr.Int64, zarrita.Int64>(true);
is<zarr.Uint8, zarrita.Uint8>(true);
is<zarr.Uint16, zarrita.Uint16>(true);
is<zarr.Uint32, zarrita.Uint32>(true);
is<zarr.Uint64, zarrita.Uint64>(true);
is<zarr.Float16, zarrita.Float16>(true);
is<zarr.Float32, zarrita.Float32>(true);
is<zarr.Float64, zarrita.Float64>(true);
is<zarr.Bool, zarrita.Bool>(true);
is<zarr.UnicodeStr, zarrita.UnicodeStr>(true);
is<zarr.ByteStr, zarrita.ByteStr>(true);
is<zarr.String, zarrita.String>(true);
is<zarr.ObjectType, zarrita.ObjectType>(true);
is<zarr.BigintDataType, zarrita.BigintDataType>(true);
is<zarr.Attributes, zarrita.Attributes>(true);
is<zarr.Indices, zarrita.Indices>(true);
is<zarr.Projection, zarrita.Projection>(true);
is<zarr.AbsolutePath<"a">, zarrita.AbsolutePath<"a">>(true);
is<zarr.RangeQuery, zarrita.RangeQuery>(true);
// This package has more data types.
fits<zarrita.DataType, zarr.DataType>(true);
fits<zarrita.NumberDataType, zarr.NumberDataType>(true);
fits<zarrita.StringDataType, zarr.StringDataType>(true);
// Documents are compatible in both directions.
fits<zarrita.ArrayMetadata<"int8">, zarr.ArrayMetadata<"int8">>(true);
fits<zarr.ArrayMetadata<"int8">, zarrita.ArrayMetadata<"int8">>(true);
fits<zarrita.ArrayMetadataV2, zarr.ArrayMetadataV2>(true);
fits<zarr.ArrayMetadataV2, zarrita.ArrayMetadataV2>(true);
fits<zarrita.GroupMetadata, zarr.GroupMetadata>(true);
fits<zarr.GroupMetadata, zarrita.GroupMetadata>(true);
fits<zarrita.GroupMetadataV2, zarr.GroupMetadataV2>(true);
fits<zarr.GroupMetadataV2, zarrita.GroupMetadataV2>(true);
fits<zarrita.CodecMetadata, zarr.CodecMetadata>(true);
fits<zarr.CodecMetadata, zarrita.CodecMetadata>(true);
fits<Float32ArrayConstructor, zarr.TypedArrayConstructor<"float32">>(true);
// Stores of either are stores of the other.
fits<zarrita.Readable, zarr.Readable>(true);
fits<zarrita.AsyncReadable, zarr.AsyncReadable>(true);
fits<zarr.AsyncReadable, zarrita.AsyncReadable>(true);
fits<zarr.SyncReadable, zarrita.SyncReadable>(true);
fits<zarrita.SyncReadable, zarr.SyncReadable>(true);
fits<zarr.FetchStore, zarrita.AsyncReadable>(true);
fits<zarr.DirectoryStore, zarrita.AsyncReadable>(true);
fits<storage.FileSystemStore | storage.ZipFileStore | storage.ReferenceStore, zarr.AsyncReadable>(true);
fits<Map<string, Uint8Array>, zarr.SyncReadable>(true);

fits<zarrita.Mutable, zarr.Writable>(true);
fits<Map<string, Uint8Array>, zarr.Mutable>(true);

// create and set have zarrita's signatures.
export async function written(store: Map<string, Uint8Array>): Promise<number> {
  const options = { shape: [4], chunkShape: [2], dtype: "int16" as const, fillValue: 0 };
  const theirs = await zarrita.create(zarrita.root(store), options);
  const ours = await zarr.create(zarr.root(store), options);
  await zarrita.set(theirs, [zarrita.slice(2)], 5, {});
  await zarr.set(ours, [zarr.slice(2)], 5, {} satisfies zarrita.SetOptions);
  await zarr.set(ours, null, { data: Int16Array.of(1, 2, 3, 4), shape: [4], stride: [1] });
  const chunk = await zarrita.get(theirs);
  await zarr.set(ours, null, chunk);
  return chunk.data.length;
}

// Elements of any type are iterable; booleans and structs keep their own type.
export async function all(array: zarr.Array<zarr.DataType>): Promise<unknown[]> {
  const { data } = await array.get();
  return Array.from<unknown>(data);
}
export const booleans = (data: zarr.BoolArray): boolean[] => [...data];
export const structs = (data: zarr.Columns): { [field: string]: unknown }[] => [...data];

// An extension handles its store's answers as in zarrita.
export const logged = zarr.defineStoreExtension((store, log: (size: number) => void) => ({
  async get(...args) {
    const bytes: Uint8Array | undefined = await store.get(...args);
    log(bytes?.length ?? 0);
    return bytes;
  },
}));
export const again = zarr.defineArrayExtension((array) => ({
  async getChunk(coords, options) {
    return array.getChunk(coords, options);
  },
}));
