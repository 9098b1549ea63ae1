import assert from "node:assert/strict";
import { test } from "node:test";
import { Latest } from "./latest.js";

test("only the latest task counts", async () => {
  const latest = new Latest();
  const signals: AbortSignal[] = [];
  const gates: (() => void)[] = [];
  const task = (value: string) => async (signal: AbortSignal) => {
    signals.push(signal);
    await new Promise<void>((resolve) => gates.push(resolve));
    return value;
  };
  const first = latest.run(task("first"));
  const second = latest.run(task("second"));
  assert.ok(signals[0]?.aborted && !signals[1]?.aborted);
  // The first task finishes last, and its result must be dropped.
  gates[1]?.();
  assert.deepEqual(await second, { stale: false, value: "second" });
  gates[0]?.();
  assert.deepEqual(await first, { stale: true });
  assert.ok(!latest.busy);

  const failing = latest.run(() => Promise.reject(new Error("damaged")));
  await assert.rejects(failing, /damaged/);
  const cancelled = latest.run(async (signal) => {
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  latest.cancel();
  assert.deepEqual(await cancelled, { stale: true });
  assert.deepEqual(await latest.run(async () => 1), { stale: false, value: 1 });
});
