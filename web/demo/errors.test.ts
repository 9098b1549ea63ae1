import assert from "node:assert/strict";
import { test } from "node:test";
import { describeError, isAbort } from "./errors.js";

const context = {
  action: "reading /t2m",
  url: "https://data.example/a.zarr",
  node: "/t2m",
  page: "https://viewer.example/",
};

function failure(name: string, message: string, more: Record<string, unknown> = {}): Error {
  return Object.assign(new Error(message), { name, ...more });
}

test("every error names its cause and a cure", () => {
  const cases: [Error, RegExp, RegExp][] = [
    [
      failure("NotFoundError", "no node", { path: "/t2m", tried: ["t2m/zarr.json", "t2m/.zarray"] }),
      /a\.zarr\/t2m.*t2m\/zarr\.json, t2m\/\.zarray/s,
      /address/,
    ],
    [
      failure("HttpError", "no answer", { status: 0, url: "https://data.example/a.zarr/zarr.json" }),
      /data\.example/,
      /Access-Control-Allow-Origin/,
    ],
    [
      failure("HttpError", "no answer", { status: 0, url: "http://data.example/a.zarr/zarr.json" }),
      /https, and browsers do not load http/,
      /https address/,
    ],
    [failure("HttpError", "refused", { status: 403, url: "https://data.example/x" }), /403/, /S3/],
    [failure("HttpError", "slow down", { status: 503 }), /503/, /Retry/],
    [failure("HttpError", "an HTML page where bytes were expected", { status: 200 }), /HTML/, /plain files/],
    [failure("InvalidMetadataError", "line 3: no comma", { key: "zarr.json" }), /zarr\.json.*line 3/, /author/],
    [failure("UnknownCodecError", 'unknown codec "x" (known: a, b)', { codec: "x" }), /“x”(?!.*\(known)/, /zstd/],
    [failure("CodecPipelineError", "bad checksum", { key: "c/0/1", codec: "crc32c" }), /c\/0\/1.*crc32c/, /damaged/],
    [failure("UnsupportedError", "no listing", { feature: "listing" }), /no listing/i, /Report/],
    [failure("LimitError", "too much", { limit: "OutputBytes", max: 10 }), /at most 10/, /smaller slice/],
    [failure("EngineError", "out of memory"), /out of memory/i, /Retry/],
    [failure("TypeError", "x is undefined"), /reading \/t2m: x is undefined/i, /Copy the details/],
  ];
  for (const [error, text, cure] of cases) {
    const described = describeError(error, context);
    assert.match(described.text, text, error.name);
    assert.match(described.cures.join(" "), cure, error.name);
    assert.ok(described.title !== "" && described.details.includes(error.message), error.name);
  }
});

test("a wrapped transport error gives its own cure", () => {
  const cause = failure("HttpError", "refused", { status: 403, url: "https://data.example/a.zarr/t2m/c/0" });
  const described = describeError(failure("StoreError", "read failed", { cause }), context);
  assert.match(described.title, /403/);
  assert.match(described.details, /StoreError: read failed[\s\S]*caused by[\s\S]*HttpError: refused/);
});

test("options of the package appear only in the details", () => {
  for (const [name, status, hint] of [
    ["HttpError", 403, "count the status as missing (missingStatus)"],
    ["HttpError", 0, "missingStatus: [0] counts what is blocked as absent"],
    ["HttpError", 429, "too many requests: lower the concurrency"],
    ["HttpError", 302, "the headers that were set must not follow: set others"],
    ["EngineError", undefined, "say where zarr.wasm is: init({ url })"],
  ] as const) {
    const error = failure(name, `what failed; ${hint}`, { status, hint, url: "https://data.example/x" });
    const { text, cures, details } = describeError(error, context);
    assert.ok(!`${text} ${cures.join(" ")}`.includes(hint), `${name} ${status}`);
    assert.ok(details.includes(hint), `${name} ${status}`);
  }
});

test("what a policy refuses is not called CORS", () => {
  const message = "https://data.example/x: the page's Content-Security-Policy does not allow it: connect-src";
  const { text, cures } = describeError(failure("HttpError", message, { status: 0 }), context);
  assert.match(text, /connect-src/);
  assert.doesNotMatch(cures.join(" "), /CORS/);
});

test("an answer that cannot be read may be due to a certificate", () => {
  const failed = failure("HttpError", "no answer", { status: 0, url: "https://data.example/a.zarr/zarr.json" });
  assert.match(describeError(failed, context).cures.join(" "), /its certificate is not valid/);
});

test("whatever is thrown", () => {
  for (const thrown of ["text", null, undefined, 5, { name: 7 }]) assert.ok(describeError(thrown, context).title);
  const loop = failure("Error", "round");
  Object.assign(loop, { cause: loop });
  assert.ok(describeError(loop, context).details.length < 10_000);
  assert.ok(isAbort(new DOMException("x", "AbortError")));
  assert.ok(!isAbort(new Error("x")));
});
