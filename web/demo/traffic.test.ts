import assert from "node:assert/strict";
import { test } from "node:test";
import { purposeOf, rowOf } from "./traffic.js";

test("the purpose of a request for a key", () => {
  const arrays = ["/t2m", "/a", "/a/b"];
  const cases: [string, string][] = [
    ["/zarr.json", "metadata of /"],
    ["/t2m/.zarray", "metadata of /t2m"],
    ["/t2m/c/0/0/0", "chunk of /t2m"],
    ["/a/b/0.0", "chunk of /a/b"],
    ["/a/", "list of /a"],
    ["/other/c/0", "object"],
  ];
  for (const [key, purpose] of cases) assert.equal(purposeOf(key, arrays), purpose, key);
  assert.equal(purposeOf("/c/0/1", ["/"]), "chunk of /");
});

test("a request as text: its range, size and outcome", () => {
  const event = {
    key: "/t2m/c/0",
    source: "request",
    method: "GET",
    status: 206,
    attempt: 0,
    bytes: 2048,
    merged: 3,
    start: 1500,
    ms: 12.4,
  } as const;
  const row = rowOf({ ...event, range: { offset: 10, length: 20 } }, ["/t2m"], 1000);
  assert.deepEqual(row, {
    kind: "request",
    what: "chunk of /t2m, 3 reads in one",
    key: "/t2m/c/0, bytes 10–29",
    status: "206",
    size: "2.00 KiB",
    time: "12 ms",
    at: "0.50 s",
  });
  assert.equal(rowOf({ ...event, status: 404, error: "missing" }, [], 0).kind, "request");
  assert.equal(rowOf({ ...event, status: 0, error: "no answer" }, [], 0).kind, "failed");
  assert.equal(rowOf({ ...event, source: "cache" }, [], 0).status, "kept");
});
