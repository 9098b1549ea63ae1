/** What a store may tell of an object with its bytes, so that no read takes bytes of two versions of it. */
export interface ObjectVersion {
  /** How large all of it is. */
  size?: number;
  /** A number that changes with it, such as the milliseconds of its last change; not 0. */
  modified?: number;
}

/** @internal Where bytes that a store returns have the {@link ObjectVersion}. */
const versionKey = Symbol.for("zarr-wasm.version");

/** @internal Bytes that tell the version of the object that they are of. */
export function withVersion(bytes: Uint8Array, version: ObjectVersion): Uint8Array {
  return Object.defineProperty(bytes, versionKey, { value: version });
}

/** @internal What bytes tell of the object that they are of. */
export function versionOf(bytes: Uint8Array): ObjectVersion {
  const { size, modified } = Object((bytes as { [versionKey]?: ObjectVersion })[versionKey]) as ObjectVersion;
  const version: ObjectVersion = {};
  if (Number.isSafeInteger(size)) version.size = size as number;
  if (Number.isFinite(modified)) version.modified = modified as number;
  return version;
}
