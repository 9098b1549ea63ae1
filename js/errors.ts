import type { WireError } from "./engine/protocol/answers.js";

/** What an error can say besides its message. */
export interface ZarrErrorDetails {
  /** A stable word for programs; the default goes with the class. */
  code?: string | undefined;
  /** The path of the node in its hierarchy. */
  path?: string | undefined;
  /** The key in the store. */
  key?: string | undefined;
  /** The codec that failed or is unknown. */
  codec?: string | undefined;
  /** True for a codec or a kind of store that only zarr-full.wasm has. */
  rare?: boolean | undefined;
  /** The HTTP status. */
  status?: number | undefined;
  /** The URL that was asked for. */
  url?: string | undefined;
  /** What may help. */
  hint?: string | undefined;
  /** The limit that was exceeded. */
  limit?: string | undefined;
  /** The value of that limit. */
  max?: number | undefined;
  /** What is not supported. */
  feature?: string | undefined;
  /** The kind of container that is there instead: `"zip"`, `"reference"`, `"parquet"`, `"icechunk"` or `"n5"`. */
  container?: string | undefined;
  /** The kind of node that is there instead of the one that was asked for. */
  found?: string | undefined;
  /** The documents that were asked for: their URLs, or of other stores their names. */
  tried?: string[] | undefined;
  /** The keys of the chunks that a write that failed has written. */
  written?: string[] | undefined;
  /** The error that this one comes from. */
  cause?: unknown;
}

const fields = [
  "path",
  "key",
  "codec",
  "rare",
  "status",
  "url",
  "hint",
  "limit",
  "max",
  "feature",
  "container",
  "found",
  "tried",
] as const;

/** The base of every error that this package makes. A cancelled call rejects with the signal's reason instead. */
export class ZarrError extends Error {
  /** @internal What `code` is where nothing else is said. */
  static readonly defaultCode: string = "ZARR";
  /** The name of the class. */
  override readonly name: string = "ZarrError";
  /** A stable word for programs, like `"NOT_FOUND"`. */
  readonly code: string;
  /** The path of the node in its hierarchy. */
  declare readonly path?: string;
  /** The key in the store. */
  declare readonly key?: string;
  /** The codec that failed or is unknown. */
  declare readonly codec?: string;
  /** True for a codec that only zarr-full.wasm has; the package gets it by itself, and fails with this error when it cannot. */
  declare readonly rare?: boolean;
  /** The HTTP status. */
  declare readonly status?: number;
  /** The URL that was asked for. */
  declare readonly url?: string;
  /** What may help. */
  declare readonly hint?: string;
  /** The limit that was exceeded. */
  declare readonly limit?: string;
  /** The value of that limit. */
  declare readonly max?: number;
  /** What is not supported. */
  declare readonly feature?: string;
  /** The kind of container that is there instead of a node: `"zip"`, `"reference"`, `"parquet"`, `"icechunk"` or `"n5"`. */
  declare readonly container?: string;
  /** The kind of node that is there instead of the one that was asked for. */
  declare readonly found?: string;
  /** The documents that were asked for: their URLs, or of other stores their names. */
  declare readonly tried?: string[];

  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code ?? new.target.defaultCode;
    // The engine says null of some that are not there.
    for (const field of fields) if (details[field] != null) Object.assign(this, { [field]: details[field] });
  }

  /** The class's name, as zarrita's errors have it. */
  get _tag(): string {
    return this.name;
  }
}

/** There is no node, or not one of the kind that was asked for. */
export class NotFoundError extends ZarrError {
  override readonly name = "NotFoundError";
  /** @internal */
  static override readonly defaultCode = "NOT_FOUND";
}

/** The documents of a node are no longer those that it was opened with: open it again. */
export class MetadataChangedError extends ZarrError {
  override readonly name = "MetadataChangedError";
  /** @internal */
  static override readonly defaultCode = "METADATA_CHANGED";
}

/** A metadata document is not valid. */
export class InvalidMetadataError extends ZarrError {
  override readonly name = "InvalidMetadataError";
  /** @internal */
  static override readonly defaultCode = "INVALID_METADATA";
}

