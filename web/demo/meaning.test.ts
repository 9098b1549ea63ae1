import assert from "node:assert/strict";
import { test } from "node:test";
import { Meaning } from "./meaning.js";
import type { ArrayNode } from "./store.js";

const array = (attrs: Record<string, unknown>, kind = "int", size = 2): ArrayNode =>
  ({ attrs, dtype: `${kind}${8 * size}`, type: { kind, size }, fillValue: 0, format: 2 }) as unknown as ArrayNode;

test("packed numbers, missing ones, and units", () => {
  const meaning = new Meaning(array({ _FillValue: -32768, scale_factor: [0.01], add_offset: 273.15, units: "K" }));
  const raw = Int16Array.of(100, -32768, 0);
  const meant = meaning.of(raw, raw);
  assert.deepEqual(
    [0, 1, 2].map((i) => meant?.text(i)),
    ["274.15 K", "missing", "273.15 K"],
  );
  assert.ok(Number.isNaN(meant?.numbers[1]));
  assert.equal(meaning.of(100, [100])?.text(0), "274.15 K");
  assert.equal(meaning.of(["a"], null), null);
});

test("an array's own fill value is a value, and attributes that are wrong leave all as it is", () => {
  const raw = Int16Array.of(0, 5);
  assert.equal(new Meaning(array({})).of(raw, raw), null);
  assert.equal(new Meaning(array({ scale_factor: "x" })).of(raw, raw), null);
  assert.equal(new Meaning(array({ units: 5 })).units, "");
});

test("times of every calendar", () => {
  const text = (units: string, calendar: string, value: number) => {
    const raw = Float64Array.of(value, Number.NaN);
    const meant = new Meaning(array({ units, calendar }, "float", 8)).of(raw, raw);
    return meant && [meant.text(0), meant.text(1)];
  };
  assert.deepEqual(text("hours since 1990-01-01", "proleptic_gregorian", 87_648), ["2000-01-01 00:00", null]);
  assert.deepEqual(text("days since 2000-02-28 12:00:00", "standard", 1.5), ["2000-03-01", null]);
  assert.deepEqual(text("days since 2000-01-01", "360_day", 59), ["2000-02-30", null]);
  assert.deepEqual(text("days since 1582-10-04", "standard", 1), ["1582-10-15", null]);
  assert.deepEqual(text("days since 2000-01-01", "standard", 1e30), [null, null]);
  assert.equal(text("days since 2000-01-01", "none", 1), null);
});

test("flags", () => {
  const flags = { flag_values: [1, 2], flag_meanings: "land sea" };
  const raw = Int16Array.of(2, 3);
  const meant = new Meaning(array(flags)).of(raw, raw);
  assert.deepEqual([meant?.text(0), meant?.text(1)], ["sea", null]);
});
