import assert from "node:assert/strict";
import { test } from "node:test";
import { fitAxes, fitIndices, Latest, ordinal, planSlice } from "./slice.js";

const base = { itemBytes: 2, maxElements: 1 << 22 };

test("a plane of a cube", () => {
  const plan = planSlice({
    ...base,
    shape: [31, 19, 36],
    chunks: [10, 19, 20],
    axes: { x: 2, y: 1 },
    indices: [7, 1, 1],
  });
  assert.deepEqual(plan.selection, [7, { start: 0, stop: 19, step: 1 }, { start: 0, stop: 36, step: 1 }]);
  assert.deepEqual([plan.strideX, plan.strideY, plan.elements, plan.chunks, plan.note], [1, 36, 684, 2, null]);
  assert.equal(plan.bytes, 2 * 10 * 19 * 20 * 2);
});

test("axes the other way round", () => {
  const plan = planSlice({ ...base, shape: [4, 5, 6], chunks: [4, 5, 6], axes: { x: 0, y: 2 }, indices: [0, 3, 0] });
  assert.deepEqual(plan.selection, [{ start: 0, stop: 4, step: 1 }, 3, { start: 0, stop: 6, step: 1 }]);
  assert.deepEqual([plan.x.count, plan.y?.count, plan.strideX, plan.strideY], [4, 6, 6, 1]);
});

test("large planes are read with a step", () => {
  for (const [h, w] of [
    [20_000, 30_000],
    [3, 50_000_000],
    [50_000_000, 3],
    [300, 10_000_000],
    [2 ** 40, 2 ** 40],
    [2049, 2049],
  ] as const) {
    const plan = planSlice({ ...base, shape: [h, w], chunks: [256, 256], axes: { x: 1, y: 0 }, indices: [0, 0] });
    assert.ok(plan.elements <= base.maxElements, `${h} × ${w}: ${plan.elements}`);
    assert.ok(plan.elements > base.maxElements / 8, `${h} × ${w}: only ${plan.elements}`);
    assert.match(plan.note ?? "", /every \S+/);
    const [rows, columns] = plan.selection;
    assert.ok(typeof rows === "object" && typeof columns === "object");
    assert.equal(Math.ceil((columns.stop - columns.start) / columns.step), plan.x.count);
    assert.equal(Math.ceil((rows.stop - rows.start) / rows.step), plan.y?.count);
    assert.ok(columns.stop <= w && rows.stop <= h);
  }
  const line = planSlice({ ...base, shape: [300_000_000_123], chunks: [1000], axes: { x: 0, y: -1 }, indices: [0] });
  assert.ok(line.elements <= base.maxElements && line.y === null);
  assert.match(line.note ?? "", /^every .* element is shown$/);
});

test("a window from the middle", () => {
  const plan = planSlice({
    ...base,
    shape: [5000, 300],
    chunks: [100, 100],
    axes: { x: 1, y: 0 },
    indices: [0, 0],
    window: 1000,
  });
  assert.deepEqual(plan.y, { start: 2000, step: 1, count: 1000 });
  assert.deepEqual(plan.x, { start: 0, step: 1, count: 300 });
  assert.equal(plan.chunks, 30);
});

test("indices and axes of a link are brought into the array", () => {
  assert.deepEqual(fitIndices(null, [3, 4]), { indices: [0, 0], changed: false });
  assert.deepEqual(fitIndices([2, 3], [3, 4]), { indices: [2, 3], changed: false });
  assert.deepEqual(fitIndices([9, 1], [3, 4]), { indices: [2, 1], changed: true });
  assert.deepEqual(fitIndices([1], [3, 4]), { indices: [1, 0], changed: true });
  assert.deepEqual(fitAxes({ x: 0, y: 2 }, 3), { x: 0, y: 2 });
  assert.deepEqual(fitAxes({ x: 0, y: 5 }, 3), { x: 2, y: 1 });
  assert.deepEqual(fitAxes(null, 2), { x: 1, y: 0 });
});

test("ordinals", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map(ordinal), [
    "1st",
    "2nd",
    "3rd",
    "4th",
    "11th",
    "12th",
    "13th",
    "21st",
    "22nd",
    "101st",
    "111th",
  ]);
});

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
  // The earlier one comes last, and must not win for it.
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
