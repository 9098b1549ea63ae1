// Statistics of volumes, combined from parts, compared with those of all their elements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";
import { bundledModule } from "./bundledmodule.mjs";

const { volumeStatistics, work } = await bundledModule(
  "volumesurvey",
  `export { volumeStatistics } from "./view/volume/survey.js";
   export { work } from "./view/worker/numbers.js";`,
);

const packing = { scale: 1, offset: 0, missing: [], valid: null };

/** The survey of a part, as the worker makes it. */
function surveyed(numbers) {
  const layout = { width: numbers.length, height: 1, parts: 1, strideX: 1, strideY: numbers.length, strideC: 0 };
  const meaning = { complex: null, time: false, packing };
  const steps = work({ task: "survey", sources: [{ source: numbers, layout }], meaning });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

test("statistics of parts are those of the whole: exact extremes and counts, and close quantiles", () => {
  for (let seed = 1; seed <= rounds(60); seed++) {
    const roll = random(seed);
    const parts = Array.from({ length: roll.int(1, 40) }, () => {
      const [middle, wide] = [roll.real(-100, 100), roll.of([0, 1, 50])];
      const gaps = roll.of([0, 0.3, 1]);
      return Float32Array.from({ length: roll.int(1, 400) }, () =>
        roll.chance(gaps) ? Number.NaN : middle + roll.real(-1, 1) * wide,
      );
    });
    const all = parts.flatMap((part) => [...part]);
    const known = all.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
    const found = volumeStatistics(parts.map(surveyed));
    assert.deepEqual(
      [found.count, found.missing, found.volume],
      [all.length, all.length - known.length, true],
      `seed ${seed}`,
    );
    if (known.length === 0) {
      assert.ok(Number.isNaN(found.least) && Number.isNaN(found.most));
      continue;
    }
    assert.deepEqual([found.least, found.most], [known[0], known.at(-1)], `seed ${seed}`);
    assert.deepEqual([found.quantile(0), found.quantile(1)], [known[0], known.at(-1)], `seed ${seed}`);
    assert.equal(
      found.histogram.reduce((sum, count) => sum + count, 0),
      known.length,
      `seed ${seed}`,
    );
    for (const share of [0.01, 0.1, 0.5, 0.9, 0.99]) {
      // The values around the quantile, within 2 % of all of them and two more.
      const at = (shift) =>
        known[Math.max(0, Math.min(known.length - 1, Math.round(share * (known.length - 1) + shift)))];
      const slack = 0.02 * known.length + 2;
      const value = found.quantile(share);
      const near = (known.at(-1) - known[0]) * 1e-6;
      assert.ok(
        value >= at(-slack) - near && value <= at(slack) + near,
        `seed ${seed}: ${value} at ${share}, not from ${at(-slack)} to ${at(slack)}`,
      );
    }
  }
});
