// Links between views of different grids: places are carried over by the values of coordinates.
import assert from "node:assert/strict";
import { test } from "node:test";
import { following } from "../../dist/view-linked.js";
import { random } from "../lib/random.mjs";

const numbers = (units, list) => ({
  kind: "number",
  name: "",
  units,
  length: list.length,
  number: (i) => list[i],
  text: (i) => String(list[i]),
});
const names = (list) => ({ ...numbers("", list), kind: "text", number: () => Number.NaN, text: (i) => list[i] });

/** A field of [time, lat, lon] with these positions; null for none. */
const fieldOf = (positions) => ({
  axes: Object.entries(positions).map(([name, coordinate]) => ({
    name,
    title: name,
    role: { value: "other" },
    length: coordinate.length,
    units: "",
    coordinate: async () => (coordinate.kind ? coordinate : null),
  })),
  plane: { value: { x: 2, y: 1, up: false, left: false } },
  indices: [0, 0, 0],
  colourAxis: null,
  channels: null,
  place: null,
  range: null,
  categories: [],
  levels: [{}],
  labels: false,
});

const even = (first, step, length) => Array.from({ length }, (_, i) => first + step * i);

/** Draws a grid whose positions rise or fall. */
const drawn = (next, west = next.of([-180, 0])) => {
  const steps = [1 + next(5), 1 + next(5)];
  const lats = even(-90, steps[0], Math.floor(180 / steps[0]) + 1);
  if (next.chance(0.5)) lats.reverse();
  return {
    time: numbers("ms", even(next(20) * 3, 1 + next(4), 20)),
    lat: numbers("°N", lats),
    lon: numbers("°E", even(west, steps[1], Math.floor(360 / steps[1]))),
  };
};

const around = (a, b) => Math.abs(((((a - b) % 360) + 540) % 360) - 180);

test("an index is carried to the nearest position within a step, and otherwise stays", async () => {
  const next = random(41);
  for (let round = 0; round < 400; round++) {
    const [one, two] = [drawn(next), drawn(next)];
    const index = { time: next(20), lat: next(one.lat.length), lon: next(one.lon.length) };
    const before = { time: 7 };
    const from = { field: fieldOf(one), state: { index } };
    const { index: found } = await following(from, { index }, { field: fieldOf(two), state: { index: before } });
    for (const [name, apart] of [
      ["time", (a, b) => Math.abs(a - b)],
      ["lat", (a, b) => Math.abs(a - b)],
      ["lon", around],
    ]) {
      const value = one[name].number(index[name]);
      const list = Array.from({ length: two[name].length }, (_, i) => apart(two[name].number(i), value));
      const least = Math.min(...list);
      const steps = [one, two].map((grid) => Math.abs(grid[name].number(1) - grid[name].number(0)));
      if (least > Math.max(...steps)) assert.equal(found[name], before[name], name);
      else assert.equal(list[found[name]], least, `${name} ${round}`);
    }
  }
});

test("a camera is carried to the same place at the same scale, also across the date line", async () => {
  const next = random(42);
  for (let round = 0; round < 400; round++) {
    const [one, two] = [drawn(next), drawn(next)];
    const camera = { x: next.real(0, one.lon.length), y: next.real(0, one.lat.length), zoom: next.real(1, 30) };
    const from = { field: fieldOf(one), state: { camera } };
    const { camera: found } = await following(from, { camera }, { field: fieldOf(two), state: {} });
    const at = (coordinate, position) =>
      coordinate.number(0) + (position - 0.5) * (coordinate.number(1) - coordinate.number(0));
    assert.ok(around(at(one.lon, camera.x), at(two.lon, found.x)) < 1e-6, `${round}`);
    assert.ok(Math.abs(at(one.lat, camera.y) - at(two.lat, found.y)) < 1e-6, `${round}`);
    const step = ({ lon }) => lon.number(1) - lon.number(0);
    assert.ok(Math.abs(camera.zoom / step(one) - found.zoom / step(two)) < 1e-9);
    const whole = await following(from, { camera: undefined }, { field: fieldOf(two), state: { camera } });
    assert.deepEqual(whole, { camera: undefined });
  }
});

test("axes with other units, other names or no positions stay", async () => {
  const grid = drawn(random(43), 0);
  const from = { field: fieldOf(grid), state: {} };
  const index = { time: 3, lat: 2, lon: 5 };
  const follow = (positions) =>
    following(from, { index }, { field: fieldOf(positions), state: { index: { time: 1 } } });
  const metres = { ...grid, lat: { ...grid.lat, units: "m" } };
  assert.deepEqual((await follow(metres)).index, { time: 3, lon: 5 });
  const { lon, ...rest } = grid;
  assert.deepEqual((await follow({ ...rest, x: lon })).index, { time: 3, lat: 2 });
  assert.deepEqual((await follow({ ...grid, time: { length: 19 } })).index, { time: 1, lat: 2, lon: 5 });
  // Without positions on both sides, equal lengths agree.
  const bare = { time: { length: 20 }, lat: { length: 9 }, lon: { length: 9 } };
  const other = { ...bare, lat: { length: 8 } };
  const own = { field: fieldOf(bare), state: {} };
  assert.deepEqual((await following(own, { index }, { field: fieldOf(other), state: {} })).index, { time: 3, lon: 5 });
  const word = { ...grid, time: names(["a", "b", "c", "d"]) };
  const words = { ...grid, time: names(["d", "c"]) };
  const found = await following({ field: fieldOf(word), state: {} }, { index }, { field: fieldOf(words), state: {} });
  assert.equal(found.index.time, 0);
});
