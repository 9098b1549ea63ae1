import assert from "node:assert/strict";
import { test } from "node:test";
import { percentileRange, step256 } from "./contrast.js";

test("percentiles of finite values", () => {
  const hundred = Float64Array.from({ length: 101 }, (_, i) => i);
  assert.deepEqual(percentileRange(hundred), { min: 2, max: 98 });
  assert.deepEqual(percentileRange(hundred, 0, 100), { min: 0, max: 100 });
  const holes = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, ...hundred, Number.NaN];
  assert.deepEqual(percentileRange(holes), { min: 2, max: 98 });
});

test("nothing finite, one value, mostly one value", () => {
  assert.equal(percentileRange([]), null);
  assert.equal(percentileRange([Number.NaN, Number.POSITIVE_INFINITY]), null);
  assert.deepEqual(percentileRange([5, 5, 5]), { min: 5, max: 5 });
  const rare = new Uint8Array(1000);
  rare[3] = 9;
  assert.deepEqual(percentileRange(rare), { min: 0, max: 9 });
});

test("large planes are sampled, and a nearly empty one is not missed", () => {
  const large = new Float32Array(3_000_000);
  for (let i = 0; i < large.length; i++) large[i] = i;
  const range = percentileRange(large);
  assert.ok(range && Math.abs(range.min - 60_000) < 100 && Math.abs(range.max - 2_940_000) < 100);
  const empty = new Float32Array(3_000_000).fill(Number.NaN);
  empty[1] = 7;
  assert.deepEqual(percentileRange(empty), { min: 7, max: 7 });
});

test("huge values do not overflow", () => {
  const range = percentileRange([-Number.MAX_VALUE, Number.MAX_VALUE], 0, 100);
  assert.deepEqual(range, { min: -Number.MAX_VALUE, max: Number.MAX_VALUE });
  assert.ok(range);
  assert.equal(step256(0, range), 128);
  const middle = percentileRange([-Number.MAX_VALUE, Number.MAX_VALUE], 50, 50);
  assert.ok(middle && Number.isFinite(middle.min));
});

test("steps of the scale", () => {
  const range = { min: 0, max: 256 };
  for (const [value, step] of [
    [-1, 0],
    [0, 0],
    [1, 1],
    [255, 255],
    [256, 255],
    [Number.POSITIVE_INFINITY, 255],
    [Number.NEGATIVE_INFINITY, 0],
  ] as const) {
    assert.equal(step256(value, range), step, String(value));
  }
  assert.deepEqual(
    [4, 5, 6].map((v) => step256(v, { min: 5, max: 5 })),
    [0, 128, 255],
  );
});
