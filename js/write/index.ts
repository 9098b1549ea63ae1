/**
 * Creates and changes arrays and groups. The package's main entry reads them. The engine that
 * writes, zarr-write.wasm, is loaded at its first use.
 *
 * ```ts
 * import { root } from "zarr-wasm";
 * import { createArray, set } from "zarr-wasm/write";
 *
 * const place = root(new Map()).resolve("mask");
 * const array = await createArray(place, { shape: [512, 512], dtype: "uint8" });
 * await set(array, null, new Uint8Array(512 * 512));
 * ```
 *
 * @module zarr-wasm/write
 */
export type { CopyReport, IfExists } from "../engine/protocol/wire.js";
export {
  type CopyObjectOptions,
  type CopyOptions,
  consolidateMetadata,
  copy,
  copyAll,
  copyStore,
  deleteAttributes,
  deleteNode,
  migrate,
  move,
  rename,
  setAttributes,
  updateAttributes,
} from "./change.js";
export {
  create,
  createArray,
  createGroup,
  empty,
  full,
  ones,
  requireArray,
  requireGroup,
  type StoreIn,
  type UnfilledOptions,
  zeros,
} from "./create.js";
export { ConflictError, ExistsError, InvalidValueError, WriteError } from "./errors.js";
export { createLike, emptyLike, fullLike, type LikeOptions, onesLike, zerosLike } from "./like.js";
export type { Node } from "./node.js";
export type {
  ArrayOptions,
  CallOptions,
  ChunkEdges,
  CodecOption,
  FillJson,
  GroupOptions,
  LayoutOptions,
} from "./options.js";
export {
  append,
  type ElementOf,
  type Elements,
  type Nested,
  resize,
  type SetOptions,
  set,
  setBlocks,
  setMask,
  setPoints,
  type Value,
} from "./set.js";