/** An array needs a codec that is not known. */
export class UnknownCodecError extends ZarrError {
  override readonly name = "UnknownCodecError";
  /** @internal */
  static override readonly defaultCode = "UNKNOWN_CODEC";
}

/** A chunk's bytes cannot be decoded: damaged, cut short, or with a wrong checksum. */
export class CodecPipelineError extends ZarrError {
  override readonly name = "CodecPipelineError";
  /** zarrita's word for what failed: nothing is encoded here. */
  get direction(): "decode" {
    return "decode";
  }
  /** {@link ZarrError.key} by zarrita's name. */
  get chunkPath(): string | undefined {
    return this.key;
  }
  /** @internal */
  static override readonly defaultCode = "CODEC_CORRUPT";
}

/** A selection does not fit its array. */
export class InvalidSelectionError extends ZarrError {
  override readonly name = "InvalidSelectionError";
  /** @internal */
  static override readonly defaultCode = "INVALID_SELECTION";
}

/** The data may be valid, but asks for what this package cannot do. */
export class UnsupportedError extends ZarrError {
  override readonly name = "UnsupportedError";
  /** @internal */
  static override readonly defaultCode = "UNSUPPORTED";
}

/** A store failed, or a container is damaged or of an unsupported kind. */
export class StoreError extends ZarrError {
  override readonly name = "StoreError";
  /** @internal */
  static override readonly defaultCode = "STORE";
}

/** A server did not give what was asked for; `status` is 0 when there was no answer that could be read. */
export class HttpError extends ZarrError {
  override readonly name = "HttpError";
  /** @internal */
  static override readonly defaultCode = "HTTP";
}

/** More was asked for than a limit allows. */
export class LimitError extends ZarrError {
  override readonly name = "LimitError";
  /** @internal */
  static override readonly defaultCode = "LIMIT";
}

/** The engine could not start, or stopped while the call was running. The next call starts it afresh. */
export class EngineError extends ZarrError {
  override readonly name = "EngineError";
  /** @internal */
  static override readonly defaultCode = "ENGINE";
}

/** The classes of errors that the engine names; the writing half adds its own. */
export const errorClasses = {
  NotFoundError,
  MetadataChangedError,
  InvalidMetadataError,
  UnknownCodecError,
  CodecPipelineError,
  InvalidSelectionError,
  UnsupportedError,
  StoreError,
  HttpError,
  LimitError,
  EngineError,
} as const;

/** The names of the error classes. */
export type ZarrErrorName = keyof typeof errorClasses;

/**
 * True when `error` is one of this package's, and, when names are given, of one
 * of those classes.
 *
 * @example
 * if (isZarrError(error, "HttpError")) console.log(error.status);
 */
export function isZarrError<N extends ZarrErrorName = never>(
  error: unknown,
  ...names: N[]
): error is [N] extends [never] ? ZarrError : InstanceType<(typeof errorClasses)[N]> {
  return error instanceof ZarrError && (names.length === 0 || (names as string[]).includes(error.name));
}

/** {@link isZarrError} by zarrita's name. */
export const isZarritaError: typeof isZarrError = isZarrError;

/** What a cancelled call rejects with when its signal has no reason. */
export function abortError(): DOMException {
  return new DOMException("The operation was aborted.", "AbortError");
}

/** Makes an error of data. */
export function errorFromWire(wire: WireError): Error {
  const cause = wire.reason ?? (wire.cause && errorFromWire(wire.cause));
  if (wire.name === "AbortError") return abortError();
  const details = { ...wire, cause } as ZarrErrorDetails;
  if (Object.hasOwn(errorClasses, wire.name))
    return new errorClasses[wire.name as ZarrErrorName](wire.message, details);
  const plain = new Error(wire.message, cause === undefined ? undefined : { cause });
  plain.name = wire.name;
  return plain;
}

/** Makes data of an error, for the way between workers. */
export function errorToWire(error: unknown): WireError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const wire: WireError = { name: error.name, message: error.message };
  if (error instanceof ZarrError) {
    wire.code = error.code;
    for (const field of fields) if (error[field] !== undefined) Object.assign(wire, { [field]: error[field] });
  }
  if (error.cause !== undefined) wire.cause = errorToWire(error.cause);
  return wire;
}
