// The compiler checks this file against the published declarations. Each expected error must be one
// (@ts-expect-error).
import * as zarr from "zarr-wasm";
import type * as anndata from "zarr-wasm/anndata";
import type * as describing from "zarr-wasm/describe";
import type * as geo from "zarr-wasm/geo";
import { get as inlineGet } from "zarr-wasm/inline";
import type * as model from "zarr-wasm/model";
import type * as ome from "zarr-wasm/ome";
import type * as print from "zarr-wasm/print";
import type * as viewing from "zarr-wasm/view";
import * as write from "zarr-wasm/write";
import type * as xarray from "zarr-wasm/xarray";
import type * as zip from "zarr-wasm/zip";

/** The subpaths resolve to their declarations. */
export type Subpaths = typeof anndata &
  typeof describing &
  typeof geo &
  typeof model &
  typeof ome &
  typeof print &
  typeof viewing &
  typeof xarray &
  typeof zip;

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <A, B>(_: Same<A, B>) => {};

declare const array: zarr.Array<zarr.DataType, zarr.FetchStore>;
declare const floats: zarr.Array<"float32">;
declare const map: Map<string, Uint8Array>;

// The result of open follows the requested kind.
is<Awaited<ReturnType<typeof openArray>>, zarr.Array<zarr.DataType, zarr.FetchStore>>(true);
const openArray = () => zarr.open("https://example.org/a.zarr", { kind: "array" });
const openGroup = () => zarr.open(zarr.root(map), { kind: "group" });
is<Awaited<ReturnType<typeof openGroup>>, zarr.Group<Map<string, Uint8Array>>>(true);
const openAny = () => zarr.open.v3(map);
is<
  Awaited<ReturnType<typeof openAny>>,
  zarr.Array<zarr.DataType, Map<string, Uint8Array>> | zarr.Group<Map<string, Uint8Array>>
>(true);

// Node's build has a store of files.
const openFiles = () => zarr.open(new zarr.FileStore("data.zarr"), { kind: "array" });
is<Awaited<ReturnType<typeof openFiles>>, zarr.Array<zarr.DataType, zarr.FileStore>>(true);
is<typeof zarr.FileStore, typeof zarr.DirectoryStore>(true);

// Directories are opened from a page's handles.
declare const directory: FileSystemDirectoryHandle | FileSystemDirectoryEntry | FileList | File[];
const openDirectory = () => zarr.open(directory, { kind: "group" });
is<Awaited<ReturnType<typeof openDirectory>>, zarr.Group<zarr.DirectoryStore>>(true);

// A data type narrows the data.
is<zarr.TypedArray<"float32">, Float32Array>(true);
is<zarr.TypedArray<"int64">, BigInt64Array>(true);
is<zarr.TypedArray<"bool">, zarr.BoolArray>(true);
is<zarr.TypedArray<"v2:U8">, zarr.UnicodeStringArray>(true);
is<zarr.TypedArray<"v2:S8">, zarr.ByteStringArray>(true);
is<zarr.TypedArray<"string">, (string | null)[]>(true);
is<zarr.TypedArray<"complex64">, zarr.Complex64Array>(true);
is<zarr.TypedArray<"numpy.datetime64">, zarr.DateTimeArray>(true);
is<zarr.Scalar<"float32">, number>(true);
is<zarr.Scalar<"uint64">, bigint>(true);
is<zarr.Scalar<"bool">, boolean>(true);

async function narrowing() {
  if (array.is("float32")) {
    is<typeof array.dtype, "float32">(true);
    const { data, shape, stride } = await array.getChunk([0]);
    is<typeof data, Float32Array>(true);
    is<typeof shape, number[]>(true);
    is<typeof stride, number[]>(true);
  } else if (array.is("bigint")) {
    is<typeof array.dtype, "int64" | "uint64">(true);
    const { data } = await zarr.get(array);
    is<typeof data, BigInt64Array | BigUint64Array>(true);
  } else if (array.is("number")) {
    const first: number | undefined = (await array.getChunk([0])).data[0];
    void first;
    if (array.is("uint8")) is<typeof array.dtype, "uint8">(true);
  } else if (array.is("boolean")) {
    is<typeof array.dtype, "bool">(true);
  }
}

