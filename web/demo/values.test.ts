import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf, elementsOf, valueText } from "./values.js";

class Bools extends Uint8Array {
  get(i: number): boolean {
    return this[i] === 1;
  }
}
class Complexes extends Float32Array {
  get(i: number): { re: number; im: number } {
    return { re: this[2 * i] ?? 0, im: this[2 * i + 1] ?? 0 };
  }
}
class Times extends BigInt64Array {
  unit = "D";
  scale = 1;
  toDate(): Date | null {
    return null;
  }
}

test("numbers of every kind", () => {
  const bytes = elementsOf(Uint8Array.of(1, 2), 2);
  assert.deepEqual([bytes.text(1), bytes.numbers?.[1], bytes.what], ["2", 2, "numbers"]);
  const big = elementsOf(BigUint64Array.of(18446744073709551615n), 1);
  assert.deepEqual([big.text(0), big.numbers?.[0]], ["18446744073709551615", 2 ** 64]);
  assert.equal(elementsOf(Float32Array.of(0.1), 1).text(0), "0.1");
});

test("what is more than a number", () => {
  const bools = elementsOf(Bools.of(0, 1), 2);
  assert.deepEqual([bools.text(1), bools.binary], ["true", true]);
  const complex = elementsOf(Complexes.of(3, -4, 0, 1), 2);
  assert.deepEqual([complex.count, complex.text(0), complex.numbers?.[0]], [2, "3 − 4i", 5]);
  const times = elementsOf(Times.of(1n, -(1n << 63n)), 2);
  assert.deepEqual([times.text(0), times.text(1)], ["1970-01-02", "NaT"]);
  assert.ok(Number.isNaN(times.numbers?.[1]));
});

test("lists of text, of values and of numbers with gaps", () => {
  const text = elementsOf(["a", null], 2);
  assert.deepEqual([text.numbers, text.text(0), text.text(1)], [null, '"a"', "missing"]);
  const gaps = elementsOf([1, null, 3n], 3);
  assert.deepEqual([gaps.numbers?.[0], gaps.numbers?.[2], gaps.text(1)], [1, 3, "missing"]);
  assert.ok(Number.isNaN(gaps.numbers?.[1]));
});

test("columns of structs, nested ones by dotted names", () => {
  const data = { id: Uint8Array.of(1, 2), p: { x: Float64Array.of(0.5, 1), y: Int8Array.of(-1, -2) } };
  assert.deepEqual(
    columnsOf(data)?.map((c) => c.name),
    ["id", "p.x", "p.y"],
  );
  assert.equal(elementsOf(data, 2).text(1), "id: 2, p.x: 1, p.y: -2");
  assert.equal(columnsOf(Uint8Array.of(1)), null);
});

test("single values", () => {
  assert.equal(valueText({ re: 1, im: -2 }), "1 − 2i");
  assert.equal(valueText(Uint8Array.of(1, 255)), "01 ff");
  assert.equal(valueText({ a: [1, "<b>"] }), '{ "a": [1, "<b>"] }');
  assert.equal(valueText(-0), "-0");
});
