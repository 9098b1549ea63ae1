import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToWorker } from "../engine/protocol/worker.js";
import { macrotask } from "../platform/macrotask.js";
import { Intake } from "../worker/intake.js";

const call = (id: number): ToWorker => ({ op: "memory", id });
const cancel = (...targets: number[]): ToWorker => ({ op: "cancel", targets });

/** Returns an intake of an engine that works on every message for longer than its share. */
function busy() {
  const given: ToWorker[] = [];
  const intake = new Intake((message) => {
    given.push(message);
    if (message.op === "cancel") return;
    for (const began = performance.now(); performance.now() - began < 10; );
  });
  return { intake, given };
}

test("an engine that has time is given a message at once", () => {
  const { intake, given } = busy();
  intake.take(call(1));
  assert.deepEqual(given, [call(1)]);
});

test("messages wait while the engine is busy, and keep their order", async () => {
  const { intake, given } = busy();
  const all: ToWorker[] = [call(1), { op: "codecs", names: [] }, call(2), { op: "codecs", names: ["a"] }, call(3)];
  for (const message of all) intake.take(message);
  assert.equal(given.length, 1);
  while (given.length < all.length) await macrotask();
  assert.deepEqual(given, all);
});

test("a call that is cancelled while it waits is never started or cancelled", async () => {
  const { intake, given } = busy();
  for (const id of [1, 2, 3, 4]) intake.take(call(id));
  intake.take(cancel(2, 3));
  while (!given.some((message) => "id" in message && message.id === 4)) await macrotask();
  assert.deepEqual(given, [call(1), call(4)]);
});

test("a cancellation of a running call overtakes waiting calls", () => {
  const { intake, given } = busy();
  for (const id of [1, 2, 3]) intake.take(call(id));
  intake.take(cancel(1, 2));
  assert.deepEqual(given, [call(1), cancel(1)]);
});
