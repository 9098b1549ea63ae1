import type { WireError } from "./protocol.js";

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
  /** The HTTP status. */
  status?: number | undefined;
  /** The URL that was asked for. */
  url?: string | undefined;
  /** What may help. */
  hint?: string | undefined;
  /** The limit that was exceeded. */
  limit?: string | undefined;
  /** What is not supported. */
  feature?: string | undefined;
  /** The error that this one comes from. */
  cause?: unknown;
}

/** The base of every error that this package makes. A cancelled call rejects with the signal's reason instead. */
export class ZarrError extends Error {
  override readonly name: string = "ZarrError";
  /** A stable word for programs, like `"ERR_ZARR_NOT_FOUND"`. */
  readonly code: string;
  /** The path of the node in its hierarchy. */
  declare readonly path?: string;
  /** The key in the store. */
  declare readonly key?: string;
  /** The codec that failed or is unknown. */
  declare readonly codec?: string;
  /** The HTTP status. */
  declare readonly status?: number;
  /** The URL that was asked for. */
  declare readonly url?: string;
  /** What may help. */
  declare readonly hint?: string;
  /** The limit that was exceeded. */
  declare readonly limit?: string;
  /** What is not supported. */
  declare readonly feature?: string;

  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code ?? "ERR_ZARR";
    if (details.path !== undefined) this.path = details.path;
    if (details.key !== undefined) this.key = details.key;
    if (details.codec !== undefined) this.codec = details.codec;
    if (details.status !== undefined) this.status = details.status;
    if (details.url !== undefined) this.url = details.url;
    if (details.hint !== undefined) this.hint = details.hint;
    if (details.limit !== undefined) this.limit = details.limit;
    if (details.feature !== undefined) this.feature = details.feature;
  }

  /** The class's name, as zarrita's errors have it. */
  get _tag(): string {
    return this.name;
  }
}

/** There is no node, or not one of the kind that was asked for. */
export class NotFoundError extends ZarrError {
  override readonly name = "NotFoundError";
  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, { code: "ERR_ZARR_NOT_FOUND", ...defined(details) });
  }
}

/** A metadata document is not valid. */
export class InvalidMetadataError extends ZarrError {
  override readonly name = "InvalidMetadataError";
  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, { code: "ERR_ZARR_INVALID_METADATA", ...defined(details) });
  }
}

/** An array needs a codec that is not known. */
export class UnknownCodecError extends ZarrError {
  override readonly name = "UnknownCodecError";
  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, { code: "ERR_ZARR_UNKNOWN_CODEC", ...defined(details) });
  }
}

/** A chunk's bytes cannot be decoded: damaged, cut short, or with a wrong checksum. */
export class CodecPipelineError extends ZarrError {
  override readonly name = "CodecPipelineError";
  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, { code: "ERR_ZARR_CODEC_PIPELINE", ...defined(details) });
  }
}

/** A selection does not fit its array. */
export class InvalidSelectionError extends ZarrError {
  override readonly name = "InvalidSelectionError";
  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, { code: "ERR_ZARR_INVALID_SELECTION", ...defined(details) });
  }
}

/** The data may be valid, but asks for what this package cannot do. */
export class UnsupportedError extends ZarrError {
  override readonly name = "UnsupportedError";
  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, { code: "ERR_ZARR_UNSUPPORTED", ...defined(details) });
  }
}

/** A store failed, or a container is damaged or of an unsupported kind. */
export class StoreError extends ZarrError {
  override readonly name = "StoreError";
  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, { code: "ERR_ZARR_STORE", ...defined(details) });
  }
}

/** A server did not give what was asked for; `status` is 0 when there was no answer that could be read. */
export class HttpError extends ZarrError {
  override readonly name = "HttpError";
  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, { code: "ERR_ZARR_HTTP", ...defined(details) });
  }
}

/** More was asked for than a limit allows. */
export class LimitError extends ZarrError {
  override readonly name = "LimitError";
  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, { code: "ERR_ZARR_LIMIT", ...defined(details) });
  }
}

/** The engine could not start, or stopped while the call was running. The next call starts it afresh. */
export class EngineError extends ZarrError {
  override readonly name = "EngineError";
  constructor(message: string, details: ZarrErrorDetails = {}) {
    super(message, { code: "ERR_ZARR_ENGINE", ...defined(details) });
  }
}

const classes = {
  NotFoundError,
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
export type ZarrErrorName = keyof typeof classes;

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
): error is [N] extends [never] ? ZarrError : InstanceType<(typeof classes)[N]> {
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
  const cause = wire.cause === undefined ? undefined : errorFromWire(wire.cause);
  if (wire.name === "AbortError") return abortError();
  const details: ZarrErrorDetails = { ...wire, cause };
  if (Object.hasOwn(classes, wire.name)) return new classes[wire.name as ZarrErrorName](wire.message, details);
  const plain = new Error(wire.message, cause === undefined ? undefined : { cause });
  plain.name = wire.name;
  return plain;
}

/** Makes data of an error, for the way between workers. */
export function errorToWire(error: unknown): WireError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const wire: WireError = { name: error.name, message: error.message };
  if (error instanceof ZarrError) {
    const { code, path, key, codec, status, url, hint, limit, feature } = error;
    Object.assign(wire, defined({ code, path, key, codec, status, url, hint, limit, feature }));
  }
  if (error.cause !== undefined) wire.cause = errorToWire(error.cause);
  return wire;
}

function defined<T extends object>(details: T): T {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)) as T;
}
