import assert from "node:assert/strict";
import { test } from "node:test";
import { type Selection, selectionToWire, slice } from "../api/selection.js";
import { BoolArray } from "../data/arrays.js";
import { InvalidSelectionError } from "../errors.js";

test("slice", () => {
  assert.deepEqual(slice(5), { start: null, stop: 5, step: null });
  assert.deepEqual(slice(null), { start: null, stop: null, step: null });
  assert.deepEqual(slice(1, 5), { start: 1, stop: 5, step: null });
  assert.deepEqual(slice(null, null, -1), { start: null, stop: null, step: -1 });
  assert.deepEqual(slice(1n, 5n, 2n), { start: 1, stop: 5, step: 2 });
  assert.throws(() => slice(2n ** 60n), InvalidSelectionError);
});

/** A list of indices in the form of messages. */
const indices = (...list: (number | bigint)[]) => ({
  indices: new Uint8Array(BigInt64Array.from(list, BigInt).buffer),
});

test("selections as messages", () => {
  const cases: [Selection | undefined, unknown][] = [
    [undefined, null],
    [null, null],
    [[], []],
    [
      [0, -1, 3n],
      [0, -1, 3],
    ],
    [[-0], [0]],
    [
      [null, "..."],
      [null, "..."],
    ],
    [[2n ** 60n], [{ bigint: "1152921504606846976" }]],
    [[{ start: 0, stop: 2n ** 60n, step: null }], [{ start: 0, stop: { bigint: "1152921504606846976" }, step: null }]],
    [
      [slice(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)],
      [{ start: -(2 ** 53 - 1), stop: 2 ** 53 - 1, step: null }],
    ],
    [[[3, 1n, -1, -0]], [indices(3, 1, -1, 0)]],
    [[[]], [indices()]],
    [
      [
        [
          2 ** 53 - 1,
          1 - 2 ** 53,
          2 ** 32,
          -(2 ** 32),
          2 ** 31,
          -(2 ** 31),
          2n ** 63n - 1n,
          -(2n ** 63n),
          -(2n ** 31n) - 1n,
        ],
      ],
      [
        indices(
          2 ** 53 - 1,
          1 - 2 ** 53,
          2 ** 32,
          -(2 ** 32),
          2 ** 31,
          -(2 ** 31),
          2n ** 63n - 1n,
          -(2n ** 63n),
          -(2n ** 31n) - 1n,
        ),
      ],
    ],
    [
      [Int32Array.of(1, -1), Uint8Array.of(0, 1)],
      [indices(1, -1), indices(0, 1)],
    ],
    [[BigInt64Array.of(4n)], [indices(4)]],
    [[[true, false, true]], [Uint8Array.of(1, 0, 1)]],
    [[new BoolArray([0, 1])], [Uint8Array.of(0, 1)]],
  ];
  for (const [selection, want] of cases) assert.deepEqual(selectionToWire(selection, undefined), want);
});

test("selections by dimension name", () => {
  const names = ["time", null, "x"];
  assert.deepEqual(selectionToWire({ x: 3 }, names), [null, null, 3]);
  assert.deepEqual(selectionToWire({}, names), [null, null, null]);
  assert.throws(() => selectionToWire({ y: 3 }, names), /no dimension of the array is called "y".*"time", null, "x"/);
  assert.throws(() => selectionToWire({ x: 3 }, undefined), /it has no names/);
  assert.throws(() => selectionToWire({ x: 3 }, ["x", "x"]), /more than one/);
});

test("invalid selectors are rejected", () => {
  const cases: unknown[] = [
    [0.5],
    [Number.NaN],
    [2 ** 53],
    [2n ** 63n],
    ["x"],
    [true],
    [undefined],
    [{}],
    [[true, 1]],
    [[1, true]],
    [[1, 0.5]],
    [{ start: 0, stop: 1, step: 0.5 }],
    [{ start: 0, stop: Number.NaN, step: null }],
    5,
    "x",
    new Map(),
    new Date(),
  ];
  for (const selection of cases) {
    assert.throws(
      () => selectionToWire(selection as Selection, undefined),
      InvalidSelectionError,
      JSON.stringify(String(selection)),
    );
  }
  for (const bad of [0.5, Number.NaN, 2 ** 53, 2n ** 63n, "x", true, undefined, {}]) {
    assert.throws(() => slice(bad as number), InvalidSelectionError, String(bad));
    if (bad !== undefined) assert.throws(() => slice(0, 1, bad as number), InvalidSelectionError, String(bad));
  }
});