// A selection of integers gives an element, any other a region.
async function selections() {
  is<Awaited<typeof element>, number>(true);
  const element = zarr.get(floats, [0, 1]);
  const region = zarr.get(floats, [0, zarr.slice(1, 2)]);
  is<Awaited<typeof region>, zarr.Chunk<"float32">>(true);
  const all = floats.get();
  is<Awaited<typeof all>, zarr.Chunk<"float32">>(true);
  const nothing = floats.get(null, { signal: AbortSignal.timeout(1) });
  is<Awaited<typeof nothing>, zarr.Chunk<"float32">>(true);
  const named = floats.get({ time: 0 });
  is<Awaited<typeof named>, zarr.Chunk<"float32">>(true);
  const bytes = floats.get([null, "...", [1, 2], [true, false]], { as: "bytes" });
  is<Awaited<typeof bytes>, zarr.ByteChunk>(true);
  const points = floats.vindex([[0, 1], Int32Array.of(2, 3), 4]);
  is<Awaited<typeof points>, zarr.Chunk<"float32">>(true);
  for await (const part of floats.chunksIn([zarr.slice(0, 5)])) is<typeof part, zarr.ChunkPart<"float32">>(true);
  is<zarr.ChunkGrid["chunkShapes"], number[] | zarr.ChunkRun[][]>(true);
  is<zarr.ChunkRun, [length: number, count: number]>(true);
  // @ts-expect-error an object is not a selector
  floats.get([{ from: 1 }]);
  // @ts-expect-error text is not a selector but "..."
  floats.get(["all"]);
  await inlineGet(floats, null);
}

const view = (longs: zarr.Array<"int64">) => longs.view("datetime64[ns]");
is<ReturnType<typeof view>, zarr.Array<"numpy.datetime64", zarr.Readable>>(true);
// @ts-expect-error not a data type
floats.view("double");

// Stores and extensions keep their own types.
const counted = zarr.defineStoreExtension((store: zarr.Readable, options: { limit: number }) => ({
  get: (key: `/${string}`) => store.get(key),
  limit: () => options.limit,
}));
const store = counted(new zarr.FetchStore("https://example.org"), { limit: 3 });
is<ReturnType<typeof store.limit>, number>(true);
const url: string | URL = store.url;
void url;
const listed = async () => (await zarr.withConsolidatedMetadata(map)).contents();
is<Awaited<ReturnType<typeof listed>>, { path: `/${string}`; kind: "array" | "group" }[]>(true);
const now = zarr.extendStore(map, (s) => zarr.withByteCaching(s));
is<typeof now extends Promise<unknown> ? true : false, false>(true);
const later = zarr.extendStore(map, (s) => zarr.withConsolidatedMetadata(s));
is<typeof later extends Promise<unknown> ? true : false, true>(true);
// @ts-expect-error a store has get
zarr.open({ read: () => undefined });

const report = async () => (await zarr.caches({ decoded: 1e9 })).decoded.bytes;
is<Awaited<ReturnType<typeof report>>, number>(true);
// @ts-expect-error no such cache
zarr.caches({ all: 1 });

// Errors narrow by name.
function errors(error: unknown) {
  if (zarr.isZarritaError(error, "HttpError")) is<typeof error, zarr.HttpError>(true);
  if (zarr.isZarrError(error, "NotFoundError", "LimitError"))
    is<typeof error, zarr.NotFoundError | zarr.LimitError>(true);
  if (zarr.isZarrError(error)) is<typeof error, zarr.ZarrError>(true);
  // @ts-expect-error no such error
  zarr.isZarrError(error, "Oops");
}

void [openArray, openGroup, openAny, narrowing, selections, listed, report, errors];

// Written values have the array's type, like read ones.
export async function writing() {
  const made = await write.createArray(zarr.root(map).resolve("a"), { shape: [2, 2], dtype: "float32" });
  is<typeof made, zarr.Array<"float32", Map<string, Uint8Array>>>(true);
  await write.set(made, null, 5);
  await write.set(made, [0], Float32Array.of(1, 2));
  await write.set(made, null, [
    [1, 2],
    [3, 4],
  ]);
  await write.set(made, null, await made.get());
  // @ts-expect-error a text is not a number
  await write.set(made, null, "5");
  const longs = await zarr.create(map, { shape: [2], dtype: "int64", fillValue: 1n });
  is<typeof longs, zarr.Array<"int64", Map<string, Uint8Array>>>(true);
  await zarr.set(longs, [0], 5n);
  // @ts-expect-error true is not an integer
  await zarr.set(longs, [0], true);
  const group = await zarr.create(map);
  is<typeof group, zarr.Group<Map<string, Uint8Array>>>(true);
  is<Awaited<ReturnType<typeof write.createGroup<string>>>, zarr.Group<zarr.FetchStore>>(true);
  const any = await write.createArray(map, { shape: 3, dtype: "<i2", chunks: "auto" });
  await write.set(any, null, [1, 2, 3]);
  is<typeof any, zarr.Array<zarr.DataType, Map<string, Uint8Array>>>(true);
  is<Awaited<ReturnType<typeof write.resize<"float32", Map<string, Uint8Array>>>>, typeof made>(true);
  // @ts-expect-error there is no such option
  await write.createArray(map, { shape: [3], chunkshape: [2] });
}
