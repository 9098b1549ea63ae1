import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatCount, formatHex, formatNumber, prettyJson, product, valueText } from "./format.js";

test("numbers exactly", () => {
  assert.equal(formatNumber(-0), "-0");
  assert.equal(formatNumber(0.1 + 0.2), "0.30000000000000004");
  assert.equal(formatNumber(Number.NaN), "NaN");
});

test("counts and bytes", () => {
  assert.equal(formatCount(1234567).replace(/\u202f/g, " "), "1 234 567");
  assert.equal(formatCount(12n ** 15n).replace(/\u202f/g, ""), String(12n ** 15n));
  assert.equal(formatBytes(1023), "1023 B");
  assert.equal(formatBytes(1536), "1.50 KiB");
  assert.equal(formatBytes(Number.POSITIVE_INFINITY), "more than can be counted");
  assert.equal(formatHex(Uint8Array.of(0, 255, 16)), "00 ff 10");
  assert.match(formatHex(new Uint8Array(100)), /… \(100 bytes\)$/);
});

test("single values", () => {
  assert.equal(valueText(9007199254740993n), "9007199254740993");
  assert.equal(valueText("a\n"), '"a\\n"');
  assert.equal(valueText(Uint8Array.of(1, 2)), "01 02");
  assert.equal(valueText(Number.NEGATIVE_INFINITY), "-Infinity");
});

test("products beyond exactness are infinite, not wrong", () => {
  assert.equal(product([]), 1);
  assert.equal(product([3, 0, 5]), 0);
  assert.equal(product([2 ** 30, 2 ** 30]), Number.POSITIVE_INFINITY);
});

test("JSON with values that JSON lacks", () => {
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
