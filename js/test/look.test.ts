// Tests the settings of a drawing: the index of each axis, and what the readout says of an element.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Coordinate, Field } from "../describe/field.js";
import { indicesOf, lookFromState } from "../view/element/look.js";
import { detailAt } from "../view/element/readout.js";
import { following } from "../view/linked/index.js";
import { partAttributes } from "../view/take/partattributes.js";

const inherited = Object.getOwnPropertyNames(Object.prototype);

const coordinateOf = (length: number): Coordinate => ({
  kind: "number",
  name: "",
  units: "",
  length,
  number: (i) => i,
  text: (i) => `at ${i}`,
  find: () => undefined,
});

/** A field whose axes have these names. The last two are drawn. */
const fieldOf = (names: readonly string[]): Field =>
  ({
    axes: names.map((name) => ({
      name,
      title: name,
      length: 10,
      units: "",
      role: { value: "other" },
      coordinate: async () => coordinateOf(10),
    })),
    plane: { value: { x: names.length - 1, y: names.length - 2, up: false, left: false } },
    indices: names.map(() => 3),
    colourAxis: null,
    channels: null,
    place: null,
    range: null,
    categories: [],
    levels: [{}],
    labels: false,
    text: String,
  }) as unknown as Field;

test("axes with names that every object inherits are axes like others", async () => {
  const field = fieldOf([...inherited, "y", "x"]);
  const [indices, rest] = [inherited.map((_, i) => i % 10), [0, 0]];
  const index = Object.fromEntries(inherited.map((name, i) => [name, i % 10]));
  assert.deepEqual(lookFromState(field, {}).indices, [...inherited.map(() => 3), ...rest]);
  assert.deepEqual(lookFromState(field, { index: { y: 4 } }).indices, [...inherited.map(() => 3), ...rest]);
  assert.deepEqual(lookFromState(field, { index }).indices, [...indices, ...rest]);
  assert.deepEqual(indicesOf(field, { index: { x: 99 } }), [...inherited.map(() => 3), 3, 9]);

  const look = lookFromState(field, { index });
  const coordinates = field.axes.map(({ name }) => (name === "y" ? null : coordinateOf(10)));
  const tiles = { level: 0, value: () => ({ value: 7, level: 0 }) };
  const detail = detailAt(field, look, { tiles }, coordinates, { x: 5, y: 6 });
  assert.deepEqual(Object.entries(detail.index), Object.entries({ ...index, y: 6, x: 5 }));
  assert.deepEqual(Object.keys(detail.coordinates), [...inherited, "x"]);

  const found = await following({ field, state: { index } }, { index }, { field, state: {} });
  assert.deepEqual(Object.entries(found.index ?? {}), Object.entries(index));
});

test("a part keeps attributes with names that every object inherits", () => {
  const attributes = Object.fromEntries(inherited.map((name) => [name, name]));
  assert.deepEqual(Object.entries(partAttributes(attributes, null)), Object.entries(attributes));
});
