import assert from "node:assert/strict";
import { test } from "node:test";
import {
  EngineError,
  errorClasses,
  errorFromWire,
  errorToWire,
  HttpError,
  isZarrError,
  isZarritaError,
  NotFoundError,
  ZarrError,
} from "../errors.js";
import * as writeErrors from "../write/errors.js";

/** Programs compare these codes: a change breaks the programs. */
const codes = {
  NotFoundError: "NOT_FOUND",
  MetadataChangedError: "METADATA_CHANGED",
  InvalidMetadataError: "INVALID_METADATA",
  UnknownCodecError: "UNKNOWN_CODEC",
  CodecPipelineError: "CODEC_CORRUPT",
  InvalidSelectionError: "INVALID_SELECTION",
  UnsupportedError: "UNSUPPORTED",
  StoreError: "STORE",
  HttpError: "HTTP",
  LimitError: "LIMIT",
  EngineError: "ENGINE",
  InvalidValueError: "INVALID_VALUE",
  WriteError: "WRITE",
  ConflictError: "CONFLICT",
  ExistsError: "EXISTS",
};

test("every class has its name, its code and its kin, and survives the way to messages and back", () => {
  assert.deepEqual(Object.keys(errorClasses).sort(), Object.keys(codes).sort());
  for (const name of Object.keys(writeErrors)) assert.ok(name in errorClasses, name);
  for (const [name, Class] of Object.entries(errorClasses)) {
    const error = new Class("why", { key: "a/c/0" });
    assert.deepEqual(
      [error.name, error._tag, error.code, error.message, error.key, Class.name],
      [name, name, codes[name as keyof typeof codes], "why", "a/c/0", name],
    );
    assert.equal(new Class("why", { code: "OTHER" }).code, "OTHER");
    for (const Other of Object.values(errorClasses)) assert.equal(error instanceof Other, Other === Class);
    assert.ok(error instanceof ZarrError && error instanceof Error);
    const back = errorFromWire(structuredClone(errorToWire(error)));
    assert.ok(back instanceof Class && back !== error);
    assert.deepEqual([back.name, back.code, back.message, back.key], [name, error.code, "why", "a/c/0"]);
  }
});

test("errors of messages are of their class and say all that the message says", () => {
  const error = errorFromWire({
    name: "HttpError",
    code: "HTTP",
    message: "status 403",
    status: 403,
    url: "https://example.org/a",
    key: "a",
    hint: null,
    cause: { name: "TypeError", message: "why" },
  });
  assert.ok(error instanceof HttpError && error instanceof ZarrError);
  assert.deepEqual(
    [error.name, error._tag, error.code, error.message, error.status, error.url, error.key],
    ["HttpError", "HttpError", "HTTP", "status 403", 403, "https://example.org/a", "a"],
  );
  assert.ok(!("hint" in error));
  assert.equal((error.cause as Error).message, "why");
  assert.equal((error.cause as Error).name, "TypeError");
});

test("errors survive the way to messages and back", () => {
  const error = new NotFoundError("none", {
    path: "/a",
    tried: ["a/zarr.json"],
    found: "group",
    cause: new Error("x"),
  });
  const back = errorFromWire(structuredClone(errorToWire(error)));
  assert.ok(back instanceof NotFoundError);
  assert.deepEqual({ ...back }, { ...error });
  assert.equal(back.code, "NOT_FOUND");
  assert.deepEqual(errorToWire("text"), { name: "Error", message: "text" });
});

test("an AbortError is the platform's, an unknown name a plain error", () => {
  const abort = errorFromWire({ name: "AbortError", message: "context canceled" });
  assert.ok(abort instanceof DOMException);
  assert.equal(abort.name, "AbortError");
  const plain = errorFromWire({ name: "constructor", message: "m" });
  assert.ok(plain instanceof Error && !(plain instanceof ZarrError));
});

test("narrowing", () => {
  const error: unknown = new EngineError("gone");
  assert.ok(isZarrError(error));
  assert.ok(isZarrError(error, "HttpError", "EngineError"));
  assert.ok(!isZarritaError(error, "HttpError"));
  assert.ok(!isZarrError(new Error("x")));
});
