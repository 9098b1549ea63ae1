import assert from "node:assert/strict";
import { test } from "node:test";
import {
  EngineError,
  errorFromWire,
  errorToWire,
  HttpError,
  isZarrError,
  isZarritaError,
  NotFoundError,
  ZarrError,
} from "../errors.js";

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
