// Marks of numbers that are large beside their range.
import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";
import { bundledModule } from "./bundledmodule.mjs";

const { numberTicks } = await bundledModule("ticks", 'export { numberTicks } from "./view/axes/ticks.js";');

test("marks between any two integers beyond 2^53 differ in text, and their texts and the offset are their positions", () => {
  for (let seed = 1; seed <= rounds(400); seed++) {
    const roll = random(seed);
    const sign = roll.of([1, -1]);
    const size = 2 ** roll.int(54, 64);
    const unit = size / 2 ** 52;
    const ends = [sign * size, sign * (size + unit * roll.int(1, 2 ** roll.int(0, 12)))].sort((a, b) => a - b);
    const { list, common } = numberTicks(...ends, roll.int(2, 9));
    const what = `seed ${seed}: ${ends}: ${JSON.stringify(list)}, ${common}`;
    assert.ok(list.length >= 2 && list.length <= 25, what);
    assert.equal(new Set(list.map(({ text }) => text)).size, list.length, what);
    for (const { position } of list) assert.ok(position >= ends[0] && position <= ends[1], what);
    if (common === "") continue;
    const plain = (text) =>
      BigInt(
        text
          .replace(/\u202f/g, "")
          .replace("−", "-")
          .replace("+", ""),
      );
    const offset = plain(common.replace("from ", ""));
    for (const { position, text } of list) assert.equal(offset + plain(text), BigInt(position), what);
  }
});
