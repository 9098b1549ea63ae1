import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../tests/lib/random.mjs";
import { Pages, type TableSource } from "../view/table/pages.js";
import { elementText, valueText } from "../view/table/values.js";

const textOf = (row: number, column: number): string | null => (row % 97 === 5 ? null : `${row}/${column}`);

/** Returns a table whose reads end late, in any order, and sometimes fail. */
function unreliable(length: number, columns: number, next: () => number, fails: () => boolean) {
  const reads = { open: 0, aborted: 0, failed: 0, largest: 0 };
  const source: TableSource = {
    name: "t",
    length,
    columns: Array.from({ length: columns }, (_, i) => ({ name: `c${i}` })),
    async rows(start, stop, wanted, signal) {
      reads.open++;
      reads.largest = Math.max(reads.largest, (stop - start) * wanted.length);
      assert.ok(start >= 0 && stop <= length && start < stop);
      try {
        for (let n = Math.floor(next() * 4); n >= 0; n--) {
          await new Promise((then) => setImmediate(then));
          signal.throwIfAborted();
        }
        if (fails()) {
          reads.failed++;
          throw new Error("no answer");
        }
        return Array.from({ length: stop - start }, (_, i) => wanted.map((column) => textOf(start + i, column)));
      } catch (error) {
        if (signal.aborted) reads.aborted++;
        throw error;
      } finally {
        reads.open--;
      }
    },
  };
  return { source, reads };
}

test("a table shows its true rows after any scrolling, while pages come late, fail and are aborted", async () => {
  const { next } = random(1);
  for (const [length, columns] of [
    [1, 1],
    [127, 3],
    [128, 40],
    [5000, 100],
    [1_000_000_000_000, 7],
  ] as const) {
    let failing = true;
    const { source, reads } = unreliable(length, columns, next, () => failing && next() < 0.3);
    let failures = 0;
    const pages = new Pages(source, { changed: () => {}, failed: () => failures++ });
    const settle = async (): Promise<void> => {
      while (pages.busy) await new Promise((then) => setImmediate(then));
    };
    let seen: [number, number, number, number] = [0, 0, 0, 0];
    for (let n = 0; n < 150; n++) {
      const row = Math.floor(next() * length);
      const column = Math.floor(next() * columns);
      seen = [row, Math.min(length, row + 40), column, Math.min(columns, column + 12)];
      pages.want(...seen);
      if (n % 3 === 0) await settle();
      else await new Promise((then) => setImmediate(then));
      for (let r = seen[0]; r < seen[1]; r++)
        for (let c = seen[2]; c < seen[3]; c++) {
          const cell = pages.cell(r, c);
          if (cell !== undefined) assert.equal(cell, textOf(r, c));
          else if (n % 3 === 0)
            assert.ok(pages.broken(r, c), `row ${r}, column ${c} of ${length} is neither here nor broken`);
        }
    }
    failing = false;
    pages.retry();
    await settle();
    assert.equal(pages.failure, undefined);
    for (let r = seen[0]; r < seen[1]; r++)
      for (let c = seen[2]; c < seen[3]; c++) assert.equal(pages.cell(r, c), textOf(r, c));
    if (length > 1000)
      assert.ok(failures > 0 && failures <= reads.failed, `${failures} failures are told of ${reads.failed}`);
    assert.ok(reads.largest <= 128 * 32);
    pages.close();
    assert.equal(reads.open, 0);
  }
});

test("pages scrolled past are aborted, and no event follows the end", async () => {
  const { next } = random(2);
  const { source, reads } = unreliable(
    1e6,
    4,
    () => 0.99,
    () => next() < 0,
  );
  let told = 0;
  const pages = new Pages(source, {
    changed: () => told++,
    failed: () => assert.fail("a read that is aborted has not failed"),
  });
  for (let n = 0; n < 20; n++) pages.want(n * 1000, n * 1000 + 30, 0, 4);
  while (pages.busy) await new Promise((then) => setImmediate(then));
  assert.ok(reads.aborted >= 19, `${reads.aborted} aborted`);
  pages.want(0, 30, 0, 4);
  const before = told;
  pages.close();
  for (let n = 0; n < 10; n++) await new Promise((then) => setImmediate(then));
  assert.equal(told, before);
});

test("values as text: numbers, complex numbers, bytes, lists, structs, times, missing values", () => {
  assert.equal(valueText(0.1), "0.1");
  assert.equal(elementText(Float32Array.of(0.1), 0), "0.1");
  assert.equal(valueText(-0), "-0");
  assert.equal(valueText({ re: 1.5, im: -2 }), "1.5 − 2i");
  assert.equal(valueText({ re: 0, im: 0 }), "0 + 0i");
  assert.equal(valueText(Uint8Array.of(0, 15, 255)), "00 0f ff");
  assert.match(valueText(new Uint8Array(100)) ?? "", /… \(100 bytes\)$/);
  assert.equal(valueText([1, null, "x"]), "[1, missing, x]");
  assert.equal(valueText({ a: 1, b: { c: true } }), "a: 1, b: c: true");
  assert.equal(valueText(2n ** 63n), "9223372036854775808");
  assert.equal(elementText({ p: { x: Float32Array.of(0, 24.04), y: [1, null] } }, 1), "p: x: 24.04, y: missing");
  assert.equal(valueText(null), null);
  assert.equal(elementText([undefined, "x"], 0), null);
});
