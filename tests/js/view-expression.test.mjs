// Expressions of variables compared with a model: random arrays with random axes, types, packings
// and missing values, at random indices.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { evaluated } from "../../dist/view-expression.js";
import { programs } from "../../dist/view-take.js";
import { random } from "../lib/random.mjs";
import { bundledModule } from "./bundledmodule.mjs";
import { changed, compare, lengths, made, opened, shuffled } from "./viewoperands.mjs";

const { ViewWorker } = await bundledModule("viewworker", 'export { ViewWorker } from "./view/worker/viewworker.js";');
after(() => zarr.terminate());

const workers = () => new ViewWorker();
const { signal } = new AbortController();
const known = (run, ...of) => (of.includes(null) ? Number.NaN : run(...of.map(Number)));

/** Expressions of operands, and their values; null is missing. */
const cases = [
  [(a, b) => `sqrt(${a}^2 + ${b}^2)`, (a, b) => known((a, b) => Math.sqrt(a ** 2 + b ** 2), a, b)],
  [
    (a, b, c) => `(${a} - ${b}) / (${a} + ${c})`,
    (a, b, c) => known((a, b, c) => (a + c === 0 ? Number.NaN : (a - b) / (a + c)), a, b, c),
  ],
  [(a) => `${a} - 273.15`, (a) => known((a) => a - 273.15, a)],
  [
    (a, b, c) => `where(${a} > ${b}, ${c}, -1)`,
    (a, b, c) => (a === null || b === null ? Number.NaN : Number(a) > Number(b) ? known((c) => c, c) : -1),
  ],
  [(a, b, c) => `max(${a}, ${b}, 2 * ${c})`, (a, b, c) => known((a, b, c) => Math.max(a, b, 2 * c), a, b, c)],
];

test("an expression equals that of the values, and is missing where an operand is", async () => {
  for (let seed = 1; seed <= 100; seed++) {
    const roll = random(seed);
    const all = ["time", "height", "lat", "lon"].slice(roll(3));
    const arrays = {
      a: made(roll, shuffled(roll, all)),
      b: made(roll, shuffled(roll, all).slice(roll(2))),
      c: made(roll, shuffled(roll, all).slice(roll(all.length))),
    };
    const namesOf = (name) => arrays[name].document.dimension_names;
    const description = await opened(arrays);
    const [text, value] = cases[roll(cases.length)];
    const operands = ["a", "b", "c"].map((name) => {
      const pinned = namesOf(name).filter(() => name !== "a" && roll(4) === 0);
      const index = Object.fromEntries(pinned.map((axis) => [axis, roll(lengths[axis])]));
      const places = pinned.map((axis) => `${axis}:${index[axis]}`).join(", ");
      const word = name === "a" && roll(2) === 0 ? "this" : roll(3) === 0 ? `"${name}"` : name;
      return { name, index, word: places === "" ? word : `${word}[${places}]` };
    });
    const written = text(...operands.map(({ word }) => word));
    const { field, title } = await evaluated(description, written, workers, signal);
    assert.equal(title.value, written);
    const names = namesOf("a");
    assert.deepEqual(
      field.axes.map(({ name }) => name),
      names,
    );
    const [{ array }] = field.levels;
    const expected = (at) => value(...operands.map(({ name, index }) => arrays[name].value({ ...at, ...index })));
    await compare(roll, array, names, expected, `seed ${seed}: ${written}`);
  }
});

test("an expression has the axes of its widest variable, and the units of its operands", async () => {
  const roll = random(2);
  const named = (names, attributes) => changed(made(roll, names), { attributes });
  const arrays = {
    flat: named(["lat", "lon"], { units: "K" }),
    deep: named(["time", "lat", "lon"], { units: "K" }),
    line: named(["lat"], { units: "m" }),
  };
  const description = await opened(arrays);
  const axes = async (text) => (await evaluated(description, text, workers, signal)).field.axes.map(({ name }) => name);
  assert.deepEqual(await axes("flat - deep"), ["time", "lat", "lon"]);
  assert.deepEqual(await axes("flat - deep[time:1]"), ["lat", "lon"]);
  assert.deepEqual(await axes("flat * line"), ["lat", "lon"]);
  const units = async (text) => (await evaluated(description, text, workers, signal)).field.units;
  assert.equal(await units("flat - deep"), "K");
  assert.equal(await units("flat - 273.15"), "°C");
  assert.equal(await units("flat + line"), "");
  const scale = async (text) => (await evaluated(description, text, workers, signal)).field.scale.value;
  assert.equal(await scale("(flat - deep) / (flat + deep)"), "diverging");
  assert.equal(await scale("flat - 273.15"), "sequential");
});

