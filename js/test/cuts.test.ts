// Tests how axes are divided into tiles, against a model that lists every chunk.
import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../tests/lib/random.mjs";
import type { ZarrArray } from "../api/array.js";
import { cutsOf } from "../view/tiles/cuts.js";

type Runs = [length: number, count: number][];

const cut = (runs: Runs, length: number) => {
  const chunkGrid = { chunkShapes: [runs] };
  const [cuts] = cutsOf({ chunks: [runs[0]?.[0] ?? 1], shape: [length], chunkGrid } as unknown as ZarrArray, [0]);
  assert.ok(cuts);
  return cuts;
};

test("chunks of several lengths are cut as if each were written down", () => {
  const pick = random(7);
  for (let round = 0; round < 300; round++) {
    const long = round % 3 === 0;
    // The first chunk determines whether parts are cut.
    const runs: Runs = [[long ? 5000 + pick(4000) : 1 + pick(9), 1 + pick(3)]];
    for (let k = 1 + pick(4); k > 0; k--) runs.push([1 + pick(long ? 3000 : 9), 1 + pick(5)]);
    const whole = runs.reduce((sum, [size, count]) => sum + size * count, 0);
    const length = whole - pick(Math.min(whole - 1, runs.at(-1)?.[0] ?? 1));
    const cuts = cut(runs, length);
    const starts: number[] = [];
    const chunks: number[] = [];
    let [at, chunk] = [0, 0];
    for (const [size, count] of runs) {
      for (let k = 0; k < count && at < length; k++, at += size, chunk++) {
        for (let from = 0; from < size && at + from < length; from += long ? 1024 : size) {
          starts.push(at + from);
          chunks.push(chunk);
        }
      }
    }
    assert.equal(cuts.count, starts.length, JSON.stringify({ runs, length }));
    assert.deepEqual(
      starts.map((_, tile) => cuts.start(tile)),
      starts,
    );
    assert.deepEqual(
      starts.map((_, tile) => cuts.chunk(tile)),
      chunks,
    );
    assert.equal(cuts.start(cuts.count), length);
    for (let k = 0; k < 20; k++) {
      const element = pick(length);
      assert.equal(
        cuts.at(element),
        starts.findLastIndex((start) => start <= element),
      );
    }
  }
});

test("many chunks are counted, and numbers that cannot be counted are left out", () => {
  const cuts = cut(
    [
      [1, 1e8],
      [2, 1e8],
    ],
    3e8,
  );
  assert.equal(cuts.count, 2e8);
  assert.equal(cuts.at(1e8 + 2), 1e8 + 1);
  const huge = cut([[3, 1]], 2 ** 62);
  assert.ok(huge.count + 1 > huge.count);
  assert.ok(huge.length <= 2 ** 52);
});
