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
 * @packageDocumentation
 */
export {
  BoolArray,
  type Complex,
  Complex64Array,
  Complex128Array,
  DateTimeArray,
  RawArray,
  TimeDeltaArray,
} from "./arrays.js";
export { type InitOptions, init, terminate } from "./engine.js";
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
  StoreError,
  UnknownCodecError,
  UnsupportedError,
  ZarrError,
  type ZarrErrorDetails,
  type ZarrErrorName,
} from "./errors.js";
export {
  type AbsolutePath,
  type Attributes,
  Group,
  get,
  Location,
  Member,
  type Open,
  type OpenOptions,
  open,
  root,
  type Selected,
  select,
  type Target,
  ZarrArray as Array,
} from "./hierarchy.js";
export type { CodecDescription, NodeKind, RequestEvent, RequestStats, TypeDescription, TypeKind } from "./protocol.js";
export { type IndexList, type Selection, type Selector, type Slice, slice } from "./selection.js";
export {
  type AsyncReadable,
  type ByteRange,
  FetchStore,
  type FetchStoreOptions,
  type Readable,
  type StoreOptions,
} from "./stores.js";
export type {
  AnyData,
  BigintDataType,
  ByteChunk,
  Chunk,
  DataType,
  DataTypeQuery,
  Float16ArrayLike,
  HalfFloatArray,
  NarrowDataType,
  NumberDataType,
  ReadOptions,
  Scalar,
  StringDataType,
  TypedArray,
} from "./types.js";
