import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatBytes,
  formatCount,
  formatDate,
  formatDatetime,
  formatFloat16,
  formatFloat32,
  formatHex,
  formatNumber,
  formatShort,
  formatTimedelta,
  prettyJson,
  product,
} from "./format.js";

test("numbers exactly", () => {
  assert.equal(formatNumber(-0), "-0");
  assert.equal(formatNumber(0.1 + 0.2), "0.30000000000000004");
  assert.equal(formatNumber(Number.NaN), "NaN");
  assert.equal(formatFloat32(Math.fround(0.1)), "0.1");
  assert.equal(formatFloat32(Math.fround(16777217)), "16777216");
  assert.equal(formatFloat32(Math.fround(1 / 3)), "0.33333334");
  assert.equal(formatFloat32(Number.NEGATIVE_INFINITY), "-Infinity");
  assert.equal(formatFloat16(0.0999755859375), "0.1");
  assert.equal(formatFloat16(65504), "65504");
  assert.equal(formatFloat16(2 ** -24), "5.96e-8");
});

test("every text of a float reads back as the float", () => {
  let seed = 1;
  const view = new DataView(new ArrayBuffer(4));
  for (let i = 0; i < 20_000; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    view.setUint32(0, seed);
    const value = view.getFloat32(0);
    if (Number.isFinite(value)) assert.equal(Math.fround(Number(formatFloat32(value))), value);
  }
});

test("counts, bytes and labels", () => {
  assert.equal(formatCount(1234567).replace(/\u202f/g, " "), "1 234 567");
  assert.equal(formatCount(12n ** 15n).replace(/\u202f/g, ""), String(12n ** 15n));
  assert.equal(formatBytes(1023), "1023 B");
  assert.equal(formatBytes(1536), "1.50 KiB");
  assert.equal(formatBytes(Number.POSITIVE_INFINITY), "more than can be counted");
  assert.equal(formatShort(273.15000001), "273.15");
  assert.equal(formatShort(1.5e-9), "1.5e-9");
  assert.equal(formatHex(Uint8Array.of(0, 255, 16)), "00 ff 10");
  assert.match(formatHex(new Uint8Array(100)), /… \(100 bytes\)$/);
});

test("products beyond exactness are infinite, not wrong", () => {
  assert.equal(product([]), 1);
  assert.equal(product([3, 0, 5]), 0);
  assert.equal(product([2 ** 30, 2 ** 30]), Number.POSITIVE_INFINITY);
});

test("JSON with what JSON has not", () => {
  assert.equal(
    prettyJson({ a: 9223372036854775807n, b: Number.NaN, c: [1, "x", null] }),
    '{\n  "a": 9223372036854775807,\n  "b": NaN,\n  "c": [1, "x", null]\n}',
  );
  assert.equal(prettyJson([]), "[]");
  assert.equal(prettyJson("</script>"), '"</script>"');
  let deep: unknown = 1;
  for (let i = 0; i < 5000; i++) deep = [deep];
  assert.match(prettyJson(deep), /nested too deeply/);
});

test("datetimes", () => {
  const cases: [bigint, string, number, string][] = [
    [0n, "s", 1, "1970-01-01T00:00:00"],
    [-1n, "s", 1, "1969-12-31T23:59:59"],
    [-1n, "ns", 1, "1969-12-31T23:59:59.999999999"],
    [951_782_400n, "s", 1, "2000-02-29T00:00:00"],
    [11_016n, "D", 1, "2000-02-29"],
    [1n, "W", 1, "1970-01-08"],
    [361n, "M", 1, "2000-02"],
    [-1n, "M", 1, "1969-12"],
    [-1971n, "Y", 1, "-0001"],
    [3n, "s", 25, "1970-01-01T00:01:15"],
    [-719_528n, "D", 1, "0000-01-01"],
    [5n, "generic", 1, "5"],
    [-(1n << 63n), "ns", 1, "NaT"],
  ];
  for (const [value, unit, scale, text] of cases) assert.equal(formatDatetime(value, unit, scale), text);
  for (let day = -1_000_000n; day < 1_000_000n; day += 9973n) {
    const date = new Date(Number(day) * 86_400_000);
    if (date.getUTCFullYear() > 0) assert.equal(formatDatetime(day, "D"), date.toISOString().slice(0, 10));
  }
  assert.equal(formatTimedelta(90n, "m"), "90 min");
  assert.equal(formatTimedelta(-(1n << 63n), "s"), "NaT");
});

test("dates", () => {
  assert.equal(formatDate("2000-01-01T00:00:00", true), "2000-01-01");
  assert.equal(formatDate("2000-01-01T00:00:00", false), "2000-01-01 00:00");
  assert.equal(formatDate("-0050-01-01T06:10:00", true), "-0050-01-01 06:10");
  assert.equal(formatDate("2000-02-29T23:59:10", true), "2000-02-29 23:59:10");
  assert.equal(formatDate("2000-02-29T23:59:59.250000", false), "2000-02-29 23:59:59.25");
});
