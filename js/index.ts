/**
 * Reads Zarr v1, v2 and v3.
 *
 * ```ts
 * import { open, slice } from "zarr-wasm";
 *
 * const array = await open("https://example.org/data.zarr/temperature", { kind: "array" });
 * const { data, shape } = await array.get([0, slice(100, 200), null]);
 * ```
 *
 * @module zarr-wasm
 */
export {
  BoolArray,
  ByteStringArray,
  type Complex,
  Complex64Array,
  Complex128Array,
  DateTimeArray,
  RawArray,
  TimeDeltaArray,
  UnicodeStringArray,
} from "./arrays.js";
export { caches } from "./caches.js";
export { type Codec, type CodecChunk, type CodecEntry, type CodecMeta, registry } from "./codecs.js";
export { type InitOptions, init, type MemoryReport, memory, terminate } from "./engine.js";
export {
  CodecPipelineError,
  EngineError,
  HttpError,
  InvalidMetadataError,
  InvalidSelectionError,
  isZarrError,
  isZarritaError,
  LimitError,
  NotFoundError,
  NotFoundError as NodeNotFoundError,
  StoreError,
  UnknownCodecError,
  UnsupportedError,
  ZarrError,
  type ZarrErrorDetails,
  type ZarrErrorName,
} from "./errors.js";
export {
  type ArrayExtension,
  type ArrayOverrides,
  type ByteCache,
  type ByteCachingOptions,
  type CacheKeyFor,
  type ConsolidatedFormat,
  type ConsolidatedMetadataOptions,
  defineArrayExtension,
  defineStoreExtension,
  extendArray,
  extendStore,
  type FlushReport,
  type Listable,
  type RangeCoalescingOptions,
  type StoreOverrides,
  withByteCaching,
  withConsolidatedMetadata,
  withMaybeConsolidatedMetadata,
  withRangeCoalescing,
} from "./extensions.js";
export { Group, Member, type OpenOptions } from "./group.js";
export { type AbsolutePath, Location, root, type Target } from "./location.js";
export type { Attributes } from "./node.js";
export { type Open, open, preload } from "./open.js";
export type {
  CacheBudgets,
  CacheReport,
  CacheUse,
  CodecDescription,
  NodeKind,
  RequestEvent,
  RequestStats,
  TypeDescription,
  TypeKind,
} from "./protocol.js";
export { type IndexList, type Selection, type Selector, type Slice, type SliceLike, slice } from "./selection.js";
export {
  type AsyncReadable,
  type ByteRange,
  type ByteRange as RangeQuery,
  FetchStore,
  type FetchStoreOptions,
  type Readable,
  type StoreOptions,
  type SyncReadable,
} from "./stores.js";
export type { Tree } from "./tree.js";
export type {
  AnyData,
  BigintDataType,
  ByteChunk,
  Chunk,
  Columns,
  DataType,
  DataTypeQuery,
  Float16ArrayLike,
  HalfFloatArray,
  NarrowDataType,
  NumberDataType,
  Part,
  ReadOptions,
  ReadOptions as GetOptions,
  Scalar,
  StringDataType,
  TypedArray,
} from "./types.js";
export type { ViewDataType, ViewOf } from "./view.js";
export {
  type ChunkGrid,
  type ChunkPart,
  type ChunkRun,
  get,
  type Selected,
  select,
  ZarrArray as Array,
} from "./zarr-array.js";
export type {
  ArrayMetadata,
  ArrayMetadataV2,
  Bool,
  ByteStr,
  CodecMetadata,
  Float16,
  Float32,
  Float64,
  GroupMetadata,
  GroupMetadataV2,
  Indices,
  Int8,
  Int16,
  Int32,
  Int64,
  ObjectType,
  Projection,
  Text as String,
  TypedArrayConstructor,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  UnicodeStr,
} from "./zarrita.js";
