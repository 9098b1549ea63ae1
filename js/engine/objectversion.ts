/**
 * The version of an object, which a store may return with its bytes. It prevents reads that mix
 * bytes of two versions.
 */
export interface ObjectVersion {
  /** The size of the whole object in bytes. */
  size?: number;
  /** A number that changes with the object, such as the milliseconds of its last change; not 0. */
  modified?: number;
}

/** @internal The key of the {@link ObjectVersion} on bytes that a store returns. */
const versionKey = Symbol.for("zarr-wasm.version");

/** @internal Adds the version of their object to bytes. */
export function withVersion(bytes: Uint8Array, version: ObjectVersion): Uint8Array {
  return Object.defineProperty(bytes, versionKey, { value: version });
}

/** @internal Returns the version of their object from bytes. */
export function versionOf(bytes: Uint8Array): ObjectVersion {
  const { size, modified } = Object((bytes as { [versionKey]?: ObjectVersion })[versionKey]) as ObjectVersion;
  const version: ObjectVersion = {};
  if (Number.isSafeInteger(size)) version.size = size as number;
  if (Number.isFinite(modified)) version.modified = modified as number;
  return version;
}
