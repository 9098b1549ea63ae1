import type { WireError } from "./engine/protocol/wire.js";

/** The properties of an error in addition to its message. */
export interface ZarrErrorDetails {
  /** A stable word for programs; each class has a default. */
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
  /** The URL of the request. */
  url?: string | undefined;
  /** Advice for the user. */
  hint?: string | undefined;
  /** The name of the exceeded limit. */
  limit?: string | undefined;
  /** The value of that limit. */
  max?: number | undefined;
  /** The unsupported feature. */
  feature?: string | undefined;
  /**
   * The kind of container found instead of a node: `"zip"`, `"reference"`, `"parquet"`,
   * `"icechunk"` or `"n5"`.
   */
  container?: string | undefined;
  /** The kind of node found instead of the requested one. */
  found?: string | undefined;
  /** The requested documents: their URLs, or for other stores their names. */
  tried?: string[] | undefined;
  /** The keys of the chunks that a failed write has written. */
  written?: string[] | undefined;
  /** The error that caused this one. */
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

/**
 * The base class of the package's errors. A cancelled call rejects with its signal's reason
 * instead.
 */
export class ZarrError extends Error {
  /** @internal The code of errors whose details have none. */
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
  /**
   * True for a codec that only zarr-full.wasm has. The package loads that file itself; this error
   * means that it could not.
   */
  declare readonly rare?: boolean;
  /** The HTTP status. */
  declare readonly status?: number;
  /** The URL of the request. */
  declare readonly url?: string;
  /** Advice for the user. */
  declare readonly hint?: string;
  /** The name of the exceeded limit. */
  declare readonly limit?: string;
  /** The value of that limit. */
  declare readonly max?: number;
  /** The unsupported feature. */
  declare readonly feature?: string;
  /**
   * The kind of container found instead of a node: `"zip"`, `"reference"`, `"parquet"`,
   * `"icechunk"` or `"n5"`.
   */
  declare readonly container?: string;
  /** The kind of node found instead of the requested one. */
  declare readonly found?: string;
  /** The requested documents: their URLs, or for other stores their names. */
  declare readonly tried?: string[];

  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code ?? new.target.defaultCode;
    // The engine sends null for absent details.
    for (const field of fields) if (details[field] != null) Object.assign(this, { [field]: details[field] });
  }

  /** The class's name, under zarrita's name for it. */
  get _tag(): string {
    return this.name;
  }
}

/** A class of errors with a name and a default code. */
export type ErrorClass<Name extends string> = Omit<typeof ZarrError, "prototype"> &
  (new (
    message: string,
    details?: ZarrErrorDetails,
  ) => ZarrError & { readonly name: Name });

/**
 * @internal Returns the base of an error class. All error classes of the package are created by it.
 * The annotation lets a bundle leave out the classes that it does not use.
 */
// @__NO_SIDE_EFFECTS__
export function errorClass<Name extends string>(name: Name, code: string): ErrorClass<Name> {
  return class extends ZarrError {
    static override readonly defaultCode = code;
    override readonly name = name;
  };
}

/** There is no node, or not one of the requested kind. */
export class NotFoundError extends errorClass("NotFoundError", "NOT_FOUND") {}

/** The metadata documents of a node have changed since it was opened: open it again. */
export class MetadataChangedError extends errorClass("MetadataChangedError", "METADATA_CHANGED") {}

/** A metadata document is not valid. */
export class InvalidMetadataError extends errorClass("InvalidMetadataError", "INVALID_METADATA") {}

/** An array needs an unknown codec. */
export class UnknownCodecError extends errorClass("UnknownCodecError", "UNKNOWN_CODEC") {}

/** A chunk's bytes cannot be decoded: damaged, cut short, or with a wrong checksum. */
export class CodecPipelineError extends errorClass("CodecPipelineError", "CODEC_CORRUPT") {
  /** zarrita's word for the direction that failed. Only decoding fails with this error. */
  get direction(): "decode" {
    return "decode";
  }
  /** {@link ZarrError.key} by zarrita's name. */
  get chunkPath(): string | undefined {
    return this.key;
  }
}

/** A selection does not fit its array. */
export class InvalidSelectionError extends errorClass("InvalidSelectionError", "INVALID_SELECTION") {}

/** The data may be valid, but needs a feature that this package does not have. */
export class UnsupportedError extends errorClass("UnsupportedError", "UNSUPPORTED") {}

/** A store failed, or a container is damaged or of an unsupported kind. */
export class StoreError extends errorClass("StoreError", "STORE") {}

/** A server did not return the requested bytes; `status` is 0 without a readable response. */
export class HttpError extends errorClass("HttpError", "HTTP") {}

/** A call needs more than a limit allows. */
export class LimitError extends errorClass("LimitError", "LIMIT") {}

/** The engine could not start, or stopped during the call. The next call starts it again. */
export class EngineError extends errorClass("EngineError", "ENGINE") {}

/** The error classes by the names in the engine's messages; write/errors.ts adds its own. */
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
 * Reports whether `error` is one of this package's and, with `names`, of one of those classes.
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

/**
 * Reports whether an error is of one of these classes. It compares names, because a program may
 * have loaded the package's classes twice.
 */
export function isNamed(error: unknown, ...names: ZarrErrorName[]): error is Error {
  return error instanceof Error && (names as string[]).includes(error.name);
}

/** Returns the rejection of a cancelled call whose signal has no reason. */
export function abortError(): DOMException {
  return new DOMException("The operation was aborted.", "AbortError");
}

/** Returns the error that a message describes. */
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

/** Returns the message that describes an error, for other threads. */
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
