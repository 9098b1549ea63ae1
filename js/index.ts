/**
 * Reads and writes Zarr.
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

export { isPlainUrl } from "./api/address.js";
export {
  type ChunkGrid,
  type ChunkPart,
  type ChunkRun,
  get,
  type Selected,
  select,
  ZarrArray as Array,
} from "./api/array.js";
export { caches } from "./api/caches.js";
export type { Tree } from "./api/group.js";
export { Group, Member, type OpenOptions } from "./api/group.js";
export { type AbsolutePath, Location, root, type Target } from "./api/location.js";
export type { Attributes } from "./api/node.js";
export { type Open, open, preload } from "./api/open.js";
export { type IndexList, type Selection, type Selector, type Slice, type SliceLike, slice } from "./api/selection.js";
export type { ViewDataType, ViewOf } from "./api/view.js";
export { create, set } from "./api/writing.js";
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
} from "./api/zarrita.js";
export { type Codec, type CodecChunk, type CodecEntry, type CodecMeta, registry } from "./codecs/registry.js";
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
} from "./data/arrays.js";
export { documentNames } from "./data/documents.js";
export type { ReadOptions, ReadOptions as GetOptions } from "./data/readoptions.js";
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
  PartialResult,
  Scalar,
  StringDataType,
  TypedArray,
} from "./data/types.js";
export { type InitOptions, init, type MemoryReport, memory, terminate } from "./engine/engine.js";
export type {
  CacheBudgets,
  CacheReport,
  CacheUse,
  CodecDescription,
  Limits,
  MemberSource,
  NodeKind,
  RequestEvent,
  RequestStats,
  TypeDescription,
  TypeKind,
} from "./engine/protocol/wire.js";
export {
  CodecPipelineError,
  EngineError,
  HttpError,
  InvalidMetadataError,
  InvalidSelectionError,
  isZarrError,
  isZarritaError,
  LimitError,
  MetadataChangedError,
  NotFoundError,
  NotFoundError as KeyError,
  NotFoundError as NodeNotFoundError,
  StoreError,
  UnknownCodecError,
  UnsupportedError,
  ZarrError,
  type ZarrErrorDetails,
  type ZarrErrorName,
} from "./errors.js";
export type { FlushReport, RangeCoalescingOptions } from "./extensions/coalesce.js";
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
  type Listable,
  type StoreOverrides,
  withByteCaching,
  withConsolidatedMetadata,
  withMaybeConsolidatedMetadata,
  withRangeCoalescing,
} from "./extensions/extensions.js";
export {
  ComposedStore,
  type Composition,
  type IcechunkCommit,
  type IcechunkInfo,
  type IcechunkOptions,
  IcechunkStore,
  N5Store,
  type ReferenceDocument,
  type ReferenceOptions,
  ReferenceStore,
  type StoreOf,
  type StoreSource,
  type TargetOptions,
  type ZipInfo,
  type ZipOptions,
  ZipStore,
  ZipStore as ZipFileStore,
} from "./stores/composedstore.js";
export type { Directory, DirectoryEntry, DirectoryHandle } from "./stores/directory.js";
export { DirectoryStore } from "./stores/directorystore.js";
export type { EngineStore } from "./stores/enginestore.js";
export { FetchStore, type FetchStoreOptions } from "./stores/fetchstore.js";
export type {
  AsyncReadable,
  ByteRange,
  ByteRange as RangeQuery,
  ObjectVersion,
  Readable,
  StoreOptions,
  SyncReadable,
} from "./stores/readable.js";
export type { Writable, Writable as Mutable, WriteOptions } from "./stores/writable.js";
export type { SetOptions } from "./write/set.js";
