import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../tests/lib/random.mjs";
import type { Coordinate } from "../describe/index.js";
import { along } from "../view/plot/along.js";
import { Nearest } from "../view/plot/nearest.js";
import { Extents } from "../view/plot/reduce.js";

const odd = [NaN, Infinity, -Infinity, 0, -0, -1e300, 1e300];

test("extents of any range hold each extreme, before, while and after the blocks are made", () => {
  const { next } = random(1);
  for (const length of [0, 1, 255, 256, 257, 5000, 2048 * 256 + 700]) {
    const values = Float64Array.from({ length }, (_, i) =>
      next() < 0.02 || (i >> 8) % 5 === 1 ? (odd[Math.floor(next() * odd.length)] as number) : next() - 0.5,
    );
    const extents = new Extents(values);
    for (let turn = 0; turn < 3; turn++) {
      for (let n = 0; n < (length > 1e5 ? 20 : 200); n++) {
        const a = Math.floor(next() * (length + 4)) - 2;
        const b = n % 2 ? a + Math.floor(next() * 600) : Math.floor(next() * (length + 4)) - 2;
        for (const positive of [false, true]) {
          let [least, most] = [Infinity, -Infinity];
          for (let i = Math.max(0, a); i < Math.min(length, b); i++) {
            const value = values[i] as number;
            if (!Number.isFinite(value) || (positive && value <= 0)) continue;
            [least, most] = [Math.min(least, value), Math.max(most, value)];
          }
          const found = extents.of(a, b, positive);
          assert.ok(
            found.least === least && found.most === most,
            `[${a}, ${b}) of ${length}: ${found.least} to ${found.most} is not ${least} to ${most}`,
          );
        }
      }
      extents.prepare();
    }
    while (!extents.ready) extents.prepare();
  }
});

function coordinate(kind: Coordinate["kind"], numbers: readonly number[]): Coordinate {
  return {
    kind,
    name: "c",
    units: "",
    length: numbers.length,
    number: (i) => numbers[i] ?? NaN,
    text: String,
    find: () => 0,
  };
}

test("positions along an axis rise with the indices, and each position leads back to its index", () => {
  const { next } = random(2);
  for (let n = 0; n < 400; n++) {
    const length = 1 + Math.floor(next() * 200);
    let at = (next() - 0.5) * 1e4;
    const kinds = [() => 1, () => -1, () => 1 + next(), () => -0.1 - next(), () => next() - 0.5];
    const step = kinds[n % kinds.length] as () => number;
    const numbers = Array.from({ length }, () => (at += step()));
    for (const axis of [along(length, coordinate("number", numbers), ""), along(length, null, "")]) {
      for (let i = 0; i < length; i++) {
        const position = axis.at(i);
        assert.ok(position >= axis.low && position <= axis.high);
        assert.equal(axis.from(position), i);
        if (i > 0) assert.ok(position > axis.at(i - 1));
      }
      assert.equal(axis.from(axis.high + 1), length);
      assert.equal(axis.from(axis.low - 1), 0);
    }
  }
});

test("falling coordinates are drawn from the right, uneven ones at their own places", () => {
  const even = along(3, coordinate("number", [30, 20, 10]), "");
  assert.equal(even.flipped, true);
  const levels = along(4, coordinate("number", [1000, 850, 500, 100]), "hPa");
  assert.equal(levels.flipped, true);
  assert.deepEqual([0, 1, 2, 3].map(levels.at), [-1000, -850, -500, -100]);
  const marks = levels.ticks(-1000, -100, 5).list;
  for (const { position, text } of marks) assert.equal(String(-position), text);
  const months = Array.from({ length: 24 }, (_, i) => Date.UTC(2000, i, 1));
  const time = along(24, coordinate("time", months), "");
  assert.deepEqual(
    time.ticks(time.low, time.high, 4).list.map(({ text }) => text),
    ["2000-01", "2000-07", "2001-01", "2001-07"],
  );
  const fro = along(3, coordinate("number", [1, 3, 2]), "");
  assert.deepEqual([0, 1, 2].map(fro.at), [0.5, 1.5, 2.5]);
});

test("the nearest point is the one that a look at each finds, also at edges, among equal ones and without any", async () => {
  const { next } = random(3);
  for (const count of [0, 1, 2, 3000]) {
    const x = Float32Array.from({ length: count }, () => (next() < 0.01 ? NaN : (next() - 0.5) * 20));
    const y = Float32Array.from({ length: count }, () => Math.round(next() * 40) * 1e5);
    const nearest = new Nearest(x, y, [-10, 0, 10, 4e6]);
    await nearest.prepare(new AbortController().signal);
    for (let n = 0; n < 400; n++) {
      const [px, py] = [(next() - 0.5) * 26, (next() * 1.4 - 0.2) * 4e6];
      const [rx, ry] = [next() * 3 + 1e-6, next() * 4e5 + 1e-6];
      const shown = (i: number): boolean => i % 7 !== n % 7;
      let least = 1;
      for (let i = 0; i < count; i++) {
        const distance = (((x[i] as number) - px) / rx) ** 2 + (((y[i] as number) - py) / ry) ** 2;
        if (shown(i) && distance <= least) least = distance;
      }
      const found = nearest.find(px, py, rx, ry, shown);
      const own =
        found === null ? 1 : (((x[found] as number) - px) / rx) ** 2 + (((y[found] as number) - py) / ry) ** 2;
      assert.equal(own, least);
      assert.ok(found === null || shown(found));
    }
  }
});