test("the program of an expression reads its operands at the same elements", async () => {
  const roll = random(7);
  const description = await opened({ "2 m": made(roll, ["time", "lat", "lon"]), tp: made(roll, ["lat", "lon"]) });
  const program = async (text, part) => {
    const { field } = await evaluated(description, text, workers, signal);
    field.levels[0] = {
      ...field.levels[0],
      array: Object.create(field.levels[0].array, { store: { value: { url: "https://example.org/a.zarr" } } }),
    };
    const [{ name, text: found }] = programs({ field, level: 0, x: 2, y: 1, indices: [4, 0, 0], part }, "array");
    assert.equal(name, "Python: xarray");
    return found;
  };
  assert.equal(
    await program(`this - this[time:1] + tp^2`, { left: 1, right: 5, top: 0, bottom: 5 }),
    `import numpy as np
import xarray as xr

dataset = xr.open_zarr("https://example.org/a.zarr")
v1 = dataset["2 m"].isel({"time": 4, "lon": slice(1, 5)})
v2 = dataset["2 m"].isel({"time": 1, "lon": slice(1, 5)})
tp = dataset["tp"].isel({"lon": slice(1, 5)})
data = (v1 - v2) + (tp ** 2)
`,
  );
  assert.match(await program("tp - 4611686018427387905"), /^data = tp - 4611686018427387905$/m);
  assert.match(
    await program(`where(tp > 0, log(tp), 1 / tp)`),
    /def compare[\s\S]*def positive[\s\S]*def divide[\s\S]*def choose[\s\S]*data = choose\(compare\(np.greater, tp, 0\), np.log\(positive\(tp\)\), divide\(1, tp\)\)/,
  );
});

test("an expression that cannot be computed is a named error with the place of its cause", async () => {
  const roll = random(5);
  const grid = { name: "regular", configuration: { chunk_shape: [5, 8] } };
  const arrays = {
    t2m: made(roll, ["lat", "lon"]),
    deep: made(roll, ["time", "lat", "lon"]),
    wide: changed(made(roll, ["lat", "lon"]), { shape: [5, 8], chunk_grid: grid }),
    names: changed(made(roll, ["lat", "lon"]), { data_type: "r16", fill_value: [0, 0] }),
  };
  const description = await opened(arrays);
  const refused = (text, message, hint) =>
    assert.rejects(
      evaluated(description, text, workers, signal),
      (error) => {
        assert.equal(error.name, "UnsupportedError", `${text}: ${error}`);
        assert.match(error.message, message);
        if (hint) assert.match(error.hint, hint);
        return true;
      },
      text,
    );
  await refused("t2m - t2n", /no variable t2n \(character 7\)/, /t2m/);
  await refused("t2m - wide", /lon has 8 elements in \/wide, but 7 in \/t2m/);
  await refused("t2m[time:0]", /t2m has no axis time \(character 1\)/, /lat, lon/);
  await refused("t2m - deep[time:6]", /indices 0 to 5, not 6/);
  await refused("t2m - deep[time=x]", /x is no position along time/);
  await refused("1 + 2", /names at least one variable/);
  await refused("t2m +", /a value is expected at the end \(character 6\)/);
  await refused("names + 1", /no numbers to compute with/);
  // Afterwards it works as before.
  const { field } = await evaluated(description, "t2m * 0", workers, signal);
  assert.ok([0, Number.NaN].includes(await field.levels[0].array.get([0, 0])));
});
